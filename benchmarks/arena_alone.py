"""An arena for the arena's benchmark, as a program of its own: it runs with any version of Roost.

    python benchmarks/arena_alone.py

It prints where it listens, and ends when its input does.
"""

import asyncio
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import structlog

from roost_games.referee import Clock
from roost_server.serving.server import ArenaServer, collect_garbage_seldom
from roost_server.settings import Settings, tables_of
from roost_server.store import open_store

PATIENT = Clock(decision_ms=60_000, bank_ms=600_000)
MOST = 1024
"""How many matches each bot may play at once. Older versions play as many as it asks for."""


async def serve(folder: Path) -> None:
    """Be an arena with tables of two for Karteneck and everything recorded."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    known = {each.name for each in fields(Settings)}
    fixed: dict[str, Any] = {"matches_at_once": MOST} if "matches_at_once" in known else {}
    settings = Settings(
        tables_of(("karteneck",), (2,)), clock=PATIENT, max_matches_per_bot=MOST, drain_seconds=0, **fixed
    ).unpaced()
    with open_store(f"sqlite:///{folder / 'arena.db'}") as store:
        server = ArenaServer(store, settings, "127.0.0.1:0")
        collect_garbage_seldom()
        await server.start()
        print(server.address, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await server.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        asyncio.run(serve(Path(name)))

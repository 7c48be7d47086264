"""An arena as a process of its own, to be stopped and killed.

`python -m tests.support.arenas.arena_program DB LISTEN DRAIN [COMPETITION]` takes two files, an address and a number of
seconds. Its first line of output is the address.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from roost_server.competition.file import read_competition
from roost_server.competition.ledger import draw_up
from roost_server.serving.logs import configure_logging
from roost_server.serving.server import Hosting, serve
from roost_server.settings import tables_of
from roost_server.store import open_store
from tests.support.arenas.hall import settings

ROOT = Path(__file__).parents[3]


def main(database: str, listen: str, drain: str, file: str = "") -> None:
    chosen = settings(tables=tables_of(("karteneck", "haecmaec"), (2, 3)), drain_seconds=float(drain))
    configure_logging("warning")
    with open_store(f"sqlite:///{database}") as store:
        competitions = (draw_up(store, *read_competition(Path(file))),) if file else ()
        hosting = Hosting(competitions)
        asyncio.run(serve(store, chosen, listen, lambda server: print(server.address, flush=True), hosting))  # noqa: T201


@asynccontextmanager
async def program(name: str, *arguments: object) -> AsyncIterator["asyncio.subprocess.Process"]:
    """A program of this folder as a process. If it still runs at the end it is killed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-W",
        "error",
        "-m",
        f"tests.support.arenas.{name}",
        *map(str, arguments),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def address_of(process: "asyncio.subprocess.Process") -> str:
    """Where an arena listens."""
    assert process.stdout is not None
    return (await process.stdout.readline()).decode().strip()


if __name__ == "__main__":
    main(*sys.argv[1:])

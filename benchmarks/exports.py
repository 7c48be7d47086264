"""What exports cost a running arena: its own delay and its pace while six callers ask for everything, and without them.

    python -m benchmarks.exports [--matches 2000] [--seconds 10] [--callers 6]

The arena is a process of its own. Two quick bots first fill a competition with matches; then two bots that take five
milliseconds for a decision play on, alone and beside the callers, who ask again and again. Look at the ratios.
"""

import argparse
import asyncio
import multiprocessing
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import AtOnce
from benchmarks.hosting import COMPETITION, PATIENT, prepare
from roost.v1 import arena_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk import Bot
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import grpc_links
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.serving.server import ArenaServer, Hosting, collect_garbage_seldom
from roost_server.settings import Settings, tables_of
from roost_server.store import open_store

THINKING_SECONDS = 0.005
WARM_MATCHES = 40
"""After this many the slow bots have settled down."""


class Thoughtful(AtOnce):
    """Takes its time."""

    def choose(self, view: object, legal: object) -> object:
        time.sleep(THINKING_SECONDS)
        return super().choose(view, legal)


class Load(NamedTuple):
    """How an arena did."""

    delay: float
    """Its own delay, as a share of the time."""
    decisions: float
    """In a second."""
    cpu: float
    """How much of a processor the arena's process took."""
    exports: int


def arena_process(pipe: Connection, folder: Path) -> None:
    """Be an arena until told to stop; answers every message with its own delay and its processor time so far."""
    asyncio.run(_arena(pipe, folder))


async def _arena(pipe: Connection, folder: Path) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    settings = Settings(tables_of(("karteneck",), (2,)), clock=PATIENT, drain_seconds=0)
    with open_store(f"sqlite:///{folder / 'roost.db'}") as store:
        hosting = Hosting(competitions=(ledger.find(store, COMPETITION),))
        server = ArenaServer(store, settings, "127.0.0.1:0", hosting)
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send((server.arena.delayed_ms, time.process_time()))
        server.hurry()
        await server.stop()


async def _ask_again_and_again(address: str, done: list[int]) -> None:
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = ArenaStub(channel)
        while True:
            async for _ in stub.ExportCompetition(arena_pb2.ExportCompetitionRequest(competition=COMPETITION)):
                pass
            done[0] += 1


class Playing:
    """Two bots at an arena."""

    def __init__(self, address: str, keys: dict[str, str], kind: type[Bot], at_once: int) -> None:
        self._bots = [Client(kind, name=name, version="1", max_matches=at_once) for name in keys]
        self._tasks = [asyncio.create_task(b.run(grpc_links(address, Credentials(keys[b.name])))) for b in self._bots]

    @property
    def matches(self) -> int:
        return self._bots[0].stats.matches

    @property
    def decisions(self) -> int:
        return sum(bot.stats.decisions for bot in self._bots)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _load(address: str, pipe: Connection, playing: Playing, seconds: float, callers: int) -> Load:
    done = [0]
    asking = [asyncio.create_task(_ask_again_and_again(address, done)) for _ in range(callers)]
    before = _reading(pipe, playing)
    await asyncio.sleep(seconds)
    delay, cpu, decisions, passed = (now - then for now, then in zip(_reading(pipe, playing), before, strict=True))
    load = Load(delay / 1000 / passed, decisions / passed, cpu / passed, done[0])
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    return load


def _reading(pipe: Connection, playing: Playing) -> tuple[float, float, float, float]:
    """The arena's delay and processor time, the decisions, and the time."""
    pipe.send("how much")
    delay, cpu = pipe.recv()
    return float(delay), float(cpu), float(playing.decisions), time.perf_counter()


async def measure(console: Console, matches: int, seconds: float, callers: int) -> None:
    """Fill a competition, and compare."""
    with tempfile.TemporaryDirectory() as name:
        keys = prepare(Path(name))
        with open_store(f"sqlite:///{name}/roost.db") as store:
            competition = ledger.find(store, COMPETITION)
            ledger.change_phase(store, competition, PhaseName.LADDER, "benchmark")
        pipe, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=arena_process, args=(theirs, Path(name)))
        process.start()
        try:
            address = str(pipe.recv())
            quick = Playing(address, keys, AtOnce, 32)
            while quick.matches < matches:
                await asyncio.sleep(0.1)
            await quick.stop()
            slow = Playing(address, keys, Thoughtful, 4)
            while slow.matches < WARM_MATCHES:
                await asyncio.sleep(0.1)
            rows = {"alone": 0, f"beside {callers} callers": callers}
            loads = {row: await _load(address, pipe, slow, seconds, number) for row, number in rows.items()}
            await slow.stop()
        finally:
            pipe.send("stop")
            process.join(30)
            process.kill()
    table = Table("arena", "own delay", "decisions/s", "of alone", "arena's CPU", "of alone", "exports")
    for row, load in loads.items():
        alone = loads["alone"]
        pace, cpu = f"{load.decisions / alone.decisions:.2f}", f"{load.cpu / alone.cpu:.2f}"
        table.add_row(
            row, f"{load.delay:.1%}", f"{load.decisions:,.0f}", pace, f"{load.cpu:.0%}", cpu, str(load.exports)
        )
    console.print(table)


def main() -> None:
    """Read the arguments, then measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--callers", type=int, default=6)
    given = parser.parse_args()
    asyncio.run(measure(Console(), given.matches, given.seconds, given.callers))


if __name__ == "__main__":
    main()

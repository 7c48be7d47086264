"""What a crowd costs an arena: its own delay, how many matches it plays at once, and how soon it answers an admin.

Each bot has a connection of its own, answers at once, and plays one match at a time: every decision is a message. The
bots are in a few processes. They step back for the arena, because bots usually run on other machines.
"""

import asyncio
import multiprocessing
import os
import tempfile
from collections.abc import Sequence
from itertools import cycle
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple, Self

import grpc
import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import PATIENT, Process
from benchmarks.arena_rivals import RawBot
from roost.v1 import admin_pb2
from roost.v1.admin_pb2_grpc import AdminStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts.keys import Scope, make_key
from roost_server.accounts.limits import CallLimits
from roost_server.serving.server import ArenaServer, Hosting, collect_garbage_seldom
from roost_server.settings import Settings, tables_of
from roost_server.store import open_store

CROWDS = (100, 500, 1000, 2000)
SETTLING_SECONDS = 10.0
"""The time in which the arena finds out how many matches it can serve."""
ADMIN_PAUSE = 0.25
COMMANDS = {
    "GetStatus": admin_pb2.GetStatusRequest(),
    "ListActs": admin_pb2.ListActsRequest(limit=100),
    "Invite": admin_pb2.InviteRequest(label="benchmark"),
    "ListInvitations": admin_pb2.ListInvitationsRequest(),
}
"""What an admin asks for: some of it is written, some read, and some known only to the arena."""
PROCESSES = 4
BOTS_NICE = 19
ENTERING = 50
"""How many bots of a process connect at the same time."""


def crowd_process(pipe: Connection, address: str, numbers: Sequence[int]) -> None:
    """Be these bots until told to stop; answers every message with the decisions that they have made."""
    os.nice(BOTS_NICE)
    asyncio.run(_crowd(pipe, address, numbers))


async def _crowd(pipe: Connection, address: str, numbers: Sequence[int]) -> None:
    bots = [RawBot(f"crowd{number}", 1) for number in numbers]
    playing: list[asyncio.Task[None]] = []
    for first in range(0, len(bots), ENTERING):
        entering = bots[first : first + ENTERING]
        playing += [asyncio.create_task(bot.play(address)) for bot in entering]
        while not all(bot.connected for bot in entering):
            await asyncio.sleep(0.05)
    pipe.send("here")
    while await asyncio.to_thread(pipe.recv) != "stop":
        pipe.send(sum(bot.decisions for bot in bots))
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)


class Crowd:
    """Bots in processes of their own. Enter it to connect them all."""

    def __init__(self, address: str, bots: int) -> None:
        context = multiprocessing.get_context("spawn")
        pairs = [multiprocessing.Pipe() for _ in range(PROCESSES)]
        self._pipes = [ours for ours, _ in pairs]
        self._processes = [
            context.Process(target=crowd_process, args=(theirs, address, range(number, bots, PROCESSES)))
            for number, (_, theirs) in enumerate(pairs)
        ]

    async def __aenter__(self) -> Self:
        for process in self._processes:
            process.start()
        await self._heard()
        return self

    async def __aexit__(self, *_: object) -> None:
        for pipe in self._pipes:
            pipe.send("stop")
        for process in self._processes:
            await asyncio.to_thread(process.join, 30)
            process.kill()

    async def decisions(self) -> int:
        """How many decisions they have made."""
        for pipe in self._pipes:
            pipe.send("how many")
        return sum(await self._heard())

    async def _heard(self) -> list[int]:
        return [await asyncio.to_thread(pipe.recv) for pipe in self._pipes]


class ArenaReading(NamedTuple):
    """What an arena says about itself."""

    time: float
    cpu: float
    delayed_ms: float
    playing: int


def arena_process(pipe: Connection) -> None:
    """Be an arena until told to stop; answers every message with a reading. All bots come from one address."""
    asyncio.run(_arena(pipe))


async def _arena(pipe: Connection) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    settings = Settings(tables_of(("karteneck",), (2,)), clock=PATIENT, drain_seconds=0).unpaced()
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{Path(folder) / 'arena.db'}") as store:
        key = make_key(store, Scope.ADMIN, "benchmark")
        server = ArenaServer(store, settings, "127.0.0.1:0", Hosting(calls=CallLimits(most=1_000_000)))
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        pipe.send(key)
        arena = server.arena
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(ArenaReading(perf_counter(), process_time(), arena.delayed_ms, arena.seating.playing))
        server.hurry()
        await server.stop()


class Served(NamedTuple):
    """How a crowd was served."""

    bots: int
    decisions: float
    """In a second."""
    cpu_us: float
    """Of the arena, for a decision."""
    late: float
    """For which share of the time the arena itself was late."""
    at_once: float
    """How many matches were played at once, on average."""
    admin_seconds: float
    """How long the slowest command of an admin took."""


async def serve(bots: int, seconds: float) -> Served:
    """Have an arena serve a crowd of this size."""
    arena = Process(arena_process)
    key = str(arena.pipe.recv())
    try:
        async with Crowd(arena.address, bots) as crowd:
            await asyncio.sleep(SETTLING_SECONDS)
            before, decided = await _reading(arena), await crowd.decisions()
            admin_seconds, at_once = await _ask(arena, key, seconds)
            after, decided = await _reading(arena), await crowd.decisions() - decided
        passed = after.time - before.time
        late = (after.delayed_ms - before.delayed_ms) / 1000 / passed
        cpu_us = (after.cpu - before.cpu) / decided * 1e6
        return Served(bots, decided / passed, cpu_us, late, at_once, admin_seconds)
    finally:
        arena.stop()


async def _reading(arena: Process) -> ArenaReading:
    arena.pipe.send("how is it")
    reading: ArenaReading = await asyncio.to_thread(arena.pipe.recv)
    return reading


async def _ask(arena: Process, key: str, seconds: float) -> tuple[float, float]:
    """Give the commands again and again: how long the slowest answer took, and the mean number of matches."""
    slowest, playing = 0.0, []
    async with grpc.aio.insecure_channel(arena.address) as channel:
        stub: Any = AdminStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
        end, commands = perf_counter() + seconds, cycle(COMMANDS.items())
        while perf_counter() < end:
            name, request = next(commands)
            begun = perf_counter()
            await getattr(stub, name)(request, metadata=Credentials(key).metadata())
            slowest = max(slowest, perf_counter() - begun)
            playing.append((await _reading(arena)).playing)
            await asyncio.sleep(ADMIN_PAUSE)
    return slowest, sum(playing) / len(playing)


async def show_crowds(console: Console, seconds: float, _: int) -> None:
    """How crowds of different sizes are served."""
    table = Table("connected bots", "decisions/s", "arena's CPU us/decision", "own delay", "matches at once", "admin s")
    for bots in CROWDS:
        console.print(f"serving {bots:,} bots ...", style="dim")
        served = await serve(bots, seconds)
        table.add_row(
            f"{bots:,}",
            f"{served.decisions:,.0f}",
            f"{served.cpu_us:.0f}",
            f"{served.late:.1%}",
            f"{served.at_once:.0f}",
            f"{served.admin_seconds:.2f}",
        )
    console.print(table)

"""What floods cost honest bots: their decisions a second while one address sends calls in masses.

An attacker usually has a machine of its own, and here it takes processor time from those whom it attacks. So each flood
is compared with a program that does nothing but use up as much of a processor as the attacker did, in the same run.
"""

import asyncio
import logging
import multiprocessing
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

import grpc
import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import PATIENT, Process
from benchmarks.arena_rivals import RawBot
from roost.v1 import arena_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_server.serving.server import ArenaServer, Hosting, collect_garbage_seldom, raise_descriptors
from roost_server.settings import Settings, tables_of
from roost_server.store import open_store
from tests.support.arenas.raw_http2 import RawConnection
from tests.support.commands.nginx import NGINX, nginx
from tests.support.ports import free_port

MATCHES_AT_ONCE = 16
SETTLING_SECONDS = 5.0
"""By then a caller has used up what it may ask for at once."""
SLICE_SECONDS = 0.01
CONNECTIONS = 8
ASK, WATCH, HEALTH = "/roost.v1.Arena/ListBots", "/roost.v1.Arena/WatchMatch", "/grpc.health.v1.Health/Watch"
STANDINGS = "/roost.v1.Arena/GetStandings"


class Target(NamedTuple):
    """What is attacked."""

    address: str
    ca: Path | None = None
    """For TLS: the certificate of the proxy."""

    def connection(self, window: int = 65_535) -> RawConnection:
        return RawConnection(self.address, window, self.ca)


async def half_calls(target: Target) -> None:
    """Calls that are begun and not sent, 1,100 of them, each on a connection of its own."""
    async with AsyncExitStack() as stack:
        for _ in range(1_100):
            connection = await stack.enter_async_context(target.connection())
            connection.begin(ASK)
        await asyncio.sleep(3600)


async def unread(target: Target) -> None:
    """Answers and streams that nobody reads, on new connections again and again."""
    while True:
        async with target.connection(window=0) as connection:
            for _ in range(200):
                connection.ask(ASK, b"")
                connection.ask(HEALTH, b"")
            await asyncio.sleep(0.5)


async def taken_back(target: Target) -> None:
    """Calls that are reset at once."""

    async def reset() -> None:
        while True:
            with suppress(OSError):
                async with target.connection() as connection:
                    while not connection.closed.is_set():
                        for _ in range(50):
                            connection.reset(connection.ask(ASK, b""))
                        await connection.sent()
                        await asyncio.sleep(0)

    await asyncio.gather(*(reset() for _ in range(CONNECTIONS)))


async def questions(target: Target) -> None:
    """Standings and lists, 128 questions at a time."""

    async def ask() -> None:
        async with target.connection() as connection:
            while True:
                asked = [connection.ask(path, b"") for path in (STANDINGS, ASK) for _ in range(8)]
                while not connection.ended.keys() >= set(asked):
                    await asyncio.sleep(0.001)
                connection.ended.clear()

    await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))


async def spectators(target: Target) -> None:
    """As many spectators as there may be, who read everything."""
    async with grpc.aio.insecure_channel(target.address) as channel:
        stub: Any = ArenaStub(channel)  # type: ignore[no-untyped-call,unused-ignore]

        async def watch() -> None:
            while True:
                with suppress(grpc.aio.AioRpcError, IndexError):
                    running = await stub.ListMatches(arena_pb2.ListMatchesRequest(running=True, limit=1))
                    match = running.matches[0].match_id
                    async for _ in stub.WatchMatch(arena_pb2.WatchMatchRequest(match_id=match, from_beginning=True)):
                        pass
                await asyncio.sleep(0.01)

        await asyncio.gather(*(watch() for _ in range(20)))


async def connections(target: Target) -> None:
    """Connections that are made and left, as fast as it goes."""
    while True:
        with suppress(OSError):
            async with target.connection() as connection:
                await connection.sent()


FLOODS: dict[str, Callable[[Target], Coroutine[Any, Any, None]]] = {
    "1,100 half calls": half_calls,
    "answers unread": unread,
    "questions": questions,
    "spectators": spectators,
    "connections": connections,
    "calls taken back": taken_back,
}
PROXIED = ("connections", "calls taken back")
"""Those that a proxy has to hold off."""


def attacker_process(pipe: Connection, flood: str, target: Target) -> None:
    """Be an attacker until ended; answers every message with the processor time that it has used."""
    logging.disable()  # asyncio warns of every byte that it can no longer send
    asyncio.run(_attack(pipe, flood, target))


async def _attack(pipe: Connection, flood: str, target: Target) -> None:
    raise_descriptors()
    attacking = asyncio.create_task(FLOODS[flood](target))
    while not attacking.done():
        await asyncio.to_thread(pipe.recv)
        pipe.send(process_time())
    await attacking


def busy_process(pipe: Connection, share: float) -> None:
    """Use up this share of a processor until ended; answers as an attacker does."""
    while True:
        end = perf_counter() + SLICE_SECONDS
        while perf_counter() < end - (1 - share) * SLICE_SECONDS:
            pass
        time.sleep(max(0.0, end - perf_counter()))
        if pipe.poll():
            pipe.recv()
            pipe.send(process_time())


class Disturbance:
    """A program that disturbs, to be entered."""

    def __init__(self, target: Callable[..., None], *arguments: Any) -> None:
        self._pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=target, args=(theirs, *arguments), daemon=True)

    def __enter__(self) -> "Disturbance":
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()

    async def cpu(self) -> float:
        """How many seconds of a processor it has used."""
        self._pipe.send("how much")
        return float(await asyncio.to_thread(self._pipe.recv))


def arena_process(pipe: Connection) -> None:
    """Be an arena with its usual limits until told to stop."""
    asyncio.run(_arena(pipe))


async def _arena(pipe: Connection) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    raise_descriptors()
    settings = Settings(tables_of(("karteneck",), (2,)), clock=PATIENT, drain_seconds=0).unpaced()
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{Path(folder) / 'arena.db'}") as store:
        server = ArenaServer(store, settings, "127.0.0.1:0", Hosting(proxies=("127.0.0.1",)))
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        await asyncio.to_thread(pipe.recv)
        server.hurry()
        await server.stop()


class Flooded(NamedTuple):
    """Decisions a second."""

    quiet: float
    flooded: float
    busy: float
    """While the busy program runs."""
    share: float
    """How much of a processor the attacker used."""


@contextmanager
def reached(address: str, *, proxied: bool) -> Iterator[Target]:
    """How the attacker reaches the arena: as everybody does, or through nginx."""
    if not proxied:
        yield Target(address)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        nginx(Path(folder), address, free_port(), free_port()) as site,
    ):
        yield Target(f"localhost:{site.port}", site.certificate)


async def withstand(flood: str, seconds: float, *, proxied: bool = False) -> Flooded:
    """How two bots play at an arena while it is flooded."""
    arena = Process(arena_process)
    bots = [RawBot(name, MATCHES_AT_ONCE) for name in ("ann", "bob")]
    playing = [asyncio.create_task(bot.play(arena.address)) for bot in bots]

    async def rate() -> float:
        before, begun = sum(bot.decisions for bot in bots), perf_counter()
        await asyncio.sleep(seconds)
        return (sum(bot.decisions for bot in bots) - before) / (perf_counter() - begun)

    async def disturbed(disturbance: Disturbance) -> tuple[float, float]:
        with disturbance:
            await asyncio.sleep(SETTLING_SECONDS)
            cpu, begun = await disturbance.cpu(), perf_counter()
            decisions = await rate()
            return decisions, (await disturbance.cpu() - cpu) / (perf_counter() - begun)

    try:
        with reached(arena.address, proxied=proxied) as target:
            await asyncio.sleep(SETTLING_SECONDS)
            quiet = await rate()
            flooded, share = await disturbed(Disturbance(attacker_process, flood, target))
            busy, _ = await disturbed(Disturbance(busy_process, min(1.0, share)))
        return Flooded(quiet, flooded, busy, share)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        arena.stop()


async def show_floods(console: Console, seconds: float, _: int) -> None:
    """How honest bots play on under each flood."""
    table = Table("flood", "decisions/s", "flooded", "beside a busy loop", "attacker's processors", "flooded / busy")
    rows = [(flood, False) for flood in FLOODS] + [(flood, True) for flood in PROXIED if NGINX is not None]
    for flood, proxied in rows:
        name = f"{flood}, through nginx" if proxied else flood
        console.print(f"flooding with {name} ...", style="dim")
        found = await withstand(flood, seconds, proxied=proxied)
        table.add_row(
            name,
            f"{found.quiet:,.0f}",
            f"{found.flooded:,.0f}",
            f"{found.busy:,.0f}",
            f"{found.share:.2f}",
            f"{found.flooded / found.busy:.2f}",
        )
    console.print(table)

"""What floods cost honest bots: their decisions a second while one address sends calls in masses.

An attacker usually has a machine of its own, and here it takes processor time from those whom it attacks. So each flood
takes turns with a program that does nothing but use up as much of a processor as the attacker did just before. The one
that has no turn is frozen. A row shows medians, and for the ratios of neighbouring turns the quartiles too. The last
column is the arena's processor time for a decision: quiet, flooded, and beside the busy loop.
"""

import asyncio
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import grpc
import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import PATIENT, Process, running, spread
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
TURNS = 5
"""How many turns a round has."""
TURN_SETTLING_SECONDS = 0.3
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


async def unread_spectators(target: Target) -> None:
    """Spectators who read nothing, on new connections again and again."""
    async with grpc.aio.insecure_channel(target.address) as channel:
        stub: Any = ArenaStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
        while True:
            async with target.connection(window=0) as connection:
                for _ in range(40):
                    with suppress(grpc.aio.AioRpcError, IndexError):
                        running = await stub.ListMatches(arena_pb2.ListMatchesRequest(running=True, limit=1))
                        request = arena_pb2.WatchMatchRequest(match_id=running.matches[0].match_id)
                        connection.ask(WATCH, request.SerializeToString())
                await asyncio.sleep(1)


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
    "spectators who read nothing": unread_spectators,
    "connections": connections,
    "calls taken back": taken_back,
}
PROXIED = ("connections", "calls taken back")
"""Those that a proxy has to hold off."""


def attacker_process(pipe: Connection, flood: str, target: Target) -> None:
    """Be an attacker until told to stop."""
    logging.disable()  # asyncio warns of every byte that it can no longer send
    asyncio.run(_attack(pipe, flood, target))


async def _attack(pipe: Connection, flood: str, target: Target) -> None:
    raise_descriptors()
    attacking = asyncio.create_task(FLOODS[flood](target))
    pipe.send("attacking")
    stopped = asyncio.create_task(asyncio.to_thread(pipe.recv))
    await asyncio.wait((attacking, stopped), return_when=asyncio.FIRST_COMPLETED)
    if attacking.done():
        attacking.result()
    attacking.cancel()
    await asyncio.gather(attacking, return_exceptions=True)


def busy_process(pipe: Connection) -> None:
    """Use up as much of a processor as was told last, until told to stop."""
    share: float | str = 0.0
    pipe.send("idle")
    while isinstance(share, float):
        end = perf_counter() + SLICE_SECONDS
        while perf_counter() < end - (1 - share) * SLICE_SECONDS:
            pass
        time.sleep(max(0.0, end - perf_counter()))
        if pipe.poll():
            share = pipe.recv()


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


class Load(NamedTuple):
    """What an arena did for a moment."""

    decisions: float
    """A second."""
    cpu_us: float
    """The arena's processor time for a decision."""
    share: float = 0.0
    """How much of a processor the one who disturbed used."""


class Withstood(NamedTuple):
    """How an arena played."""

    quiet: Load
    turns: list[tuple[Load, Load]]
    """Flooded, and beside a program that used as much of a processor as the attacker did just before."""


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


async def withstand(flood: str, seconds: float, turns: int, *, proxied: bool = False) -> Withstood:
    """How two bots play at an arena while it is flooded, in turns."""
    async with playing_on() as (arena, bots):
        with reached(arena.address, proxied=proxied) as target:
            quiet = await load(arena, bots, seconds * turns / 2)
            attacker = partial(attacker_process, flood=flood, target=target)
            with running(attacker) as attacking, running(busy_process) as busy:
                await asyncio.sleep(SETTLING_SECONDS)
                return Withstood(quiet, [await _turn(arena, bots, attacking, busy, seconds) for _ in range(turns)])


@asynccontextmanager
async def playing_on() -> AsyncIterator[tuple[Process, list[RawBot]]]:
    """An arena at which two bots play, who have begun."""
    with running(arena_process) as arena:
        bots = [RawBot(name, MATCHES_AT_ONCE) for name in ("ann", "bob")]
        playing = [asyncio.create_task(bot.play(arena.address)) for bot in bots]
        try:
            while any(bot.matches < 2 * MATCHES_AT_ONCE for bot in bots):
                await asyncio.sleep(0.05)
            yield arena, bots
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)


async def _turn(
    arena: Process, bots: list[RawBot], attacker: Process, busy: Process, seconds: float
) -> tuple[Load, Load]:
    with busy.frozen():
        flooded = await load(arena, bots, seconds, attacker)
    busy.pipe.send(min(1.0, flooded.share))
    with attacker.frozen():
        return flooded, await load(arena, bots, seconds, busy)


async def load(arena: Process, bots: list[RawBot], seconds: float, disturbing: Process | None = None) -> Load:
    """How the arena plays for this number of seconds."""
    await asyncio.sleep(TURN_SETTLING_SECONDS)
    before, cpu, begun = sum(bot.decisions for bot in bots), arena.cpu(), perf_counter()
    used = disturbing.cpu() if disturbing else 0.0
    await asyncio.sleep(seconds)
    took, decisions = perf_counter() - begun, sum(bot.decisions for bot in bots) - before
    share = (disturbing.cpu() - used) / took if disturbing else 0.0
    return Load(decisions / took, (arena.cpu() - cpu) / max(decisions, 1) * 1e6, share)


async def show_floods(console: Console, seconds: float, rounds: int) -> None:
    """How honest bots play on under each flood. There are several turns in a round, so each is shorter."""
    table = Table(
        "flood", "decisions/s", "flooded", "beside a busy loop", "ratio", "attacker's processors", "CPU us/decision"
    )
    rows = [(flood, False) for flood in FLOODS] + [(flood, True) for flood in PROXIED if NGINX is not None]
    for flood, proxied in rows:
        name = f"{flood}, through nginx" if proxied else flood
        console.print(f"flooding with {name} ...", style="dim")
        quiet, found = await withstand(flood, seconds / 3, TURNS * rounds, proxied=proxied)
        flooded, busy = zip(*found, strict=True)
        ratio = spread([one.decisions / max(other.decisions, 1.0) for one, other in found])
        console.print(f"  {ratio} of the rate beside a busy loop", style="dim")
        table.add_row(
            name,
            *(f"{median(each.decisions for each in loads):,.0f}" for loads in ([quiet], flooded, busy)),
            ratio,
            f"{median(each.share for each in flooded):.2f}",
            " / ".join(f"{median(each.cpu_us for each in loads):.0f}" for loads in ([quiet], flooded, busy)),
        )
    console.print(table)

"""Bots in other languages at a real arena: the programs, the opponents, and what is on record afterwards."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from roost_bots import SAMPLES
from roost_games.referee import Clock
from roost_games.replay import VOIDED, Replay
from roost_games.verify import verify
from roost_ladder.workshop.clients.check import check_client
from roost_ladder.workshop.clients.wire import Relay
from roost_ladder.workshop.doctor import Effort, Examination
from roost_sdk import Bot, Client
from roost_sdk.arena.link import grpc_links
from roost_server.serving.server import ArenaServer
from roost_server.settings import Rules, Settings, tables_of
from roost_server.store import Store, open_store, queries
from tests.support.records.matches import counted

GAMES = ("bratwurmeck", "haecmaec", "karteneck")
PATIENCE = 120.0
"""How many seconds anything may take. It is never reached unless something is stuck."""
UNHURRIED = Clock(decision_ms=60_000, bank_ms=600_000)
"""The machine that runs tests may be busy with others."""


def bounded(script: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE):
            await script()

    asyncio.run(run())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.02)


@asynccontextmanager
async def arena(store: Store, *tables: Rules) -> AsyncIterator[str]:
    """The address of an arena that plays at these tables, by default at all with 2 and 3 seats."""
    usual = Settings(clock=UNHURRIED, ready_seconds=PATIENCE, matches_at_once=4)
    settings = replace(usual, tables=tables or tables_of(GAMES, (2, 3)))
    server = ArenaServer(store, settings, "127.0.0.1:0")
    await server.start()
    try:
        yield server.address
    finally:
        server.hurry()
        await server.stop()


@asynccontextmanager
async def opponents(address: str, *bots: type[Bot]) -> AsyncIterator[None]:
    """Bots written with the SDK."""
    clients = [Client(bot, name=f"sdk{number}", max_matches=4) for number, bot in enumerate(bots)]
    running = [asyncio.create_task(client.run(grpc_links(address))) for client in clients]
    try:
        yield
    finally:
        for client in clients:
            client.stop()
        await asyncio.gather(*running)


class ForeignBot:
    """A running program, with its log."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.log: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self.log.append(line.decode().rstrip())

    def said(self, text: str) -> bool:
        return any(text in line for line in self.log)

    async def leave(self) -> None:
        """Ctrl-C: it plays its matches to the end and ends well."""
        self._process.send_signal(signal.SIGINT)
        assert await self.ended() == 0, self.log

    async def ended(self) -> int:
        await self._reader
        return await self._process.wait()

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self.ended()


@asynccontextmanager
async def foreign_bot(*words: str) -> AsyncIterator[ForeignBot]:
    """A bot that is gone when the block is left."""
    bot = ForeignBot(await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.PIPE))
    try:
        yield bot
    finally:
        await bot.stop()


async def assert_is_refused_over_tls(address: str, certificate: Path, other: Path, status: str, *words: str) -> None:
    """The bot trusts `certificate` and has no key, which has this status; with `other` it does not trust the arena."""
    for trusted, said in ((certificate, status), (other, "certificate")):
        async with foreign_bot(*words, "--server", address, "--tls-ca", str(trusted)) as refused:
            assert await refused.ended() == 1
            assert refused.said(said), refused.log


@asynccontextmanager
async def relay_to(target: str) -> AsyncIterator[tuple[Relay, str]]:
    """A relay, and the address of its near end."""
    relay = Relay(target)
    server = await asyncio.start_server(relay.connect, "127.0.0.1", 0)
    try:
        yield relay, f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        relay.cut()
        await relay.settle()


def at(address: str, words: Sequence[str]) -> list[str]:
    """The words that start a bot, with the address where they have `ADDRESS`."""
    return [address if word == "ADDRESS" else word for word in words]


def examined(*words: str) -> Examination:
    """What `roost try --listen` says of a bot."""
    bots: list[ForeignBot] = []
    running: list[asyncio.Task[Any]] = []

    async def start(address: str) -> None:
        there = at(address, words)
        bots.append(ForeignBot(await asyncio.create_subprocess_exec(*there, stderr=asyncio.subprocess.PIPE)))

    def obey(prompt: str) -> None:
        address = prompt.split()[2].rstrip(";")
        running.append(asyncio.create_task(bots[0].leave() if bots else start(address)))

    async def script() -> Examination:
        try:
            report = await check_client("127.0.0.1:0", effort=Effort(1, PATIENCE, PATIENCE), prompt=obey)
            await asyncio.gather(*running)
            return report
        finally:
            for bot in bots:
                await bot.stop()

    return asyncio.run(asyncio.wait_for(script(), 2 * PATIENCE))


def replays_of(store: Store, name: str) -> list[Replay]:
    """The matches of the bot called `name` that count."""
    replays = [Replay.from_line(line) for line in queries.replays(store)]
    return [
        replay
        for replay in replays
        if replay.result.termination != VOIDED and name in [seat.bot for seat in replay.seats]
    ]


def assert_in_order(replays: Sequence[Replay], name: str) -> None:
    """The matches can be checked, and the bot called `name` did nothing wrong in them."""
    for replay in replays:
        assert verify(replay) is None
        seat = [seat.bot for seat in replay.seats].index(name)
        assert seat not in [fault.seat for fault in replay.result.faults], replay.result
        assert seat not in replay.result.forfeits


def tables_played(store: Store, name: str) -> list[tuple[str, int]]:
    """Game and seats of each match so far that counts, without the cost of reading its record."""
    own = {version.id for version in queries.versions(store) if version.name == name}
    return [(row.facts.game, row.facts.players) for row in counted(store) if row.facts and own & set(row.facts.bots)]


class Gated(Bot):
    """Thinks until the test opens the gate."""

    gate: threading.Event
    """Not one of asyncio: the bot's coroutines run in a loop of their own."""
    asked = 0

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        type(self).asked += 1
        await asyncio.to_thread(self.gate.wait)
        return legal[0]


def assert_beats_chance(database: Path, name: str, *words: str) -> None:
    """Over 60 duels against a bot that moves at random. Such a bot would do as well once in 40,000 times."""

    async def script() -> None:
        async with (
            arena(store, *tables_of(GAMES, (2,))) as address,
            opponents(address, SAMPLES["random"]),
            foreign_bot(*at(address, words)) as bot,
        ):
            await until(lambda: len(tables_played(store, name)) >= 60)
            await bot.leave()
            assert bot.said("left: ")

    with open_store(f"sqlite:///{database}") as store:
        bounded(script)
        replays = replays_of(store, name)[:60]
    assert_in_order(replays, name)
    won = [replay for replay in replays if replay.result.places[[seat.bot for seat in replay.seats].index(name)] == 1]
    assert len(won) >= 46


def assert_comes_back(database: Path, name: str, *words: str) -> None:
    """Cut off in two matches, it goes on with both of them, without a fault."""

    class Slow(Gated):
        pass

    async def script() -> None:
        Slow.gate = threading.Event()
        async with (
            arena(store, *tables_of(GAMES, (2,))) as address,
            opponents(address, Slow),
            relay_to(address) as (relay, near_end),
            foreign_bot(*at(near_end, words)) as bot,
        ):
            await until(lambda: Slow.asked)
            relay.cut()
            relay.open()
            await until(lambda: bot.said("connected again; matches that go on: 2"))
            Slow.gate.set()
            await until(lambda: len(tables_played(store, name)) >= 2)
            await bot.leave()
            assert bot.said("was lost, trying again")

    with open_store(f"sqlite:///{database}") as store:
        bounded(script)
        assert_in_order(replays_of(store, name), name)

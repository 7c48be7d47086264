"""Runs the competition: an arena and bots as processes that are kept running, and the faults of a plan on top."""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc

from roost.v1 import admin_pb2, arena_pb2
from roost.v1.admin_pb2_grpc import AdminStub
from roost_sdk.arena.credentials import read_credentials
from roost_server.answers.bots import bots
from roost_server.answers.ratings import Ratings
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName
from roost_server.store import Store, StoreError, open_store
from tests.chaos.disk import Disk
from tests.chaos.plan import Fault, Kind
from tests.chaos.proxy import Proxy
from tests.chaos.strategies import NAMES, SILENT, STEADY
from tests.chaos.world import ADMIN, CERTIFICATE, COMPETITION_NAME, FILE, PRIVATE_KEY, database_url, key_of
from tests.support.ports import free_port

ROOT = Path(__file__).parents[2]
AGAIN_SECONDS = 0.2
"""A process that has ended is started again after this."""
POLL_SECONDS = 0.5
LISTENING = "listening at"


class Kept:
    """A process that is started again whenever it ends, until it is `let_go`."""

    def __init__(self, name: str, arguments: Sequence[str], on_line: Callable[[str], None]) -> None:
        self.name = name
        self.starts = 0
        self.ends: Counter[int] = Counter()
        """How often it ended with which exit code; a negative one is a signal."""
        self.up = asyncio.Event()
        """Whether a process is there."""
        self.down_seconds = AGAIN_SECONDS
        self._arguments = arguments
        self._on_line = on_line
        self._process: asyncio.subprocess.Process
        self._keeping = asyncio.create_task(self._keep())

    @property
    def pid(self) -> int:
        return self._process.pid

    async def _keep(self) -> None:
        while True:
            await self._run()
            await asyncio.sleep(self.down_seconds)

    async def _run(self) -> None:
        self._process = process = await asyncio.create_subprocess_exec(
            *self._arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        assert process.stdout is not None
        self.starts += 1
        self.up.set()
        try:
            while line := await process.stdout.readline():
                self._on_line(line.decode(errors="replace").rstrip())
            self.ends[await process.wait()] += 1
        finally:
            self.up.clear()
            if process.returncode is None:
                process.kill()
                await process.wait()

    def send(self, which: signal.Signals) -> None:
        """Send a signal, if it runs."""
        if self.up.is_set():
            with suppress(ProcessLookupError):
                os.kill(self.pid, which)

    async def freeze(self, seconds: float) -> None:
        """Stop it for a while."""
        self.send(signal.SIGSTOP)
        await asyncio.sleep(seconds)
        self.send(signal.SIGCONT)

    async def let_go(self, which: signal.Signals = signal.SIGKILL) -> None:
        """End it for good."""
        self.down_seconds = 3600.0
        self.send(signal.SIGCONT)
        self.send(which)
        while self.up.is_set():
            await asyncio.sleep(0.05)
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)


class Supervisor:
    """A running competition."""

    def __init__(self, folder: Path, disk: Disk, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self.disk = disk
        self.log: list[str] = []
        """What the arena had to say."""
        self.arena: Kept
        self.bots: dict[str, Kept] = {}
        self.listening = asyncio.Event()
        self.done: Counter[Kind] = Counter()
        """The faults that were brought about."""
        self._proxies: dict[str, Proxy] = {}
        self._listen = f"127.0.0.1:{free_port()}"
        self._tell = tell

    @asynccontextmanager
    async def running(self, names: Iterable[str] = NAMES) -> AsyncIterator[None]:
        """With everybody there. At the end nobody is."""
        async with AsyncExitStack() as stack:
            self.arena = Kept("arena", self._arena_command(), self._heard)
            stack.push_async_callback(self.arena.let_go)
            await self.listening.wait()
            for name in names:
                proxy = self._proxies[name] = await stack.enter_async_context(Proxy(self._listen))
                program = ("tests.chaos.bot_program", name, proxy.address, str(self.folder))
                self.bots[name] = Kept(name, (sys.executable, "-m", *program), self._ignore)
                stack.push_async_callback(self.bots[name].let_go)
            yield

    def _arena_command(self) -> tuple[str, ...]:
        folder = self.folder
        return (
            *(sys.executable, "-m", "roost_cli", "serve", str(folder / FILE), "--listen", self._listen),
            *("--db", database_url(folder), "--log-level", "warning"),
            *("--tls-cert", str(folder / CERTIFICATE), "--tls-key", str(folder / PRIVATE_KEY)),
        )

    def _heard(self, line: str) -> None:
        self.log.append(line)
        if line.startswith(LISTENING):
            self.listening.set()

    def _ignore(self, line: str) -> None:
        """What a bot says in its troubles."""

    async def follow(self, plan: Iterable[Fault]) -> None:
        """Bring about every fault of a plan at its time. Time does not count while there is no arena."""
        passed = 0.0
        async with asyncio.TaskGroup() as group:
            for fault in plan:
                await asyncio.sleep(fault.at - passed)
                passed = fault.at
                await self.listening.wait()
                self._tell(str(fault))
                self.done[fault.kind] += 1
                group.create_task(self._bring_about(fault))

    def _bring_about(self, fault: Fault) -> Coroutine[Any, Any, None]:
        bot, proxy = self.bots[fault.bot], self._proxies[fault.bot]
        ways: dict[Kind, Callable[[], Coroutine[Any, Any, None]]] = {
            Kind.KILL_ARENA: lambda: self._kill_arena(fault.seconds),
            Kind.STOP_ARENA: lambda: self.arena.freeze(fault.seconds),
            Kind.FULL_DISK: lambda: self._fill_disk(fault.seconds),
            Kind.KILL_BOT: lambda: _soon(lambda: bot.send(signal.SIGKILL)),
            Kind.STOP_BOT: lambda: bot.freeze(fault.seconds),
            Kind.DROP: lambda: _soon(proxy.drop),
            Kind.DELAY: lambda: proxy.delay(fault.seconds),
            Kind.CORRUPT: lambda: _soon(proxy.corrupt),
        }
        return ways[fault.kind]()

    async def _kill_arena(self, down_seconds: float) -> None:
        self.listening.clear()
        self.arena.down_seconds = down_seconds
        self.arena.send(signal.SIGKILL)

    async def _fill_disk(self, seconds: float) -> None:
        await self.arena.up.wait()
        self.disk.fill(self.arena.pid)
        await asyncio.sleep(seconds)
        self.disk.free(self.arena.pid)

    async def everybody_plays(self) -> None:
        """Wait until every steady bot has played."""
        await self._until(lambda store: all(_bots(store)[name].matches for name in STEADY))

    async def silence_noticed(self) -> None:
        """Wait until the bot that never answers is in quarantine, and who got there by being killed is out again."""
        await self._until(_only_silence_in_quarantine)

    async def begin_finals(self) -> None:
        """Take the competition on, as its host would. An arena that is not there is asked again."""
        while not await asyncio.to_thread(self._asked_for_finals):
            await asyncio.sleep(POLL_SECONDS)

    def _asked_for_finals(self) -> bool:
        credentials = read_credentials(key_of(self.folder, ADMIN), tls_ca=self.folder / CERTIFICATE)
        request = admin_pb2.ChangePhaseRequest(competition=COMPETITION_NAME, phase=PhaseName.FINALS)
        with credentials.channel(self._listen, ()) as channel:
            anyhow: Any = channel  # the stub's types know only channels of grpc.aio
            admin: Any = AdminStub(anyhow)
            try:
                admin.ChangePhase(request, metadata=credentials.metadata(), timeout=10.0)
            except grpc.RpcError:
                # Nobody knows whether it was heard.
                return self._reads(lambda store: ledger.find(store, COMPETITION_NAME).phase == PhaseName.FINALS)
            return True

    async def finished(self) -> None:
        """Wait for the end of the competition."""
        await self._until(lambda store: ledger.find(store, COMPETITION_NAME).phase == PhaseName.DONE)

    async def stop(self) -> None:
        """End everything: the arena as its host would."""
        await self.arena.let_go(signal.SIGTERM)
        for bot in self.bots.values():
            await bot.let_go()

    async def _until(self, holds: Callable[[Store], bool]) -> None:
        while not await asyncio.to_thread(self._reads, holds):
            await asyncio.sleep(POLL_SECONDS)

    def _reads(self, holds: Callable[[Store], bool]) -> bool:
        try:
            with open_store(database_url(self.folder), read_only=True) as store:
                return holds(store)
        except StoreError:
            return False  # the disk is full, and to read needs some space too


def _only_silence_in_quarantine(store: Store) -> bool:
    bots = _bots(store)
    return bots[SILENT].quarantine_since_ms > 0 and not any(bots[name].quarantine_since_ms for name in STEADY)


def _bots(store: Store) -> dict[str, arena_pb2.BotVersion]:
    return {bot.name: bot for bot in bots(store, Ratings(store)).bots}


async def _soon(act: Callable[[], None]) -> None:
    act()

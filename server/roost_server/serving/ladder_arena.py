"""An arena on loopback for one local ladder: programs connect to it, and the ladder says which matches they play.

    with LadderArena(["mybot", "other"], limits) as arena:
        ...  # start the programs, which connect to arena.address under these names
        missing = arena.await_programs(["mybot", "other"], seconds=30)
        future = arena.submit(job)

It is an ordinary arena that has no contest to play, in an event loop in a thread of its own, with a temporary database.
`submit` takes the same jobs as the ladder's worker processes and gives the same results.
"""

import asyncio
import math
import threading
from collections.abc import Collection, Coroutine
from concurrent.futures import Future
from contextlib import ExitStack
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self, TypeVar

from roost_games.errors import RoostError
from roost_games.replay import VOIDED
from roost_ladder.running.fixtures import Fixture, Job, MatchLimits, Period, PlayedMatch, as_played
from roost_sdk.bot import wire_name
from roost_sdk.troubles.log import Trouble
from roost_server.clocks import epoch_ms
from roost_server.play.seating import RequestedMatch
from roost_server.play.session import Session
from roost_server.serving.server import ArenaServer
from roost_server.settings import Rules, Settings
from roost_server.store import Store, open_store

T = TypeVar("T")
READY_SECONDS = 20.0
GRACE_SECONDS = 10.0
"""How long a program that lost its connection, or is started again, may take to come back before it forfeits."""
LOOK_SECONDS = 0.02


class LadderArena:
    """For programs with these names, and no others. A context manager."""

    def __init__(self, names: Collection[str], limits: MatchLimits) -> None:
        self._settings = Settings(
            tables=(),
            bots=frozenset(names),
            clock=limits.clock,
            max_faults=limits.max_faults,
            ready_seconds=READY_SECONDS,
            match_seconds=math.inf,
            grace_seconds=GRACE_SECONDS,
        ).unpaced()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="roost-ladder-arena", daemon=True)
        self._server: ArenaServer | None = None
        self._resources = ExitStack()
        self.address = ""
        """Where it listens."""

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            folder = resources.enter_context(TemporaryDirectory(prefix="roost-ladder-"))
            store = resources.enter_context(open_store(f"sqlite:///{folder}/arena.db"))
            self._thread.start()
            resources.callback(self._close)
            self._run(self._start(store))
            self._resources = resources.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._resources:
            self._run(self._stop())

    def _close(self) -> None:
        self._run(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self, store: Store) -> None:
        self._server = ArenaServer(store, self._settings, "127.0.0.1:0")
        await self._server.start()
        self.address = self._server.address

    async def _stop(self) -> None:
        server = self._running
        server.hurry()
        await server.stop()

    @property
    def _running(self) -> ArenaServer:
        assert self._server is not None  # noqa: S101  entered
        return self._server

    def await_programs(self, names: Collection[str], seconds: float) -> list[str]:
        """Wait for these programs to connect. Returns those that have not done so in time."""
        return self._run(self._await_programs(names, seconds))

    async def _await_programs(self, names: Collection[str], seconds: float) -> list[str]:
        give_up = self._loop.time() + seconds
        while (missing := [name for name in names if self._session(name) is None]) and self._loop.time() < give_up:
            await asyncio.sleep(LOOK_SECONDS)
        return missing

    def _session(self, name: str) -> Session | None:
        return self._running.arena.lobby.session_named(name)

    def program(self, name: str) -> Session:
        """What a program that is here has said about itself. Raises `RoostError` if it has gone."""
        session = self._session(name)
        if session is None:
            raise RoostError(f"{name} has gone")
        return session

    def submit(self, job: Job) -> "Future[list[PlayedMatch]]":
        """Play all matches of a job, at the same time if the programs play that many at once."""
        return asyncio.run_coroutine_threadsafe(self._play_all(job), self._loop)

    async def _play_all(self, job: Job) -> list[PlayedMatch]:
        return list(await asyncio.gather(*(self._play_one(fixture, job.limits) for fixture in job.fixtures)))

    async def _play_one(self, fixture: Fixture, limits: MatchLimits) -> PlayedMatch:
        table = await self._running.arena.requests.play(_requested(fixture))
        if table.referee.result is not None and table.referee.result.termination == VOIDED:
            raise RoostError("the ladder has ended")
        period = Period(table.started_ms, epoch_ms())
        troubles = tuple(
            Trouble(fault.seat, fixture.bots[fault.seat].name, f"made a fault: {fault.kind}")
            for fault in table.referee.faults
        )
        return as_played(fixture, table.referee, period, recording=limits.recording, troubles=troubles)


def _requested(fixture: Fixture) -> RequestedMatch:
    return RequestedMatch(
        Rules(fixture.game, len(fixture.bots), fixture.options),
        tuple(wire_name(bot.name) for bot in fixture.bots),
        fixture.seats(),
        match_id=fixture.match,
        seed=fixture.seed,
    )


async def _cancel_others() -> None:
    """End everything that still waits: an interruption leaves tasks behind whose result nobody wants."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)

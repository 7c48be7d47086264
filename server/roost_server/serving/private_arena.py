"""An arena on loopback for one local ladder: programs connect to it, but who plays whom is not its decision.

    with PrivateArena(["mybot", "other"], limits) as arena:
        ...  # start the programs, which connect to arena.address under these names
        missing = arena.await_programs(["mybot", "other"], seconds=30)
        future = arena.submit(job)

It runs in an event loop in a thread of its own. `submit` takes the same jobs as `roost_ladder.running.workers.play` and
gives the same results, so a ladder does not know the difference. The deal is as in any run; what a program draws at
random is its own affair.
"""

import asyncio
import threading
from collections.abc import Collection, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import grpc

from roost.v1 import play_pb2
from roost_games.errors import RoostError
from roost_games.replay import VOIDED
from roost_ladder.running.fixtures import Fixture, Job, Limits, Period, Played, as_played
from roost_sdk.bot import wire_name
from roost_sdk.seat import Trouble
from roost_server.accounts.keys import Identity
from roost_server.clocks import Pulse, epoch_ms
from roost_server.errors import InvalidError
from roost_server.play.entrance import Entrance
from roost_server.play.lobby import Lobby, check_hello
from roost_server.play.session import Session
from roost_server.play.stream import parser_of, play
from roost_server.play.table import Table
from roost_server.serving.services import ARENA
from roost_server.settings import Rules, Settings

T = TypeVar("T")
SWEEP_EVERY_BEATS = 8
READY_SECONDS = 20.0
GRACE_SECONDS = 10.0
"""How long a program that lost its connection, or is started again, may take to come back before it forfeits."""
MOST_ATTEMPTS = 3
"""A match that is voided because this machine was too slow is played again, but not for ever."""


class PrivateArena:
    """For programs with these names, and no others. A context manager."""

    def __init__(self, names: Collection[str], limits: Limits) -> None:
        self._names = tuple(names)
        self._settings = Settings(
            tables=(),
            clock=limits.clock,
            max_faults=limits.max_faults,
            ready_seconds=READY_SECONDS,
            grace_seconds=GRACE_SECONDS,
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="roost-private-arena", daemon=True)
        self._sessions: dict[str, Session] = {}
        """By name, the latest of each program, also if it is gone."""
        self._gone: set[str] = set()
        self._room: dict[str, asyncio.Semaphore] = {}
        self._tables: set[Table] = set()
        self._beats = 0
        self._closing = False
        self.address = ""
        """Where it listens."""

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self.address = self._run(self._start())
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._run(self._stop())
        self._close()

    def _close(self) -> None:
        self._run(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _start(self) -> str:
        self._pulse = Pulse()
        self._lobby = Lobby(self._settings, self._pulse)
        self._lobby.on_gone = self._note_gone
        self._arrival = asyncio.Condition()
        self._pulse.every_beat(self._beat)
        self._pulse.start()
        self._server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
        stream: Any = grpc.stream_stream_rpc_method_handler(self._play, parser_of(play_pb2.BotMessage))
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(ARENA, {"Play": stream}),))
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        return f"127.0.0.1:{port}"

    async def _stop(self) -> None:
        self._closing = True
        for table in list(self._tables):
            table.void("the ladder has ended")
        self._pulse.stop()
        await self._server.stop(0)

    def await_programs(self, names: Collection[str], seconds: float) -> list[str]:
        """Wait for these programs to connect. Those that have not done so in time."""
        return self._run(self._await_programs(names, seconds))

    async def _await_programs(self, names: Collection[str], seconds: float) -> list[str]:
        def missing() -> list[str]:
            return [name for name in names if name not in self._sessions]

        async with self._arrival:
            try:
                await asyncio.wait_for(self._arrival.wait_for(lambda: not missing()), seconds)
            except TimeoutError:
                return missing()
        return []

    def version_of(self, name: str) -> str:
        """What a program that is here says about its version."""
        return self._sessions[name].version

    def plays(self, name: str, game: str) -> bool:
        """Whether a program that is here plays a game."""
        games = self._sessions[name].games
        return not games or game in games

    def player_counts_of(self, name: str) -> tuple[int, ...]:
        """With how many players a program that is here plays; empty if it does not mind."""
        return tuple(sorted(self._sessions[name].player_counts))

    async def _play(self, _: object, context: Any) -> None:
        await play(cast(Entrance, self), context)

    async def enter(self, hello: play_pb2.Hello, identity: Identity | None = None) -> Session:
        """A program says hello; nobody needs a key here. Raises `InvalidError` if it does not belong here."""
        check_hello(hello)
        if hello.name not in self._names:
            raise InvalidError(
                f"nobody here is called {hello.name}; a program gets its name as {{name}} or as ROOST_NAME"
            )
        session = self._lobby.enter(hello, self._names.index(hello.name))
        if self._sessions.get(hello.name) is not session:
            self._room[hello.name] = asyncio.Semaphore(session.max_matches)
            self._sessions[hello.name] = session
        self._gone.discard(hello.name)
        return session

    def attach(self, session: Session) -> int:
        """A session got a stream. Returns its number."""
        self._loop.create_task(self._announce())
        return session.attach()

    async def _announce(self) -> None:
        async with self._arrival:
            self._arrival.notify_all()

    def lost(self, session: Session) -> None:
        """The stream of `session` is gone."""
        session.detach()
        if session.has_left:
            self._lobby.remove(session)
        else:
            self._lobby.away(session)

    def _note_gone(self, session: Session) -> None:
        if self._sessions.get(session.name) is session:
            self._gone.add(session.name)

    def _beat(self) -> None:
        self._beats += 1
        if self._beats % SWEEP_EVERY_BEATS == 0:
            now = self._pulse.read()
            for table in list(self._tables):
                table.sweep(now)
            self._lobby.sweep()

    def submit(self, job: Job) -> "Future[list[Played]]":
        """Play all matches of a job, as many of them at the same time as the programs allow."""
        return asyncio.run_coroutine_threadsafe(self._play_all(job), self._loop)

    async def _play_all(self, job: Job) -> list[Played]:
        return list(await asyncio.gather(*(self._play_one(fixture, job.limits) for fixture in job.fixtures)))

    async def _play_one(self, fixture: Fixture, limits: Limits) -> Played:
        for _ in range(MOST_ATTEMPTS):
            played = await self._attempt(fixture, limits)
            if played.result.termination != VOIDED:
                return played
            if self._closing:
                raise RoostError("the ladder has ended")
        raise RoostError(f"this machine is too slow: match {fixture.match} was voided {MOST_ATTEMPTS} times")

    async def _attempt(self, fixture: Fixture, limits: Limits) -> Played:
        names = [wire_name(bot.name) for bot in fixture.bots]
        async with AsyncExitStack() as rooms:
            # Always in the same order, so that no two matches wait for each other.
            for name in sorted(names):
                await rooms.enter_async_context(self._room[name])
            started_ms = epoch_ms()
            table = await self._at_table(fixture, names)
            return as_played(
                fixture,
                table.referee,
                Period(started_ms, epoch_ms()),
                recording=limits.recording,
                troubles=_troubles(fixture, table),
            )

    async def _at_table(self, fixture: Fixture, names: Sequence[str]) -> Table:
        ended: asyncio.Future[None] = self._loop.create_future()
        table = Table(
            Rules(fixture.game, len(names), fixture.options),
            [
                self._sessions[name].chair()._replace(seat=seat)
                for name, seat in zip(names, fixture.seats(), strict=True)
            ],
            match_id=fixture.match,
            seed=fixture.seed,
            settings=self._settings,
            pulse=self._pulse,
            on_end=lambda table: ended.set_result(None),
        )
        self._tables.add(table)
        table.start()
        for seat, name in enumerate(names):
            if name in self._gone:
                table.forfeit(seat)
        await ended
        self._tables.discard(table)
        table.tell_ended()
        return table


async def _cancel_others() -> None:
    """End whatever still waits: an interruption leaves tasks behind that nobody waits for any more."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _troubles(fixture: Fixture, table: Table) -> tuple[Trouble, ...]:
    assert table.referee.result is not None  # noqa: S101  it has ended
    return tuple(
        Trouble(fault.seat, fixture.bots[fault.seat].name, f"made a fault: {fault.kind}")
        for fault in table.referee.result.faults
    )

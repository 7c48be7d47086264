"""The arena: sessions in the lobby, matches at tables, results in the store. It knows nothing of gRPC."""

import asyncio
import secrets
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from roost.v1 import play_pb2
from roost_games.errors import UsageError
from roost_games.replay import VOIDED, Result
from roost_ladder.rating.results import MatchResult
from roost_ladder.schedules.registry import open_schedule
from roost_server.accounts.keys import Identity
from roost_server.clocks import Pulse, epoch_ms
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import takes_entries
from roost_server.errors import ClosingError, NotFoundError, NotYetError
from roost_server.metrics import Metrics, Reading
from roost_server.play.attendance import Attendance
from roost_server.play.contest import Contest, OpenBlock
from roost_server.play.director import Director, now_utc
from roost_server.play.entrance import Entrance
from roost_server.play.lobby import Lobby
from roost_server.play.matchmaker import Matchmaker
from roost_server.play.quarantine import Absent, Infirmary, Sparring, trouble_of
from roost_server.play.recorder import Recorder
from roost_server.play.resume import state_without_more, taken_up
from roost_server.play.session import Session
from roost_server.play.table import Table
from roost_server.settings import Rules, Settings
from roost_server.store import FinishedMatch, Store, StoreError, queries

SWEEP_EVERY_BEATS = 8
TICK_SECONDS = 1.0
"""How often the arena looks whether it is time for another phase, or for a health check."""
SHUTDOWN = "the arena shut down"
log = structlog.get_logger()


@dataclass(slots=True, eq=False)
class Running:
    """A match that is being played, or recorded."""

    table: Table
    open_block: OpenBlock
    rotation: int
    started_ms: int
    end: "asyncio.Future[Result]"


class Arena:
    """Everything that an arena does, in one event loop. `start` it before use, `stop` it in the end.

    Without competitions everybody who is here plays one open contest. With them bots play what they have entered.
    """

    def __init__(self, store: Store, settings: Settings, competitions: Iterable[Competition] = ()) -> None:
        self.settings = settings
        self.store = store
        self.metrics = Metrics()
        self.metrics.read_from(self._reading)
        self.directors = [Director(store, each, settings) for each in competitions]
        self._loop = asyncio.get_running_loop()
        self._pulse = Pulse()
        self.lobby = Lobby(settings, self._pulse)
        self.lobby.on_gone = self._gone
        self._recorder = Recorder(store, self.metrics)
        self._open_contest = Contest(settings, open_schedule(settings.schedule, secrets.token_bytes(16)))
        self._matchmaker = Matchmaker([], self._seat)
        self.infirmary = Infirmary(store, self._examine, self._loop.time)
        self.entrance = Entrance(store, settings, self.lobby, self.infirmary, self.directors)
        self._attendance = Attendance(self._loop.time)
        self._running: dict[str, Running] = {}
        self._withheld: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ticking: asyncio.Task[None] | None = None
        self._play_soon: asyncio.Handle | None = None
        self._beats = 0
        self._last_ping = self._last_tick = 0.0
        self._hurried = False
        self.closing = False

    async def start(self) -> None:
        """Take up where the records end, and begin to keep time."""
        await asyncio.to_thread(self.infirmary.load)
        for director in self.directors:
            await director.start()
            await director.tick(now_utc())
        self._choose_contests()
        for left in await asyncio.to_thread(queries.unfinished_blocks, self.store):
            await self._take_up(left)
        for director in self.directors:
            await director.recall()
        self._pulse.every_beat(self._beat)
        self._pulse.start()

    def _choose_contests(self) -> None:
        directed = [director.contest for director in self.directors if director.contest is not None]
        self._matchmaker.contests = directed if self.directors else [self._open_contest]

    async def _take_up(self, left: queries.UnfinishedBlock) -> None:
        """Go on with a block that a former run left open, or close it if there is nothing to go on with."""
        contest = self._contest_of(left)
        open_block = await asyncio.to_thread(taken_up, self.store, left, contest) if contest else None
        if contest is not None and open_block is not None:
            contest.take_up(open_block)
            self._withheld.update(open_block.ended)
        else:
            await self._recorder.close_as(left.id, state_without_more(left))

    def _contest_of(self, left: queries.UnfinishedBlock) -> Contest | None:
        """The contest that a block belongs to; `None` if it is not played any more."""
        if left.plan is None:
            return None if self.directors else self._open_contest
        for director in self.directors:
            now = director.competition
            if (now.id, now.phase) == (left.plan.competition_id, left.plan.phase):
                return director.contest
        return None

    async def stop(self) -> None:
        """Start nothing new, let running matches end or void them, and record everything."""
        self.closing = self._matchmaker.stopped = True
        self._recorder.hurried = self._hurried
        give_up = self._loop.time() + self.settings.drain_seconds
        log.info("closing", running=len(self._running))
        while self._running and not self._hurried and self._loop.time() < give_up:
            await asyncio.sleep(0.05)
        for running in list(self._running.values()):
            running.table.void(SHUTDOWN)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._pulse.stop()
        await self._recorder.aclose()

    def hurry(self) -> None:
        """Shut down without waiting for running matches, nor for a disk that does not take what is to be recorded."""
        self._hurried = True
        self._recorder.hurried = self.closing

    async def enter(self, hello: play_pb2.Hello, identity: Identity | None = None) -> Session:
        """A bot says hello. Raises `ArenaError` if it cannot come in."""
        if self.closing:
            raise ClosingError("the arena is shutting down")
        return await self.entrance.enter(hello, identity)

    async def enter_competition(self, director: Director, bot_id: int, owner_id: int) -> None:
        """An owner has a bot take part, also one that was withdrawn. Raises `UsageError` if that cannot be."""
        if not takes_entries(director.competition.phase):
            raise UsageError(f"{director.file.name} takes no entries in the phase {director.competition.phase!r}")
        await director.enter(bot_id, owner_id, again=True)
        self._play_later()

    def attached(self) -> None:
        """A session got its stream."""
        self._play_later()

    def lost(self, session: Session) -> None:
        """The stream of `session` is gone."""
        session.detach()
        log.info("bot disconnected", bot=session.name, playing=session.playing)
        if session.has_left:
            self.lobby.remove(session)
        else:
            self.lobby.away(session)

    @property
    def tables(self) -> list[Table]:
        """The matches that are being played or recorded."""
        return [running.table for running in self._running.values()]

    def running(self, match_id: str) -> Running:
        """A running match. Raises `NotFoundError`."""
        try:
            return self._running[match_id]
        except KeyError:
            raise NotFoundError(f"no match {match_id} is running") from None

    def check_revealed(self, match_id: str) -> None:
        """Raise `NotYetError` if the deal of a match is still being played by others."""
        if match_id in self._withheld:
            raise NotYetError(f"the deal of match {match_id} is still being played with other seats; ask again later")

    @property
    def delayed_ms(self) -> float:
        """How late the arena itself was, since its start."""
        return self._pulse.read().delayed_ms

    def _reading(self) -> Reading:
        return Reading(
            connected=sum(session.connected for session in self.lobby.sessions),
            running=len(self._running),
            quarantined=len(self.infirmary),
            delayed_seconds=self._pulse.read().delayed_ms / 1000,
            waiting_blocks={contest.name or "open": contest.waiting for contest in self._matchmaker.contests},
            phases={director.file.name: director.competition.phase for director in self.directors},
            database_bytes=self.store.size(),
        )

    def _beat(self) -> None:
        self._beats += 1
        if self._beats % SWEEP_EVERY_BEATS:
            return
        instant = self._pulse.read()
        for table in self.tables:
            table.sweep(instant)
        self.infirmary.sweep(instant)
        self.lobby.sweep()
        now = instant.time
        if now - self._last_ping > self.settings.ping_seconds:
            self._last_ping = now
            for session in self.lobby.sessions:
                if session.connected:
                    session.ping()
        if now - self._last_tick > TICK_SECONDS and self._ticking is None and not self.closing:
            self._last_tick = now
            self._ticking = self._spawn(self._tick())

    async def _tick(self) -> None:
        """See to what depends on the time of day."""
        try:
            self.infirmary.examine_due(self.lobby.sessions)
            self._attendance.note(session.version_id for session in self.lobby.sessions if session.plays_on)
            for director in self.directors:
                contest = director.contest
                if await director.tick(now_utc()):
                    await self._retire(contest)
                elif contest:
                    patience = director.file.faults.absence_seconds
                    self._matchmaker.wait_no_longer(contest, partial(self._attendance.missing, seconds=patience))
            # Somebody is waited for no longer, or a contest knows its past by now.
            self._play_later()
        finally:
            self._ticking = None

    async def change_phase(self, director: Director, phase: str, actor: str) -> None:
        """An admin takes a competition into another phase. Raises `UsageError` if that cannot be."""
        contest = director.contest
        await director.change_phase(phase, actor)
        await self._retire(contest)

    async def _retire(self, contest: Contest | None) -> None:
        """A phase is over. What has been begun in it is played to its end; what was only planned is not played."""
        self._choose_contests()
        for open_block in contest.retire() if contest else ():
            open_block.voided = not open_block.ended
            await self._close_block(open_block)
        self._play_later()

    def _play_later(self) -> None:
        """Look for matches to start, once, after everything that is going on right now."""
        if self._play_soon is None:
            self._play_soon = self._loop.call_soon(self._play)

    def _play(self) -> None:
        self._play_soon = None
        for contest in self._matchmaker.play(self.lobby.sessions):
            self._spawn(self._plan(contest))
        for session in self.lobby.sessions:
            session.end_if_left()

    async def _plan(self, contest: Contest) -> None:
        """Have a contest plan a round. The blocks of a competition are on record before the first of them begins."""
        planned = await contest.plan([session for session in self.lobby.sessions if session.plays_on])
        if any(open_block.plan for open_block in planned):
            await self._recorder.plan(planned)
        contest.add(planned)
        if contest not in self._matchmaker.contests:
            # Its phase has ended meanwhile.
            await self._retire(contest)
        elif planned:
            self._play_later()

    def _seat(self, open_block: OpenBlock, rotation: int) -> None:
        block, rules = open_block.block, open_block.rules
        match_id = secrets.token_hex(10)
        players = [self._player(version_id, open_block.missing) for version_id in block.seating(rotation)]
        table = self._table(rules, players, match_id, block.seed, open_block.contest.settings, self._ended)
        running = Running(table, open_block, rotation, epoch_ms(), self._loop.create_future())
        self._running[match_id] = running
        self._withheld.add(match_id)
        table.start()
        for seat, player in enumerate(players):
            if isinstance(player, Absent):
                table.forfeit(seat)

    def _table(
        self,
        rules: Rules,
        players: Sequence[Session | Absent],
        match_id: str,
        seed: bytes,
        settings: Settings,
        on_end: Callable[[Table], None],
    ) -> Table:
        return Table(
            rules,
            [player.chair() for player in players],
            match_id=match_id,
            seed=seed,
            settings=settings,
            pulse=self._pulse,
            on_end=on_end,
        )

    def _player(self, version_id: int, missing: Collection[int]) -> Session | Absent:
        """Who takes a seat. One that was waited for in vain may be in quarantine, and connected."""
        session = self.lobby.session_of(version_id)
        if session is None or (version_id in missing and not session.plays_on):
            return Absent(*queries.name_of(self.store, version_id))
        return session

    def _examine(self, session: Session) -> Table | None:
        """A match in which a bot in quarantine shows that it answers; no other bot plays, and nothing is recorded."""
        rules = next((each for each in self._all_rules() if session.plays(each.game, each.players)), None)
        if rules is None or not session.connected:
            return None
        others = [Sparring("nobody") for _ in range(rules.players - 1)]
        table = self._table(
            rules, [session, *others], secrets.token_hex(10), secrets.token_bytes(32), self.settings, self._examined
        )
        table.start()
        return table

    def _all_rules(self) -> list[Rules]:
        contests = self._matchmaker.contests
        return [rules for contest in contests for rules in contest.settings.tables] or list(self.settings.tables)

    def _examined(self, table: Table) -> None:
        result = table.referee.result
        session = table.players[0]
        if result is not None and isinstance(session, Session):
            session.note_over()
            table.tell_ended()
            self._spawn(self._discharge(session, healthy=0 not in {fault.seat for fault in result.faults}))

    async def _discharge(self, session: Session, *, healthy: bool) -> None:
        if await asyncio.to_thread(self.infirmary.examined, session.version_id, healthy=healthy):
            session.quarantined = False
            self._play_later()

    def _ended(self, table: Table) -> None:
        running = self._running[table.match_id]
        self._spawn(self._record(running))
        if table.referee.result is not None and table.referee.result.termination == VOIDED:
            # At once, or another match of this deal would be started in vain.
            self._matchmaker.void(running.open_block.block.block_id)
        # The next match need not wait for the disk. Only the news of this one have to.
        for player in table.players:
            if isinstance(player, Session):
                player.note_over()
        self._play_later()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            what = "not recorded" if isinstance(error, StoreError) else "this should not happen"
            log.error(what, error=str(error), exc_info=error)

    async def _record(self, running: Running) -> None:
        """Put the match on the disk, and only then tell anybody how it ended."""
        table, open_block, rotation = running.table, running.open_block, running.rotation
        over = self._loop.time()
        finished = FinishedMatch(
            table.referee.replay(),
            block_id=open_block.block.block_id,
            rotation=rotation,
            version_ids=open_block.block.seating(rotation),
            started_ms=running.started_ms,
            ended_ms=epoch_ms(),
        )
        last = open_block.ends_with(rotation)
        await self._recorder.match(open_block, finished, last=last)
        self.metrics.match_recorded(finished.replay, self._loop.time() - over)
        result = finished.replay.result
        log.debug("match ended", match=table.match_id, game=table.rules.game, termination=result.termination)
        table.tell_ended()
        del self._running[table.match_id]
        running.end.set_result(result)
        self._look_after(finished, result, open_block)
        self._play_later()
        await self._close(running, finished, result, on_record=last)

    def _look_after(self, finished: FinishedMatch, result: Result, open_block: OpenBlock) -> None:
        """Keep a bot that errs again and again from playing, until it answers a health check.

        One that finals did not wait for any longer is away, not ill.
        """
        if result.termination == VOIDED:
            return
        most = open_block.contest.settings.quarantine_after
        for seat, version_id in enumerate(finished.version_ids):
            trouble = trouble_of(finished.replay, seat) if version_id not in open_block.missing else None
            if self.infirmary.note(version_id, trouble, most):
                session = self.lobby.session_of(version_id)
                if session is not None:
                    session.quarantined = True
                self._spawn(asyncio.to_thread(self.infirmary.admit, version_id))

    async def _close(self, running: Running, finished: FinishedMatch, result: Result, *, on_record: bool) -> None:
        """After the last match of a block, note that if it is not on record, and tell everybody what was dealt."""
        open_block = running.open_block
        block_id = open_block.block.block_id
        if result.termination != VOIDED:
            forfeited = bool(result.forfeits)
            open_block.results.append(
                MatchResult(block_id, open_block.rules.game, finished.version_ids, tuple(result.places), forfeited)
            )
        open_block.ended.append(running.table.match_id)
        if self._matchmaker.ended(block_id, running.rotation):
            if on_record:
                self._reveal(open_block)
            else:
                await self._close_block(open_block)

    def _gone(self, session: Session) -> None:
        """A bot will not come back: what was begun with it ends with the matches that have been played."""
        for open_block in self._matchmaker.give_up(session.version_id):
            if open_block.on_record:
                self._spawn(self._close_block(open_block))
        self._play_later()

    async def _close_block(self, open_block: OpenBlock) -> None:
        await self._recorder.close(open_block)
        self._reveal(open_block)

    def _reveal(self, open_block: OpenBlock) -> None:
        """The block is closed: its deal is no secret any more."""
        block = open_block.block
        self._withheld.difference_update(open_block.ended)
        reveals = [play_pb2.Reveal(match_id=match_id, seed=block.seed) for match_id in open_block.ended]
        for version_id in block.group if reveals else ():
            session = self.lobby.session_of(version_id)
            if session is not None:
                session.tell_reveals(reveals)
        # A contest in rounds may have waited for this.
        self._play_later()

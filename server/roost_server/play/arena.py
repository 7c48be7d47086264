"""The arena: bots in the lobby, matches at tables, results in the store. It knows nothing of gRPC."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import structlog

from roost_server.competition.ledger import Competition
from roost_server.metrics import Metrics, Reading
from roost_server.play.director import Contests, Director, now_utc
from roost_server.play.entrance import Entrance
from roost_server.play.matchmaker import Matchmaker
from roost_server.play.quarantine import Quarantine
from roost_server.play.recorder import Bookkeeping, Recorder, Tasks
from roost_server.play.resume import begin_epoch, resume_blocks
from roost_server.play.seating import Requests, TableSeating
from roost_server.play.unrated.asking import AskedMatch, Challenges, Taken
from roost_server.settings import Settings
from roost_server.store import Store

SWEEP_EVERY_BEATS = 8
TICK_SECONDS = 1.0
"""How often the arena looks whether it is time for another phase, or for a practice match."""
SHUTDOWN = "the arena shut down"
log = structlog.get_logger()


class Arena:
    """Everything that an arena does, in one event loop. `start` it before use, and `stop` it at the end.

    Without competitions all bots that are here play one open contest. With them bots play what they have entered.
    """

    def __init__(self, store: Store, settings: Settings, competitions: Iterable[Competition] = ()) -> None:
        self.settings = settings
        self.store = store
        self.metrics = Metrics()
        self.metrics.read_from(self._reading)
        self._loop = asyncio.get_running_loop()
        self._tasks = Tasks()
        self.contests = Contests(store, settings, competitions, lambda: self.seating.load.limit, self._tasks.spawn)
        at_once = self.contests.matches_at_once
        self.seating = TableSeating(store, replace(settings, matches_at_once=at_once))
        self._pulse = self.seating.pulse
        self.lobby = self.seating.lobby
        self.requests = Requests(self.seating, settings)
        self.quarantine = Quarantine(store, self.seating, self._tasks.spawn, settings)
        self.entrance = Entrance(store, settings, self.lobby, self.quarantine, self.contests.directors)
        self._matchmaker = Matchmaker(self.seating.seat, self._loop.time, self.seating.has_room)
        self._recorder = Recorder(store, self.metrics)
        self.challenges = Challenges(store, self.contests.challenges, self.lobby, self.quarantine, self._recorder)
        self._books = Bookkeeping(self._recorder, self.seating, self._matchmaker, self.quarantine, self._tasks)
        self._listen()
        self._ticking: asyncio.Task[None] | None = None
        self._play_soon: asyncio.Handle | None = None
        self._beats = 0
        self._last_ping = self._last_tick = 0.0
        self._hurried = False

    def _listen(self) -> None:
        """Have the parts report what may lead to another match, and what ends one."""
        self.lobby.on_room = self._has_room
        self.lobby.on_gone = lambda session: self._books.bot_gone(session.version_id)
        self.entrance.on_attached = self.quarantine.on_release = lambda session: self._came(session.version_id)
        self._books.on_change = self._play_later
        self._books.on_closed = self.contests.block_closed
        self.contests.on_judged = self._came
        self.seating.on_over = self._books.match_over
        self._pulse.every_beat(self._beat)

    @property
    def directors(self) -> list[Director]:
        """Those of the competitions."""
        return self.contests.directors

    async def start(self) -> None:
        """Resume where the records end, and begin to keep time."""
        await begin_epoch(self.store)
        await asyncio.to_thread(self.quarantine.load)
        await self.contests.start()
        self._matchmaker.contests = [*self.contests.current, self.contests.challenges]
        await resume_blocks(self.store, self.contests, self._recorder, self.seating)
        await self.contests.read_past()
        self._pulse.start()

    async def stop(self) -> None:
        """Start nothing new, let running matches end or void them, and record everything."""
        self.entrance.closed = self._matchmaker.stopped = self.quarantine.stopped = True
        self._recorder.hurried = self._hurried
        give_up = self._loop.time() + self.settings.drain_seconds
        log.info("shutting down", running=len(self.seating.tables))
        while self.seating.tables and not self._hurried and self._loop.time() < give_up:
            await asyncio.sleep(0.05)
        self.seating.void_all(SHUTDOWN)
        await self._tasks.all_done()
        self._pulse.stop()
        await self._recorder.aclose()
        for session in self.lobby.sessions:
            session.dismiss()

    def hurry(self) -> None:
        """Shut down without waiting for running matches, nor for a disk that does not take what is to be recorded."""
        self._hurried = True
        self._recorder.hurried = self.entrance.closed

    @property
    def delayed_ms(self) -> float:
        """How late the arena itself was, since its start."""
        return self._pulse.read().delayed_ms

    def _reading(self) -> Reading:
        here = {session.name: session.places for session in self.lobby.sessions if session.connected}
        return Reading(
            connected=sum(session.connected for session in self.lobby.sessions),
            running=len(self.seating.tables),
            most_at_once=self.seating.load.limit,
            at_once={bot: places.at_once for bot, places in here.items()},
            decision_seconds={
                bot: places.width.answer_ms / 1000 for bot, places in here.items() if places.width.is_measured
            },
            quarantined=len(self.quarantine),
            delayed_seconds=self.delayed_ms / 1000,
            waiting_blocks={contest.name or "open": contest.waiting for contest in self._matchmaker.contests},
            phases={director.file.name: director.competition.phase for director in self.directors},
            problems={director.file.name: director.problem for director in self.directors},
            database_bytes=self.store.size(),
        )

    def _beat(self) -> None:
        self._beats += 1
        if self._beats % SWEEP_EVERY_BEATS:
            return
        instant = self._pulse.read()
        if self.seating.load.look(instant, self.seating.serving):
            self._play_later()
        self.seating.sweep(instant)
        self.lobby.sweep()
        now = instant.time
        self.lobby.ping((now - self._last_ping) / self.settings.ping_seconds)
        self._last_ping = now
        if now - self._last_tick > TICK_SECONDS and self._ticking is None and not self.entrance.closed:
            self._last_tick = now
            self._ticking = self._tasks.spawn(self._tick())

    async def _tick(self) -> None:
        """See to what depends on the time of day."""
        try:
            self.quarantine.check_due(self.contests.tables)
            self._matchmaker.note_present(self.lobby.sessions)
            for director in self.directors:
                if await director.tick(now_utc()):
                    await self._follow_phases()
                else:
                    self._wait_no_longer(director)
            self._watch_disk()
            self._books.drop_overdue(self.contests.challenges)
            # A bot may be waited for no longer, or a contest may know its past by now.
            self._matchmaker.pass_time(self.lobby.by_version)
            self._play_later()
        finally:
            self._ticking = None

    def _watch_disk(self) -> None:
        """Have ladders pause while the database is as large as their hosts allow."""
        size = self.store.size()
        for contest in self._matchmaker.contests:
            full = size >= contest.settings.disk_gb * 1e9
            if full and not contest.paused and not contest.in_rounds:
                log.warning(
                    "ladder paused", contest=contest.name, database_bytes=size, disk_gb=contest.settings.disk_gb
                )
            contest.paused = full

    def _wait_no_longer(self, director: Director) -> None:
        """Have finals go on without bots that are out or away for too long, and ladders without those that are out."""
        contest = director.contest
        if contest is None:
            return
        self._matchmaker.wait_no_longer(contest, director.file.faults.absence_seconds)
        for session in self.lobby.sessions:
            if session.version_id in contest.waited_for and session.bot_id not in director.roster:
                self._books.drop_blocks(contest, session.version_id)

    async def enter_competition(self, director: Director, bot_id: int, owner_id: int) -> None:
        """An owner has a bot take part, also one that was withdrawn. Raises `UsageError` if that cannot be."""
        await director.enter(bot_id, owner_id)
        self._matchmaker.look_again(self.lobby.by_version)
        self._play_later()

    async def withdraw(self, director: Director, bot_id: int, actor: str) -> None:
        """An owner has a bot no longer take part. In finals it forfeits what has not begun. Raises `UsageError`."""
        await director.withdraw(bot_id, actor)
        self._wait_no_longer(director)
        self._matchmaker.look_again(self.lobby.by_version)
        self._play_later()

    async def challenge(self, asked: AskedMatch) -> Taken:
        """An owner asks for matches that are not rated. Raises `ArenaError` if they cannot be played."""
        self.entrance.check_open()
        taken = await self.challenges.ask(asked)
        self._play_later()
        return taken

    async def follow_rulings(self) -> None:
        """The host has ruled about owners or bots: let in and let play who still may, under their names."""
        await self.entrance.follow_rulings()
        for director in self.directors:
            await director.review()
            self._wait_no_longer(director)
        self._matchmaker.look_again(self.lobby.by_version)
        self._play_later()

    async def change_phase(self, director: Director, phase: str, actor: str) -> None:
        """An admin takes a competition into another phase. Raises `UsageError` if that cannot be."""
        await director.change_phase(phase, actor)
        await self._follow_phases()

    async def _follow_phases(self) -> None:
        """A competition has changed its phase: play what is to be played now, and nothing more of what was."""
        before = self._matchmaker.contests
        self._matchmaker.contests = [*self.contests.current, self.contests.challenges]
        for contest in before:
            if contest not in self._matchmaker.contests:
                await self._books.retire(contest)

    def _has_room(self, version_id: int) -> None:
        """A bot can be given more matches at once."""
        self._matchmaker.wake((version_id,))
        self._play_later()

    def _came(self, version_id: int) -> None:
        """A bot may be given matches from now on."""
        self._matchmaker.came(version_id)
        self._play_later()

    def _play_later(self) -> None:
        """Look for matches to start, once, after everything that is going on right now."""
        if self._play_soon is None:
            self._play_soon = self._loop.call_soon(self._play)

    def _play(self) -> None:
        self._play_soon = None
        self.requests.start_waiting()
        for contest in self._matchmaker.play(self.lobby.by_version):
            self._tasks.spawn(self._books.plan(contest))

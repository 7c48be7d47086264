"""What an arena plays: its competitions, each run by a director, or one open contest."""

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

import structlog

from roost_games.errors import UsageError
from roost_ladder.blocks import Rotation, seed_of_block
from roost_ladder.schedules.registry import open_schedule
from roost_ladder.schedules.schedule import Pairing, Participants
from roost_server.competition import ledger, phases, staging
from roost_server.competition.demands import QUALIFICATION, QualifyingBlock
from roost_server.competition.file import CompetitionFile, PhaseName, takes_entries
from roost_server.competition.finals import block_id_of, schedule_of
from roost_server.competition.history import field_on_record, forecast_of, history_of
from roost_server.competition.ledger import Competition
from roost_server.competition.phases import CLOCK
from roost_server.competition.qualification import block_played, blocks_by_version, qualifications
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest, Drawn
from roost_server.play.roster import OpenRoster, PinnedRoster
from roost_server.play.unrated.challenges import ChallengeContest, Offer
from roost_server.play.unrated.qualifying import Candidates, QualifyingContest
from roost_server.settings import Rules, Settings
from roost_server.store import Planned, Purpose, Store, StoreError
from roost_server.store.copies.epochs import present_epoch
from roost_server.store.lookups.bots import bot_of
from roost_server.store.measures.rulings import Ruling
from roost_server.store.queries import progress

T = TypeVar("T")
log = structlog.get_logger()


AT_ONCE_SECONDS = 0.5
"""How long a start waits until the past is read. If that takes longer, resumed blocks are played meanwhile."""
RETRY_SECONDS = 1.0
SEAL_SECONDS = 600.0
"""How often results that are held back are sealed."""


class Director:
    """Runs a competition: its phase, its roster, and the contest that is being played.

    `start` it once, and `read_past` when the blocks that earlier runs left are resumed. Then `tick` says whether what
    is played has changed.
    """

    def __init__(self, store: Store, competition: Competition, settings: Settings) -> None:
        self._store = store
        self.settings = replace(competition.file.settings(settings), deals=competition.deals)
        self.competition = competition
        self.contest: Contest | None = None
        """What is being played; `None` in a phase in which nothing is."""
        self.qualifying: QualifyingContest | None = None
        """Where bots qualify; `None` if they need not, or no longer can."""
        self.refusal = ""
        """Why the phase that is due does not begin; empty if none is kept waiting."""
        self.roster = OpenRoster((), apart=False)
        self._changing = asyncio.Lock()
        self._reviewing = asyncio.Lock()
        """The clock and an admin take turns."""
        self._informed: set[Contest] = set()
        self._reading: asyncio.Task[None] | None = None
        self._judging = asyncio.Lock()
        self._seal_at = 0.0
        """When results that are held back are sealed again, by the clock of the machine that never goes back."""

    @property
    def file(self) -> CompetitionFile:
        """What the host has decided."""
        return self.competition.file

    @property
    def problem(self) -> str:
        """Why the competition is stuck; empty if it is not."""
        return self.refusal or (self.contest.problem if self.contest else "")

    @property
    def contests(self) -> list[Contest]:
        """Everything that is being played."""
        return [each for each in (self.contest, self.qualifying) if each is not None]

    @property
    def remark(self) -> str:
        """What the host should know although the competition goes on; empty if nothing."""
        candidates = self.qualifying.candidates if self.qualifying else None
        if candidates is None or not candidates.missing or not candidates.barred:
            return ""
        return f"nobody can qualify: {' and '.join(candidates.missing)} is not here, or does not play this game"

    async def start(self) -> None:
        """Resume the competition where its records end."""
        if self.file.faults.forfeits == "ignore":
            # It began under these rules, and the rules of a competition do not change.
            log.warning("forfeits do not count, so bots gain by forfeiting", competition=self.file.name)
        self.roster = OpenRoster((), apart=not self.file.entry.own_bots_may_meet)
        await self._set_up_contest()
        await self.review()

    async def tick(self, now: datetime) -> bool:
        """Change the phase if it is time. The competition is done when its finals are. True if something changed."""
        async with self._changing:
            await self._tend_held(now)
            played_out = self.contest is not None and self.contest.over
            due = phases.due_phases(self.file, self.competition.phase, now, played_out=played_out)
            for phase in reversed(due):
                if await self._entered(phase):
                    return True
            return not due and await self._begin_finals()

    async def _entered(self, phase: PhaseName) -> bool:
        """Change to a phase by the clock, if it can begin."""
        try:
            await self._change_phase(phase, CLOCK)
        except UsageError as error:
            self._keep_waiting(phase, str(error))
            return False
        return True

    def _keep_waiting(self, phase: PhaseName, reason: str) -> None:
        """The phase does not change. It is tried again, in case bots or an admin change what is wrong."""
        if reason != self.refusal:
            log.warning("phase cannot begin", competition=self.file.name, phase=phase.value, reason=reason)
        self.refusal = reason

    async def _begin_finals(self) -> bool:
        """Begin finals that had to wait for the last matches of the ladder. True if they begin now."""
        if self.contest is not None or self.competition.phase != PhaseName.FINALS:
            return False
        await self._set_up_contest()
        await self.read_past()
        return self.contest is not None

    async def change_phase(self, phase: str, actor: str) -> None:
        """Go on to a later phase. Raises `UsageError` if there is none of this name, or it cannot be played."""
        async with self._changing:
            await self._change_phase(phases.check_change(self.file, self.competition.phase, phase), actor)

    async def _change_phase(self, phase: PhaseName, actor: str) -> None:
        before = self.competition.phase
        if phase in (PhaseName.FREEZE, PhaseName.FINALS):
            await self._look_ahead(phase)
        if phase in (PhaseName.FINALS, PhaseName.DONE):
            self.refusal = ""
        if any(part.is_held for part in self.file.phases):
            await self._seal()
        self.competition = await asyncio.to_thread(ledger.change_phase, self._store, self.competition, phase, actor)
        log.info("phase changed", competition=self.file.name, before=before, phase=phase.value, actor=actor)
        await self._set_up_contest()
        await self.read_past()

    async def _look_ahead(self, phase: PhaseName) -> None:
        """Tell what the finals will take, now that the bots are known. Raises `UsageError` if they cannot be played.

        A freeze is not refused: it does not need the finals, and bots that are withdrawn may be entered again.
        """
        found = await asyncio.to_thread(forecast_of, self._store, self.competition)
        for each in found.phases:
            if each.phase is PhaseName.FINALS:
                hours = round(each.hours or 0, 1)
                log.info("forecast", competition=self.file.name, blocks=each.blocks, matches=each.matches, hours=hours)
        if found.problem and phase is PhaseName.FINALS:
            raise UsageError(found.problem)
        if found.problem:
            log.warning("finals cannot begin", competition=self.file.name, reason=found.problem)

    @property
    def offer(self) -> Offer:
        """How bots that take part play each other if their owners want it."""
        return Offer(self.file.name, self.settings, lambda bot_id: bot_id in self.roster)

    async def enter(self, bot_id: int, owner_id: int) -> None:
        """A bot takes part from now on, even if it was withdrawn before.

        Raises `UsageError` if no entries are taken, or its owner has too many bots in the competition.
        """
        if not takes_entries(self.competition.phase):
            raise UsageError(f"{self.file.name} takes no entries in the phase {self.competition.phase!r}")
        if bot_id not in self.roster:
            await asyncio.to_thread(ledger.enter, self._store, self.competition, bot_id, owner_id, again=True)
            await self.review()

    async def review(self) -> None:
        """Let those play who take part now, and nobody else: bots have entered or left, or the host has ruled."""
        # One after the other, so that the one that ends last has read last.
        async with self._reviewing:
            self.roster.set(await asyncio.to_thread(ledger.entrants, self._store, self.competition.id))
            contest = self.contest
            if contest is not None and contest.in_rounds:
                contest.out = await asyncio.to_thread(ledger.pinned_out, self._store, self.competition.id)
            self._bar()

    def _bar(self) -> None:
        """Let only those play the ladder who have qualified, if it demands that."""
        if self.qualifying is not None and self.file.demanding is PhaseName.LADDER:
            self.roster.barred = self.qualifying.candidates.barred

    def owes(self, bot_id: int) -> str:
        """What a bot has to show before it plays, in words; empty if nothing."""
        candidates = self.qualifying.candidates if self.qualifying else None
        if candidates is None or not candidates.bars(bot_id):
            return ""
        return f"{self.file.name}: {candidates.in_words(bot_id)}"

    async def judge(self, block: OpenBlock) -> None:
        """A block in which a bot had to qualify is on record: see how far the bots are."""
        async with self._judging:
            bot_id, played = await self._until_read(partial(self._block_played, block))
            if self.qualifying is not None:
                self.qualifying.judge(block, bot_id, played)
                self._bar()

    def _block_played(self, block: OpenBlock) -> tuple[int, QualifyingBlock]:
        with self._store.reading() as reading:
            return bot_of(reading, block.group[0]), block_played(reading, block.id, block.block.rotations)

    def _tell_progress(self, candidates: Candidates) -> None:
        with self._store.reading() as reading:
            candidates.progress = qualifications(reading, self.competition.id, self.file)
            candidates.played = blocks_by_version(reading, self.competition.id, self.file)

    async def withdraw(self, bot_id: int, actor: str) -> None:
        """A bot no longer takes part."""
        await asyncio.to_thread(ledger.withdraw, self._store, self.competition, bot_id, actor)
        await self.review()

    async def release(self, release: Callable[[], T]) -> T:
        """Release results that are held back. Nothing else changes meanwhile."""
        async with self._changing:
            await self._seal()
            return await asyncio.to_thread(release)

    async def _tend_held(self, now: datetime) -> None:
        """Seal what is held back from time to time, and release it when its time has come."""
        with_results = [part for part in self.file.phases if part.is_held]
        if not with_results:
            return
        due = []
        if any(part.results_until is not None and part.results_until <= now for part in with_results):
            due = await asyncio.to_thread(self._due_releases, now)
        if due or time.monotonic() >= self._seal_at:
            await self._seal()
        for phase in due:
            await asyncio.to_thread(staging.release_by_clock, self._store, self.competition, phase)
            log.info("results released", competition=self.file.name, phase=phase, actor=CLOCK)

    async def _seal(self) -> None:
        self._seal_at = time.monotonic() + SEAL_SECONDS
        for made in await asyncio.to_thread(staging.seal, self._store, self.competition):
            log.info("results sealed", competition=self.file.name, **made._asdict())

    def _due_releases(self, now: datetime) -> list[str]:
        with self._store.reading() as reading:
            return staging.due_releases(reading, self.competition, ledger.milliseconds(now) or 0)

    async def extend(self, by_ms: int, reason: str, actor: str) -> list[Ruling]:
        """Put off the phases to come. Raises `UsageError` if none has a time."""
        async with self._changing:
            made = await asyncio.to_thread(ledger.extend, self._store, self.file.name, by_ms, reason, actor)
            self.competition = await asyncio.to_thread(ledger.find, self._store, self.file.name)
        return made

    async def _set_up_contest(self) -> None:
        await self._set_up_qualifying()
        phase = self.competition.phase
        part = self.file.phase(PhaseName(phase)) if phases.plays(phase) else None
        finals = phase == PhaseName.FINALS
        if part is None or (finals and await asyncio.to_thread(self._ladder_is_played)):
            self.contest = None
            return
        self.contest = Contest(
            replace(self.settings, results_held=part.is_held),
            schedule_of(self.file.name, self.competition.seed, part, self.competition.method),
            roster=self.roster,
            name=f"{self.file.name}/{part.phase}",
            rotation=Rotation(self.file.rotation),
            in_rounds=finals,
        )
        self.contest.hold_back()
        await self.review()

    async def _set_up_qualifying(self) -> None:
        """Bots can qualify for as long as they can enter."""
        part, rules = self.file.qualification, self.file.qualification_rules()
        if part is None or rules is None or not takes_entries(self.competition.phase):
            self.qualifying = None
        elif self.qualifying is None:
            candidates = Candidates(part, rules, self.roster)
            await asyncio.to_thread(self._tell_progress, candidates)
            name, rotation = f"{self.file.name}/{QUALIFICATION}", Rotation(self.file.rotation)
            self.qualifying = QualifyingContest(self.settings, candidates, rules, name, rotation)
            self.qualifying.hold_back()
        self._bar()

    async def read_past(self) -> None:
        """Tell the contests what was played before, and have them begin to plan.

        With millions of matches that takes a while. Meanwhile resumed blocks are played.
        """
        for contest in self.contests:
            if contest not in self._informed:
                self._informed.add(contest)
                phase = QUALIFICATION if contest is self.qualifying else self.competition.phase
                self._reading = asyncio.create_task(self._inform(contest, phase))
                await asyncio.wait([self._reading], timeout=AT_ONCE_SECONDS)
        self._informed.intersection_update(self.contests)

    async def _inform(self, contest: Contest, phase: str) -> None:
        await self._until_read(partial(self._tell_past, contest, phase))
        contest.release()

    async def _until_read(self, read: Callable[[], T]) -> T:
        """Read in another thread, again and again until it succeeds."""
        while True:
            try:
                return await asyncio.to_thread(read)
            except StoreError as error:
                log.warning("cannot read", competition=self.file.name, error=str(error))
                await asyncio.sleep(RETRY_SECONDS)

    def _tell_past(self, contest: Contest, phase: str) -> None:
        history = history_of(self._store, self.competition.id, phase, contest.resumed, recorded=contest.recorded)
        if contest.in_rounds:
            contest.roster = PinnedRoster(self._finals_field())
        contest.draw = Dealer(self.competition, phase, history.next_serial, present_epoch(self._store))
        contest.remember(history.past, history.owed if contest.in_rounds else ())

    def _ladder_is_played(self) -> bool:
        """Whether something from before the freeze is still being played. Finals wait: it decides the field."""
        phases = (PhaseName.LADDER, QUALIFICATION)
        return any(progress(self._store, self.competition.id, phase).blocks_open for phase in phases)

    def _finals_field(self) -> Participants:
        """Who plays the finals, in the order of the ladder."""
        with self._store.reading() as reading:
            return field_on_record(reading, self.competition)


class Dealer:
    """Numbers the blocks of a phase, and derives their deals from the master seed.

    The id of a block is `COMPETITION-PHASE-SERIAL`, and its seed follows from the master seed, the epoch and the id
    (`roost_ladder.blocks.seed_of_block`): once the master seed is public, anybody can check every deal.
    """

    def __init__(self, competition: Competition, phase: str, next_serial: int, epoch: int) -> None:
        self._competition = competition
        self._phase = phase
        self._epoch = epoch
        self._next_serial = next_serial

    def __call__(self, _: Pairing) -> Drawn:
        serial = self._next_serial
        self._next_serial += 1
        block_id = block_id_of(self._competition.file.name, self._phase, serial)
        seed = seed_of_block(self._competition.seed, block_id, self._epoch)
        return Drawn(block_id, seed, Planned(self._competition.id, self._phase, serial, self._epoch))


def now_utc() -> datetime:
    """The time of day by which phases change."""
    return datetime.now(UTC)


class Contests:
    """What is played: the contests of the competitions, or without any one open contest; and challenges."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        competitions: Iterable[Competition],
        most_at_once: Callable[[], int],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self.on_judged: Callable[[int], None] = lambda _: None
        """Called with a bot version that may have qualified."""
        self._spawn = spawn
        self.directors = [Director(store, each, settings) for each in competitions]
        self._settings = settings
        self._open = Contest(settings, open_schedule(settings.schedule, secrets.token_bytes(16)))
        self.challenges = ChallengeContest(
            settings, lambda: [each.offer for each in self.directors], lambda: self.current, most_at_once
        )

    @property
    def matches_at_once(self) -> int | None:
        """How many matches a bot plays at once, if the hosts of all of them have fixed that: the largest number."""
        chosen = [director.settings for director in self.directors] or [self._settings]
        fixed = [settings.matches_at_once for settings in chosen]
        return None if None in fixed else max(number for number in fixed if number is not None)

    async def start(self) -> None:
        """Begin where the records end."""
        for director in self.directors:
            await director.start()
            await director.tick(now_utc())

    async def read_past(self) -> None:
        """Tell every contest what was played before."""
        for director in self.directors:
            await director.read_past()

    @property
    def current(self) -> list[Contest]:
        """What is being played now, but for challenges."""
        directed = [contest for director in self.directors for contest in director.contests]
        return directed if self.directors else [self._open]

    def contest_of(self, plan: Planned | None, purpose: Purpose) -> Contest | None:
        """The contest that a block with this plan belongs to; `None` if it is no longer played."""
        if purpose is Purpose.CHALLENGE:
            return self.challenges
        if plan is None:
            return None if self.directors else self._open
        for director in self.directors:
            now = director.competition
            if (now.id, now.phase) == (plan.competition_id, plan.phase):
                return director.contest
            if (now.id, QUALIFICATION) == (plan.competition_id, plan.phase):
                return director.qualifying
        return None

    def block_closed(self, block: OpenBlock) -> None:
        """The end of a block is on record. A bot may have qualified with it."""
        if block.purpose is Purpose.QUALIFICATION:
            self._spawn(self._judge(block))

    async def _judge(self, block: OpenBlock) -> None:
        for director in self.directors:
            plan = block.plan
            if plan is not None and (plan.competition_id, plan.phase) == (director.competition.id, QUALIFICATION):
                await director.judge(block)
        self.on_judged(block.group[0])

    @property
    def tables(self) -> list[Rules]:
        """The rules of everything that is played now; in a phase without matches those of the arena."""
        return [rules for contest in self.current for rules in contest.settings.tables] or list(self._settings.tables)

"""Quarantine: a bot with faults in match after match may not play until it shows in a practice match that it answers.

In the practice match the other seats make dull moves, and nothing of it is recorded. It is offered again and again, at
growing intervals. The reason for a quarantine is on record, with the kinds of faults and the last matches, so that the
bot's owner can see it.

What the host or the arena brings about is no fault: a bot forfeits when its owner is banned, it is moved or its key is
revoked, and nobody can come back to an arena that is stopping.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import structlog

from roost.v1 import play_pb2
from roost_games.registry import get_game
from roost_games.replay import VOIDED, Replay, Seat
from roost_server.clocks import epoch_ms
from roost_server.play.seating import RunningMatch, StandIn, TableSeating
from roost_server.play.session import Session
from roost_server.play.table import News, Place, Question, Table
from roost_server.settings import Rules, Settings
from roost_server.store import FinishedMatch, Store, queries
from roost_server.store.measures.quarantine import QuarantineRecord, begin_quarantine, end_quarantine, quarantined

FIRST_CHECK_SECONDS = 10.0
LONGEST_SECONDS = 3600.0
NAMED_MATCHES = 3
"""The reason for a quarantine names this many of the matches that led to it, the last ones."""
Spawn = Callable[[Coroutine[Any, Any, None]], object]
"""Begins work in the background."""
log = structlog.get_logger()


class FaultyMatch(NamedTuple):
    """A match in which a bot made faults."""

    match_id: str
    kinds: tuple[str, ...]
    """The kind of each fault."""
    version_id: int
    """In which version."""


def faulty_match(replay: Replay, seat: int, version_id: int) -> FaultyMatch | None:
    """What a seat did wrong in a match; `None` if nothing."""
    kinds = tuple(fault.kind.value for fault in replay.result.faults if fault.seat == seat)
    if not kinds and seat not in replay.result.forfeits:
        return None
    return FaultyMatch(replay.match, kinds or ("forfeited",), version_id)


def reason_of(streak: Sequence[FaultyMatch]) -> str:
    """Why a bot is in quarantine: `faults in 2 matches in a row (3 late, 1 gone), the last in f3, f2`."""
    kinds = Counter(kind for match in streak for kind in match.kinds)
    counted = ", ".join(f"{times} {kind}" for kind, times in kinds.most_common())
    last = ", ".join(match.match_id for match in reversed(streak[-NAMED_MATCHES:]))
    matches = f"{len(streak)} matches in a row" if len(streak) > 1 else "a match"
    return f"faults in {matches} ({counted}), the last in {last}"


def _played(table: Table, seat: int) -> bool:
    """Whether a bot could play a match to its end: it was not away while finals went on, and was not sent away."""
    player = table.players[seat]
    return isinstance(player, Session) and table.match_id not in player.cut_off


class Sparring(StandIn):
    """A player for practice matches. It plays what the referee would play for it, at once."""

    connected = True

    def __init__(self) -> None:
        super().__init__(Seat("nobody"))
        self._loop = asyncio.get_running_loop()

    def ask(self, question: Question) -> None:
        """Answer, but not before the table has put its other questions."""
        self._loop.call_soon(self._answer, question)

    def tell(self, place: Place, news: News) -> None:
        """Be ready when the match is to begin."""
        if isinstance(news, play_pb2.MatchStarted):
            self._loop.call_soon(place.ready)

    def _answer(self, question: Question) -> None:
        if question.is_open:
            table, seat = question.table, question.seat
            now = table.now()
            question.start_clock(now)
            answer = play_pb2.Answer(request=question.number)
            table.codec.move_to_wire(get_game(table.rules.game).fallback(table.referee.view(seat)), answer.move)
            table.answer(seat, answer, now)


@dataclass(slots=True)
class Check:
    """When a version of a bot in quarantine is offered a practice match."""

    next_at: float
    """By the event loop's clock."""
    wait_seconds: float = FIRST_CHECK_SECONDS
    practising: bool = False

    def wait_longer(self, now: float) -> None:
        """It has failed: the next one comes later."""
        self.wait_seconds = min(2 * self.wait_seconds, LONGEST_SECONDS)
        self.next_at = now + self.wait_seconds


class QuarantinedBot(NamedTuple):
    """A bot in quarantine."""

    record: QuarantineRecord
    checks: dict[int, Check]
    """By version. Each that has connected is checked, and it is enough that one of them passes."""


class Quarantine:
    """Knows which bots are in quarantine, by name, and checks whether they may play again.

    It is the bot that is in quarantine, not a version of it: otherwise it would come back as another one.
    `on_release` is called when one may.
    """

    def __init__(self, store: Store, seating: TableSeating, spawn: Spawn, settings: Settings) -> None:
        self.on_release: Callable[[Session], None] = lambda _: None
        self.stopped = False
        """Whether no more faults are counted, because the arena is stopping."""
        self._store = store
        self._seating = seating
        self._spawn = spawn
        self._settings = settings
        self._now = asyncio.get_running_loop().time
        self._streaks: dict[str, list[FaultyMatch]] = {}
        self._cases: dict[str, QuarantinedBot] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._cases

    def __len__(self) -> int:
        return len(self._cases)

    def record_of(self, name: str) -> QuarantineRecord | None:
        """Why a bot is in quarantine, and since when; `None` if it is not."""
        case = self._cases.get(name)
        return None if case is None else case.record

    def load(self) -> None:
        """Bots that were in quarantine when the arena stopped still are."""
        for record in quarantined(self._store):
            name, _ = queries.name_of(self._store, record.version_id)
            self._cases[name] = QuarantinedBot(record, {})

    def note_match(self, match: RunningMatch, finished: FinishedMatch) -> None:
        """A match is recorded. A bot with faults in too many matches in a row may not play until it passes a check."""
        if self.stopped or finished.replay.result.termination == VOIDED:
            return
        for seat, version_id in enumerate(finished.version_ids):
            if not _played(match.table, seat):
                continue
            name = finished.replay.seats[seat].bot
            faulty = faulty_match(finished.replay, seat, version_id)
            if self.note(name, version_id, faulty, match.block.settings.quarantine_after):
                log.warning("bot quarantined", bot=name, version_id=version_id, reason=self._cases[name].record.reason)
                for session in self._sessions(name):
                    session.quarantined = True
                self._spawn(asyncio.to_thread(self.put_on_record, name))

    def _sessions(self, name: str) -> list[Session]:
        return [session for session in self._seating.lobby.sessions if session.name == name]

    def note(self, name: str, version_id: int, faulty: FaultyMatch | None, most: int) -> bool:
        """A bot has played a match. True if it was one faulty match too many; `put_on_record` has to follow.

        A match without a fault makes up for those of the same version before it, and of older ones.
        """
        streak = self._streaks.setdefault(name, [])
        if faulty is None:
            streak[:] = [each for each in streak if each.version_id > version_id]
            return False
        if name in self._cases:
            return False
        streak.append(faulty)
        if len(streak) < most:
            return False
        record = QuarantineRecord(version_id, reason_of(streak), epoch_ms())
        self._cases[name] = QuarantinedBot(record, {})
        return True

    def put_on_record(self, name: str) -> None:
        """Record that a bot is in quarantine, with the version that led to it."""
        begin_quarantine(self._store, self._cases[name].record)

    def check_due(self, tables: Sequence[Rules]) -> None:
        """Offer a practice match at one of these tables to every version whose time has come."""
        now = self._now()
        for session in self._seating.lobby.sessions if self._cases else ():
            case = self._cases.get(session.name)
            if case is None or not session.connected:
                continue
            check = case.checks.setdefault(session.version_id, Check(now + FIRST_CHECK_SECONDS))
            if check.next_at < now and not check.practising:
                check.practising = self._practise(session, check, tables)

    def _practise(self, session: Session, check: Check, tables: Sequence[Rules]) -> bool:
        rules = next((each for each in tables if session.plays(each.game, each.players)), None)
        if rules is None:
            return False
        chairs = [session.chair(), *(Sparring().chair() for _ in range(rules.players - 1))]
        self._seating.play_unrecorded(rules, chairs, self._settings, partial(self._practised, session, check))
        return True

    def _practised(self, session: Session, check: Check, table: Table) -> None:
        result = table.referee.result
        check.practising = False
        if result is None or result.termination == VOIDED:
            return
        if any(fault.seat == 0 for fault in result.faults):
            check.wait_longer(self._now())
        elif session.name in self._cases:
            self._spawn(self._release(session.name))

    async def _release(self, name: str) -> None:
        # If it cannot be put on record it is not so, and the next check tries again.
        await asyncio.to_thread(end_quarantine, self._store, self._cases[name].record.version_id)
        if self._cases.pop(name, None) is None:
            return  # another version of it has passed at the same time
        self._streaks.pop(name, None)
        log.info("bot released from quarantine", bot=name)
        for session in self._sessions(name):
            session.quarantined = False
            self.on_release(session)

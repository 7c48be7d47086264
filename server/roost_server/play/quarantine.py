"""Quarantine: a bot with faults in match after match may not play until it shows in a practice match that it answers.

In the practice match the other seats make dull moves, and nothing of it is recorded. It is offered again and again, at
growing intervals. The reason for a quarantine is on record, with the kinds of faults and the last matches, so that the
bot's owner can see it.
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
from roost_server.play.block import OpenBlock
from roost_server.play.seating import StandIn, TableSeating
from roost_server.play.session import Session
from roost_server.play.table import News, Place, Question, Table
from roost_server.settings import Rules, Settings
from roost_server.store import FinishedMatch, Store
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


def faulty_match(replay: Replay, seat: int) -> FaultyMatch | None:
    """What a seat did wrong in a match; `None` if nothing."""
    kinds = tuple(fault.kind.value for fault in replay.result.faults if fault.seat == seat)
    if not kinds and seat not in replay.result.forfeits:
        return None
    return FaultyMatch(replay.match, kinds or ("forfeited",))


def reason_of(streak: Sequence[FaultyMatch]) -> str:
    """Why a bot is in quarantine: `faults in 2 matches in a row (3 late, 1 gone), the last in f3, f2`."""
    kinds = Counter(kind for match in streak for kind in match.kinds)
    counted = ", ".join(f"{times} {kind}" for kind, times in kinds.most_common())
    last = ", ".join(match.match_id for match in reversed(streak[-NAMED_MATCHES:]))
    matches = f"{len(streak)} matches in a row" if len(streak) > 1 else "a match"
    return f"faults in {matches} ({counted}), the last in {last}"


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
class QuarantinedVersion:
    """A version in quarantine."""

    record: QuarantineRecord
    wait_seconds: float
    next_check: float = 0.0
    """By the event loop's clock; 0 before the bot was first seen."""
    practising: bool = False

    def wait_longer(self, now: float) -> None:
        """It has failed a check: the next one comes later."""
        self.wait_seconds = min(2 * self.wait_seconds, LONGEST_SECONDS)
        self.next_check = now + self.wait_seconds


class Quarantine:
    """Knows which versions are in quarantine, and checks whether they may play again.

    `on_release` is called when one may.
    """

    def __init__(self, store: Store, seating: TableSeating, spawn: Spawn, settings: Settings) -> None:
        self.on_release: Callable[[Session], None] = lambda _: None
        self._store = store
        self._seating = seating
        self._spawn = spawn
        self._settings = settings
        self._now = asyncio.get_running_loop().time
        self._streaks: dict[int, list[FaultyMatch]] = {}
        self._cases: dict[int, QuarantinedVersion] = {}

    def __contains__(self, version_id: int) -> bool:
        return version_id in self._cases

    def __len__(self) -> int:
        return len(self._cases)

    def load(self) -> None:
        """Versions that were in quarantine when the arena stopped still are."""
        for record in quarantined(self._store):
            self._cases[record.version_id] = QuarantinedVersion(record, FIRST_CHECK_SECONDS)

    def note_match(self, block: OpenBlock, finished: FinishedMatch) -> None:
        """A match is recorded. A bot with faults in too many matches in a row may not play until it passes a check.

        A bot that finals went on without is away; that is no fault.
        """
        if finished.replay.result.termination == VOIDED:
            return
        for seat, version_id in enumerate(finished.version_ids):
            faulty = faulty_match(finished.replay, seat) if version_id in block.needed else None
            if self.note(version_id, faulty, block.settings.quarantine_after):
                name, reason = finished.replay.seats[seat].bot, self._cases[version_id].record.reason
                log.warning("bot quarantined", bot=name, version_id=version_id, reason=reason)
                session = self._seating.lobby.session_of(version_id)
                if session is not None:
                    session.quarantined = True
                self._spawn(asyncio.to_thread(self.put_on_record, version_id))

    def note(self, version_id: int, faulty: FaultyMatch | None, most: int) -> bool:
        """A bot has played a match. True if it was one faulty match too many; `put_on_record` has to follow."""
        if faulty is None:
            self._streaks.pop(version_id, None)
            return False
        if version_id in self._cases:
            return False
        streak = self._streaks.setdefault(version_id, [])
        streak.append(faulty)
        if len(streak) < most:
            return False
        record = QuarantineRecord(version_id, reason_of(streak), epoch_ms())
        self._cases[version_id] = QuarantinedVersion(record, FIRST_CHECK_SECONDS)
        return True

    def put_on_record(self, version_id: int) -> None:
        """Record that a version is in quarantine."""
        begin_quarantine(self._store, self._cases[version_id].record)

    def check_due(self, tables: Sequence[Rules]) -> None:
        """Offer a practice match at one of these tables to every bot whose time has come."""
        for session in self._seating.lobby.sessions:
            case = self._cases.get(session.version_id)
            if case is None or case.practising or not session.connected:
                continue
            if not case.next_check:
                case.next_check = self._now() + case.wait_seconds
            elif case.next_check < self._now():
                case.practising = self._practise(session, tables)

    def _practise(self, session: Session, tables: Sequence[Rules]) -> bool:
        rules = next((each for each in tables if session.plays(each.game, each.players)), None)
        if rules is None:
            return False
        chairs = [session.chair(), *(Sparring().chair() for _ in range(rules.players - 1))]
        self._seating.play_unrecorded(rules, chairs, self._settings, partial(self._practised, session))
        return True

    def _practised(self, session: Session, table: Table) -> None:
        case, result = self._cases[session.version_id], table.referee.result
        case.practising = False
        if result is None or result.termination == VOIDED:
            return
        if any(fault.seat == 0 for fault in result.faults):
            case.wait_longer(self._now())
        else:
            self._spawn(self._release(session))

    async def _release(self, session: Session) -> None:
        # If it cannot be put on record it is not so, and the next check tries again.
        await asyncio.to_thread(end_quarantine, self._store, session.version_id)
        del self._cases[session.version_id]
        self._streaks.pop(session.version_id, None)
        session.quarantined = False
        log.info("bot released from quarantine", bot=session.name, version_id=session.version_id)
        self.on_release(session)

"""Quarantine: a bot that errs match after match plays no more, until it shows in a match for practice that it answers.

The practice match is an ordinary one, except that the other seats play dull moves, and that nothing of it is recorded.
It is offered again and again, at growing intervals. What keeps a version from playing is on record, with the kinds of
faults and the last matches, so its owner can see why.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from sqlalchemy import insert, select, update

from roost.v1 import play_pb2
from roost_games.registry import get_game
from roost_games.replay import Replay, Seat
from roost_server.clocks import Instant, epoch_ms
from roost_server.play.session import Session
from roost_server.play.table import Chair, News, Place, Question, Table
from roost_server.store import Store
from roost_server.store.people import QUARANTINE

FIRST_CHECK_SECONDS = 10.0
LONGEST_SECONDS = 3600.0
NAMED_MATCHES = 3
"""The reason of a quarantine names so many of the matches that led to it, the last ones."""
log = structlog.get_logger()


class Trouble(NamedTuple):
    """A match in which a bot erred."""

    match_id: str
    kinds: tuple[str, ...]
    """What was wrong, each time."""


def trouble_of(replay: Replay, seat: int) -> Trouble | None:
    """What a seat did wrong in a match; `None` if nothing."""
    kinds = tuple(fault.kind.value for fault in replay.result.faults if fault.seat == seat)
    if not kinds and seat not in replay.result.forfeits:
        return None
    return Trouble(replay.match, kinds or ("forfeited",))


def reason_of(streak: Sequence[Trouble]) -> str:
    """Why somebody is put into quarantine: `faults in 2 matches in a row (3 late, 1 gone), the last in f3, f2`."""
    kinds = Counter(kind for trouble in streak for kind in trouble.kinds)
    counted = ", ".join(f"{times} {kind}" for kind, times in kinds.most_common())
    last = ", ".join(trouble.match_id for trouble in reversed(streak[-NAMED_MATCHES:]))
    matches = f"{len(streak)} matches in a row" if len(streak) > 1 else "a match"
    return f"faults in {matches} ({counted}), the last in {last}"


@dataclass(slots=True)
class Patient:
    """A version in quarantine."""

    reason: str
    since_ms: int
    wait_seconds: float = FIRST_CHECK_SECONDS
    next_check: float = 0.0
    """By the event loop's clock; 0 before the first look at it."""


class Absent:
    """Somebody who is not here, in a seat that somebody has to have."""

    connected = False
    allowance_ms = 0.0

    def __init__(self, name: str, version: str, owner: str = "") -> None:
        self._seat = Seat(name, version, owner)

    def chair(self) -> Chair:
        """Its seat in a match."""
        return Chair(self, self._seat)

    def ask(self, question: Question) -> None:
        """Nobody hears it."""

    def tell(self, place: Place, news: News) -> None:
        """Nobody hears it."""


class Sparring(Absent):
    """Plays in a match for practice what the referee would play for it, at once."""

    connected = True

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self._loop = asyncio.get_running_loop()

    def ask(self, question: Question) -> None:
        """Answer, but not before the table has put its other questions."""
        self._loop.call_soon(self._answer, question)

    def tell(self, place: Place, news: News) -> None:
        """Be ready when the match is to begin."""
        if isinstance(news, play_pb2.MatchStarted):
            self._loop.call_soon(place.table.ready, place.seat)

    def _answer(self, question: Question) -> None:
        if question.is_open:
            table, seat = question.table, question.seat
            now = table.now()
            question.start_clock(now)
            answer = play_pb2.Answer(request=question.number)
            table.codec.move_to_wire(get_game(table.rules.game).fallback(table.referee.view(seat)), answer.move)
            table.answer(seat, answer, now)


class Infirmary:
    """Knows who is in quarantine. `examine(session)` begins a match for practice, or says that there can be none."""

    def __init__(self, store: Store, examine: Callable[[Session], Table | None], now: Callable[[], float]) -> None:
        self._store = store
        self._examine = examine
        self._now = now
        self._streaks: dict[int, list[Trouble]] = {}
        self._patients: dict[int, Patient] = {}
        self._tables: dict[int, Table] = {}

    def __contains__(self, version_id: int) -> bool:
        return version_id in self._patients

    def __len__(self) -> int:
        return len(self._patients)

    def load(self) -> None:
        """Who was in quarantine when the arena stopped still is."""
        query = select(*QUARANTINE.c["version_id", "reason", "since_ms"]).where(QUARANTINE.c.ended_ms.is_(None))
        with self._store.reading() as connection:
            for version_id, reason, since_ms in connection.execute(query):
                self._patients[version_id] = Patient(reason, since_ms)

    def note(self, version_id: int, trouble: Trouble | None, most: int) -> bool:
        """A match is over. True if it was one faulty match too many; then `admit` is to be called."""
        if trouble is None:
            self._streaks.pop(version_id, None)
            return False
        if version_id in self._patients:
            return False
        streak = self._streaks.setdefault(version_id, [])
        streak.append(trouble)
        if len(streak) < most:
            return False
        self._patients[version_id] = Patient(reason_of(streak), epoch_ms())
        return True

    def admit(self, version_id: int) -> None:
        """Put on record that a version is in quarantine."""
        patient = self._patients[version_id]
        log.warning("quarantine", version_id=version_id, reason=patient.reason)
        row = {"version_id": version_id, "since_ms": patient.since_ms, "reason": patient.reason}
        with self._store.writing() as connection:
            connection.execute(insert(QUARANTINE).values(**row))

    def examine_due(self, sessions: Iterable[Session]) -> None:
        """Offer a match for practice to those whose time has come."""
        for session in sessions:
            patient = self._patients.get(session.version_id)
            if patient is None or session.version_id in self._tables or not session.connected:
                continue
            if not patient.next_check:
                patient.next_check = self._now() + patient.wait_seconds
            elif patient.next_check < self._now() and (table := self._examine(session)) is not None:
                self._tables[session.version_id] = table

    def sweep(self, now: Instant) -> None:
        """Look for seats whose time is up."""
        for table in list(self._tables.values()):
            table.sweep(now)

    def examined(self, version_id: int, *, healthy: bool) -> bool:
        """A match for practice is over. True if the version may play again, which is then on record."""
        self._tables.pop(version_id, None)
        patient = self._patients[version_id]
        if not healthy:
            patient.wait_seconds = min(2 * patient.wait_seconds, LONGEST_SECONDS)
            patient.next_check = self._now() + patient.wait_seconds
            return False
        mine = (QUARANTINE.c.version_id == version_id) & QUARANTINE.c.ended_ms.is_(None)
        # If it cannot be put on record it is not so, and the next health check tries again.
        with self._store.writing() as connection:
            connection.execute(update(QUARANTINE).where(mine).values(ended_ms=epoch_ms()))
        del self._patients[version_id]
        self._streaks.pop(version_id, None)
        log.info("quarantine over", version_id=version_id)
        return True

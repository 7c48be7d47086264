"""Which bots take part in a contest: all that are here, those that have entered, or the pinned versions."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from roost_ladder.schedules.schedule import Kind, Participants
from roost_server.competition.ledger import EnteredBot
from roost_server.play.session import Session


class Roster(Protocol):
    """Who takes part in a contest."""

    def field(self, kinds: Sequence[Kind], present: Collection[Session]) -> Participants:
        """The bots to be scheduled while these sessions are here."""

    def entitled(self, present: Collection[Session]) -> Collection[Session]:
        """The sessions that may be given more to play."""


class Everybody:
    """The roster of an open arena: all bots that are here, each for the games that it plays."""

    def field(self, kinds: Sequence[Kind], present: Collection[Session]) -> Participants:
        return Participants(
            tuple(session.version_id for session in present),
            tuple(kinds),
            plays={session.version_id: kinds_played(session, kinds) for session in present},
        )

    def entitled(self, present: Collection[Session]) -> Collection[Session]:
        return present


def kinds_played(session: Session, kinds: Iterable[Kind]) -> frozenset[Kind]:
    """The kinds of tables that a bot plays at."""
    return frozenset(kind for kind in kinds if session.plays(*kind))


class OpenRoster:
    """Before the freeze: the bots that have entered and are here, each in the version that came last."""

    def __init__(self, entrants: Iterable[EnteredBot], *, apart: bool) -> None:
        self._apart = apart
        self.barred: frozenset[int] = frozenset()
        """The bots that have entered, and may not play before they have qualified."""
        self.set(entrants)

    def set(self, entrants: Iterable[EnteredBot]) -> None:
        """From now on these take part."""
        self._entrants = {entrant.bot_id: entrant for entrant in entrants}

    def __contains__(self, bot_id: int | None) -> bool:
        return bot_id in self._entrants

    def __len__(self) -> int:
        return len(self._entrants)

    @property
    def bots(self) -> Mapping[int, EnteredBot]:
        """The bots that take part."""
        return self._entrants

    def field(self, kinds: Sequence[Kind], present: Collection[Session]) -> Participants:
        here = self.entitled(present)
        return Participants(
            tuple(session.version_id for session in here),
            tuple(kinds),
            owners={session.version_id: self._entrants[session.bot_id or 0].owner for session in here if self._apart},
            plays={session.version_id: kinds_played(session, kinds) for session in here},
        )

    def entitled(self, present: Collection[Session]) -> list[Session]:
        return [session for session in self.newest(present) if session.bot_id not in self.barred]

    def newest(self, present: Collection[Session]) -> list[Session]:
        """Of every bot the session that came last, whether it may play or has to qualify."""
        newest: dict[int, Session] = {}
        for session in sorted(present, key=lambda session: session.since):
            if session.bot_id in self._entrants and session.bot_id is not None:
                newest[session.bot_id] = session
        return sorted(newest.values(), key=lambda session: session.version_id)


class PinnedRoster:
    """From the freeze on: the pinned versions in the order of their seeding. One that stays away forfeits."""

    def __init__(self, field: Participants) -> None:
        self._field = field

    def field(self, kinds: Sequence[Kind], present: Collection[Session]) -> Participants:
        return self._field

    def entitled(self, present: Collection[Session]) -> list[Session]:
        return [session for session in present if session.version_id in self._field.bots]

"""What may be seen: results that a host holds back, matches of bots whose names are hidden, and who sees them anyway.

A competition's file holds back the results of a phase until an hour, or until the host releases them, all at once or
round by round. Whatever follows from held blocks is held back with them, for everybody but admins: matches on record
and running ones, standings, histories, records of bots, exports. Owners see the matches of their own bots.

Where bots are not told their opponents' names, everybody but admins is told of a match when its block is over. Earlier,
a match that has ended would say who sits at the tables of its block.

This module is the only place that knows. A question is asked with a `Veil`, and its queries leave out what the veil
hides. Finals follow from the ladder, so they are held back for at least as long.
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, delete, false, func, insert, or_, select

from roost_server.clocks import epoch_ms
from roost_server.store.models import (
    BLOCK,
    BOT,
    BOT_VERSION,
    COMPETITION,
    ENTRY,
    HOLD,
    MATCH,
    MATCH_SEAT,
    OWNER,
    PHASE_CHANGE,
    RELEASE,
    BlockState,
)
from roost_server.store.records import Planned
from roost_server.store.store import Reading, Store

PHASES = ("ladder", "finals")
"""In their order: what follows from an earlier one is held back with it."""
VEILED = MATCH_SEAT.alias("veiled")
"""A seat of a match that may be hidden."""


class HeldBlocks(NamedTuple):
    """The blocks of a phase whose results are held back."""

    competition_id: int
    phase: str
    first: int
    """The first serial that is held back. Earlier blocks were released."""

    @property
    def blocks(self) -> ColumnElement[bool]:
        """In SQL: these blocks. The function leaves other indexes to the database, and answers for null, too."""
        mine = func.coalesce(BLOCK.c.competition_id, 0) == self.competition_id
        return mine & (BLOCK.c.phase == self.phase) & (BLOCK.c.serial >= self.first)


Held = tuple[HeldBlocks, ...]
"""Everything that is held back, by competition and phase."""


class Veil(NamedTuple):
    """What somebody who asks must not see yet. The empty one hides nothing."""

    held: Held = ()
    own: frozenset[int] = frozenset()
    """The versions of the asker's own bots: their matches can be seen."""
    silent: frozenset[int] = frozenset()
    """The versions of other bots that play where results are held back: what they are doing is not told."""
    nameless: frozenset[int] = frozenset()
    """The competitions that hide names: nobody, not even their bots' owners, sees matches of blocks that are open."""

    def hidden(self) -> ColumnElement[bool] | None:
        """The matches that must not be seen, as a condition in SQL on `MATCH` and `BLOCK`; `None` if all may be."""
        found = [each for each in (self.held_back(), self.unnamed()) if each is not None]
        return or_(*found) if found else None

    def held_back(self) -> ColumnElement[bool] | None:
        """In the same way, those whose results are held back."""
        if not self.held:
            return None
        seats = select(VEILED.c.seat).where(VEILED.c.match_number == MATCH.c.number)
        own = seats.where(VEILED.c.version_id.in_(list(self.own))).correlate(MATCH).exists()
        return any_held(self.held) & ~own if self.own else any_held(self.held)

    def unnamed(self) -> ColumnElement[bool] | None:
        """In the same way, those whose bots must not be named yet."""
        return open_blocks(self.nameless) if self.nameless else None

    def hides(self, plan: Planned | None, bots: Collection[int]) -> bool:
        """Whether a match of these bots, in a block with this plan, must not be seen."""
        return self.own.isdisjoint(bots) and is_held(self.held, plan)

    def holds_back(self, competition_id: int | None, phase: str | None = None) -> bool:
        """Whether some results of a competition, or of one phase of it, are held back."""
        return any(each.competition_id == competition_id and phase in (None, each.phase) for each in self.held)


EVERYTHING_SEEN = Veil()


def open_blocks(competitions: Collection[int]) -> ColumnElement[bool]:
    """In SQL: the blocks of these competitions that are being played. The answer for null is no."""
    if not competitions:
        return false()
    return func.coalesce(BLOCK.c.competition_id, 0).in_(sorted(competitions)) & (BLOCK.c.state == BlockState.OPEN)


def any_held(held: Held) -> ColumnElement[bool]:
    """In SQL: the blocks that are held back."""
    return or_(*(each.blocks for each in held))


def is_held(held: Held, plan: Planned | None) -> bool:
    """Whether a block with this plan is held back."""
    if plan is None:
        return False
    return any((plan.competition_id, plan.phase) == each[:2] and plan.serial >= each.first for each in held)


class Hold(NamedTuple):
    """The file of a competition holds back the results of a phase."""

    phase: str
    until_ms: int | None
    """When the clock releases them; `None` if only the host does."""


class Release(NamedTuple):
    """Results were released."""

    phase: str
    before_serial: int | None
    """Those of the blocks with smaller serials; `None` for all of the phase."""
    at_ms: int
    actor: str


def set_holds(connection: Connection, competition_id: int, holds: Collection[Hold]) -> None:
    """Hold back what the file of a competition says, and nothing else."""
    connection.execute(delete(HOLD).where(HOLD.c.competition_id == competition_id))
    for each in holds:
        connection.execute(insert(HOLD).values(competition_id=competition_id, **each._asdict()))


def holds(reading: Reading, competition_id: int) -> list[Hold]:
    """What the file of a competition holds back, whatever was released since, in the order of the phases."""
    query = select(*HOLD.c[Hold._fields]).where(HOLD.c.competition_id == competition_id)
    return sorted(map(Hold._make, reading.execute(query)), key=lambda hold: PHASES.index(hold.phase))


def add_release(connection: Connection, competition_id: int, release: Release) -> None:
    """Release results. That is final."""
    number = connection.scalar(select(func.count()).where(RELEASE.c.competition_id == competition_id))
    connection.execute(insert(RELEASE).values(competition_id=competition_id, number=number, **release._asdict()))


def releases(reading: Reading, competition_id: int) -> list[Release]:
    """What was released of a competition, the first one first."""
    query = select(*RELEASE.c[Release._fields]).where(RELEASE.c.competition_id == competition_id)
    return [Release._make(row) for row in reading.execute(query.order_by(RELEASE.c.number))]


def held_now(reading: Reading, now_ms: int | None = None) -> Held:
    """Everything that is held back at a time, now by default, in phases that have begun."""
    now = epoch_ms() if now_ms is None else now_ms
    competitions = reading.scalars(select(HOLD.c.competition_id).distinct()).all()
    return tuple(each for competition in sorted(competitions) for each in _held(reading, competition, now))


def _held(reading: Reading, competition_id: int, now_ms: int) -> Iterator[HeldBlocks]:
    phases = select(PHASE_CHANGE.c.phase).where(PHASE_CHANGE.c.competition_id == competition_id)
    begun = set(reading.scalars(phases)).intersection(PHASES)
    own, made = {hold.phase: hold for hold in holds(reading, competition_id)}, releases(reading, competition_id)
    ladder_held = False
    for phase in PHASES:
        hold = own.get(phase)
        first = None if hold is None else _first_held(hold, made, now_ms)
        if ladder_held and phase in begun:
            first = 0
        if first is not None and phase in begun:
            ladder_held = True
            yield HeldBlocks(competition_id, phase, first)


def _first_held(hold: Hold, made: Collection[Release], now_ms: int) -> int | None:
    """The first serial that is still held back; `None` if everything is released."""
    bounds = [each.before_serial for each in made if each.phase == hold.phase]
    if None in bounds or (hold.until_ms is not None and hold.until_ms <= now_ms):
        return None
    return max((bound for bound in bounds if bound is not None), default=0)


def veil_for(store: Store, owner: str = "", *, sees_everything: bool = False) -> Veil:
    """What this owner, or with an empty name somebody without a key, must not see. Admins see everything."""
    if sees_everything:
        return EVERYTHING_SEEN
    with store.reading() as reading:
        held = held_now(reading)
        return _veil(reading, held, _versions_of(reading, owner) if held and owner else frozenset())


def _veil(reading: Reading, held: Held, own: frozenset[int]) -> Veil:
    entered = select(BOT_VERSION.c.id).join(ENTRY, ENTRY.c.bot_id == BOT_VERSION.c.bot_id)
    competitions = [each.competition_id for each in held]
    playing = reading.scalars(entered.where(ENTRY.c.competition_id.in_(competitions))) if held else ()
    return Veil(held, own, frozenset(playing) - own, hiding_names(reading))


def hiding_names(reading: Reading) -> frozenset[int]:
    """The competitions in which bots are not told who their opponents are."""
    return frozenset(reading.scalars(select(COMPETITION.c.id).where(COMPETITION.c.hides_names)))


def _versions_of(reading: Reading, owner: str) -> frozenset[int]:
    query = select(BOT_VERSION.c.id).join_from(BOT_VERSION, BOT).join(OWNER).where(OWNER.c.name == owner)
    return frozenset(reading.scalars(query))

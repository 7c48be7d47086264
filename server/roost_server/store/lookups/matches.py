"""Pages of matches, by filter, and single matches.

Pages continue after a match instead of skipping rows, and walk an index from the newest match that fits. Only a filter
that hardly any match passes makes a walk long, and then each step of it reads one or two rows by their key.
"""

from enum import Enum, auto
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, exists, func, literal_column, not_, select

from roost_games.errors import UsageError
from roost_ladder.blocks import Deals
from roost_server.errors import HeldBackError, NamesHiddenError
from roost_server.store.measures.holds import EVERYTHING_SEEN, HeldBlocks, Veil
from roost_server.store.models import (
    BLOCK,
    BOT_VERSION,
    COMPETITION,
    MATCH,
    MATCH_SEAT,
    BlockState,
    CompetitionKind,
    Purpose,
)
from roost_server.store.store import Store

OTHER = MATCH_SEAT.alias("other")
"""Another seat of the same match."""
IN_PLAY = ((BLOCK.c.state == BlockState.OPEN) & (BLOCK.c.deals == Deals.DUPLICATE)).label("in_play")
"""Whether the matches of a block are still being played, and have one deal."""
IS_CHALLENGE = (BLOCK.c.purpose == Purpose.CHALLENGE).label("is_challenge")
NO_FAULTS: ColumnElement[int] = literal_column("0")
"""Not a parameter, because the index of faulty seats is used only for this very condition."""


class SeatOutcome(Enum):
    """How a match ended for one bot."""

    WON = auto()
    """It took the first place, alone or shared."""
    NOT_WON = auto()
    LAST = auto()
    """It took the last place, alone or shared, and not the first."""
    FORFEITED = auto()
    VOIDED = auto()


class MatchQuery(NamedTuple):
    """Which matches are wanted; by default all of them."""

    game: str | None = None
    players: int | None = None
    competition_id: int | None = None
    phase: str | None = None
    """The phase of the competition in which the block was planned."""
    bot: str | None = None
    """A name: any version of this bot plays."""
    opponent: str | None = None
    """A name: a bot of this name plays too, in another seat."""
    version_id: int | None = None
    """This version of the bot plays."""
    outcome: SeatOutcome | None = None
    """For the bot."""
    with_faults: bool = False
    """With a fault of the bot, or of anybody if no bot is named."""
    since_ms: int | None = None
    """Ended at this time or later."""
    until_ms: int | None = None
    """Ended before this time."""
    veil: Veil = EVERYTHING_SEEN
    """What it hides is not found."""

    @property
    def names_a_bot(self) -> bool:
        """Whether it is about the matches of one bot."""
        return self.bot is not None or self.version_id is not None

    @property
    def is_hidden(self) -> bool:
        """Whether the veil hides all of the phase that is asked for, so that nothing need be read."""
        whole = HeldBlocks(self.competition_id or 0, self.phase or "", first=0)
        return whole in self.veil.held and not self.veil.own


EVERY_MATCH = MatchQuery()


class SeatOnPage(NamedTuple):
    """A seat of a match."""

    version_id: int
    bot: str
    version: str
    place: int | None
    """`None` if the match was voided."""
    score: int | None
    forfeited: bool
    faults: int
    decisions: int
    """Those that the bot made itself."""
    thinking_ms: float
    """How long it took for these."""


class MatchOnPage(NamedTuple):
    """A match on a page of matches."""

    id: str
    block_id: str
    rotation: int
    game: str
    players: int
    started_ms: int
    ended_ms: int
    termination: str
    competition: str | None
    phase: str | None
    challenge: bool
    """Whether an owner has asked for it."""
    seats: tuple[SeatOnPage, ...]


class MatchDetails(NamedTuple):
    """What is known of one match beside its line on a page."""

    seed: str
    """In hex."""
    in_play: bool
    """Whether its deal is still being played with other seats."""
    block: "tuple[RotationOnRecord, ...]"
    """The matches of its block on record, in the order of the rotations."""


class RotationOnRecord(NamedTuple):
    """A match of a block. A rotation may be on record twice: voided, and played again."""

    rotation: int
    match_id: str


def matches(
    store: Store, wanted: MatchQuery = EVERY_MATCH, limit: int = 50, *, before: str | None = None
) -> list[MatchOnPage]:
    """A page of at most `limit` matches, the latest recorded first.

    `before` is the id of a match: only those recorded before it, for the next page. Raises `UsageError` if there is no
    such match.
    """
    with store.reading() as connection:
        numbers = page_numbers(connection, wanted, limit, before)
        return _summaries(connection, numbers) if numbers else []


def page_numbers(connection: Connection, wanted: MatchQuery, limit: int, before: str | None = None) -> list[int]:
    """The numbers of the matches on such a page."""
    earlier = [] if before is None else [MATCH.c.number < number_of(connection, before)]
    return _numbers(connection, wanted, earlier, limit)


def match(store: Store, match_id: str, veil: Veil = EVERYTHING_SEEN) -> tuple[MatchOnPage, MatchDetails]:
    """One match. Raises `UsageError` if it is not on record, and as `seen_number_of`."""
    with store.reading() as connection:
        number = seen_number_of(connection, match_id, veil)
        [found] = _summaries(connection, [number])
        return found, _details(connection, number)


def in_play(store: Store, match_id: str) -> bool:
    """Whether the deal of a match on record is still being played with other seats."""
    query = select(IN_PLAY).join_from(MATCH, BLOCK).where(MATCH.c.id == match_id)
    with store.reading() as connection:
        return bool(connection.scalar(query))


def number_of(connection: Connection, match_id: str) -> int:
    """The number of a match. Raises `UsageError` if it is not on record."""
    number: int | None = connection.scalar(select(MATCH.c.number).where(MATCH.c.id == match_id))
    if number is None:
        raise UsageError(f"there is no match {match_id!r} on record")
    return number


def seen_number_of(connection: Connection, match_id: str, veil: Veil) -> int:
    """The same. Raises `HeldBackError` or `NamesHiddenError` if the match must not be seen."""
    number = number_of(connection, match_id)
    query = select(MATCH.c.number).join_from(MATCH, BLOCK).where(MATCH.c.number == number)
    for hidden, error in ((veil.held_back(), HeldBackError), (veil.unnamed(), NamesHiddenError)):
        if hidden is not None and connection.scalar(query.where(hidden)) is not None:
            raise error(match_id)
    return number


def check_seen(store: Store, match_id: str, veil: Veil) -> None:
    """Raise an error as `seen_number_of` does."""
    with store.reading() as connection:
        seen_number_of(connection, match_id, veil)


def _details(connection: Connection, number: int) -> MatchDetails:
    query = select(MATCH.c.seed, MATCH.c.block_id, IN_PLAY).join_from(MATCH, BLOCK)
    seed, block_id, in_play = connection.execute(query.where(MATCH.c.number == number)).one()
    return MatchDetails(seed, in_play, _block_matches(connection, block_id))


def block_matches(store: Store, block_id: str) -> tuple[RotationOnRecord, ...]:
    """The matches of a block on record, in the order of the rotations."""
    with store.reading() as connection:
        return _block_matches(connection, block_id)


def _block_matches(connection: Connection, block_id: str) -> tuple[RotationOnRecord, ...]:
    query = select(*MATCH.c["rotation", "id"]).where(MATCH.c.block_id == block_id)
    rows = connection.execute(query.order_by(*MATCH.c["rotation", "number"]))
    return tuple(RotationOnRecord._make(row) for row in rows)


def _numbers(
    connection: Connection, wanted: MatchQuery, conditions: list[ColumnElement[bool]], limit: int
) -> list[int]:
    """The numbers of the matches on a page."""
    in_time = None if wanted.is_hidden else _in_time(connection, wanted)
    if in_time is None:
        return []
    conditions = [*conditions, *in_time, *_about_the_match(wanted)]
    if wanted.names_a_bot or wanted.opponent is not None:
        return _newest_of_bot(connection, wanted, conditions, limit)
    query = select(MATCH.c.number).where(*conditions).order_by(MATCH.c.number.desc())
    if wanted.with_faults:
        number = MATCH_SEAT.c.match_number
        query = select(number).distinct().join_from(MATCH_SEAT, MATCH).where(MATCH_SEAT.c.faults > NO_FAULTS)
        query = query.where(*conditions).order_by(number.desc())
    return list(connection.scalars(query.limit(limit)))


def _in_time(connection: Connection, wanted: MatchQuery) -> list[ColumnElement[bool]] | None:
    """The conditions for a time, `None` if nothing ended then.

    Matches are numbered nearly in the order in which they ended. The range of numbers comes from the index of times,
    so that the walk begins and ends where it should; the times themselves are still compared.
    """
    if wanted.since_ms is None and wanted.until_ms is None:
        return []
    first, last = connection.execute(
        select(func.min(MATCH.c.number), func.max(MATCH.c.number)).where(*_window(MATCH.c.ended_ms, wanted))
    ).one()
    if first is None:
        return None
    # The function keeps the database from walking the index of times, which is in another order.
    exact = _window(func.coalesce(MATCH.c.ended_ms, 0), wanted)
    return [MATCH.c.number >= first, MATCH.c.number <= last, *exact]


def _window(ended_ms: ColumnElement[int], wanted: MatchQuery) -> list[ColumnElement[bool]]:
    since = [] if wanted.since_ms is None else [ended_ms >= wanted.since_ms]
    return since if wanted.until_ms is None else [*since, ended_ms < wanted.until_ms]


def _about_the_match(wanted: MatchQuery) -> list[ColumnElement[bool]]:
    """The conditions that do not depend on who sits where."""
    columns = ((MATCH.c.game, wanted.game), (MATCH.c.players, wanted.players))
    conditions = [column == value for column, value in columns if value is not None]
    if wanted.competition_id is not None:
        mine = [BLOCK.c.id == MATCH.c.block_id, BLOCK.c.competition_id == wanted.competition_id]
        if wanted.phase is not None:
            mine.append(BLOCK.c.phase == wanted.phase)
        conditions.append(exists().where(*mine))
    if (hidden := wanted.veil.hidden()) is not None:
        conditions.append(not_(exists().where(BLOCK.c.id == MATCH.c.block_id, hidden)))
    return conditions


def _newest_of_bot(
    connection: Connection, wanted: MatchQuery, conditions: list[ColumnElement[bool]], limit: int
) -> list[int]:
    """One query per version, because each then reads no more of the index than the page needs."""
    query = select(MATCH_SEAT.c.match_number).join(MATCH).where(*conditions, *_about_the_seat(wanted))
    if wanted.names_a_bot and wanted.opponent is not None:
        opponents = select(BOT_VERSION.c.id).where(BOT_VERSION.c.name == wanted.opponent).scalar_subquery()
        query = query.where(_another_seat(OTHER.c.version_id.in_(opponents)))
    query = query.order_by(MATCH_SEAT.c.match_number.desc()).limit(limit)
    ids = connection.scalars(_versions(wanted)).all()
    found = {number for id in ids for number in connection.scalars(query.where(MATCH_SEAT.c.version_id == id))}
    return sorted(found, reverse=True)[:limit]


def _versions(wanted: MatchQuery) -> Select[Any]:
    """The bot versions whose matches are wanted. An opponent of nobody in particular is a bot like any other."""
    name = wanted.bot if wanted.names_a_bot else wanted.opponent
    query = select(BOT_VERSION.c.id)
    if name is not None:
        query = query.where(BOT_VERSION.c.name == name)
    return query if wanted.version_id is None else query.where(BOT_VERSION.c.id == wanted.version_id)


def _about_the_seat(wanted: MatchQuery) -> list[ColumnElement[bool]]:
    """The conditions for the bot's own seat."""
    conditions = []
    if wanted.with_faults:
        own = MATCH_SEAT.c.faults > NO_FAULTS
        of_others = _another_seat(OTHER.c.faults > NO_FAULTS)
        conditions.append(own if wanted.names_a_bot else own | of_others)
    match wanted.outcome:
        case SeatOutcome.WON:
            conditions.append(MATCH_SEAT.c.place == 1)
        case SeatOutcome.NOT_WON:
            conditions.append(MATCH_SEAT.c.place > 1)
        case SeatOutcome.LAST:
            behind = _another_seat(OTHER.c.place > MATCH_SEAT.c.place)
            conditions.append(and_(MATCH_SEAT.c.place > 1, ~behind))
        case SeatOutcome.FORFEITED:
            conditions.append(MATCH_SEAT.c.forfeited)
        case SeatOutcome.VOIDED:
            conditions.append(MATCH_SEAT.c.place.is_(None))
    return conditions


def _another_seat(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    same_match = (OTHER.c.match_number == MATCH_SEAT.c.match_number) & (OTHER.c.seat != MATCH_SEAT.c.seat)
    return exists().where(same_match, condition)


def _summaries(connection: Connection, numbers: list[int]) -> list[MatchOnPage]:
    columns = ("id", "block_id", "rotation", "game", "players", "started_ms", "ended_ms", "termination")
    is_one = (COMPETITION.c.id == BLOCK.c.competition_id) & (COMPETITION.c.kind == CompetitionKind.COMPETITION)
    query = (
        select(MATCH.c.number, *MATCH.c[columns], COMPETITION.c.name, BLOCK.c.phase, IS_CHALLENGE)
        .join_from(MATCH, BLOCK)
        .join(COMPETITION, is_one, isouter=True)
        .where(MATCH.c.number.in_(numbers))
        .order_by(MATCH.c.number.desc())
    )
    seats = _seats(connection, numbers)
    return [MatchOnPage._make([*row, seats[number]]) for number, *row in connection.execute(query)]


def _seats(connection: Connection, numbers: list[int]) -> dict[int, tuple[SeatOnPage, ...]]:
    columns = ("place", "score", "forfeited", "faults", "decisions", "thinking_ms")
    query = (
        select(MATCH_SEAT.c.match_number, *BOT_VERSION.c["id", "name", "version"], *MATCH_SEAT.c[columns])
        .join_from(MATCH_SEAT, BOT_VERSION)
        .where(MATCH_SEAT.c.match_number.in_(numbers))
        .order_by(MATCH_SEAT.c.match_number, MATCH_SEAT.c.seat)
    )
    grouped = groupby(connection.execute(query), attrgetter("match_number"))
    return {number: tuple(SeatOnPage._make(row[1:]) for row in rows) for number, rows in grouped}

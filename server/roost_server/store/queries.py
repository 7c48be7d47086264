"""What can be asked about the records. Each question is a function of the store and sees one state of the records.

A match *counts* unless it or its block was voided. All questions stay quick with millions of matches: pages continue
after a match instead of skipping rows, and what reads every match reads neither documents nor more than one index.
"""

from collections.abc import Iterator
from itertools import groupby, islice
from operator import attrgetter, sub
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, case, exists, func, select

from roost_games.errors import UsageError
from roost_games.replay import VOIDED
from roost_server.store.models import BLOCK, BLOCK_MEMBER, BOT_VERSION, MATCH, MATCH_SEAT, REPLAY, BlockState
from roost_server.store.people import BOT, OWNER, QUARANTINE
from roost_server.store.records import Planned, line_of
from roost_server.store.store import Store

CHUNK = 2_000
"""How many rows a stream fetches at a time."""
NOTHING = (0, 0, 0)
NEWEST = 100_000
"""How many of the latest matches are searched for recent ones. No arena plays more in a minute."""


class Version(NamedTuple):
    """A bot version."""

    id: int
    name: str
    version: str
    first_seen_ms: int


class BotRecord(NamedTuple):
    """A bot version and what it has done in the matches that count."""

    id: int
    name: str
    version: str
    first_seen_ms: int
    matches: int
    wins: int
    """First places, shared ones too."""
    faults: int


class Background(NamedTuple):
    """A bot version's. Empty and 0 for what is not known or not so."""

    owner: str
    last_seen_ms: int
    quarantine_reason: str
    quarantine_since_ms: int


class SeatSummary(NamedTuple):
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


class MatchSummary(NamedTuple):
    """A match on a page of matches."""

    id: str
    block_id: str
    rotation: int
    game: str
    players: int
    started_ms: int
    ended_ms: int
    termination: str
    counts: bool
    seats: tuple[SeatSummary, ...]


class ResultRow(NamedTuple):
    """What ratings need to know about a match. Tuples are by seat."""

    number: int
    """Rises with every match committed."""
    match_id: str
    block_id: str
    block_state: BlockState
    game: str
    players: int
    termination: str
    version_ids: tuple[int, ...]
    places: tuple[int | None, ...]
    """All `None` if the match was voided."""
    forfeited: tuple[bool, ...]


class RecordedMatch(NamedTuple):
    """A match of an open block that is over."""

    id: str
    rotation: int
    termination: str


class OpenBlock(NamedTuple):
    """A block that was neither finished nor voided when the arena stopped."""

    id: str
    game: str
    options: str
    """JSON."""
    players: int
    seed: str
    """In hex."""
    rotation: str
    created_ms: int
    version_ids: tuple[int, ...]
    """In the order in which they were dealt in."""
    recorded: tuple[RecordedMatch, ...]
    """Its matches so far, in the order in which they ended."""
    plan: Planned | None
    """Where it belongs in a competition."""


def versions(store: Store) -> list[Version]:
    """Every bot version, in the order in which they came."""
    query = select(*BOT_VERSION.c["id", "name", "version", "first_seen_ms"]).order_by(BOT_VERSION.c.id)
    with store.reading() as connection:
        return [Version._make(row) for row in connection.execute(query)]


def name_of(store: Store, version_id: int) -> tuple[str, str]:
    """What a bot version is called: its name, and its version."""
    query = select(*BOT_VERSION.c["name", "version"]).where(BOT_VERSION.c.id == version_id)
    with store.reading() as connection:
        name, version = connection.execute(query).one()
        return name, version


def bots(store: Store) -> list[BotRecord]:
    """Every bot version with its record, in the order in which they came."""
    query = select(*BOT_VERSION.c["id", "name", "version", "first_seen_ms"]).order_by(BOT_VERSION.c.id)
    with store.reading() as connection:
        # Voided blocks are few: to take their matches off again costs less than to look there for every match.
        counts = _counts(connection, in_voided_blocks=False)
        voided = _counts(connection, in_voided_blocks=True)
        return [
            BotRecord._make([*row, *map(sub, counts.get(row.id, NOTHING), voided.get(row.id, NOTHING))])
            for row in connection.execute(query)
        ]


def _counts(connection: Connection, in_voided_blocks: bool) -> dict[int, tuple[int, int, int]]:
    """By version: matches, wins and faults, voided matches apart; either of all blocks or of the voided ones."""
    wins = func.sum(case((MATCH_SEAT.c.place == 1, 1), else_=0))
    query = (
        select(MATCH_SEAT.c.version_id, func.count(), wins, func.sum(MATCH_SEAT.c.faults))
        .where(MATCH_SEAT.c.place.is_not(None))
        .group_by(MATCH_SEAT.c.version_id)
    )
    if in_voided_blocks:
        query = query.join_from(MATCH_SEAT, MATCH).join(BLOCK).where(BLOCK.c.state == BlockState.VOIDED)
    return {version_id: (matches, wins, faults) for version_id, matches, wins, faults in connection.execute(query)}


def backgrounds(store: Store) -> dict[int, Background]:
    """By version."""
    versions = (
        select(BOT_VERSION.c.id, OWNER.c.name, BOT_VERSION.c.last_seen_ms)
        .join_from(BOT_VERSION, BOT, isouter=True)
        .join(OWNER, isouter=True)
    )
    kept = select(*QUARANTINE.c["version_id", "reason", "since_ms"]).where(QUARANTINE.c.ended_ms.is_(None))
    with store.reading() as connection:
        quarantined = {version_id: (reason, since_ms) for version_id, reason, since_ms in connection.execute(kept)}
        return {
            version_id: Background(owner or "", last_seen_ms or 0, *quarantined.get(version_id, ("", 0)))
            for version_id, owner, last_seen_ms in connection.execute(versions)
        }


def matches(
    store: Store,
    limit: int = 50,
    *,
    before: str | None = None,
    game: str | None = None,
    bot: str | None = None,
    competition_id: int | None = None,
) -> list[MatchSummary]:
    """A page of at most `limit` matches, the latest recorded first.

    `before` is the id of a match: only those recorded before it, for the next page. `game` and `bot` are names.
    Raises `UsageError` if there is no match `before`.
    """
    with store.reading() as connection:
        earlier = [] if before is None else [MATCH.c.number < _number_of(connection, before)]
        if game is not None:
            earlier.append(MATCH.c.game == game)
        if competition_id is not None:
            mine = (BLOCK.c.id == MATCH.c.block_id) & (BLOCK.c.competition_id == competition_id)
            earlier.append(exists().where(mine))
        numbers = _newest(connection, earlier, limit) if bot is None else _newest_of(connection, bot, earlier, limit)
        return _summaries(connection, numbers)


def match_count(store: Store) -> int:
    """How many matches are on record."""
    with store.reading() as connection:
        return _last_number(connection)


def matches_since(store: Store, since_ms: int) -> int:
    """How many matches have ended after `since_ms`, which should not be long ago."""
    with store.reading() as connection:
        recent = (MATCH.c.number > _last_number(connection) - NEWEST) & (MATCH.c.ended_ms > since_ms)
        return connection.scalar(select(func.count()).select_from(MATCH).where(recent)) or 0


def _last_number(connection: Connection) -> int:
    """The number of the last match. They are numbered from 1 without gaps."""
    return connection.scalar(select(func.max(MATCH.c.number))) or 0


def _number_of(connection: Connection, match_id: str) -> int:
    number: int | None = connection.scalar(select(MATCH.c.number).where(MATCH.c.id == match_id))
    if number is None:
        raise UsageError(f"there is no match {match_id!r} on record")
    return number


def _newest(connection: Connection, conditions: list[ColumnElement[bool]], limit: int) -> list[int]:
    query = select(MATCH.c.number).where(*conditions).order_by(MATCH.c.number.desc()).limit(limit)
    return list(connection.scalars(query))


def _newest_of(connection: Connection, bot: str, conditions: list[ColumnElement[bool]], limit: int) -> list[int]:
    """Asked version by version, because each then reads no more of the index than the page needs."""
    query = select(MATCH_SEAT.c.match_number).join(MATCH).order_by(MATCH_SEAT.c.match_number.desc()).limit(limit)
    query = query.where(*conditions)
    ids = connection.scalars(select(BOT_VERSION.c.id).where(BOT_VERSION.c.name == bot)).all()
    found = {number for id in ids for number in connection.scalars(query.where(MATCH_SEAT.c.version_id == id))}
    return sorted(found, reverse=True)[:limit]


def _summaries(connection: Connection, numbers: list[int]) -> list[MatchSummary]:
    columns = ("id", "block_id", "rotation", "game", "players", "started_ms", "ended_ms", "termination")
    query = select(MATCH.c.number, *MATCH.c[columns], _counting()).join(BLOCK)
    query = query.where(MATCH.c.number.in_(numbers)).order_by(MATCH.c.number.desc())
    seats = _seats(connection, numbers)
    return [MatchSummary._make([*row, seats[number]]) for number, *row in connection.execute(query)]


def _counting() -> ColumnElement[bool]:
    return (MATCH.c.termination != VOIDED) & (BLOCK.c.state != BlockState.VOIDED)


def _seats(connection: Connection, numbers: list[int]) -> dict[int, tuple[SeatSummary, ...]]:
    columns = ("place", "score", "forfeited", "faults", "decisions", "thinking_ms")
    query = (
        select(MATCH_SEAT.c.match_number, *BOT_VERSION.c["id", "name", "version"], *MATCH_SEAT.c[columns])
        .join_from(MATCH_SEAT, BOT_VERSION)
        .where(MATCH_SEAT.c.match_number.in_(numbers))
        .order_by(MATCH_SEAT.c.match_number, MATCH_SEAT.c.seat)
    )
    grouped = groupby(connection.execute(query), attrgetter("match_number"))
    return {number: tuple(SeatSummary._make(row[1:]) for row in rows) for number, rows in grouped}


def replay(store: Store, match_id: str) -> str:
    """The match's `roost-replay/1` document, one line of JSON. Raises `UsageError` if there is no such match."""
    query = select(REPLAY.c.document).join(MATCH).where(MATCH.c.id == match_id)
    with store.reading() as connection:
        document = connection.scalar(query)
    if document is None:
        raise UsageError(f"there is no match {match_id!r} on record")
    return line_of(document)


def replays(store: Store) -> Iterator[str]:
    """Every match's `roost-replay/1` document as a line of JSON, in the order in which they were recorded."""
    query = select(REPLAY.c.document).order_by(REPLAY.c.match_number).execution_options(yield_per=CHUNK // 10)
    with store.reading() as connection, connection.execute(query) as rows:
        yield from map(line_of, rows.scalars())


def results(
    store: Store,
    *,
    game: str | None = None,
    players: int | None = None,
    block_id: str | None = None,
    after: int = 0,
    voided: bool = False,
) -> Iterator[ResultRow]:
    """The matches that count, in the order in which they were recorded; with `voided`, all of them.

    `after` is the `number` of a match: only those recorded later, for somebody who has seen the earlier ones. Note that
    a block may be voided after its first matches were recorded.
    """
    filters = ((MATCH.c.game, game), (MATCH.c.players, players), (MATCH.c.block_id, block_id))
    conditions = [column == wanted for column, wanted in filters if wanted is not None]
    not_done = select(*BLOCK.c["id", "state"]).where(BLOCK.c.state.in_([BlockState.OPEN, BlockState.VOIDED]))
    with store.reading() as connection:
        states = {id: BlockState(state) for id, state in connection.execute(not_done)}
        for row in _result_rows(connection, conditions, after, states):
            if voided or not (row.termination == VOIDED or row.block_state == BlockState.VOIDED):
                yield row


def _result_rows(
    connection: Connection, conditions: list[ColumnElement[bool]], after: int, states: dict[str, BlockState]
) -> Iterator[ResultRow]:
    """Two streams of rows side by side, matches and their seats: a join of the two takes 1.4 times as long."""
    matches = select(*MATCH.c["number", "id", "block_id", "game", "players", "termination"])
    matches = matches.where(MATCH.c.number > after, *conditions).order_by(MATCH.c.number)
    seats = select(*MATCH_SEAT.c["version_id", "place", "forfeited"]).where(MATCH_SEAT.c.match_number > after)
    seats = seats.order_by(MATCH_SEAT.c.match_number, MATCH_SEAT.c.seat)
    if conditions:
        seats = seats.join_from(MATCH_SEAT, MATCH).where(*conditions)
    streaming = connection.execution_options(yield_per=CHUNK)
    with streaming.execute(seats) as seat_rows, streaming.execute(matches) as match_rows:
        for number, match_id, block_id, game, players, termination in match_rows:
            version_ids, places, forfeited = zip(*islice(seat_rows, players), strict=True)
            state = states.get(block_id, BlockState.DONE)
            yield ResultRow(
                number, match_id, block_id, state, game, players, termination, version_ids, places, forfeited
            )


def open_blocks(store: Store) -> list[OpenBlock]:
    """The blocks that are neither done nor voided, the oldest first: what a restarted arena has to deal with."""
    columns = ("id", "game", "options", "players", "seed", "rotation", "created_ms")
    query = select(*BLOCK.c[columns], *BLOCK.c["competition_id", "phase", "serial"])
    query = query.where(BLOCK.c.state == BlockState.OPEN)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(*BLOCK.c["created_ms", "serial", "id"])).all()
        return [
            OpenBlock._make(
                [*row[: len(columns)], _members(connection, row.id), _recorded(connection, row.id), _plan(row)]
            )
            for row in rows
        ]


def _plan(row: Row[tuple[Any, ...]]) -> Planned | None:
    return None if row.competition_id is None else Planned(row.competition_id, row.phase, row.serial)


def _members(connection: Connection, block_id: str) -> tuple[int, ...]:
    query = select(BLOCK_MEMBER.c.version_id).where(BLOCK_MEMBER.c.block_id == block_id)
    return tuple(connection.scalars(query.order_by(BLOCK_MEMBER.c.position)))


def _recorded(connection: Connection, block_id: str) -> tuple[RecordedMatch, ...]:
    query = select(*MATCH.c["id", "rotation", "termination"]).where(MATCH.c.block_id == block_id)
    return tuple(RecordedMatch._make(row) for row in connection.execute(query.order_by(MATCH.c.number)))

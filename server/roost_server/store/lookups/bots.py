"""The record of one bot: by game, table size and seat, and its faults."""

from collections.abc import Iterator, Sequence
from operator import sub
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, case, false, func, or_, select

from roost_games.errors import UsageError
from roost_games.replay import FaultEntry, Replay
from roost_server.store.backend import Backend
from roost_server.store.copies.archives import ArchivedReplays
from roost_server.store.lookups.matches import IN_PLAY, MatchQuery, page_numbers, seen_number_of
from roost_server.store.measures.holds import EVERYTHING_SEEN, Veil, hiding_names, open_blocks
from roost_server.store.measures.rulings import struck_matches
from roost_server.store.models import BLOCK, BOT, BOT_VERSION, ENTRY, MATCH, MATCH_SEAT, OWNER, REPLAY
from roost_server.store.records import line_of
from roost_server.store.results import MatchFilter, Rule
from roost_server.store.store import Reading, Store

MATCHES_AT_ONCE = 50
"""How many matches are opened at a time to find faults."""


class BotOnRecord(NamedTuple):
    """A bot by its name."""

    name: str
    owner: str
    """Empty if it has none."""
    version_ids: tuple[int, ...]


class SeatTally(NamedTuple):
    """What a bot did in the matches in one seat that ended with one place for it."""

    matches: int = 0
    score_sum: int = 0
    faults: int = 0
    forfeits: int = 0
    decisions: int = 0
    thinking_ms: float = 0.0


class TallyKey(NamedTuple):
    """Where a bot sat, and what became of it."""

    game: str
    players: int
    seat: int
    place: int


class OwnFault(NamedTuple):
    """A fault of a bot."""

    entry: FaultEntry
    version: str
    """Of the bot."""
    position: int
    """The number under which viewers show it."""


class FaultsOfMatch(NamedTuple):
    """The faults of a bot in one match."""

    match_id: str
    game: str
    ended_ms: int
    in_play: bool
    """Whether the deal of the match is still being played with other seats."""
    faults: tuple[OwnFault, ...]


def bot(store: Store, name: str) -> BotOnRecord:
    """The bot of this name. Raises `UsageError` if there is none."""
    versions = select(BOT_VERSION.c.id).where(BOT_VERSION.c.name == name).order_by(BOT_VERSION.c.id)
    owner = select(OWNER.c.name).join_from(BOT, OWNER).where(BOT.c.name == name)
    with store.reading() as connection:
        ids, owned_by = tuple(connection.scalars(versions)), connection.scalar(owner)
    if not ids and owned_by is None:
        raise UsageError(f"there is no bot {name!r} on record")
    return BotOnRecord(name, owned_by or "", ids)


def seat_tallies(
    store: Store, version_ids: Sequence[int], wanted: MatchFilter, rule: Rule
) -> dict[TallyKey, SeatTally]:
    """What these versions did in the matches that count."""
    with store.reading() as connection:
        # Few matches do not count: subtracting them costs less than looking up the block of every match.
        struck = struck_matches(connection)
        unnamed = open_blocks(hiding_names(connection))
        uncounted = or_(rule.leaves_out(), unnamed, false() if struck is None else MATCH.c.number.in_(struck))
        void = _tallies(connection, version_ids, wanted, uncounted)
        every = _tallies(connection, version_ids, wanted)
    counted = {key: SeatTally(*map(sub, tally, void.get(key, SeatTally()))) for key, tally in every.items()}
    return {key: tally for key, tally in counted.items() if tally.matches}


def _tallies(
    connection: Connection, version_ids: Sequence[int], wanted: MatchFilter, only: ColumnElement[bool] | None = None
) -> dict[TallyKey, SeatTally]:
    """The same for all matches, or for these."""
    key = (*MATCH.c["game", "players"], *MATCH_SEAT.c["seat", "place"])
    forfeits = func.sum(case((MATCH_SEAT.c.forfeited, 1), else_=0))
    sums = [func.sum(column) for column in MATCH_SEAT.c["score", "faults"]]
    times = [func.sum(column) for column in MATCH_SEAT.c["decisions", "thinking_ms"]]
    query = (
        select(*key, func.count(), *sums, forfeits, *times)
        .join_from(MATCH_SEAT, MATCH)
        .where(MATCH_SEAT.c.version_id.in_(version_ids), MATCH_SEAT.c.place.is_not(None))
        .where(*wanted.conditions(new=True))
        .group_by(*key)
    )
    if only is not None or wanted.needs_block:
        query = query.join(BLOCK, BLOCK.c.id == MATCH.c.block_id)
    if only is not None:
        query = query.where(only)
    return {TallyKey._make(row[:4]): SeatTally._make(row[4:]) for row in connection.execute(query)}


def faults(store: Store, name: str, before: str | None = None, veil: Veil = EVERYTHING_SEEN) -> Iterator[FaultsOfMatch]:
    """The faults of a bot, match by match, the latest recorded first; with `before` only in matches before that one.

    Raises `UsageError` if there is no match `before`.
    """
    while found := _some_faults(store, name, before, veil):
        yield from found
        before = found[-1].match_id


def _some_faults(store: Store, name: str, before: str | None, veil: Veil) -> list[FaultsOfMatch]:
    with store.reading() as connection:
        wanted = MatchQuery(bot=name, with_faults=True, veil=veil)
        numbers = page_numbers(connection, wanted, MATCHES_AT_ONCE, before)
        return _faults_of(connection, store.backend, name, numbers) if numbers else []


def faults_in(store: Store, name: str, match_id: str, veil: Veil = EVERYTHING_SEEN) -> list[FaultsOfMatch]:
    """The faults of a bot in one match. Raises `UsageError` if that is not on record, or must not be seen."""
    with store.reading() as connection:
        return _faults_of(connection, store.backend, name, [seen_number_of(connection, match_id, veil)])


def _faults_of(connection: Connection, backend: Backend, name: str, numbers: Sequence[int]) -> list[FaultsOfMatch]:
    seats = _seats_of(connection, name, numbers)
    query = (
        select(*MATCH.c["number", "id", "game", "ended_ms"], IN_PLAY, REPLAY.c.document)
        .join_from(MATCH, BLOCK)
        .join(REPLAY, REPLAY.c.match_number == MATCH.c.number, isouter=True)
        .where(MATCH.c.number.in_(seats))
        .order_by(MATCH.c.number.desc())
    )
    archived = ArchivedReplays(connection, backend)
    rows = connection.execute(query).all()
    lines = [line_of(row.document) if row.document else archived.line(row.number) for row in rows]
    return [
        FaultsOfMatch(row.id, row.game, row.ended_ms, row.in_play, _own_faults(line, seats[row.number]))
        for row, line in zip(rows, lines, strict=True)
    ]


def _seats_of(connection: Connection, name: str, numbers: Sequence[int]) -> dict[int, dict[int, str]]:
    """By match and seat, the version of the bot that sits there."""
    query = (
        select(*MATCH_SEAT.c["match_number", "seat"], BOT_VERSION.c.version)
        .join_from(MATCH_SEAT, BOT_VERSION)
        .where(MATCH_SEAT.c.match_number.in_(numbers), BOT_VERSION.c.name == name)
    )
    seats: dict[int, dict[int, str]] = {}
    for row in connection.execute(query):
        seats.setdefault(row.match_number, {})[row.seat] = row.version
    return seats


def _own_faults(line: str, versions: dict[int, str]) -> tuple[OwnFault, ...]:
    replay = Replay.from_line(line)
    own = (fault for fault in replay.result.faults if fault.seat in versions)
    return tuple(OwnFault(fault, versions[fault.seat], replay.position(fault.step)) for fault in own)


def bots_by_version(reading: Reading) -> dict[int, int]:
    """By version, the bot that it is one of; only where bots have owners."""
    query = select(*BOT_VERSION.c["id", "bot_id"]).where(BOT_VERSION.c.bot_id.is_not(None))
    return {row.id: row.bot_id for row in reading.execute(query)}


def bot_of(reading: Reading, version_id: int) -> int:
    """The bot that a version is one of; 0 if it is of none."""
    return reading.scalar(select(BOT_VERSION.c.bot_id).where(BOT_VERSION.c.id == version_id)) or 0


def entered_bots(reading: Reading, competition_id: int) -> dict[int, str]:
    """By id, the names of all bots that have entered a competition, withdrawn ones too."""
    query = select(*BOT.c["id", "name"]).join_from(ENTRY, BOT).where(ENTRY.c.competition_id == competition_id)
    return {row.id: row.name for row in reading.execute(query)}

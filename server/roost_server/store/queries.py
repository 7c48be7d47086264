"""Questions about the records. Each is a function of the store, or of a reading, and sees one state of the records.

`results` says which matches count, and `lookups` has the pages that people ask for. All questions stay quick with
millions of matches: what reads every match reads neither documents nor more than one index.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, func, not_, select

from roost_games.errors import UsageError
from roost_server.store.backend import Backend
from roost_server.store.copies.archives import ArchivedReplays
from roost_server.store.measures.holds import EVERYTHING_SEEN, Held, Veil, any_held
from roost_server.store.measures.quarantine import read_quarantined
from roost_server.store.models import (
    AUDIT,
    BLOCK,
    BLOCK_MEMBER,
    BOT,
    BOT_VERSION,
    ENTRY,
    MATCH,
    MATCH_SEAT,
    OWNER,
    REPLAY,
    VOID_SEAT,
    BlockState,
    Purpose,
)
from roost_server.store.records import Planned, line_of
from roost_server.store.store import Reading, Store

CHUNK = 2_000
"""How many rows a stream fetches at a time."""
HOUR_MS = 3_600_000
NEWEST = 100_000
"""How many of the latest matches are searched for recent ones. No arena plays more in a minute."""


class Version(NamedTuple):
    """A bot version."""

    id: int
    name: str
    version: str
    first_seen_ms: int


class Background(NamedTuple):
    """What is known about a bot version besides its matches. Empty or 0 where nothing is."""

    owner: str
    last_seen_ms: int
    voids: int
    """How many matches were voided while it was being asked."""
    quarantine_reason: str
    quarantine_since_ms: int


class PhaseProgress(NamedTuple):
    """The progress of a competition in a phase."""

    entries: int
    blocks_done: int
    blocks_open: int


class RecentPlay(NamedTuple):
    """What was played lately."""

    matches: int
    hours: float


class RecordedMatch(NamedTuple):
    """A match of an open block that is over."""

    id: str
    rotation: int
    termination: str


class UnfinishedBlock(NamedTuple):
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
    deals: str
    """Whether its matches share a deal: a value of `roost_ladder.blocks.Deals`."""
    resumed: int
    """How often an arena has resumed it."""
    purpose: Purpose
    version_ids: tuple[int, ...]
    """By seat in rotation 0."""
    recorded: tuple[RecordedMatch, ...]
    """Its matches so far, in the order in which they ended."""
    plan: Planned | None
    """Its place in a competition."""


class PlannedBlock(NamedTuple):
    """A block of a competition as it was planned."""

    serial: int
    """The number of the block within its phase, from 0."""
    id: str
    state: BlockState
    game: str
    version_ids: tuple[int, ...]
    """By seat in rotation 0."""


class BlockOnRecord(NamedTuple):
    """A block of a competition that is over, and its matches."""

    id: str
    phase: str
    serial: int
    game: str
    options: str
    """JSON."""
    rotation: str
    state: str
    seed: str
    """In hex."""
    deals: str
    resumed: int
    epoch: int
    version_ids: tuple[int, ...]
    matches: tuple[tuple[str, int], ...]
    """The id and the rotation of each match, in the order in which they ended."""
    times: tuple[tuple[int, int], ...]
    """When each of them started and ended."""


class DealOnRecord(NamedTuple):
    """The seed of a match, and what its block says about it."""

    number: int
    id: str
    rotation: int
    seed: str
    """In hex."""
    termination: str
    block_id: str
    block_seed: str
    deals: str
    resumed: int


def versions(store: Store) -> list[Version]:
    """Every bot version, in the order in which they first connected."""
    query = select(*BOT_VERSION.c["id", "name", "version", "first_seen_ms"]).order_by(BOT_VERSION.c.id)
    with store.reading() as connection:
        return [Version._make(row) for row in connection.execute(query)]


def name_of(store: Store, version_id: int) -> tuple[str, str]:
    """The name and the version of a bot version."""
    query = select(*BOT_VERSION.c["name", "version"]).where(BOT_VERSION.c.id == version_id)
    with store.reading() as connection:
        name, version = connection.execute(query).one()
        return name, version


def backgrounds(store: Store, veil: Veil = EVERYTHING_SEEN) -> dict[int, Background]:
    """By version. Nobody learns whether a bot about which the veil is silent is in quarantine."""
    versions = (
        select(BOT_VERSION.c.id, OWNER.c.name, BOT_VERSION.c.last_seen_ms)
        .join_from(BOT_VERSION, BOT, isouter=True)
        .join(OWNER, isouter=True)
    )
    with store.reading() as connection:
        known = [each for each in read_quarantined(connection) if each.version_id not in veil.silent]
        quarantined = {each.version_id: (each.reason, each.since_ms) for each in known}
        voids = voids_by_version(connection, veil=veil)
        return {
            version_id: Background(
                owner or "", last_seen_ms or 0, voids[version_id], *quarantined.get(version_id, ("", 0))
            )
            for version_id, owner, last_seen_ms in connection.execute(versions)
        }


def voids_by_version(
    reading: Reading, competition_id: int | None = None, phase: str = "", veil: Veil = EVERYTHING_SEEN
) -> Counter[int]:
    """By version, how many matches were voided while it was being asked.

    In a competition, or in one `phase` of it, only those of blocks that are over count, as in its export. Matches that
    the veil hides do not count.
    """
    query = select(VOID_SEAT.c.version_id, func.count()).group_by(VOID_SEAT.c.version_id)
    if competition_id is not None:
        over = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.state != BlockState.OPEN)
        over = over & (BLOCK.c.phase == phase) if phase else over
        query = query.where(over)
    hidden = veil.hidden()
    if hidden is not None or competition_id is not None:
        query = query.join_from(VOID_SEAT, MATCH).join(BLOCK, BLOCK.c.id == MATCH.c.block_id)
    if hidden is not None:
        query = query.where(not_(hidden))
    return Counter({row[0]: row[1] for row in reading.execute(query)})


def last_ends(store: Store) -> dict[int, int]:
    """By bot version, when its last match ended, in milliseconds since 1970."""
    last = select(func.max(MATCH_SEAT.c.match_number)).where(MATCH_SEAT.c.version_id == BOT_VERSION.c.id)
    is_last = MATCH.c.number == last.scalar_subquery()
    query = select(BOT_VERSION.c.id, MATCH.c.ended_ms).join_from(BOT_VERSION, MATCH, is_last)
    with store.reading() as connection:
        return {row.id: row.ended_ms for row in connection.execute(query)}


def match_count(store: Store) -> int:
    """How many matches are on record."""
    with store.reading() as connection:
        return _last_number(connection)


def open_block_count(store: Store, held: Held = ()) -> int:
    """How many blocks are neither done nor voided, without those that are held back."""
    seen = [not_(any_held(held))] if held else []
    with store.reading() as connection:
        return connection.scalar(select(func.count()).where(BLOCK.c.state == BlockState.OPEN, *seen)) or 0


def held_count(store: Store, held: Held, after: int, last: int) -> int:
    """How many of the matches with the numbers after `after` to `last` are held back."""
    some = (MATCH.c.number > after) & (MATCH.c.number <= last)
    query = select(func.count()).select_from(MATCH).join(BLOCK).where(some, any_held(held))
    with store.reading() as connection:
        return connection.scalar(query) or 0


def kinds_after(store: Store, number: int) -> set[tuple[str, int]]:
    """The games and table sizes of the matches with higher numbers."""
    query = select(*MATCH.c["game", "players"]).where(MATCH.c.number > number)
    if not number:
        # Of few matches this would take longer: SQLite goes through an index of all.
        query = query.distinct()
    with store.reading() as connection:
        return {(game, players) for game, players in connection.execute(query)}


def matches_since(store: Store, since_ms: int) -> int:
    """How many matches have ended since `since_ms`, a recent time."""
    with store.reading() as connection:
        recent = (MATCH.c.number > _last_number(connection) - NEWEST) & (MATCH.c.ended_ms > since_ms)
        return connection.scalar(select(func.count()).select_from(MATCH).where(recent)) or 0


def recent_play(store: Store) -> RecentPlay:
    """The matches of the last hour in which any ended, at most the newest ones, and how long they took together."""
    with store.reading() as connection:
        newest = MATCH.c.number > _last_number(connection) - NEWEST
        last = connection.scalar(select(func.max(MATCH.c.ended_ms)).where(newest)) or 0
        within = newest & (MATCH.c.ended_ms > last - HOUR_MS)
        count, first = connection.execute(select(func.count(), func.min(MATCH.c.started_ms)).where(within)).one()
    return RecentPlay(count, (last - first) / HOUR_MS if count else 0.0)


def last_changes(reading: Reading) -> tuple[int, int]:
    """The numbers of the last match and of the last act on record: while they stay, nothing has changed."""
    return _last_number(reading), reading.scalar(select(func.max(AUDIT.c.id))) or 0


def _last_number(connection: Connection) -> int:
    """The number of the last match. They are numbered from 1 without gaps."""
    return connection.scalar(select(func.max(MATCH.c.number))) or 0


def replay(store: Store, match_id: str) -> str:
    """The match's `roost-replay/1` document, one line of JSON. Raises `UsageError` if there is no such match."""
    query = select(MATCH.c.number, REPLAY.c.document).outerjoin_from(MATCH, REPLAY).where(MATCH.c.id == match_id)
    with store.reading() as connection:
        line = next(_lines(connection, store.backend, query), None)
    if line is None:
        raise UsageError(f"there is no match {match_id!r} on record")
    return line


def replays(store: Store) -> Iterator[str]:
    """Every match's `roost-replay/1` document as a line of JSON, in the order in which they were recorded."""
    query = select(MATCH.c.number, REPLAY.c.document).outerjoin_from(MATCH, REPLAY).order_by(MATCH.c.number)
    with store.reading() as connection:
        yield from _lines(connection, store.backend, query)


def newest_replays(store: Store, count: int) -> list[tuple[int, str]]:
    """When each of the newest matches ended, and its document as a line of JSON; the newest first."""
    query = select(MATCH.c.ended_ms, REPLAY.c.document).join_from(MATCH, REPLAY).order_by(MATCH.c.number.desc())
    with store.reading() as connection:
        return [(row.ended_ms, line_of(row.document)) for row in connection.execute(query.limit(count))]


def deals(store: Store) -> Iterator[DealOnRecord]:
    """The seeds of all matches, in the order in which they were recorded."""
    of_match = MATCH.c["number", "id", "rotation", "seed", "termination"]
    query = select(*of_match, *BLOCK.c["id", "seed", "deals", "resumed"]).join_from(MATCH, BLOCK)
    with store.reading() as connection:
        rows = connection.execution_options(yield_per=CHUNK).execute(query.order_by(MATCH.c.number))
        yield from map(DealOnRecord._make, rows)


def finished_replays(
    reading: Reading, backend: Backend, competition_id: int, phase: str = "", held: Held = ()
) -> Iterator[str]:
    """The same for the blocks of a competition, or of one phase, that are over and not held back.

    What is being played stays a secret.
    """
    query = select(MATCH.c.number, REPLAY.c.document).outerjoin_from(MATCH, REPLAY).join(BLOCK).order_by(MATCH.c.number)
    over = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.state != BlockState.OPEN)
    query = query.where(not_(any_held(held))) if held else query
    return _lines(reading, backend, query.where(over & (BLOCK.c.phase == phase) if phase else over))


def _lines(reading: Reading, backend: Backend, query: Select[Any]) -> Iterator[str]:
    """The documents of matches, which are in the database or in an archive."""
    archived = ArchivedReplays(reading, backend)
    with reading.execute(query.execution_options(yield_per=CHUNK // 10)) as rows:
        for number, document in rows:
            yield archived.line(number) if document is None else line_of(document)


def unfinished_blocks(store: Store) -> list[UnfinishedBlock]:
    """The blocks that are neither done nor voided, the oldest first: a restarted arena resumes them."""
    columns = ("id", "game", "options", "players", "seed", "rotation", "created_ms", "deals", "resumed")
    query = select(*BLOCK.c[columns], BLOCK.c.purpose, *BLOCK.c["competition_id", "phase", "serial", "epoch"])
    query = query.where(BLOCK.c.state == BlockState.OPEN)
    with store.reading() as connection:
        rows = connection.execute(query.order_by(*BLOCK.c["created_ms", "serial", "id"])).all()
        return [
            UnfinishedBlock._make(
                [
                    *row[: len(columns)],
                    Purpose(row.purpose),
                    _members(connection, row.id),
                    _recorded(connection, row.id),
                    _plan(row),
                ]
            )
            for row in rows
        ]


def planned_blocks(reading: Reading, competition_id: int, phase: str) -> Iterator[PlannedBlock]:
    """Every block that was planned in a phase of a competition, in that order."""
    of_phase = (BLOCK.c.competition_id == competition_id) & (BLOCK.c.phase == phase)
    columns = (*BLOCK.c["serial", "id", "state", "game"], BLOCK_MEMBER.c.version_id)
    query = select(*columns).join(BLOCK_MEMBER).where(of_phase).order_by(BLOCK.c.serial, BLOCK_MEMBER.c.position)
    with reading.execution_options(yield_per=CHUNK).execute(query) as rows:
        for (serial, block_id, state, game), members in groupby(rows, itemgetter(0, 1, 2, 3)):
            version_ids = tuple(member.version_id for member in members)
            yield PlannedBlock(serial, block_id, BlockState(state), game, version_ids)


def finished_blocks(reading: Reading, competition_id: int, held: Held = ()) -> list[BlockOnRecord]:
    """The blocks of a competition that are over and not held back, by phase and in the order of the plan."""
    columns = BLOCK.c[
        "id", "phase", "serial", "game", "options", "rotation", "state", "seed", "deals", "resumed", "epoch"
    ]
    query = select(*columns).where(BLOCK.c.competition_id == competition_id, BLOCK.c.state != BlockState.OPEN)
    query = query.where(not_(any_held(held))) if held else query
    rows = reading.execute(query.order_by(BLOCK.c.phase, BLOCK.c.serial)).all()
    members, matches = _members_by_block(reading, competition_id), _matches_by_block(reading, competition_id)
    return [BlockOnRecord._make([*row, members.get(row.id, ()), *matches.get(row.id, ((), ()))]) for row in rows]


def _members_by_block(reading: Reading, competition_id: int) -> dict[str, tuple[int, ...]]:
    query = (
        select(BLOCK_MEMBER.c.block_id, BLOCK_MEMBER.c.version_id)
        .join_from(BLOCK_MEMBER, BLOCK)
        .where(BLOCK.c.competition_id == competition_id)
        .order_by(BLOCK_MEMBER.c.block_id, BLOCK_MEMBER.c.position)
    )
    grouped = groupby(reading.execute(query), attrgetter("block_id"))
    return {block_id: tuple(row.version_id for row in rows) for block_id, rows in grouped}


def _matches_by_block(reading: Reading, competition_id: int) -> dict[str, tuple[Any, Any]]:
    """By block, the id and the rotation of each match, and its times."""
    query = (
        select(*MATCH.c["block_id", "id", "rotation", "started_ms", "ended_ms"])
        .join_from(MATCH, BLOCK)
        .where(BLOCK.c.competition_id == competition_id)
        .order_by(MATCH.c.block_id, MATCH.c.number)
    )
    found: dict[str, tuple[Any, Any]] = {}
    for block_id, rows in groupby(reading.execute(query), attrgetter("block_id")):
        matches = list(rows)
        named = tuple((row.id, row.rotation) for row in matches)
        found[block_id] = named, tuple((row.started_ms, row.ended_ms) for row in matches)
    return found


def _plan(row: Any) -> Planned | None:
    return None if row.competition_id is None else Planned(row.competition_id, row.phase, row.serial, row.epoch)


def _members(connection: Connection, block_id: str) -> tuple[int, ...]:
    query = select(BLOCK_MEMBER.c.version_id).where(BLOCK_MEMBER.c.block_id == block_id)
    return tuple(connection.scalars(query.order_by(BLOCK_MEMBER.c.position)))


def _recorded(connection: Connection, block_id: str) -> tuple[RecordedMatch, ...]:
    query = select(*MATCH.c["id", "rotation", "termination"]).where(MATCH.c.block_id == block_id)
    return tuple(RecordedMatch._make(row) for row in connection.execute(query.order_by(MATCH.c.number)))


def progress(store: Store, competition_id: int, phase: str) -> PhaseProgress:
    """The progress of a phase."""
    blocks = select(BLOCK.c.state, func.count()).where(BLOCK.c.competition_id == competition_id)
    entered = (ENTRY.c.competition_id == competition_id) & ENTRY.c.withdrawn_ms.is_(None)
    with store.reading() as connection:
        rows = connection.execute(blocks.where(BLOCK.c.phase == phase).group_by(BLOCK.c.state)).all()
        entries = connection.scalar(select(func.count()).select_from(ENTRY).where(entered))
    counts: dict[str, int] = {state: count for state, count in rows}  # noqa: C416  a row is no pair for mypy
    return PhaseProgress(entries or 0, counts.get(BlockState.DONE, 0), counts.get(BlockState.OPEN, 0))

"""How changes are written: statements for many rows each, in the caller's transaction.

`write` is for new changes, which nearly all are: it does not look for them first. `write_rest` skips what is already on
record if it is the same, and refuses it if it differs. So writing again is always right after an error that leaves open
whether the commit took place.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from sqlalchemy import Connection, Dialect, Insert, RowMapping, bindparam, func, insert, select, update

from roost_server.store.errors import RecordRefused
from roost_server.store.models import BLOCK, BLOCK_MEMBER, MATCH, MATCH_SEAT, REPLAY, VOID_SEAT, BlockState
from roost_server.store.records import BlockClosed, MatchRows, NewBlock, Row, block_row, line_of, member_rows

IDS_PER_QUERY = 500
"""Databases limit the number of parameters of a query; all of them allow this many."""

# Built once: building them for every commit would cost it 75 us.
ADD_BLOCKS, ADD_MEMBERS = insert(BLOCK), insert(BLOCK_MEMBER)
ADD_MATCHES, ADD_SEATS, ADD_REPLAYS = insert(MATCH), insert(MATCH_SEAT), insert(REPLAY)
ADD_VOIDS = insert(VOID_SEAT)
LAST_NUMBER = select(func.max(MATCH.c.number))
OPENED = select(BLOCK).where(BLOCK.c.id.in_(bindparam("ids", expanding=True)))
STATES = select(BLOCK.c.id, BLOCK.c.state).where(BLOCK.c.id.in_(bindparam("ids", expanding=True)))
CLOSE = (
    update(BLOCK)
    .where(BLOCK.c.id.in_(bindparam("ids", expanding=True)), BLOCK.c.state == BlockState.OPEN.value)
    .values(state=bindparam("outcome"))
)
RESUME = update(BLOCK).where(BLOCK.c.state == BlockState.OPEN.value).values(resumed=BLOCK.c.resumed + 1)
RECORDED = select(MATCH.c.id, REPLAY.c.document).join(REPLAY).where(MATCH.c.id.in_(bindparam("ids", expanding=True)))


class Group(NamedTuple):
    """Changes that are written together."""

    opened: Sequence[NewBlock]
    matches: Sequence[MatchRows]
    """They are numbered in this order."""
    closed: Sequence[BlockClosed]


def write(connection: Connection, group: Group) -> None:
    """Write blocks and matches that are new. Raises `IntegrityError` if one is not."""
    if group.opened:
        _add(connection, ADD_BLOCKS, [block_row(block) for block in group.opened])
        _add(connection, ADD_MEMBERS, [row for block in group.opened for row in member_rows(block)])
    if group.matches:
        _add_matches(connection, group.matches)
    for state in dict.fromkeys(each.state for each in group.closed):
        for ids in _portions(each.id for each in group.closed if each.state == state):
            _close_blocks(connection, ids, state)


def write_rest(connection: Connection, group: Group) -> None:
    """Write what is not on record yet. Raises `RecordRefused` for anything that is on record and differs."""
    opened = _without_open(connection, group.opened)
    write(connection, Group(opened, _without_recorded(connection, group.matches), group.closed))


def resume_blocks(connection: Connection) -> None:
    """Note that an arena goes on with every open block, so that none of their matches is dealt the same cards again."""
    connection.execute(RESUME)


def _add_matches(connection: Connection, matches: Sequence[MatchRows]) -> None:
    last = connection.execute(LAST_NUMBER).scalar_one() or 0
    numbered = list(enumerate(matches, last + 1))
    _add(connection, ADD_MATCHES, [{"number": number, **each.match} for number, each in numbered])
    _add(connection, ADD_SEATS, [{"match_number": number, **seat} for number, each in numbered for seat in each.seats])
    _add(connection, ADD_REPLAYS, [{"match_number": number, "document": each.document} for number, each in numbered])
    if voids := [row for number, each in numbered for row in _void_rows(number, each)]:
        _add(connection, ADD_VOIDS, voids)


def _add(connection: Connection, statement: Insert, rows: Sequence[Row]) -> None:
    """Add whole rows as the driver takes them: SQLAlchemy would look at each value, and take most of the time."""
    connection.exec_driver_sql(_text(statement, connection.dialect), rows)


@cache
def _text(statement: Insert, dialect: Dialect) -> str:
    return str(statement.compile(dialect=dialect))


def _void_rows(number: int, rows: MatchRows) -> list[Row]:
    return [{"match_number": number, "seat": seat, "version_id": rows.seats[seat]["version_id"]} for seat in rows.asked]


def _close_blocks(connection: Connection, ids: list[str], outcome: BlockState) -> None:
    """Close open blocks."""
    if connection.execute(CLOSE, {"ids": ids, "outcome": outcome.value}).rowcount == len(ids):
        return
    states = {row.id: row.state for row in connection.execute(STATES, {"ids": ids})}
    for block_id in ids:
        state = states.get(block_id)
        if state != outcome:
            situation = f"is already {state}" if state else "is not on record"
            raise RecordRefused(f"block {block_id} cannot be closed as {outcome}: it {situation}")


def _without_recorded(connection: Connection, matches: Sequence[MatchRows]) -> list[MatchRows]:
    fresh: dict[str, MatchRows] = {}
    for each in matches:
        if fresh.setdefault(each.id, each).document != each.document:
            raise RecordRefused(f"match {each.id} comes twice with different replays")
    for ids in _portions(list(fresh)):
        for recorded, document in connection.execute(RECORDED, {"ids": ids}).all():
            if line_of(document) != line_of(fresh.pop(recorded).document):
                raise RecordRefused(f"match {recorded} is already on record with another replay")
    return list(fresh.values())


def _without_open(connection: Connection, blocks: Sequence[NewBlock]) -> list[NewBlock]:
    fresh: dict[str, NewBlock] = {}
    for each in blocks:
        if fresh.setdefault(each.id, each) != each:
            raise RecordRefused(f"block {each.id} comes twice with different deals")
    for ids in _portions(list(fresh)):
        for row in connection.execute(OPENED, {"ids": ids}).mappings().all():
            if not _same_deal(connection, row, fresh.pop(row["id"])):
                raise RecordRefused(f"block {row['id']} is already on record with another deal")
    return list(fresh.values())


def _same_deal(connection: Connection, recorded: RowMapping, block: NewBlock) -> bool:
    members = select(BLOCK_MEMBER.c.version_id).where(BLOCK_MEMBER.c.block_id == block.id)
    ordered = connection.scalars(members.order_by(BLOCK_MEMBER.c.position)).all()
    as_opened = {**recorded, "state": BlockState.OPEN, "resumed": block.resumed}
    return tuple(ordered) == block.version_ids and as_opened == block_row(block)


def _portions(ids: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(ids)
    while portion := list(islice(remaining, IDS_PER_QUERY)):
        yield portion

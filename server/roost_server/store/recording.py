"""How changes are written: SQLAlchemy Core statements for many rows each, inside a transaction of the caller's.

Everything can be written twice. What is on record already is passed over if it is the same, and refused if it is not.
So after an error that leaves open whether the commit took place, writing again is always right.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection, RowMapping, bindparam, func, insert, select, update

from roost_server.store.errors import RecordRefused
from roost_server.store.models import BLOCK, BLOCK_MEMBER, MATCH, MATCH_SEAT, REPLAY, BlockState
from roost_server.store.records import BlockClosed, MatchRows, NewBlock, block_row, line_of, member_rows

IDS_PER_QUERY = 500
"""Databases limit the number of parameters; every one of them takes this many."""

# Made once: to put them together for every commit would cost it 75 us.
LAST_NUMBER = select(func.max(MATCH.c.number))
OPENED = select(BLOCK).where(BLOCK.c.id.in_(bindparam("ids", expanding=True)))
STATE = select(BLOCK.c.state).where(BLOCK.c.id == bindparam("closed"))
CLOSE = (
    update(BLOCK)
    .where(BLOCK.c.id == bindparam("closed"), BLOCK.c.state == BlockState.OPEN.value)
    .values(state=bindparam("outcome"))
)
RECORDED = select(MATCH.c.id, REPLAY.c.document).join(REPLAY).where(MATCH.c.id.in_(bindparam("ids", expanding=True)))


def save_matches(connection: Connection, matches: Sequence[MatchRows]) -> None:
    """Write matches that are not on record yet, numbered in the given order."""
    matches = _without_recorded(connection, matches)
    if not matches:
        return
    last = connection.execute(LAST_NUMBER).scalar_one() or 0
    numbered = list(enumerate(matches, last + 1))
    connection.execute(insert(MATCH), [{"number": number, **each.match} for number, each in numbered])
    connection.execute(
        insert(MATCH_SEAT), [{"match_number": number, **seat} for number, each in numbered for seat in each.seats]
    )
    connection.execute(
        insert(REPLAY), [{"match_number": number, "document": each.document} for number, each in numbered]
    )


def open_blocks(connection: Connection, blocks: Sequence[NewBlock]) -> None:
    """Write blocks that are not on record yet."""
    blocks = _without_open(connection, blocks)
    if not blocks:
        return
    connection.execute(insert(BLOCK), [block_row(block) for block in blocks])
    connection.execute(insert(BLOCK_MEMBER), [row for block in blocks for row in member_rows(block)])


def close_block(connection: Connection, closed: BlockClosed) -> None:
    """Note what became of an open block."""
    if connection.execute(CLOSE, {"closed": closed.id, "outcome": closed.state.value}).rowcount:
        return
    state = connection.scalar(STATE, {"closed": closed.id})
    if state != closed.state:
        situation = f"is {state} already" if state else "is not on record"
        raise RecordRefused(f"block {closed.id} cannot be closed as {closed.state}: it {situation}")


def _without_recorded(connection: Connection, matches: Sequence[MatchRows]) -> list[MatchRows]:
    fresh: dict[str, MatchRows] = {}
    for each in matches:
        if fresh.setdefault(each.id, each).document != each.document:
            raise RecordRefused(f"match {each.id} comes twice with different replays")
    for ids in _portions(list(fresh)):
        for recorded, document in connection.execute(RECORDED, {"ids": ids}).all():
            if line_of(document) != line_of(fresh.pop(recorded).document):
                raise RecordRefused(f"match {recorded} is on record already, with another replay")
    return list(fresh.values())


def _without_open(connection: Connection, blocks: Sequence[NewBlock]) -> list[NewBlock]:
    fresh: dict[str, NewBlock] = {}
    for each in blocks:
        if fresh.setdefault(each.id, each) != each:
            raise RecordRefused(f"block {each.id} comes twice with different deals")
    for ids in _portions(list(fresh)):
        for row in connection.execute(OPENED, {"ids": ids}).mappings().all():
            if not _same_deal(connection, row, fresh.pop(row["id"])):
                raise RecordRefused(f"block {row['id']} is on record already, with another deal")
    return list(fresh.values())


def _same_deal(connection: Connection, recorded: RowMapping, block: NewBlock) -> bool:
    members = select(BLOCK_MEMBER.c.version_id).where(BLOCK_MEMBER.c.block_id == block.id)
    ordered = connection.scalars(members.order_by(BLOCK_MEMBER.c.position)).all()
    return tuple(ordered) == block.version_ids and {**recorded, "state": BlockState.OPEN} == block_row(block)


def _portions(ids: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(ids)
    while portion := list(islice(remaining, IDS_PER_QUERY)):
        yield portion

"""Epochs: whether the records go on where they ended, or a copy from earlier has taken their place.

Deals follow from a master seed and the number of a block. So an arena with older records would deal the same cards
again that were dealt since the copy was made, and somebody may have written them down. Therefore the epoch is part of
the derivation, and another one begins when the records turn out to be a copy:

- a copy that Roost made has no mark;
- any other copy has a mark that does not fit what is noted outside the tables (`Backend.noted`): beside a SQLite file,
  or by the PostgreSQL server;
- records that lack something that was noted (an older file was put in their place, or SQLite's log was lost or damaged)
  are only used if the host accepts the loss.

An epoch is named after the millisecond in which it began, so that the same copy, put back twice or on two machines,
does not begin the same epoch twice. What was being played when the copy was made is voided: a block is never dealt in
two epochs.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, inspect, select, update

from roost_games.wording import counted
from roost_server.store.backend import Backend, Noted
from roost_server.store.errors import StoreError
from roost_server.store.models import BLOCK, EPOCH, BlockState
from roost_server.store.store import Reading, Store

FIRST = "first"
RESTORED = "restored"
"""The copy was made by Roost, or put in place by it."""
REPLACED = "replaced by hand"
LOST = "records were lost"
"""Something was missing that had been noted, and the host accepted that."""
UNKNOWN = "without its note"
"""Nothing is noted outside the tables: they were moved here alone."""
NO_MARK = ""


class LostRecordsError(StoreError):
    """Something is missing in the records that was on record, and bots were told."""


class Epoch(NamedTuple):
    """An epoch of an arena's records."""

    began_ms: int
    """Its name in the derivation of seeds; 0 for the first one."""
    cause: str


def epochs(reading: Reading) -> list[Epoch]:
    """Every epoch but the first, in their order."""
    query = select(*EPOCH.c["began_ms", "cause"]).where(EPOCH.c.began_ms > 0).order_by(EPOCH.c.began_ms)
    return [Epoch._make(row) for row in reading.execute(query)]


def present_epoch(store: Store) -> int:
    """The present epoch."""
    with store.reading() as reading:
        return reading.scalar(select(func.max(EPOCH.c.began_ms))) or 0


def check_complete(store: Store) -> None:
    """Raise `LostRecordsError` if something is missing in the records that was noted."""
    with store.reading() as connection:
        noted = store.backend.noted(connection)
        if noted is not None and (missing := _missing(connection, store.backend, noted)):
            raise LostRecordsError(_refusal(store.name, missing))


def go_on(store: Store, *, accept_loss: bool = False) -> Epoch | None:
    """Get ready to play on with these records. Returns the epoch that begins, if they are a copy from earlier.

    Raises `LostRecordsError` if something is missing that was noted, unless the host accepts that.
    """
    if not accept_loss:
        check_complete(store)
    begun = None
    with store.writing() as connection:
        cause = _cause(connection, store.backend)
        if cause is not None:
            begun = _begin(connection, store.backend.new_mark(connection), cause)
    note_progress(store)
    return None if begun is None or begun.cause == FIRST else begun


def _missing(connection: Connection, backend: Backend, noted: Noted) -> list[str]:
    """What is missing from the records, in words; nothing if they are a copy that says so."""
    if _mark(connection) == NO_MARK:
        return []
    pairs = zip(("match", "act", "block"), noted.reached, backend.reached(connection, blocks=True), strict=True)
    return [counted(then - now, thing) for thing, then, now in pairs if then > now]


def _refusal(name: str, missing: Sequence[str]) -> str:
    return (
        f"{name} lacks {', '.join(missing)} that had been recorded there: an older file was put in its place, or "
        f"{name}-wal was removed or damaged; put the right files back, restore a backup with `roost admin restore`, or "
        "give --accept-loss to play on without what is missing, with new deals"
    )


def _mark(connection: Connection) -> str | None:
    return connection.scalar(select(EPOCH.c.mark).order_by(EPOCH.c.began_ms.desc()).limit(1))


def _cause(connection: Connection, backend: Backend) -> str | None:
    """Why another epoch has to begin; `None` if the present one goes on."""
    mark, noted = _mark(connection), backend.noted(connection)
    if noted is not None and _missing(connection, backend, noted):
        return LOST
    if mark is None:
        return FIRST if noted is None else RESTORED
    if mark == NO_MARK:
        return RESTORED
    if noted is None:
        return UNKNOWN
    return None if noted.mark == mark else REPLACED


def unmark(connection: Connection) -> None:
    """Say in a copy of the records that it is one. A copy of an older Roost has no place for that."""
    if inspect(connection).has_table(EPOCH.name):
        connection.execute(update(EPOCH).values(mark=NO_MARK))


def _begin(connection: Connection, mark: str, cause: str) -> Epoch:
    last = connection.scalar(select(func.max(EPOCH.c.began_ms)))
    now = time.time_ns() // 1_000_000
    epoch = Epoch(0 if cause == FIRST else max(now, (last or 0) + 1), cause)
    connection.execute(insert(EPOCH).values(**epoch._asdict(), mark=mark))
    if cause != FIRST:
        connection.execute(update(BLOCK).where(BLOCK.c.state == BlockState.OPEN).values(state=BlockState.VOIDED.value))
    return epoch


def note_progress(store: Store) -> None:
    """Note outside the tables how far the records go."""
    with store.reading() as reading:
        mark, reached = _mark(reading), store.backend.reached(reading, blocks=True)
    if mark:
        store.backend.note(Noted(mark, reached))

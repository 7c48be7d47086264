"""The arena's records: `open_store` opens a database, `Store` writes to it. `queries` reads it.

A commit that returned is on the disk. A commit that raised left nothing behind, or all of it (a disk may fail after
having written); either way it may be repeated as it is, see `recording`.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, insert, select

from roost_server.store import recording, schema, sqlite
from roost_server.store.errors import StoreError, store_errors
from roost_server.store.lock import ArenaLock
from roost_server.store.models import BOT_VERSION, BlockState
from roost_server.store.records import BlockClosed, Change, FinishedMatch, NewBlock, rows_of


def open_store(url: str, *, read_only: bool = False) -> "Store":
    """Open the database that `url` names, as `sqlite:///roost.db`. Raises `StoreError`, which says what to do.

    For an arena: a new database is created, one of an older Roost is upgraded, and no other arena may have it open.
    With `read_only` nothing is changed, and an arena may be writing to it at the same time.
    """
    path = sqlite.path_of(url)
    with store_errors(str(path)):
        return _open_for_reading(path) if read_only else _open_for_writing(path)


def _open_for_reading(path: Path) -> "Store":
    schema.check_current(_schema_of_file(path), str(path))
    return Store(sqlite.reading_engine(path), str(path))


def _open_for_writing(path: Path) -> "Store":
    # Looked at before anything is touched: the file may be somebody else's.
    schema.check_not_newer(_schema_of_file(path), str(path))
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {path.parent} for {path.name}; create it first")
    lock = ArenaLock(path)
    engine = sqlite.writing_engine(path)
    try:
        schema.upgrade(engine, str(path))
    except BaseException:
        engine.dispose()
        lock.release()
        raise
    return Store(engine, str(path), lock)


def _schema_of_file(path: Path) -> int:
    if not sqlite.holds_something(path):
        return 0
    engine = sqlite.reading_engine(path)
    try:
        with engine.connect() as connection:
            return schema.schema_of(connection, str(path))
    finally:
        engine.dispose()


class Store:
    """An open database. Threads may share it. Made by `open_store`; a context manager that closes itself."""

    name: str
    """What messages call it: the file."""

    def __init__(self, engine: Engine, name: str, lock: ArenaLock | None = None) -> None:
        self.name = name
        self._engine = engine
        self._writing_engine = engine.execution_options(**sqlite.WRITING)
        self._lock = lock
        self._turn = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections and let another arena have the database. Once is enough, twice is fine."""
        self._closed = True
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees the records as they are at its first query, whatever is written meanwhile."""
        self._check_open()
        with store_errors(self.name), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block if nothing was raised."""
        self._check_open()
        if self._lock is None:
            raise StoreError(f"{self.name} was opened for reading only")
        # Threads take turns here: SQLite's own way to wait for a lock is to sleep and try again.
        with self._turn, store_errors(self.name), self._writing_engine.begin() as connection:
            yield connection

    def _check_open(self) -> None:
        # The engine would connect again, without the lock.
        if self._closed:
            raise StoreError(f"{self.name} has been closed")

    def commit(self, changes: Sequence[Change]) -> None:
        """Write all of `changes` in one transaction: blocks opened, then matches, then blocks closed."""
        matches = [rows_of(each) for each in changes if isinstance(each, FinishedMatch)]
        with self.writing() as connection:
            recording.open_blocks(connection, [each for each in changes if isinstance(each, NewBlock)])
            recording.save_matches(connection, matches)
            for each in changes:
                if isinstance(each, BlockClosed):
                    recording.close_block(connection, each)

    def save(self, matches: Sequence[FinishedMatch]) -> None:
        """Write all of `matches` in one transaction. Those that are on record already are passed over.

        Raises `RecordRefused` if one has an unknown block or bot, or the id of a match with another replay.
        """
        self.commit(matches)

    def open_block(self, block: NewBlock) -> None:
        """Record that `block` is going to be played."""
        self.commit([block])

    def close_block(self, block_id: str, state: BlockState) -> None:
        """Record that an open block is `done` or `voided`. That is final."""
        self.commit([BlockClosed(block_id, state)])

    def register_version(self, name: str, version: str, seen_ms: int | None = None) -> int:
        """The id of a bot version. If it is new it is recorded, as first seen at `seen_ms` (now)."""
        known = select(BOT_VERSION.c.id).where(BOT_VERSION.c.name == name, BOT_VERSION.c.version == version)
        with self.reading() as reading:
            found = reading.scalar(known)
        if found is not None:
            return int(found)
        first_seen = time.time_ns() // 1_000_000 if seen_ms is None else seen_ms
        new = insert(BOT_VERSION).values(name=name, version=version, first_seen_ms=first_seen)
        with self.writing() as connection:
            # Another thread may have been faster.
            if connection.scalar(known) is None:
                connection.execute(new)
            return int(connection.execute(known).scalar_one())

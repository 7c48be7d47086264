"""The arena's records: `open_store` opens a database, `Store` writes to it. `queries` reads it.

A commit that returned is on the disk. A commit that raised has written nothing or everything (a disk may fail after
writing); either way it may be repeated, see `recording`.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, func, insert, make_url, select, update
from sqlalchemy.exc import ArgumentError

from roost_server.store import recording, schema
from roost_server.store.backend import Backend, Lock
from roost_server.store.errors import RecordRefused, StoreError, store_errors
from roost_server.store.models import BOT_VERSION, BlockState
from roost_server.store.postgres import PostgresDatabase
from roost_server.store.records import BlockClosed, Change, FinishedMatch, NewBlock, rows_of
from roost_server.store.sqlite import SqliteFile

Reading = Connection
"""What `Store.reading` gives: a connection that sees one state of the records."""


def open_store(url: str, *, read_only: bool = False) -> "Store":
    """Open the database that `url` names, as `sqlite:///roost.db`. Raises `StoreError`, which says what to do.

    For an arena: a missing database is created, one of an older Roost is upgraded, and no other arena may have it open.
    With `read_only` nothing is changed, and an arena may be writing to it at the same time.
    """
    backend = backend_of(url)
    with store_errors(backend.name):
        return _open_for_reading(backend) if read_only else _open_for_writing(backend)


def backend_of(url: str) -> Backend:
    """The database that `url` names. Raises `StoreError`, which says how to write it."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        name = url if url and "://" not in url else "roost.db"
        raise StoreError(f"{url!r} is not a database URL; write sqlite:///{name}") from None
    kind = parsed.get_backend_name()
    if kind == "sqlite":
        return SqliteFile(parsed, url)
    if kind == "postgresql":
        return PostgresDatabase(parsed)
    raise StoreError(f"Roost keeps its records in SQLite or PostgreSQL, not {kind}; write sqlite:///roost.db")


def _open_for_reading(backend: Backend) -> "Store":
    schema.check_current(backend.schema(), backend)
    return Store(backend, backend.reading_engine())


def _open_for_writing(backend: Backend) -> "Store":
    # Checked before anything is touched: the file may belong to another program.
    schema.check_not_newer(backend.schema(), backend.name)
    lock = backend.lock()
    engine = backend.writing_engine()
    try:
        if schema.upgrade(backend, engine) == 0:
            backend.begin()
    except BaseException:
        engine.dispose()
        lock.release()
        raise
    return Store(backend, engine, lock)


class Store:
    """An open database, from `open_store`. Threads may share it. As a context manager it closes itself."""

    name: str
    """What messages call it: the file, or the URL without its password."""

    def __init__(self, backend: Backend, engine: Engine, lock: Lock | None = None) -> None:
        self.name = backend.name
        self.backend = backend
        self._engine = engine
        self._reading_engine = engine.execution_options(**backend.reading_options)
        self._writing_engine = engine.execution_options(**backend.writing_options)
        self._lock = lock
        self._turn = threading.Lock()
        self._closed = False

    @property
    def read_only(self) -> bool:
        """Whether it was opened for reading only."""
        return self._lock is None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections and release the database. It may be called more than once."""
        self._closed = True
        self._engine.dispose()
        if self._lock is not None:
            self._lock.release()

    def size(self) -> int:
        """How many bytes the database takes; 0 if that is not known."""
        return self.backend.size()

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """A connection that sees the records as of its first query, whatever is written meanwhile."""
        self._check_open()
        with store_errors(self.name), self._reading_engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed at the end of the block if nothing was raised."""
        self._check_open()
        if self.read_only:
            raise StoreError(f"{self.name} was opened for reading only")
        # Threads take turns here, because SQLite waits for a lock by sleeping and trying again.
        with self._turn, store_errors(self.name):
            with self._writing_engine.begin() as connection:
                yield connection
                reached = self.backend.reached(connection, blocks=False)
            self.backend.add_to_note(reached)

    def _check_open(self) -> None:
        # The engine would connect again, without the lock.
        if self._closed:
            raise StoreError(f"{self.name} has been closed")

    def commit(self, changes: Sequence[Change]) -> None:
        """Write all of `changes` in one transaction: blocks opened, then matches, then blocks closed."""
        self.write(
            recording.Group(
                opened=[each for each in changes if isinstance(each, NewBlock)],
                matches=[rows_of(each) for each in changes if isinstance(each, FinishedMatch)],
                closed=[each for each in changes if isinstance(each, BlockClosed)],
            )
        )

    def write(self, group: recording.Group) -> None:
        """Write all of `group` in one transaction. What is already on record is skipped if it is the same."""
        try:
            with self.writing() as connection:
                recording.write(connection, group)
        except RecordRefused:
            with self.writing() as connection:
                recording.write_rest(connection, group)

    def resume_blocks(self) -> None:
        """Record that an arena resumes every open block."""
        with self.writing() as connection:
            recording.resume_blocks(connection)

    def open_block(self, block: NewBlock) -> None:
        """Record that `block` is going to be played."""
        self.commit([block])

    def close_block(self, block_id: str, state: BlockState) -> None:
        """Record that an open block is `done` or `voided`. That is final."""
        self.commit([BlockClosed(block_id, state)])

    def register_version(
        self, name: str, version: str, seen_ms: int | None = None, *, bot_id: int | None = None
    ) -> int:
        """The id of a bot version, seen at `seen_ms` (now). A new one is recorded as a version of the bot `bot_id`."""
        seen = time.time_ns() // 1_000_000 if seen_ms is None else seen_ms
        known = (BOT_VERSION.c.name == name) & (BOT_VERSION.c.version == version)
        with self.writing() as connection:
            whose = func.coalesce(BOT_VERSION.c.bot_id, bot_id)
            again = update(BOT_VERSION).where(known).values(last_seen_ms=seen, bot_id=whose)
            if not connection.execute(again).rowcount:
                new = {"name": name, "version": version, "first_seen_ms": seen, "last_seen_ms": seen, "bot_id": bot_id}
                connection.execute(insert(BOT_VERSION).values(**new))
            return int(connection.execute(select(BOT_VERSION.c.id).where(known)).scalar_one())

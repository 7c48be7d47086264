"""All that is special about SQLite: the file, the settings of a connection, how a transaction begins.

Everything else in the store is portable SQL. The file is in WAL mode, so readers and the one writer do not wait for
each other; `synchronous` is FULL, so a commit that returned survives a power cut.
"""

from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from stat import S_ISDIR
from typing import cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry

from roost_server.store.errors import StoreError

BUSY_MS = 5_000
"""How long a statement waits for another program's lock."""

BEGIN_OPTION = "sqlite_begin"
WRITING = {BEGIN_OPTION: "BEGIN IMMEDIATE"}
"""Execution options for a transaction that writes: it takes the write lock first, so it cannot fail half-way for it."""


def path_of(url: str) -> Path:
    """The file that `url` names. Raises `StoreError`, which says how to write it."""
    parsed = _parsed(url)
    if parsed.get_backend_name() != "sqlite":
        raise StoreError(
            f"Roost keeps its records in SQLite, not {parsed.get_backend_name()}; write sqlite:///roost.db"
        )
    if not parsed.database or parsed.database == ":memory:":
        raise StoreError("the records need a file that outlives the arena; write sqlite:///roost.db")
    if "?" in url or parsed.host:
        raise StoreError(f"write the file alone, relative or absolute: sqlite:///{parsed.database}")
    return Path(parsed.database)


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        name = url if url and "://" not in url else "roost.db"
        raise StoreError(f"{url!r} is not a database URL; write sqlite:///{name}") from None


def holds_something(path: Path) -> bool:
    """Whether there is a file at `path` that is not empty. Raises `StoreError` if there can be none.

    It must not be opened here to look into it. To close it again would take away the locks that SQLite has on it, if
    this process has it open already: that is how the operating system defines these locks.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    if S_ISDIR(status.st_mode):
        raise StoreError(f"{path} is a folder; name a file in it: sqlite:///{path / 'roost.db'}")
    return status.st_size > 0


def writing_engine(path: Path) -> Engine:
    """Connections for the arena; the file is created if need be."""
    engine = _engine(path, "rwc")
    event.listen(engine, "connect", _set_up_writer)
    return engine


def reading_engine(path: Path) -> Engine:
    """Connections that cannot change anything."""
    return _engine(path, "ro")


def set_foreign_keys(connection: Connection, enforced: bool) -> None:
    """Switch the enforcement. SQLite does that between transactions only."""
    # Past SQLAlchemy, which would begin a transaction first.
    driver = cast(SqliteConnection, connection.connection.driver_connection)
    driver.execute(f"PRAGMA foreign_keys = {int(enforced)}")


def check_writable(connection: Connection) -> None:
    """Raise what a first write would raise: SQLite opens a file that it may only read without complaint."""
    connection.exec_driver_sql("PRAGMA user_version = 0")


def broken_references(connection: Connection) -> int:
    """How many rows refer to rows that are not there."""
    return len(connection.exec_driver_sql("PRAGMA foreign_key_check").all())


def _engine(path: Path, mode: str) -> Engine:
    url = URL.create("sqlite", database=path.absolute().as_uri(), query={"mode": mode, "uri": "true"})
    engine = create_engine(url)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: SqliteConnection, _: ConnectionPoolEntry) -> None:
    # Python's driver would begin transactions for some statements and not for others (DDL). `_begin` does it for all.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA foreign_keys = 1")


def _set_up_writer(connection: SqliteConnection, _: ConnectionPoolEntry) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError("the database's folder does not support WAL (a network drive?); put it on a local disk")
    connection.execute("PRAGMA synchronous = FULL")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(BEGIN_OPTION, "BEGIN"))

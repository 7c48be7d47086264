"""Everything specific to SQLite: the file, its lock, connections, transactions.

The file is in WAL mode, so readers and the one writer do not wait for each other; `synchronous` is FULL, so a commit
that returned survives a power cut. Only its owner can read a new file: it holds the master seeds of competitions.
"""

import fcntl
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection as SqliteConnection
from stat import S_ISDIR
from typing import cast

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DisconnectionError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from roost_server.store import schema
from roost_server.store.backend import Noted, Reached
from roost_server.store.errors import StoreError

BUSY_MS = 5_000
"""How long a statement waits for another program's lock."""
SYNCHRONOUS = "FULL"
"""A commit waits until it is on the disk."""
PAGES_AT_ONCE = 2_000
"""How many pages are copied before the writer gets its turn."""
OWNER_ONLY = 0o600
OTHERS = 0o044
"""The permission of others to read a file: its group, and everybody."""
FILE = "file"
"""Under this name a reading connection keeps in its `info` which file it has open."""
BEGIN_OPTION = "sqlite_begin"
WRITING = {BEGIN_OPTION: "BEGIN IMMEDIATE"}
"""Execution options for a transaction that writes: it takes the write lock first, and cannot fail for it later."""


REACHED = "SELECT coalesce((SELECT max(number) FROM match), 0), coalesce((SELECT max(id) FROM audit), 0)"
BLOCKS = "SELECT count(*) FROM block"


class ArenaLock:
    """One arena per database: held from construction to `release`, or until the process ends, however it ends.

    Raises `StoreError` if another arena has it. The lock is on a file beside the database, because SQLite has locks of
    its own on the database file. The lock file is never deleted, or two arenas could lock two files of one name. It
    holds the process number of the last holder, for the message.
    """

    def __init__(self, database: Path) -> None:
        self._path = database.resolve().with_name(database.resolve().name + "-lock")
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"{self._path} cannot be written: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, 20).decode(errors="replace").strip()
            os.close(self._file)
            who = f"another arena (process {holder or 'unknown'})"
            raise StoreError(f"{database} is in use by {who}; stop that one or give another file") from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Release the lock. It may be called more than once."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class SqliteFile:
    """A database in a file. Raises `StoreError`, which says how to write the URL, if it names no file."""

    reading_options: Mapping[str, object] = {}
    writing_options: Mapping[str, object] = WRITING

    def __init__(self, url: URL, text: str) -> None:
        if not url.database or url.database == ":memory:":
            raise StoreError("the records need a file; write sqlite:///roost.db")
        if "?" in text or url.host:
            raise StoreError(f"write the file alone, relative or absolute: sqlite:///{url.database}")
        self.path = Path(url.database)
        self.name = str(self.path)
        self.url = f"sqlite:///{self.path}"
        self._noting = threading.Lock()
        self._last = Reached()

    def full_url(self) -> str:
        """The file, wherever the other process runs."""
        return f"sqlite:///{self.path.absolute()}"

    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    def schema(self) -> int:
        """The number of the schema; 0 if there is nothing yet."""
        if not holds_something(self.path):
            return 0
        try:
            return schema.schema_behind(self.reading_engine(), self.name)
        except OperationalError as error:
            if "readonly" not in str(error.orig):
                raise
            # An arena was killed while it made the file: SQLite has to undo a half-done change first, so it must write.
            return schema.schema_behind(_engine(self.path, "rw"), self.name)

    def size(self) -> int:
        """How many bytes the file takes, with its write-ahead log."""
        parts = (self.path, self.path.with_name(self.path.name + "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def exposed(self) -> bool:
        """Whether other users of this machine can read the file, as they can if an older Roost created it."""
        return bool(self.path.stat().st_mode & OTHERS)

    def lock(self) -> ArenaLock:
        """Keep other arenas out. Raises `StoreError` if one has it open."""
        if not self.path.parent.is_dir():
            raise StoreError(f"there is no folder {self.path.parent} for {self.path.name}; create it first")
        return ArenaLock(self.path)

    def writing_engine(self) -> Engine:
        """Connections for the arena. The file is created if it does not exist."""
        # If that fails, SQLite fails too, and says why.
        with suppress(OSError):
            create_private(self.path)
        engine = _engine(self.path, "rwc")
        event.listen(engine, "connect", _set_up_writer)
        return engine

    def reading_engine(self) -> Engine:
        """Connections that cannot change anything. They notice that theirs is no longer in its place."""
        engine = _engine(self.path, "ro")
        event.listen(engine, "connect", lambda _, record: record.info.update({FILE: _identity(self.path)}))
        event.listen(engine, "checkout", lambda _, record, __: self._check_place(record))
        return engine

    def _check_place(self, record: ConnectionPoolEntry) -> None:
        """A file that was moved stays open, and would be read as if nothing had happened."""
        if record.info[FILE] != _identity(self.path):
            raise DisconnectionError  # the pool connects again, which fails while there is no file

    def check_writable(self, connection: Connection) -> None:
        """Raise what a first write would raise: SQLite opens a read-only file without an error."""
        connection.exec_driver_sql("PRAGMA user_version = 0")

    def new_mark(self, connection: Connection) -> str:
        """A random word."""
        return secrets.token_hex(16)

    def noted(self, connection: Connection) -> Noted | None:
        """What the file beside the database says. One that cannot be understood says nothing that fits."""
        try:
            first, *added = self._note_path.read_text(errors="replace").splitlines()
            mark, *numbers = first.split()
            return Noted(mark, _furthest(Reached(*map(int, numbers)), added))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError):
            return Noted("", Reached())

    def note(self, noted: Noted) -> None:
        """Write the file beside the database again. It is complete at any moment, and on the disk afterwards."""
        partial = self._note_path.with_name(self._note_path.name + ".part")
        try:
            with partial.open("w") as file:
                file.write(f"{noted.mark} {_line(noted.reached)}")
                file.flush()
                os.fsync(file.fileno())
            with self._noting:
                partial.replace(self._note_path)
            self.add_to_note(self._last)
        except OSError as error:
            raise StoreError(f"{self._note_path} cannot be written: {error.strerror}") from None

    def reached(self, connection: Connection, *, blocks: bool) -> Reached:
        """The largest numbers in the tables."""
        matches, acts = connection.exec_driver_sql(REACHED).one()
        return Reached(matches, acts, connection.exec_driver_sql(BLOCKS).scalar_one() if blocks else 0)

    def add_to_note(self, reached: Reached) -> None:
        """Append a line to the file. It is written again every few seconds, and so stays small."""
        # A line that cannot be written is in the next ones, and the keeper of the records says why it cannot.
        with self._noting, suppress(OSError):
            self._last = reached
            note = os.open(self._note_path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                os.write(note, _line(reached).encode())
            finally:
                os.close(note)

    def begin(self) -> None:
        """Remove the file beside the database, and bring the tables into the file: without its log it is not empty."""
        self._note_path.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.path)) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def _note_path(self) -> Path:
        return self.path.with_name(self.path.name + "-epoch")

    def folder(self) -> Path:
        """The folder of the file."""
        return self.path.absolute().parent

    def shrink(self) -> None:
        """Write the file again without the space of what was removed."""
        with closing(sqlite3.connect(self.path, isolation_level=None)) as database:
            database.execute("VACUUM")

    def keep_copy(self, schema: int) -> None:
        """Copy the file before it is upgraded from `schema`. A copy from an upgrade that failed is replaced."""
        copy = self.path.with_name(f"{self.path.name}.schema{schema}")
        try:
            copy_database(self.path, copy)
        except OSError as error:
            raise StoreError(f"{copy} cannot be written: {error.strerror}; an upgrade needs a copy first") from None
        except sqlite3.Error as error:
            raise StoreError(f"{self.name} cannot be copied before its upgrade: {error}") from None

    @contextmanager
    def migrating(self, connection: Connection) -> Iterator[None]:
        """A transaction in which tables are altered.

        References are checked once, at the end: a migration that rebuilds a table would break them for a moment.
        """
        _set_foreign_keys(connection, enforced=False)
        try:
            with connection.begin():
                yield
                if broken := len(connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
                    raise StoreError(
                        f"{self.name} cannot be upgraded: {broken} rows refer to missing ones; restore a copy"
                    )
        finally:
            _set_foreign_keys(connection, enforced=True)


def _line(reached: Reached) -> str:
    return f"{reached.matches} {reached.acts} {reached.blocks}\n"


def _furthest(reached: Reached, added: Iterable[str]) -> Reached:
    """How far the records went by a note. A power cut may leave something else at its end than was added."""
    with suppress(ValueError, TypeError):
        for line in added:
            reached = reached.furthest(Reached._make(map(int, line.split())))
    return reached


def _identity(path: Path) -> tuple[int, int] | None:
    """What tells the file at `path` from any other; `None` if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def holds_something(path: Path) -> bool:
    """Whether there is a file at `path` that is not empty. Raises `StoreError` if there can be none.

    The file must not be opened to look into it: closing it would release the locks that SQLite holds on it if this
    process has it open. That is how the operating system defines these locks.
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


def create_private(path: Path) -> None:
    """An empty file that only its owner can read. SQLite gives its other files the same permissions.

    Raises `OSError` if the file exists or cannot be created.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def copy_database(source: Path, target: Path) -> None:
    """Write a private copy of one state of a database, even while an arena writes to it."""
    target.unlink(missing_ok=True)
    create_private(target)
    with closing(open_to_read(source)) as from_there, closing(sqlite3.connect(target)) as to_here:
        # Without a transaction, the copy would begin again whenever the arena writes something, and so might never end.
        from_there.execute("BEGIN")
        from_there.execute("SELECT count(*) FROM sqlite_master").fetchone()
        from_there.backup(to_here, pages=PAGES_AT_ONCE)
        to_here.execute("PRAGMA journal_mode = DELETE")


def amend(path: Path, change: Callable[[Connection], None]) -> None:
    """Change something in a file that nobody else has open, in one transaction."""
    engine = _engine(path, "rw")
    try:
        with engine.begin() as connection:
            change(connection)
    finally:
        engine.dispose()


def open_to_read(path: Path) -> SqliteConnection:
    """A plain connection that changes nothing."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _set_foreign_keys(connection: Connection, enforced: bool) -> None:
    """Switch the enforcement on or off. SQLite does that only between transactions."""
    # Not through SQLAlchemy, which would begin a transaction first.
    driver = cast(SqliteConnection, connection.connection.driver_connection)
    driver.execute(f"PRAGMA foreign_keys = {int(enforced)}")


def _engine(path: Path, mode: str) -> Engine:
    url = URL.create("sqlite", database=path.absolute().as_uri(), query={"mode": mode, "uri": "true"})
    engine = create_engine(url, paramstyle="named")  # as `recording` has its rows
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _set_up(connection: SqliteConnection, _: ConnectionPoolEntry) -> None:
    # Python's driver would begin transactions for some statements and not for others (DDL). `_begin` does it for all.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    connection.execute("PRAGMA foreign_keys = 1")


def _set_up_writer(connection: SqliteConnection, _: ConnectionPoolEntry) -> None:
    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreError("the database's folder does not support WAL (a network drive?); put it on a local disk")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(BEGIN_OPTION, "BEGIN"))

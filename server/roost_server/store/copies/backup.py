"""Backups of a SQLite database, made while an arena writes to it, and their restoration.

PostgreSQL has its own tools: `pg_dump` and `pg_restore`.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from roost_server.store import schema
from roost_server.store.backend import Backend, Noted, Reached
from roost_server.store.copies.epochs import RESTORED, unmark
from roost_server.store.errors import StoreError
from roost_server.store.sqlite import SqliteFile, amend, copy_database, holds_something, open_to_read

PARTIAL = ".part"
"""Ends the name of a copy that is not complete."""


def back_up(backend: Backend, target: Path) -> int:
    """Write a copy of the database as it is now into a new file. Returns its size in bytes. Raises `StoreError`."""
    source = sqlite_file(backend, "pg_dump")
    if target.exists():
        raise StoreError(f"{target} already exists; name another file")
    partial = target.with_name(target.name + PARTIAL)
    try:
        copy_database(source.path, partial)
        amend(partial, unmark)
        partial.rename(target)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise StoreError(f"{target} cannot be written: {_reason(error)}") from error
    return target.stat().st_size


def restore(copy: Path, backend: Backend, note: Callable[[Connection], None]) -> Path | None:
    """Replace the database with a copy. Returns where the previous database was moved to, if there was one.

    An arena that opens it begins another epoch. `note` writes into the copy that it was restored. Raises `StoreError`
    if the copy is not a database or is damaged, or if an arena has the database open.
    """
    target = sqlite_file(backend, "pg_restore").path
    check_copy(copy)
    if target.exists() and copy.samefile(target):
        raise StoreError(f"{copy} is the database itself; name a copy that `roost admin backup` made")
    lock = backend.lock()
    try:
        partial = target.with_name(target.name + PARTIAL)
        copy_database(copy, partial)
        amend(partial, note)
        amend(partial, unmark)
        backend.note(Noted(RESTORED, Reached()))
        former = _move_away(target)
        partial.rename(target)
    except (sqlite3.Error, SQLAlchemyError, OSError) as error:
        raise StoreError(f"{target} cannot be written: {_reason(error)}") from error
    finally:
        lock.release()
    return former


def check_copy(copy: Path) -> None:
    """Raise `StoreError` unless the file is an intact database of Roost."""
    if not holds_something(copy):
        raise StoreError(f"{copy} is missing or empty; name a copy that `roost admin backup` made")
    try:
        with closing(open_to_read(copy)) as database:
            (said,) = database.execute("PRAGMA integrity_check").fetchone()
            tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error as error:
        raise StoreError(f"{copy} cannot be read as a database: {error}") from None
    if said != "ok":
        raise StoreError(f"{copy} is damaged: {said}")
    if schema.VERSION_TABLE not in tables:
        raise StoreError(f"{copy} belongs to another program; give a copy that `roost admin backup` made")


def _reason(error: Exception) -> str:
    """What went wrong, without the number and the partial file that an `OSError` names."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _move_away(path: Path) -> Path | None:
    """Move a database out of the way, with SQLite's other files."""
    if not path.exists():
        return None
    number = 1
    while (former := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(former.with_name(former.name + suffix))
    return former


def sqlite_file(backend: Backend, instead: str) -> SqliteFile:
    """The file behind a SQLite database. Raises `StoreError`, which names the tool to use `instead`, for others."""
    if not isinstance(backend, SqliteFile):
        raise StoreError(f"this is for SQLite files; for PostgreSQL use {instead}")
    return backend

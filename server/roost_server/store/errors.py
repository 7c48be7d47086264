"""Errors of the store, and the one place that translates the database's own errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from roost_games.errors import RoostError


class StoreError(RoostError):
    """The database cannot be opened, read or written. The message says what the host can do."""


class RecordRefused(StoreError):
    """A change contradicts the records: it names an unknown block, or an id that is already in use."""


ADVICE = {
    "database is locked": "another program is writing to it; close that program",
    "database or disk is full": "the disk is full; free some space",
    "disk I/O error": "the disk has read or write errors; check it and its free space",
    "attempt to write a readonly database": "SQLite needs to write even when it only reads; check the permissions",
    "unable to open database file": "it cannot be opened; check that it is there, and its permissions",
    "file is not a database": "it is not a database; give another file",
    "database disk image is malformed": "it is damaged; restore a copy",
}
"""SQLite's messages, and what a host can do."""


@contextmanager
def store_errors(name: str) -> Iterator[None]:
    """Turn errors of the database called `name` into `StoreError`."""
    try:
        yield
    except IntegrityError as error:
        raise RecordRefused(f"{name}: this contradicts what is recorded: {_first_line(error.orig)}") from error
    except DBAPIError as error:
        said = _first_line(error.orig)
        raise StoreError(f"{name}: {ADVICE.get(said, said)}") from error
    except SQLAlchemyError as error:
        raise StoreError(f"{name}: {_first_line(error)}") from error


def _first_line(error: BaseException | None) -> str:
    return next(iter(str(error).splitlines()), "")

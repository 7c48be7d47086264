"""What can go wrong with the store, by who has to act on it, and the one place that words the database's own errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from roost_games.errors import RoostError


class StoreError(RoostError):
    """The host has to act: the database cannot be opened, read or written. The message says what would help."""


class RecordRefused(StoreError):
    """What was to be recorded contradicts the record: an unknown block, or an id that means something else already."""


ADVICE = {
    "database is locked": "another program is writing to it; close that program",
    "database or disk is full": "the disk is full; free some space",
    "disk I/O error": "the disk does not read or write as it should; check it and its free space",
    "attempt to write a readonly database": "SQLite may not write, as it must even to read; check the permissions",
    "unable to open database file": "it cannot be opened; check the permissions of the file and its folder",
    "file is not a database": "it is not a database; give another file",
    "database disk image is malformed": "it is damaged; restore a copy",
}
"""What SQLite says, and what a host can do about it."""


@contextmanager
def store_errors(name: str) -> Iterator[None]:
    """Turn what the database says into `StoreError`, about the database called `name`."""
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

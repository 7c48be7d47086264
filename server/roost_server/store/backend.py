"""What the store needs from a kind of database. Everything else is portable SQL."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, Engine


class Reached(NamedTuple):
    """How far the records go. None of it ever becomes less, unless something is lost."""

    matches: int = 0
    acts: int = 0
    """In the audit log."""
    blocks: int = 0

    def furthest(self, other: "Reached") -> "Reached":
        """The larger number of each."""
        return Reached(*map(max, self, other))


class Noted(NamedTuple):
    """What is known about a database besides its tables. It tells whether they are a copy from earlier."""

    mark: str
    """The mark that the present epoch has in the tables."""
    reached: Reached
    """At least this much is on record."""


class Lock(Protocol):
    """Keeps other arenas from opening a database until it is released or its process ends."""

    def release(self) -> None:
        """Release the lock. It may be called more than once."""


class Backend(Protocol):
    """A database that a URL names, before it is opened."""

    name: str
    """What messages call it. Without a password."""
    url: str
    """How a host would write it. Without a password."""
    reading_options: Mapping[str, object]
    """Execution options for a connection that sees one state of the records."""
    writing_options: Mapping[str, object]
    """Execution options for a transaction that writes."""

    def full_url(self) -> str:
        """What another process of the same user opens it with, with a password if there is one."""

    def exists(self) -> bool:
        """Whether there is a database to read."""

    def schema(self) -> int:
        """The number of the schema; 0 if there is nothing yet. Changes nothing."""

    def size(self) -> int:
        """How many bytes it takes; 0 if that is not known without asking a server."""

    def exposed(self) -> bool:
        """Whether other users of this machine can read it directly."""

    def lock(self) -> Lock:
        """Keep other arenas out. Raises `StoreError` if one has it open."""

    def writing_engine(self) -> Engine:
        """Connections for the arena."""

    def reading_engine(self) -> Engine:
        """Connections that cannot change anything. Each sees one state of the records."""

    def check_writable(self, connection: Connection) -> None:
        """Raise what a first write would raise, unless that has been raised earlier."""

    def new_mark(self, connection: Connection) -> str:
        """A mark for records that go on here from now on."""

    def noted(self, connection: Connection) -> "Noted | None":
        """What was noted last outside the tables; `None` if nothing was."""

    def note(self, noted: "Noted") -> None:
        """Note something outside the tables, where a copy put in their place does not change it."""

    def reached(self, connection: Connection, *, blocks: bool) -> Reached:
        """How far the records go, after what this transaction has written; zeros if a server looks after that.

        To count the `blocks` takes a while.
        """

    def add_to_note(self, reached: Reached) -> None:
        """Add to the note, if there is one, what was just committed. It need not survive a power cut."""

    def begin(self) -> None:
        """The database is a new one: drop the note."""

    def folder(self) -> Path:
        """Where files that belong to it are looked for."""

    def shrink(self) -> None:
        """Give back the space of what was removed, if that is Roost's job."""

    def keep_copy(self, schema: int) -> None:
        """Copy the database before it is upgraded from `schema`, if that is Roost's job."""

    def migrating(self, connection: Connection) -> AbstractContextManager[None]:
        """A transaction in which tables are altered."""

"""What the store needs of a database. Everything else in it is portable SQL."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection, Engine


class Lock(Protocol):
    """Keeps other arenas away from a database, until it is released or its holder dies."""

    def release(self) -> None:
        """Give the lock up. Once is enough, twice is fine."""


class Backend(Protocol):
    """A database that a URL names, before it is opened."""

    name: str
    """What messages call it. Without a password."""
    url: str
    """How a host writes it. Without a password."""
    reading_options: Mapping[str, object]
    """Execution options for a connection that sees one state of the records."""
    writing_options: Mapping[str, object]
    """Execution options for a transaction that writes."""

    def exists(self) -> bool:
        """Whether there is anything that could be opened for reading."""

    def schema(self) -> int:
        """The number of the schema; 0 if there is nothing yet. Changes nothing."""

    def size(self) -> int:
        """How many bytes it takes; 0 if that is not known without asking a server."""

    def exposed(self) -> bool:
        """Whether others on this machine can read it past us."""

    def lock(self) -> Lock:
        """Keep other arenas away. Raises `StoreError` if one is there already."""

    def writing_engine(self) -> Engine:
        """Connections for the arena."""

    def reading_engine(self) -> Engine:
        """Connections that cannot change anything, each of which sees one state of the records."""

    def check_writable(self, connection: Connection) -> None:
        """Raise what a first write would raise, if it is not raised earlier."""

    def keep_copy(self, schema: int) -> None:
        """Keep the database as it is before it is upgraded from `schema`, where that is for us to do."""

    def migrating(self, connection: Connection) -> AbstractContextManager[None]:
        """A transaction in which tables are altered."""

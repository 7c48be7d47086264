"""Everything specific to PostgreSQL: connections, and a lock in the database itself.

The database must exist; the arena creates its tables. Commits wait for the disk, which is PostgreSQL's default
(`synchronous_commit`).
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from roost_server.store import schema
from roost_server.store.backend import Noted, Reached
from roost_server.store.errors import StoreError, store_errors

DRIVER = "postgresql+psycopg"
LOCK = int.from_bytes(b"roost")
"""The number of the advisory lock that an arena holds while it runs."""
CONNECT_SECONDS = 5
IDENTITY = text("""
    SELECT oid::text || '/' || ('match'::regclass)::oid::text FROM pg_database WHERE datname = current_database()
""")
ONE_STATE = {"isolation_level": "REPEATABLE READ"}
"""By default each query would see what was written before it."""


class PostgresDatabase:
    """A database of a PostgreSQL server. Raises `StoreError` if the driver is not installed."""

    reading_options: Mapping[str, object] = ONE_STATE
    writing_options: Mapping[str, object] = {}

    def __init__(self, url: URL) -> None:
        self._url = url.set(drivername=DRIVER)
        self.url = self.name = self._url.render_as_string(hide_password=True)
        try:
            import psycopg  # noqa: F401  only to see that it is installed
        except ImportError:
            raise StoreError(
                "PostgreSQL needs a driver; install it: pip install '.[postgresql]' in a checkout of Roost"
            ) from None

    def full_url(self) -> str:
        """With the password."""
        return self._url.render_as_string(hide_password=False)

    def exists(self) -> bool:
        """Always true: the server reports a missing database when it is connected to."""
        return True

    def schema(self) -> int:
        """The number of the schema; 0 if there is nothing yet."""
        return schema.schema_behind(self.reading_engine(), self.name)

    def size(self) -> int:
        """Unknown here; PostgreSQL's own monitoring reports it."""
        return 0

    def exposed(self) -> bool:
        """The server decides who can read it."""
        return False

    def lock(self) -> "AdvisoryLock":
        """Keep other arenas out. Raises `StoreError` if one has it open."""
        return AdvisoryLock(self._engine(poolclass=NullPool), self.name)

    def writing_engine(self) -> Engine:
        """Connections for the arena."""
        return self._engine()

    def reading_engine(self) -> Engine:
        """Connections that cannot change anything. Each sees one state of the records."""
        engine = self._engine(**ONE_STATE)
        event.listen(engine, "connect", _read_only)
        return engine

    def check_writable(self, connection: Connection) -> None:
        """Nothing to do: PostgreSQL raises it earlier."""

    def new_mark(self, connection: Connection) -> str:
        """The numbers that the server has given to the database and to a table. `pg_restore` makes other ones."""
        return str(connection.scalar(IDENTITY))

    def noted(self, connection: Connection) -> Noted | None:
        """What the server says, unless the tables are of an older Roost and say nothing about it."""
        marked = connection.scalar(text("SELECT count(*) FROM epoch"))
        return Noted(self.new_mark(connection), Reached()) if marked else None

    def note(self, noted: Noted) -> None:
        """Nothing to do: the server notes it."""

    def reached(self, connection: Connection, *, blocks: bool) -> Reached:
        """The server itself notices a log that is missing or damaged, and does not start."""
        return Reached()

    def add_to_note(self, reached: Reached) -> None:
        """Nothing to do."""

    def begin(self) -> None:
        """Nothing to do: a new table has another number."""

    def folder(self) -> Path:
        """The root: the database is in no folder."""
        return Path("/")

    def shrink(self) -> None:
        """Nothing to do: PostgreSQL does that by itself."""

    def keep_copy(self, schema: int) -> None:
        """Nothing to do: PostgreSQL has its own tools (docs/formats/database.md)."""

    @contextmanager
    def migrating(self, connection: Connection) -> Iterator[None]:
        """A transaction in which tables are altered."""
        with connection.begin():
            yield

    def _engine(self, **settings: object) -> Engine:
        return create_engine(
            self._url, connect_args={"connect_timeout": CONNECT_SECONDS}, pool_pre_ping=True, **settings
        )


def _read_only(connection: object, _: ConnectionPoolEntry) -> None:
    connection.read_only = True  # type: ignore[attr-defined]  # psycopg's connection


class AdvisoryLock:
    """A lock of the PostgreSQL server, held by a connection: it is released when the process ends, however it ends."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        with store_errors(name):
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            held = self._connection.scalar(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": LOCK})
        if not held:
            self.release()
            raise StoreError(f"{name} is in use by another arena; stop that one or give another database")

    def release(self) -> None:
        """Release the lock. It may be called more than once."""
        if not self._connection.closed:
            # The server would do it too, but some time after the connection is closed.
            with suppress(SQLAlchemyError):
                self._connection.execute(text("SELECT pg_advisory_unlock_all()"))
            self._connection.close()
        self._engine.dispose()

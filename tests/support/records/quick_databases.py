"""Databases in SQLite without what takes long and matters to few tests: their history, and waiting for the disk.

The migrations make the first database of a run, and its declaration the others: every test with an arena has a database
of its own, and the migrations would take a third of its time. Commits do not wait for the disk: no test cuts the power.
"""

from collections.abc import Iterator
from functools import cache

import pytest
from sqlalchemy import Connection, create_engine, inspect
from sqlalchemy.pool import StaticPool

from roost_server.store import schema, sqlite

MIGRATE, SYNCHRONOUS = schema.migrate, sqlite.SYNCHRONOUS
"""What the product does."""


@pytest.fixture(scope="session", autouse=True)
def quick_databases() -> Iterator[None]:
    """Databases in SQLite are so for this process. Those that exist are still migrated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "migrate", declare)
        patch.setattr(sqlite, "SYNCHRONOUS", "OFF")
        yield


@pytest.fixture
def usual_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are as they are outside of tests."""
    monkeypatch.setattr(schema, "migrate", MIGRATE)
    monkeypatch.setattr(sqlite, "SYNCHRONOUS", SYNCHRONOUS)


def declare(connection: Connection, revision: str = "head") -> None:
    """Like `migrate`. An empty database in SQLite gets everything at once."""
    if connection.dialect.name != "sqlite" or inspect(connection).get_table_names():
        MIGRATE(connection, revision)
        return
    for statement in declaration(schema.MIGRATIONS):
        connection.exec_driver_sql(statement)


@cache
def declaration(migrations: str) -> list[str]:
    """The statements that lead to what `migrations` make, rows included."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.begin() as connection:
        MIGRATE(connection)
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        begin, *statements, commit = driver.iterdump()
    engine.dispose()
    assert (begin, commit) == ("BEGIN TRANSACTION;", "COMMIT;")
    return list(statements)

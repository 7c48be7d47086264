"""Databases for the tests of the store: each of them runs with SQLite and with PostgreSQL."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from roost_server.store import Store, open_store
from tests.support.arenas import postgres_server
from tests.support.records.quick_databases import quick_databases, usual_databases

__all__ = ["quick_databases", "usual_databases"]

NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    if not postgres_server.available():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with postgres_server.server() as url:
        yield url


@pytest.fixture(scope="session")
def migrated(postgresql: str) -> str:
    """The name of a PostgreSQL database with the tables of a store. To copy it is quicker than to make them."""
    url = create_database(postgresql)
    open_store(url).close()
    return str(make_url(url).database)


def create_database(server: str, template: str = "template1") -> str:
    """The URL of a new PostgreSQL database."""
    name = f"roost{next(NUMBERS)}"
    engine = create_engine(server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    engine.dispose()
    return make_url(server).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """The URL of an empty PostgreSQL database."""
    return create_database(postgresql)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without records, of one kind and of the other."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/roost.db"
    return create_database(request.getfixturevalue("postgresql"), request.getfixturevalue("migrated"))


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """Such a database, open."""
    with open_store(database_url) as opened:
        yield opened

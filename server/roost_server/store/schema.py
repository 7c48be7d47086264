"""The schema number of a database, and the upgrade to the current one.

Alembic runs the migrations in `migrations/`. Their revisions are the schema numbers, written with four digits;
the database keeps its own in the table `roost_schema`. Readers only compare numbers, so they need no Alembic.
"""

import re

from sqlalchemy import Connection, Engine, String, column, inspect, select, table

from roost_server.store import models
from roost_server.store.backend import Backend
from roost_server.store.errors import StoreError

VERSION_TABLE = "roost_schema"
MIGRATIONS = "roost_server.store:migrations"
NUMBER_FORM = re.compile(r"(?!0000)[0-9]{4}")


def schema_of(connection: Connection, name: str) -> int:
    """The schema number of the database; 0 if it is empty. Raises `StoreError` if it is not a database of Roost."""
    tables = inspect(connection).get_table_names()
    if not tables:
        return 0
    if VERSION_TABLE not in tables:
        raise StoreError(f"{name} belongs to another program; give another file")
    found = connection.scalars(select(column("version_num", String)).select_from(table(VERSION_TABLE))).all()
    if len(found) != 1 or not NUMBER_FORM.fullmatch(str(found[0])):
        raise StoreError(
            f"{name} is damaged, or not a database of Roost: {VERSION_TABLE} holds no schema number; restore a copy"
        )
    return int(found[0])


def schema_behind(engine: Engine, name: str) -> int:
    """The schema number of the database that `engine` connects to, which is then disposed of."""
    try:
        with engine.connect() as connection:
            return schema_of(connection, name)
    finally:
        engine.dispose()


def check_not_newer(schema: int, name: str) -> None:
    """Raise `StoreError` if the database was written by a newer Roost."""
    if schema > models.SCHEMA:
        raise StoreError(f"{name} was written by a newer Roost (schema {schema}); upgrade roost")


def check_current(schema: int, backend: Backend) -> None:
    """Raise `StoreError` unless the database can be read as it is: reading never changes a database."""
    name = backend.name
    check_not_newer(schema, name)
    if not backend.exists():
        raise StoreError(f"there is no file {name}; name the database of an arena")
    if schema == 0:
        raise StoreError(f"{name} holds no matches yet; start an arena with it: roost serve --db {backend.url}")
    if schema < models.SCHEMA:
        raise StoreError(
            f"{name} was written by an older Roost (schema {schema}); upgrade it: roost serve --db {backend.url}"
        )


def upgrade(backend: Backend, engine: Engine) -> int:
    """Bring the database to the current schema in one transaction, so that it is upgraded completely or not at all.

    Returns the schema that it had before, which is 0 for a new one.
    """
    with engine.connect().execution_options(**backend.writing_options) as connection:
        schema = schema_of(connection, backend.name)
        backend.check_writable(connection)
        connection.rollback()
        check_not_newer(schema, backend.name)
        if schema < models.SCHEMA:
            if schema:
                backend.keep_copy(schema)
            with backend.migrating(connection):
                migrate(connection)
        return schema


def migrate(connection: Connection, revision: str = "head") -> None:
    """Run the migrations up to `revision` in the transaction of `connection`."""
    # Imported here because it takes 0.1 s, and readers and current databases do not need it.
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", MIGRATIONS)
    config.set_main_option("path_separator", "os")
    command.upgrade(config, revision)

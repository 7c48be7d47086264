"""Alembic runs this to apply migrations, on the connection that it is handed."""

from alembic import context

from roost_server.store.models import BaseRow
from roost_server.store.schema import VERSION_TABLE

# SQLite cannot alter much of a table: in batch mode Alembic builds a new table and copies the rows.
context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=BaseRow.metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
context.run_migrations()

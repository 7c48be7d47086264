"""Schema 8: epochs, so that restored records never deal the same cards again."""

from typing import Literal

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column and the table. Everything until now is of the first epoch."""
    # SQLite's own way to add a column would write it differently from the declaration.
    recreate: Literal["always", "never"] = "always" if op.get_bind().dialect.name == "sqlite" else "never"
    with op.batch_alter_table("block", recreate=recreate, table_kwargs={"sqlite_with_rowid": False}) as block:
        block.add_column(sa.Column("epoch", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "epoch",
        sa.Column("began_ms", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("mark", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("began_ms", name=op.f("pk_epoch")),
    )

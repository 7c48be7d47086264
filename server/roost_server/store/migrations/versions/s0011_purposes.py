"""Schema 11: blocks that are played for another purpose than ratings."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column. Until now everything was played for ratings."""
    with op.batch_alter_table("block", table_kwargs={"sqlite_with_rowid": False}) as block:
        block.add_column(sa.Column("purpose", sa.String(), nullable=False, server_default="rated"))
        block.create_check_constraint(op.f("ck_block_purpose"), "purpose IN ('rated', 'qualification', 'challenge')")
    unrated = sa.text("purpose <> 'rated'")
    op.create_index("ix_block_unrated", "block", ["purpose"], sqlite_where=unrated, postgresql_where=unrated)

"""Schema 12: from where owners' bots connect, as marks that nobody can read after the day."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "address_key",
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_address_key")),
    )
    op.create_table(
        "address_mark",
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("mark", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_address_mark_owner_id")),
        sa.PrimaryKeyConstraint("day", "mark", "owner_id", name=op.f("pk_address_mark")),
        sqlite_with_rowid=False,
    )

"""Schema 7: which bots were being asked when a match was voided."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Create the table. Nobody knows it of the matches that were voided before."""
    op.create_table(
        "void_seat",
        sa.Column("match_number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_number"], ["match.number"], name=op.f("fk_void_seat_match_number")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"], name=op.f("fk_void_seat_version_id")),
        sa.PrimaryKeyConstraint("match_number", "seat", name=op.f("pk_void_seat")),
        sqlite_with_rowid=False,
    )

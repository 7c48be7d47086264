"""Schema 9: replays that were moved into compressed files."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "archive",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("made_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name=op.f("fk_archive_competition_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_archive")),
        sa.UniqueConstraint("competition_id", "phase", name=op.f("uq_archive_competition_id_phase")),
    )
    op.create_table(
        "archive_part",
        sa.Column("archive_id", sa.Integer(), nullable=False),
        sa.Column("first_number", sa.Integer(), nullable=False),
        sa.Column("last_number", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["archive_id"], ["archive.id"], name=op.f("fk_archive_part_archive_id")),
        sa.PrimaryKeyConstraint("archive_id", "first_number", name=op.f("pk_archive_part")),
        sqlite_with_rowid=False,
    )

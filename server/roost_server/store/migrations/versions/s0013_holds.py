"""Schema 13: results that are held back, their releases, and the seals on them."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the tables. Until now nothing was held back."""
    of_competition = ["competition_id"], ["competition.id"]
    op.create_table(
        "hold",
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(*of_competition, name=op.f("fk_hold_competition_id")),
        sa.PrimaryKeyConstraint("competition_id", "phase", name=op.f("pk_hold")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "result_release",
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("before_serial", sa.Integer(), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(*of_competition, name=op.f("fk_result_release_competition_id")),
        sa.PrimaryKeyConstraint("competition_id", "number", name=op.f("pk_result_release")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seal",
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(*of_competition, name=op.f("fk_seal_competition_id")),
        sa.PrimaryKeyConstraint("competition_id", "phase", "number", name=op.f("pk_seal")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sealed_block",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("seal", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_sealed_block_block_id")),
        sa.PrimaryKeyConstraint("block_id", name=op.f("pk_sealed_block")),
        sqlite_with_rowid=False,
    )

"""Schema 1: bot versions, blocks, matches with their seats and replays."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "bot_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("first_seen_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bot_version"),
        sa.UniqueConstraint("name", "version", name="uq_bot_version_name_version"),
    )
    create_blocks()
    create_matches()


def create_blocks() -> None:
    """Create what is known of a match before it is played."""
    op.create_table(
        "block",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("rotation", sa.String(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_block"),
        sa.CheckConstraint("state IN ('open', 'done', 'voided')", name=op.f("ck_block_state")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_block_state", "block", ["state"])
    op.create_table(
        "block_member",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("block_id", "position", name="pk_block_member"),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name="fk_block_member_block_id"),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"], name="fk_block_member_version_id"),
        sqlite_with_rowid=False,
    )


def create_matches() -> None:
    """Create what is known of a match afterwards."""
    op.create_table(
        "match",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("options", sa.String(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("started_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=False),
        sa.Column("termination", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_match"),
        sa.UniqueConstraint("id", name="uq_match_id"),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name="fk_match_block_id"),
    )
    op.create_index("ix_match_block_id", "match", ["block_id"])
    op.create_index("ix_match_game_number", "match", ["game", "number"])
    counted = sa.text("termination <> 'voided'")
    op.create_index(
        "uq_match_counted_rotation",
        "match",
        ["block_id", "rotation"],
        unique=True,
        sqlite_where=counted,
        postgresql_where=counted,
    )
    op.create_table(
        "match_seat",
        sa.Column("match_number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("forfeited", sa.Boolean(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("thinking_ms", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_match_seat"),
        sa.ForeignKeyConstraint(["match_number"], ["match.number"], name="fk_match_seat_match_number"),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"], name="fk_match_seat_version_id"),
        sqlite_with_rowid=False,
    )
    seats_of_a_bot = ["version_id", "match_number", "place", "faults"]
    op.create_index("ix_match_seat_version_id_match_number_place_faults", "match_seat", seats_of_a_bot)
    op.create_table(
        "replay",
        sa.Column("match_number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_number", name="pk_replay"),
        sa.ForeignKeyConstraint(["match_number"], ["match.number"], name="fk_replay_match_number"),
    )

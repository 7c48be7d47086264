"""Schema 6: sums of results by group of bots, and ratings of the past."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

CLUSTERED = {"sqlite_with_rowid": False}


def upgrade() -> None:
    """Create the tables. The sums of an older database are added up when an arena opens it."""
    progress = op.create_table(
        "sums_progress",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("through", sa.Integer(), nullable=False),
        sa.Column("saves", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sums_progress")),
    )
    op.bulk_insert(progress, [{"id": 1, "through": 0, "saves": 0}])
    op.create_table(
        "sums_open_block",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_sums_open_block_block_id")),
        sa.PrimaryKeyConstraint("block_id", name=op.f("pk_sums_open_block")),
        **CLUSTERED,
    )
    op.create_table(
        "block_sums",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("competition_id", sa.Integer(), nullable=True),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("players", sa.Integer(), nullable=False),
        sa.Column("forfeits", sa.String(), nullable=False),
        sa.Column("bots", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("forfeits IN ('none', 'counted', 'ignored')", name=op.f("ck_block_sums_forfeits")),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name=op.f("fk_block_sums_competition_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_block_sums")),
    )
    _create_history()


def _create_history() -> None:
    op.create_table(
        "rating_moment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("competition_id", sa.Integer(), nullable=True),
        sa.Column("phase", sa.String(), nullable=True),
        sa.Column("game", sa.String(), nullable=True),
        sa.Column("players", sa.Integer(), nullable=True),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name=op.f("fk_rating_moment_competition_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_moment")),
    )
    scope = ["competition_id", "phase", "game", "players", "at_ms"]
    op.create_index(op.f("ix_rating_moment_competition_id_phase_game_players_at_ms"), "rating_moment", scope)
    op.create_table(
        "rating_then",
        sa.Column("moment_id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["moment_id"], ["rating_moment.id"], name=op.f("fk_rating_then_moment_id")),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"], name=op.f("fk_rating_then_version_id")),
        sa.PrimaryKeyConstraint("moment_id", "version_id", name=op.f("pk_rating_then")),
        **CLUSTERED,
    )

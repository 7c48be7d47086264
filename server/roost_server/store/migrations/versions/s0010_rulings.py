"""Schema 10: rulings of the host, and invitations that were revoked."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Create the table, and add the columns."""
    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("competition_id", sa.Integer(), nullable=True),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('ban', 'unban', 'disqualify', 'reinstate', 'rename', 'move', 'void', 'extend')",
            name=op.f("ck_ruling_kind"),
        ),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name=op.f("fk_ruling_competition_id")),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_ruling_owner_id")),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_ruling_bot_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
    )
    with op.batch_alter_table("sums_progress", recreate="always") as progress:
        progress.add_column(sa.Column("resets", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("invitation", recreate="always") as invitation:
        invitation.add_column(sa.Column("revoked_ms", sa.BigInteger(), nullable=True))

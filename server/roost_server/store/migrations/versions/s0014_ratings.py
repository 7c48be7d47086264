"""Schema 14: how the matches of a competition are weighed."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column. Until now every match counted the same, and what began so ends so."""
    with op.batch_alter_table("competition") as competition:
        competition.add_column(sa.Column("ratings", sa.Integer(), nullable=False, server_default="1"))
        competition.create_check_constraint(op.f("ck_competition_ratings"), "ratings > 0")

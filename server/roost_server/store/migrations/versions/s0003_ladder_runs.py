"""Schema 3: a column tells the run of a local ladder from a competition."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column. Until now a ladder's run was known by its document, which is JSON."""
    with op.batch_alter_table("competition") as competition:
        competition.add_column(sa.Column("kind", sa.String(), nullable=False, server_default="competition"))
        competition.create_check_constraint(op.f("ck_competition_kind"), "kind IN ('competition', 'ladder')")
    op.execute("UPDATE competition SET kind = 'ladder' WHERE document LIKE '{%'")

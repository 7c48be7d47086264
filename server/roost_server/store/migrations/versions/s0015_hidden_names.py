"""Schema 15: which competitions do not tell bots who their opponents are."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column. An arena fills it in from the competition's file when it is started."""
    with op.batch_alter_table("competition") as competition:
        competition.add_column(sa.Column("hides_names", sa.Boolean(), nullable=False, server_default=sa.false()))

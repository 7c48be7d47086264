"""Schema 10: invitations that were revoked."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add what was not recorded before."""
    with op.batch_alter_table("invitation", recreate="always") as invitation:
        invitation.add_column(sa.Column("revoked_ms", sa.BigInteger(), nullable=True))

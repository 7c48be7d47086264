"""Schema 4: blocks whose matches have deals of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns. Until now the matches of a block shared one deal."""
    with op.batch_alter_table("block", table_kwargs={"sqlite_with_rowid": False}) as block:
        block.add_column(sa.Column("deals", sa.String(), nullable=False, server_default="duplicate"))
        block.add_column(sa.Column("resumed", sa.Integer(), nullable=False, server_default="0"))
        block.create_check_constraint(op.f("ck_block_deals"), "deals IN ('own', 'duplicate')")

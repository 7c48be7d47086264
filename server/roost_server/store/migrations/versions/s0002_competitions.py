"""Schema 2: competitions and their phases; owners, bots, entries, keys, invitations, quarantine and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the new tables, and let blocks and bot versions refer to them."""
    create_competitions()
    create_owners()
    extend_blocks()
    extend_versions()
    create_entries()
    create_access()
    create_watch()


def create_competitions() -> None:
    """Create what is known of a whole competition."""
    op.create_table(
        "competition",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("commitment", sa.String(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_competition"),
        sa.UniqueConstraint("name", name="uq_competition_name"),
    )
    op.create_table(
        "phase_change",
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("competition_id", "number", name="pk_phase_change"),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name="fk_phase_change_competition_id"),
        sqlite_with_rowid=False,
    )


def create_owners() -> None:
    """Create those who have bots, and the bots."""
    op.create_table(
        "owner",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_owner"),
        sa.UniqueConstraint("name", name="uq_owner_name"),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_bot"),
        sa.UniqueConstraint("name", name="uq_bot_name"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_bot_owner_id"),
    )
    op.create_index("ix_bot_owner_id", "bot", ["owner_id"])


def extend_blocks() -> None:
    """Let a block say where in which competition it belongs."""
    with op.batch_alter_table("block", table_kwargs={"sqlite_with_rowid": False}) as block:
        block.add_column(sa.Column("competition_id", sa.Integer(), nullable=True))
        block.add_column(sa.Column("phase", sa.String(), nullable=True))
        block.add_column(sa.Column("serial", sa.Integer(), nullable=True))
        block.create_foreign_key("fk_block_competition_id", "competition", ["competition_id"], ["id"])
        block.create_unique_constraint("uq_block_competition_id_phase_serial", ["competition_id", "phase", "serial"])


def extend_versions() -> None:
    """Let a version say whose it is."""
    with op.batch_alter_table("bot_version") as bot_version:
        bot_version.add_column(sa.Column("bot_id", sa.Integer(), nullable=True))
        bot_version.add_column(sa.Column("last_seen_ms", sa.BigInteger(), nullable=True))
        bot_version.create_foreign_key("fk_bot_version_bot_id", "bot", ["bot_id"], ["id"])
        bot_version.create_index("ix_bot_version_bot_id", ["bot_id"])


def create_entries() -> None:
    """Create who takes part in what."""
    op.create_table(
        "entry",
        sa.Column("competition_id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("entered_ms", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn_ms", sa.BigInteger(), nullable=True),
        sa.Column("pinned_version_id", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("competition_id", "bot_id", name="pk_entry"),
        sa.ForeignKeyConstraint(["competition_id"], ["competition.id"], name="fk_entry_competition_id"),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name="fk_entry_bot_id"),
        sa.ForeignKeyConstraint(["pinned_version_id"], ["bot_version.id"], name="fk_entry_pinned_version_id"),
        sqlite_with_rowid=False,
    )


def create_access() -> None:
    """Create keys and invitations."""
    op.create_table(
        "access_key",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("bot_id", sa.Integer(), nullable=True),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=True),
        sa.Column("revoked_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_access_key"),
        sa.UniqueConstraint("digest", name="uq_access_key_digest"),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name="fk_access_key_owner_id"),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name="fk_access_key_bot_id"),
        sa.CheckConstraint("scope IN ('bot', 'owner', 'admin')", name=op.f("ck_access_key_scope")),
        sa.CheckConstraint("(scope = 'bot') = (bot_id IS NOT NULL)", name=op.f("ck_access_key_bot")),
        sa.CheckConstraint("(scope = 'admin') = (owner_id IS NULL)", name=op.f("ck_access_key_owner")),
    )
    op.create_index("ix_access_key_owner_id", "access_key", ["owner_id"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_invitation"),
        sa.UniqueConstraint("digest", name="uq_invitation_digest"),
    )


def create_watch() -> None:
    """Create what a host looks at when something is wrong."""
    op.create_table(
        "quarantine",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_quarantine"),
        sa.UniqueConstraint("version_id", "since_ms", name="uq_quarantine_version_id_since_ms"),
        sa.ForeignKeyConstraint(["version_id"], ["bot_version.id"], name="fk_quarantine_version_id"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("details", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_at_ms", "audit", ["at_ms"])

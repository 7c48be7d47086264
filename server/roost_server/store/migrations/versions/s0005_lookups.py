"""Schema 5: indexes for pages of matches by time, by table size and with faults."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the indexes."""
    op.create_index(op.f("ix_match_ended_ms_number"), "match", ["ended_ms", "number"])
    op.create_index(op.f("ix_match_players_number"), "match", ["players", "number"])
    with_faults = sa.text("faults > 0")
    op.create_index(
        op.f("ix_match_seat_with_faults"),
        "match_seat",
        ["match_number"],
        sqlite_where=with_faults,
        postgresql_where=with_faults,
    )

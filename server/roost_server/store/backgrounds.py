"""What is known about bot versions beside their matches: whose they are, and whether they are kept from playing."""

from typing import NamedTuple

from sqlalchemy import select

from roost_server.store.models import BOT_VERSION
from roost_server.store.people import BOT, OWNER, QUARANTINE
from roost_server.store.store import Store


class Background(NamedTuple):
    """A bot version's. Empty and 0 for what is not known or not so."""

    owner: str
    last_seen_ms: int
    quarantine_reason: str
    quarantine_since_ms: int


def backgrounds(store: Store) -> dict[int, Background]:
    """By version."""
    versions = (
        select(BOT_VERSION.c.id, OWNER.c.name, BOT_VERSION.c.last_seen_ms)
        .join_from(BOT_VERSION, BOT, isouter=True)
        .join(OWNER, isouter=True)
    )
    kept = select(*QUARANTINE.c["version_id", "reason", "since_ms"]).where(QUARANTINE.c.ended_ms.is_(None))
    with store.reading() as connection:
        quarantined = {version_id: (reason, since_ms) for version_id, reason, since_ms in connection.execute(kept)}
        return {
            version_id: Background(owner or "", last_seen_ms or 0, *quarantined.get(version_id, ("", 0)))
            for version_id, owner, last_seen_ms in connection.execute(versions)
        }

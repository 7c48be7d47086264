"""The records of quarantine: which versions may not play, since when and why."""

from typing import NamedTuple

from sqlalchemy import Connection, insert, select, update

from roost_server.clocks import epoch_ms
from roost_server.store.models import QUARANTINE
from roost_server.store.store import Store


class QuarantineRecord(NamedTuple):
    """A version that may not play."""

    version_id: int
    reason: str
    since_ms: int


def quarantined(store: Store) -> list[QuarantineRecord]:
    """The versions in quarantine."""
    with store.reading() as connection:
        return read_quarantined(connection)


def read_quarantined(connection: Connection) -> list[QuarantineRecord]:
    """The same within a reading."""
    query = select(*QUARANTINE.c["version_id", "reason", "since_ms"]).where(QUARANTINE.c.ended_ms.is_(None))
    return [QuarantineRecord._make(row) for row in connection.execute(query)]


def begin_quarantine(store: Store, record: QuarantineRecord) -> None:
    """Put a version into quarantine."""
    with store.writing() as connection:
        connection.execute(insert(QUARANTINE).values(**record._asdict()))


def end_quarantine(store: Store, version_id: int) -> None:
    """Let a version play again."""
    mine = (QUARANTINE.c.version_id == version_id) & QUARANTINE.c.ended_ms.is_(None)
    with store.writing() as connection:
        connection.execute(update(QUARANTINE).where(mine).values(ended_ms=epoch_ms()))

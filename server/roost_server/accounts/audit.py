"""The audit log: every change to accounts and competitions, logged in the same transaction."""

import json
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, insert, inspect, select

from roost_server.clocks import epoch_ms
from roost_server.store import Store
from roost_server.store.models import AUDIT


class LoggedAct(NamedTuple):
    """An entry of the log."""

    at_ms: int
    actor: str
    act: str
    details: dict[str, object]


def note(connection: Connection, actor: str, act: str, **details: object) -> None:
    """Log that `actor` did something. The details must hold no secrets."""
    text = json.dumps(details, sort_keys=True)
    connection.execute(insert(AUDIT).values(at_ms=epoch_ms(), actor=actor, act=act, details=text))


def note_restored(connection: Connection, *, actor: str, copy: Path) -> None:
    """Log that a database was restored from a copy, unless it is of an older Roost and has no log yet."""
    if inspect(connection).has_table(AUDIT.name):
        note(connection, actor, "database restored", copy=str(copy))


def acts(store: Store, limit: int = 50) -> list[LoggedAct]:
    """The latest entries, the newest first."""
    query = select(*AUDIT.c["at_ms", "actor", "act", "details"]).order_by(AUDIT.c.id.desc()).limit(limit)
    with store.reading() as connection:
        return [LoggedAct(at, actor, act, json.loads(details)) for at, actor, act, details in connection.execute(query)]

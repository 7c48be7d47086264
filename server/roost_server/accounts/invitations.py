"""Invitations: tokens with which people register as owners without the help of an admin."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from roost_games.errors import UsageError
from roost_server.accounts.audit import note
from roost_server.accounts.keys import SHOWN, digest_of, make_owner_key, new_secret
from roost_server.accounts.owners import insert_owner
from roost_server.clocks import epoch_ms
from roost_server.errors import DeniedError
from roost_server.store import Store
from roost_server.store.models import INVITATION


class InvitationRecord(NamedTuple):
    """An invitation as lists show it."""

    prefix: str
    label: str
    uses_left: int
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None


def invite(store: Store, actor: str, *, label: str = "", uses: int = 1, expires_ms: int | None = None) -> str:
    """A new invitation for `uses` owners. It is shown once."""
    with store.writing() as connection:
        return _insert(connection, actor, label, uses, expires_ms)


def invite_people(store: Store, actor: str, people: Sequence[str], expires_ms: int | None = None) -> list[str]:
    """A new invitation for each of these people, under their name. All of them are made, or none."""
    with store.writing() as connection:
        return [_insert(connection, actor, person, 1, expires_ms) for person in people]


def _insert(connection: Connection, actor: str, label: str, uses: int, expires_ms: int | None) -> str:
    secret = new_secret()
    new = {"digest": digest_of(secret), "prefix": secret[:SHOWN], "label": label, "uses_left": uses}
    connection.execute(insert(INVITATION).values(**new, created_ms=epoch_ms(), expires_ms=expires_ms))
    note(connection, actor, "invitation made", invitation=secret[:SHOWN], label=label, uses=uses)
    return secret


def invitations(store: Store) -> Sequence[InvitationRecord]:
    """All invitations, the newest first."""
    query = select(*INVITATION.c[InvitationRecord._fields])
    with store.reading() as connection:
        rows = connection.execute(query.order_by(INVITATION.c.id.desc()))
        return [InvitationRecord._make(row) for row in rows]


def revoke_invitation(store: Store, prefix: str, actor: str) -> InvitationRecord:
    """End an invitation, and return it. Owners who registered with it remain owners. Raises `UsageError`."""
    with store.writing() as connection:
        found = _one(connection, prefix)
        connection.execute(update(INVITATION).where(INVITATION.c.id == found.id).values(revoked_ms=epoch_ms()))
        about = {"invitation": found.prefix, "label": found.label, "uses_left": found.uses_left}
        note(connection, actor, "invitation revoked", **about)
    return InvitationRecord._make(getattr(found, name) for name in InvitationRecord._fields)


def _one(connection: Connection, prefix: str) -> Row[tuple[Any, ...]]:
    """The valid invitation that begins like this."""
    begins = prefix[:SHOWN]
    # Not LIKE, which ignores case in SQLite.
    alike = func.substr(INVITATION.c.prefix, 1, len(begins)) == begins
    found = connection.execute(select(INVITATION).where(alike, _valid())).all()
    shown = "`roost admin invitation list` shows them"
    if not found or not begins:
        raise UsageError(f"no valid invitation begins with {begins!r}; {shown}")
    if len(found) > 1:
        raise UsageError(f"{len(found)} valid invitations begin with {begins!r}; give more characters, {shown}")
    return found[0]


def _valid() -> ColumnElement[bool]:
    current = INVITATION.c.expires_ms.is_(None) | (INVITATION.c.expires_ms > epoch_ms())
    return current & (INVITATION.c.uses_left > 0) & INVITATION.c.revoked_ms.is_(None)


def register(store: Store, name: str, invitation: str | None) -> str:
    """Register an owner and return the owner's key. The invitation is `None` where none is needed.

    Raises `DeniedError` if the invitation is invalid, used up, revoked or expired, and `UsageError` if the name is
    taken. A taken name does not use up an invitation.
    """
    with store.writing() as connection:
        actor = "registration" if invitation is None else _use(connection, invitation)
        return make_owner_key(connection, insert_owner(connection, name, actor), actor)


def _use(connection: Connection, invitation: str) -> str:
    """Use an invitation once. Returns its name in the audit log."""
    mine = INVITATION.c.digest == digest_of(invitation)
    use = update(INVITATION).where(mine, _valid()).values(uses_left=INVITATION.c.uses_left - 1)
    if not connection.execute(use).rowcount:
        raise DeniedError("this invitation is invalid, used up, revoked or expired; ask the host for another one")
    label = connection.execute(select(INVITATION.c.label).where(mine)).scalar_one()
    return f"invitation {invitation[:SHOWN]} {label}".strip()

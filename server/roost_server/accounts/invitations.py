"""Invitations: tokens with which people register as owners without the help of an admin."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import insert, select, update

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


def invite(store: Store, actor: str, *, label: str = "", uses: int = 1, expires_ms: int | None = None) -> str:
    """A new invitation for `uses` owners. It is shown once."""
    secret = new_secret()
    new = {"digest": digest_of(secret), "prefix": secret[:SHOWN], "label": label, "uses_left": uses}
    with store.writing() as connection:
        connection.execute(insert(INVITATION).values(**new, created_ms=epoch_ms(), expires_ms=expires_ms))
        note(connection, actor, "invitation made", invitation=secret[:SHOWN], label=label, uses=uses)
    return secret


def invitations(store: Store) -> Sequence[InvitationRecord]:
    """All invitations, the newest first."""
    query = select(*INVITATION.c["prefix", "label", "uses_left", "created_ms", "expires_ms"])
    with store.reading() as connection:
        rows = connection.execute(query.order_by(INVITATION.c.id.desc()))
        return [InvitationRecord._make(row) for row in rows]


def register(store: Store, name: str, invitation: str | None) -> str:
    """Register an owner and return the owner's key. The invitation is `None` where none is needed.

    Raises `DeniedError` if the invitation is invalid, used up or expired, and `UsageError` if the name is taken. A
    taken name does not use up an invitation.
    """
    with store.writing() as connection:
        actor = "registration"
        if invitation is not None:
            valid = (INVITATION.c.digest == digest_of(invitation)) & (INVITATION.c.uses_left > 0)
            valid &= INVITATION.c.expires_ms.is_(None) | (INVITATION.c.expires_ms > epoch_ms())
            use = update(INVITATION).where(valid).values(uses_left=INVITATION.c.uses_left - 1)
            if not connection.execute(use).rowcount:
                raise DeniedError("this invitation is invalid, used up or expired; ask the host for another one")
            actor = f"invitation {invitation[:SHOWN]}"
        return make_owner_key(connection, insert_owner(connection, name, actor), actor)

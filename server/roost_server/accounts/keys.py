"""Keys: their form, what is stored of them, and the identity behind each.

A key is `roost_` and 43 characters that encode 256 random bits. It is shown once, when it is made. Only its SHA-256 is
stored, and its first characters to identify it in lists.
"""

import hashlib
import secrets
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import Connection, Row, func, insert, select, update

from roost_games.errors import UsageError
from roost_server.accounts.audit import note
from roost_server.accounts.owners import bot_named, owner_named
from roost_server.clocks import epoch_ms
from roost_server.errors import UnauthenticatedError
from roost_server.store import Store
from roost_server.store.measures.rulings import banned
from roost_server.store.models import ACCESS_KEY, BOT, OWNER

KEY_PREFIX = "roost_"
SHOWN = len(KEY_PREFIX) + 6
"""How many characters of a key are shown to identify it."""


BANNED = "the host has banned the owner of this key; ask the host why"


class Scope(StrEnum):
    """What a key allows."""

    BOT = "bot"
    """To play as one bot."""
    OWNER = "owner"
    """To play as any bot of an owner, and to manage them."""
    ADMIN = "admin"
    """To run the arena. It cannot play."""


class Identity(NamedTuple):
    """The identity behind a key."""

    key_id: int
    prefix: str
    label: str
    scope: Scope
    owner_id: int | None
    owner: str | None
    bot_id: int | None
    bot: str | None
    expires_ms: int | None

    @property
    def actor(self) -> str:
        """The name of the key's user in the audit log."""
        return f"{self.prefix} {self.label}".strip()


class KeyRecord(NamedTuple):
    """A key as lists show it."""

    prefix: str
    label: str
    scope: Scope
    owner: str | None
    bot: str | None
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None


def new_secret() -> str:
    """A key or an invitation that nobody can guess."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """What is stored of a key or an invitation."""
    return hashlib.sha256(secret.encode()).hexdigest()


def make_key(
    store: Store,
    scope: Scope,
    actor: str,
    *,
    owner: str | None = None,
    bot: str | None = None,
    label: str = "",
    expires_ms: int | None = None,
) -> str:
    """A new key: for the bot, for the owner, or for an admin. Raises `UsageError` if there is no such bot or owner."""
    with store.writing() as connection:
        owner_id, bot_id = _whose(connection, scope, owner, bot)
        return _insert(connection, actor, scope, owner_id, bot_id, label, expires_ms)


def _whose(connection: Connection, scope: Scope, owner: str | None, bot: str | None) -> tuple[int | None, int | None]:
    if scope is Scope.ADMIN:
        return None, None
    if scope is Scope.OWNER:
        return owner_named(connection, owner or ""), None
    found = bot_named(connection, bot or "")
    return found.owner_id, found.id


def _insert(
    connection: Connection,
    actor: str,
    scope: Scope,
    owner_id: int | None,
    bot_id: int | None,
    label: str,
    expires_ms: int | None,
) -> str:
    if owner_id in banned(connection):
        raise UsageError("the owner is banned; `roost admin owner unban` ends that")
    secret = new_secret()
    connection.execute(
        insert(ACCESS_KEY).values(
            digest=digest_of(secret),
            prefix=secret[:SHOWN],
            scope=scope.value,
            owner_id=owner_id,
            bot_id=bot_id,
            label=label,
            created_ms=epoch_ms(),
            expires_ms=expires_ms,
        )
    )
    note(connection, actor, "key made", key=secret[:SHOWN], scope=scope.value, label=label)
    return secret


def make_owner_key(connection: Connection, owner_id: int, actor: str) -> str:
    """A first key for an owner who has just registered."""
    return _insert(connection, actor, Scope.OWNER, owner_id, None, "", None)


def revoke_key(store: Store, prefix: str, actor: str, *, owner_id: int | None = None) -> None:
    """Revoke a key for good. With `owner_id` it must be one of this owner's. Raises `UsageError`."""
    with store.writing() as connection:
        _revoke(connection, _one(connection, prefix, owner_id), actor)


def rotate_key(store: Store, prefix: str, actor: str, *, owner_id: int | None = None) -> str:
    """Revoke a key and make another one with the same rights and expiry. Raises `UsageError`."""
    with store.writing() as connection:
        old = _one(connection, prefix, owner_id)
        _revoke(connection, old, actor)
        return _insert(connection, actor, Scope(old.scope), old.owner_id, old.bot_id, old.label, old.expires_ms)


def _revoke(connection: Connection, key: Row[tuple[object, ...]], actor: str) -> None:
    connection.execute(update(ACCESS_KEY).where(ACCESS_KEY.c.id == key.id).values(revoked_ms=epoch_ms()))
    note(connection, actor, "key revoked", key=key.prefix, label=key.label)


def _one(connection: Connection, prefix: str, owner_id: int | None) -> Row[tuple[object, ...]]:
    """The valid key that begins like this."""
    begins = prefix[:SHOWN]
    # Not LIKE, which ignores case in SQLite.
    alike = func.substr(ACCESS_KEY.c.prefix, 1, len(begins)) == begins
    query = select(ACCESS_KEY).where(alike, ACCESS_KEY.c.revoked_ms.is_(None))
    if owner_id is not None:
        query = query.where(ACCESS_KEY.c.owner_id == owner_id)
    found = connection.execute(query).all()
    shown = "`roost admin key list` shows them" if owner_id is None else "`roost account` shows yours"
    if not found or not begins:
        raise UsageError(f"no valid key begins with {begins!r}; {shown}")
    if len(found) > 1:
        raise UsageError(f"{len(found)} valid keys begin with {begins!r}; give more characters, {shown}")
    return found[0]


def revoked_ids(store: Store) -> set[int]:
    """The ids of all revoked keys."""
    with store.reading() as connection:
        return set(connection.scalars(select(ACCESS_KEY.c.id).where(ACCESS_KEY.c.revoked_ms.is_not(None))))


def identify(store: Store, secret: str) -> Identity:
    """The identity behind a key. Raises `UnauthenticatedError` if it is unknown, revoked or expired."""
    query = (
        select(
            *ACCESS_KEY.c["id", "prefix", "label", "scope", "owner_id"],
            OWNER.c.name,
            ACCESS_KEY.c.bot_id,
            BOT.c.name,
            *ACCESS_KEY.c["expires_ms", "revoked_ms"],
        )
        .join_from(ACCESS_KEY, OWNER, isouter=True)
        .join(BOT, ACCESS_KEY.c.bot_id == BOT.c.id, isouter=True)
        .where(ACCESS_KEY.c.digest == digest_of(secret))
    )
    with store.reading() as connection:
        row = connection.execute(query).one_or_none()
        is_banned = row is not None and row.owner_id in banned(connection)
    if row is None:
        raise UnauthenticatedError("this arena does not know this key; check it, or ask the host for another one")
    *known, revoked_ms = row
    identity = Identity._make(known)._replace(scope=Scope(row.scope))
    if revoked_ms is not None:
        raise UnauthenticatedError("this key was revoked; ask for another one")
    if is_banned:
        raise UnauthenticatedError(BANNED)
    check_current(identity)
    return identity


def check_current(identity: Identity) -> None:
    """Raise `UnauthenticatedError` if the key has expired."""
    if identity.expires_ms is not None and identity.expires_ms <= epoch_ms():
        raise UnauthenticatedError("this key has expired; ask for another one")


def keys(store: Store, *, owner_id: int | None = None) -> Sequence[KeyRecord]:
    """All keys, or an owner's, the newest first."""
    query = (
        select(
            *ACCESS_KEY.c["prefix", "label", "scope"],
            OWNER.c.name,
            BOT.c.name,
            *ACCESS_KEY.c["created_ms", "expires_ms", "revoked_ms"],
        )
        .join_from(ACCESS_KEY, OWNER, isouter=True)
        .join(BOT, ACCESS_KEY.c.bot_id == BOT.c.id, isouter=True)
        .order_by(ACCESS_KEY.c.id.desc())
    )
    if owner_id is not None:
        query = query.where(ACCESS_KEY.c.owner_id == owner_id)
    with store.reading() as connection:
        return [KeyRecord._make(row) for row in connection.execute(query)]

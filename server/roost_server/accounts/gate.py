"""The gate: who is calling, whether they may, and whether they call too often.

A caller shows its key as the metadata `authorization: Bearer roost_…`. In an arena without accounts everybody may
do everything except administer it; it listens on this machine only, unless its host decides otherwise.
"""

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from enum import Enum, auto
from typing import Any, NamedTuple

from roost_server.accounts.callers import INSIDE, Addresses
from roost_server.accounts.keys import Identity, Scope, check_current, digest_of, identify
from roost_server.accounts.limits import REGISTRATIONS, Buckets, RequestLimits
from roost_server.errors import DeniedError, TooMuchError, UnauthenticatedError
from roost_server.store import Store

HEADER = "authorization"
BEARER = "Bearer "
CALLER: ContextVar[str] = ContextVar("CALLER", default=INSIDE)
"""Whom the present call counts for: the owner of its key, or without a key its address."""


class Need(Enum):
    """What a call requires."""

    NOTHING = auto()
    """No key: registration."""
    READ = auto()
    """To read what everybody may see. Needs a key if the host says so."""
    PLAY = auto()
    OWN = auto()
    """To manage one's own bots and keys."""
    ADMINISTER = auto()


ALLOWED: dict[Need, frozenset[Scope]] = {
    Need.NOTHING: frozenset(Scope),
    Need.READ: frozenset(Scope),
    Need.PLAY: frozenset({Scope.BOT, Scope.OWNER}),
    Need.OWN: frozenset({Scope.OWNER}),
    Need.ADMINISTER: frozenset({Scope.ADMIN}),
}
"""Which scopes of keys allow what."""
WRONG_KEY: dict[Need, str] = {
    Need.PLAY: "this key cannot play; use the key of a bot or of its owner",
    Need.OWN: "this needs the key of an owner",
    Need.ADMINISTER: "this needs the key of an admin",
}


class Asker(NamedTuple):
    """Who asks, for answers that depend on it. By default somebody without a key."""

    owner: str = ""
    sees_everything: bool = False
    """Whether it is an admin, or the host with the database."""

    def may_see(self, owner: str) -> bool:
        """Whether they may see what concerns only the owner of a bot. A bot without an owner has no secrets."""
        return self.sees_everything or owner in ("", self.owner)


ANYBODY = Asker()
HOST = Asker(sees_everything=True)


def asker_of(identity: Identity | None) -> Asker:
    """Who asks, from the key that was shown."""
    if identity is None:
        return ANYBODY
    return Asker(identity.owner or "", sees_everything=identity.scope is Scope.ADMIN)


class Gate:
    """Admits callers. With `accounts` they need keys; with `public` reading needs none."""

    def __init__(
        self,
        store: Store,
        *,
        accounts: bool = False,
        public: bool = True,
        limits: RequestLimits | None = None,
        registrations: RequestLimits = REGISTRATIONS,
        addresses: Addresses | None = None,
    ):
        self.accounts = accounts
        self.addresses = addresses or Addresses()
        self._store = store
        self._public = public
        self._buckets = Buckets(limits or RequestLimits())
        self._registrations = Buckets(registrations)
        self._known: dict[str, Identity] = {}
        self._forgotten = 0
        """How often `forget` was called."""

    async def admit(self, context: Any, need: Need) -> Identity | None:
        """Who is calling; `None` for a caller without a key. Raises `ArenaError` if the call is not allowed."""
        if not self.accounts and need in (Need.READ, Need.PLAY):
            # No key is needed here. One from another arena does no harm.
            return None
        secret = secret_of(context.invocation_metadata() or ())
        address = self.addresses.of(context)
        identity = None
        if secret is not None:
            identity = await self._identity(secret, address)
            CALLER.set(_counted_as(identity, address))
        elif address != INSIDE:
            self._count(address)
        self._check(identity, need)
        if need is Need.NOTHING:
            self._count_registration(address)
        return identity

    def count_invitation(self, invitation: str) -> None:
        """Somebody registers with an invitation. Raises `TooMuchError` if that happens too often."""
        self._count_registration(digest_of(invitation))

    def _count_registration(self, by: str) -> None:
        if not self._registrations.take(by):
            raise TooMuchError("too many registrations from here; wait some minutes, or ask the host for a key")

    async def _identity(self, secret: str, address: str) -> Identity:
        """The identity behind a key. Each key has its own bucket; unknown keys count against the address."""
        digest = digest_of(secret)
        identity = self._known.get(digest)
        if identity is None:
            self._count(address)
            asked = self._forgotten
            identity = await asyncio.to_thread(identify, self._store, secret)
            self._buckets.put_back(address)
            # Not kept if keys have changed since it was read.
            if asked == self._forgotten:
                self._known[digest] = identity
        self._count(digest)
        check_current(identity)
        return identity

    def _count(self, caller: str) -> None:
        if not self._buckets.take(caller):
            raise TooMuchError("too many requests; wait a moment and ask less often")

    def _check(self, identity: Identity | None, need: Need) -> None:
        if identity is None:
            self._check_stranger(need)
        elif identity.scope not in ALLOWED[need]:
            raise DeniedError(WRONG_KEY[need])

    def _check_stranger(self, need: Need) -> None:
        if need is not Need.NOTHING and not (need is Need.READ and self._public):
            raise UnauthenticatedError("this needs a key; set ROOST_KEY, or give --key-file")

    def forget(self) -> None:
        """Look up every key again, because some have changed."""
        self._forgotten += 1
        self._known.clear()


def _counted_as(identity: Identity, address: str) -> str:
    """Whom the call of somebody with a key counts for. All keys of an owner are one caller."""
    if address == INSIDE or identity.scope is Scope.ADMIN:
        return INSIDE
    return f"key {identity.key_id}" if identity.owner_id is None else f"owner {identity.owner_id}"


def secret_of(metadata: Iterable[tuple[str, str | bytes]]) -> str | None:
    """The key that a caller sends. Raises `UnauthenticatedError` if the header holds something else."""
    for name, value in metadata:
        if name == HEADER:
            text = value if isinstance(value, str) else ""
            if not text.startswith(BEARER):
                raise UnauthenticatedError("show the key as `authorization: Bearer roost_…`")
            return text.removeprefix(BEARER).strip()
    return None

"""The gate: who is calling, may they do that, and do they call too often?

A caller shows its key as the metadata `authorization: Bearer roost_…`. An arena without accounts lets everybody do
everything but administer it; it listens on this machine only, unless its host says otherwise.
"""

import asyncio
from collections.abc import Iterable
from enum import Enum, auto
from typing import Any

from roost_server.accounts.keys import Identity, Scope, check_current, digest_of, identify
from roost_server.accounts.limits import Buckets, RequestLimits
from roost_server.errors import DeniedError, TooMuchError, UnauthenticatedError
from roost_server.store import Store

HEADER = "authorization"
BEARER = "Bearer "


class Need(Enum):
    """What a call asks for."""

    NOTHING = auto()
    """Anybody may do that, to become somebody: register."""
    READ = auto()
    """To look at what everybody may see. Needs a key where the host says so."""
    PLAY = auto()
    OWN = auto()
    """To see to one's own bots and keys."""
    ADMINISTER = auto()


ALLOWED: dict[Need, frozenset[Scope]] = {
    Need.NOTHING: frozenset(Scope),
    Need.READ: frozenset(Scope),
    Need.PLAY: frozenset({Scope.BOT, Scope.OWNER}),
    Need.OWN: frozenset({Scope.OWNER}),
    Need.ADMINISTER: frozenset({Scope.ADMIN}),
}
"""What the keys of each scope are good for."""
WRONG_KEY: dict[Need, str] = {
    Need.PLAY: "this key does not play; use the key of a bot or of its owner",
    Need.OWN: "this needs the key of an owner",
    Need.ADMINISTER: "this needs the key of an admin",
}


class Gate:
    """Lets callers in. With `accounts` by their keys; with `public` whoever only wants to look needs none."""

    def __init__(
        self, store: Store, *, accounts: bool = False, public: bool = True, limits: RequestLimits | None = None
    ):
        self.accounts = accounts
        self._store = store
        self._public = public
        self._buckets = Buckets(limits or RequestLimits())
        self._known: dict[str, Identity] = {}
        self._forgotten = 0
        """How often everything was forgotten."""

    async def admit(self, context: Any, need: Need) -> Identity | None:
        """Who is calling; `None` is somebody without a key. Raises `ArenaError` if they may not do that now."""
        if not self.accounts and need in (Need.READ, Need.PLAY):
            # Nobody needs a key for that here. One from another arena does no harm.
            return None
        secret = secret_of(context.invocation_metadata() or ())
        address = address_of(context.peer())
        identity = None
        if secret is not None:
            identity = await self._identity(secret, address)
        else:
            self._count(address)
        self._check(identity, need)
        return identity

    async def _identity(self, secret: str, address: str) -> Identity:
        """Whom the key stands for. A key has a bucket of its own; who makes keys up is counted like a stranger."""
        digest = digest_of(secret)
        identity = self._known.get(digest)
        if identity is None:
            self._count(address)
            asked = self._forgotten
            identity = await asyncio.to_thread(identify, self._store, secret)
            self._buckets.put_back(address)
            # What was read before keys have changed is not worth remembering.
            if asked == self._forgotten:
                self._known[digest] = identity
        self._count(digest)
        check_current(identity)
        return identity

    def _count(self, caller: str) -> None:
        if not self._buckets.take(caller):
            raise TooMuchError("too many requests; wait a moment, and ask less often")

    def _check(self, identity: Identity | None, need: Need) -> None:
        if identity is None:
            self._check_stranger(need)
        elif identity.scope not in ALLOWED[need]:
            raise DeniedError(WRONG_KEY[need])

    def _check_stranger(self, need: Need) -> None:
        if need is not Need.NOTHING and not (need is Need.READ and self._public):
            raise UnauthenticatedError("this needs a key; set ROOST_KEY, or give --key-file")

    def forget(self) -> None:
        """Ask the records again about every key: some have changed."""
        self._forgotten += 1
        self._known.clear()


def address_of(peer: str) -> str:
    """Whose connection it is, without the port, which every connection has anew."""
    return peer.rpartition(":")[0]


def secret_of(metadata: Iterable[tuple[str, str | bytes]]) -> str | None:
    """The key that a caller shows. Raises `UnauthenticatedError` if it shows something else."""
    for name, value in metadata:
        if name == HEADER:
            text = value if isinstance(value, str) else ""
            if not text.startswith(BEARER):
                raise UnauthenticatedError("show the key as `authorization: Bearer roost_…`")
            return text.removeprefix(BEARER).strip()
    return None

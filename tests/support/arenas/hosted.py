"""A real arena with accounts: its host, and owners with their keys."""

from typing import Any

from roost.v1.admin_pb2_grpc import AccountsStub, AdminStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts import keys, owners
from roost_server.accounts.keys import Scope
from tests.support.arenas.hall import Hall

Metadata = tuple[tuple[str, str], ...]
"""What a call carries, such as a key."""


class Hosted:
    """What the host and the owners of an arena can do there."""

    def __init__(self, place: Hall) -> None:
        self.place = place
        self.admin: Any = AdminStub(place.channel)  # type: ignore[no-untyped-call,unused-ignore]
        self.accounts: Any = AccountsStub(place.channel)  # type: ignore[no-untyped-call,unused-ignore]
        self.host = Credentials(keys.make_key(place.store, Scope.ADMIN, "test", label="host")).metadata()
        """What calls of the host carry."""
        self._keys: dict[str, str] = {}

    def key_of(self, owner: str) -> str:
        """An owner's key. One who is on record from an earlier run of the arena gets another."""
        if owner not in self._keys:
            if owner not in {each.name for each in owners.owners(self.place.store)}:
                owners.add_owner(self.place.store, owner, "test")
            self._keys[owner] = keys.make_key(self.place.store, Scope.OWNER, "test", owner=owner)
        return self._keys[owner]

    def shown_by(self, owner: str) -> Metadata:
        """What calls of an owner carry."""
        return Credentials(self.key_of(owner)).metadata()

"""Owners, keys and invitations in the records: what is kept, what is shown once, and what ends them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.v1 import admin_pb2
from roost_games.errors import UsageError
from roost_server.accounts import audit, invitations, keys, owners, requests
from roost_server.accounts.keys import Scope
from roost_server.accounts.limits import Buckets, RequestLimits
from roost_server.accounts.names import NameRules, claim_name
from roost_server.accounts.requests import Caller
from roost_server.clocks import epoch_ms
from roost_server.errors import ArenaError, DeniedError, InvalidError, UnauthenticatedError
from roost_server.store import Store, open_store

DAY = 86_400_000
TWO_NAMES = NameRules(2)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with open_store(database_url) as opened:
        owners.add_owner(opened, "Ann", "test")
        owners.add_bot(opened, "Ann", "a1", "test")
        yield opened


def test_the_database_has_no_secret_in_it(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store:
        owners.add_owner(store, "Ann", "test")
        secrets = [
            keys.make_key(store, Scope.ADMIN, "test", label="mine"),
            keys.make_key(store, Scope.OWNER, "test", owner="Ann"),
            keys.rotate_key(store, keys.keys(store)[0].prefix, "test"),
            invitations.invite(store, "test"),
        ]
        secrets.append(invitations.register(store, "Bob", secrets[-1]))
        with pytest.raises(DeniedError):
            invitations.register(store, "Cid", secrets[-2])
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in secrets:
        assert secret.encode() not in written
        assert hashlib.sha256(secret.encode()).hexdigest().encode() in written
    assert len(set(secrets)) == len(secrets)


def test_a_key_stands_for_whom_it_was_made(store: Store) -> None:
    bots, anns, hosts = (
        keys.identify(store, keys.make_key(store, scope, "test", owner="Ann", bot="a1", label="x"))
        for scope in (Scope.BOT, Scope.OWNER, Scope.ADMIN)
    )
    assert (bots.scope, bots.owner, bots.bot) == (Scope.BOT, "Ann", "a1")
    assert (anns.scope, anns.owner, anns.bot) == (Scope.OWNER, "Ann", None)
    assert (hosts.scope, hosts.owner, hosts.bot) == (Scope.ADMIN, None, None)
    assert anns.owner_id == bots.owner_id


def test_a_key_for_nobody_is_not_made(store: Store) -> None:
    with pytest.raises(UsageError, match="there is no owner 'Bob'"):
        keys.make_key(store, Scope.OWNER, "test", owner="Bob")
    with pytest.raises(UsageError, match="there is no bot 'b1'"):
        keys.make_key(store, Scope.BOT, "test", bot="b1")
    with pytest.raises(InvalidError, match="say what the key is for"):
        requests.make_key(store, Caller("test"), admin_pb2.MakeKeyRequest())
    assert keys.keys(store) == []


def refusal(store: Store, secret: str) -> str:
    with pytest.raises(UnauthenticatedError) as refused:
        keys.identify(store, secret)
    return str(refused.value)


def test_keys_that_are_good_for_nothing(store: Store) -> None:
    assert "this arena does not know this key" in refusal(store, "roost_" + "x" * 43)
    revoked = keys.make_key(store, Scope.ADMIN, "test")
    keys.revoke_key(store, revoked, "test")
    assert "was revoked" in refusal(store, revoked)
    expired = keys.make_key(store, Scope.ADMIN, "test", expires_ms=epoch_ms())
    assert "has expired" in refusal(store, expired)
    later = keys.make_key(store, Scope.ADMIN, "test", expires_ms=epoch_ms() + DAY)
    assert keys.identify(store, later).scope is Scope.ADMIN


def test_a_rotated_key_is_replaced_by_one_for_the_same(store: Store) -> None:
    ends = epoch_ms() + DAY
    old = keys.make_key(store, Scope.BOT, "test", bot="a1", label="laptop", expires_ms=ends)
    new = keys.rotate_key(store, old, "test")
    assert new != old
    assert "was revoked" in refusal(store, old)
    identity = keys.identify(store, new)
    assert (identity.bot, identity.label, identity.expires_ms) == ("a1", "laptop", ends)


def test_a_key_is_ended_once_and_by_its_owner(store: Store) -> None:
    owners.add_owner(store, "Bob", "test")
    key = keys.make_key(store, Scope.OWNER, "test", owner="Ann")
    bob = keys.identify(store, keys.make_key(store, Scope.OWNER, "test", owner="Bob")).owner_id
    with pytest.raises(UsageError, match=r"no valid key begins with .*; `roost account` shows yours"):
        keys.revoke_key(store, key, "test", owner_id=bob)
    ann = keys.identify(store, key).owner_id
    keys.revoke_key(store, key, "test", owner_id=ann)
    with pytest.raises(UsageError, match="no valid key"):
        keys.revoke_key(store, key, "test", owner_id=ann)


def test_a_key_is_named_by_as_many_letters_as_tell_it_from_others(store: Store) -> None:
    key, other = (keys.make_key(store, Scope.OWNER, "test", owner="Ann") for _ in range(2))
    for nothing in ("", key.upper()[:10]):
        with pytest.raises(UsageError, match="no valid key begins with"):
            keys.revoke_key(store, nothing, "test")
    with pytest.raises(UsageError, match="2 valid keys begin with 'roost_'; give more characters, `roost admin"):
        keys.revoke_key(store, "roost_", "test")
    keys.revoke_key(store, key[:12], "test")
    keys.revoke_key(store, "roost_", "test")
    assert "revoked" in refusal(store, other)


def test_an_invitation_is_good_for_so_many(store: Store) -> None:
    token = invitations.invite(store, "test", uses=2)
    for name in ("Bob", "Cid"):
        assert keys.identify(store, invitations.register(store, name, token)).owner == name
    with pytest.raises(DeniedError, match="is invalid, used up, revoked or expired"):
        invitations.register(store, "Dot", token)
    (left,) = invitations.invitations(store)
    assert left.uses_left == 0


def test_a_revoked_invitation_is_good_for_nobody(store: Store) -> None:
    token, other = invitations.invite(store, "test", uses=3, label="club"), invitations.invite(store, "test")
    invitations.register(store, "Bob", token)
    with pytest.raises(UsageError, match="2 valid invitations begin with 'roost_'; give more characters"):
        invitations.revoke_invitation(store, "roost_", "test")
    ended = invitations.revoke_invitation(store, token, "host")
    assert (ended.label, ended.uses_left) == ("club", 2)
    with pytest.raises(DeniedError, match="is invalid, used up, revoked or expired"):
        invitations.register(store, "Cid", token)
    with pytest.raises(UsageError, match="no valid invitation begins with"):
        invitations.revoke_invitation(store, token, "host")
    assert [owner.name for owner in owners.owners(store)] == ["Ann", "Bob"]
    assert invitations.register(store, "Dot", other)
    assert audit.acts(store, 3)[2].details == {"invitation": token[:12], "label": "club", "uses_left": 2}


def test_the_log_says_with_whose_invitation_an_owner_registered(store: Store) -> None:
    for_ann, for_bob = invitations.invite_people(store, "host", ["Ann Bär", "Bob"])
    invitations.register(store, "anna", for_ann)
    added = next(act for act in audit.acts(store) if act.act == "owner added")
    assert added.actor == f"invitation {for_ann[:12]} Ann Bär"
    assert for_ann != for_bob


def test_a_name_that_is_taken_does_not_use_up_an_invitation(store: Store) -> None:
    token = invitations.invite(store, "test")
    for taken in ("Ann", "ann", "?", ""):
        with pytest.raises(UsageError):
            invitations.register(store, taken, token)
    invitations.register(store, "Bob", token)


def test_an_invitation_ends(store: Store) -> None:
    token = invitations.invite(store, "test", expires_ms=epoch_ms())
    with pytest.raises(DeniedError):
        invitations.register(store, "Bob", token)
    with pytest.raises(DeniedError, match="registration needs an invitation"):
        requests.register(store, admin_pb2.RegisterRequest(owner="Bob"), invited_only=True)
    assert requests.register(store, admin_pb2.RegisterRequest(owner="Bob"), invited_only=False).owner == "Bob"


def test_a_bots_name_belongs_to_one_owner(store: Store) -> None:
    owners.add_owner(store, "Bob", "test")
    ann, bob = (owner.id for owner in owners.owners(store))
    with store.writing() as connection:
        assert claim_name(connection, "test", ann, "a1", TWO_NAMES).owner == "Ann"
        assert claim_name(connection, "test", bob, "b1", TWO_NAMES).owner == "Bob"
        with pytest.raises(ArenaError, match="belongs to another owner"):
            claim_name(connection, "test", bob, "a1", TWO_NAMES)
    with pytest.raises(UsageError, match="the bot 'a1' already exists"):
        owners.add_bot(store, "Bob", "a1", "test")


def test_every_act_is_in_the_log_under_who_did_it(store: Store) -> None:
    admin = keys.identify(store, keys.make_key(store, Scope.ADMIN, "command", label="host"))
    caller = requests.caller_of(admin)
    requests.add_owner(store, caller, admin_pb2.AddOwnerRequest(name="Bob"))
    requests.add_bot(store, caller, admin_pb2.AddBotRequest(owner="Bob", name="b1"))
    key = requests.make_key(store, caller, admin_pb2.MakeKeyRequest(scope=admin_pb2.KEY_SCOPE_OWNER, owner="Bob")).key
    requests.end_key(store, caller, admin_pb2.EndKeyRequest(prefix=key))
    requests.invite(store, caller, admin_pb2.InviteRequest())
    done = [act for act in audit.acts(store) if act.actor == f"{admin.prefix} host"]
    assert [act.act for act in done] == [
        "invitation made",
        "key revoked",
        "key made",
        "bot added",
        "owner added",
    ]
    told = requests.list_acts(store, caller, admin_pb2.ListActsRequest(limit=2)).acts
    assert [act.act for act in told] == ["invitation made", "key revoked"]
    assert key not in str(audit.acts(store))


def test_a_bucket_fills_again_with_time() -> None:
    clock = [0.0]
    buckets = Buckets(RequestLimits(requests_per_second=2.0, burst=3), lambda: clock[0])
    assert [buckets.take("x") for _ in range(4)] == [True, True, True, False]
    assert buckets.take("y"), "everybody has a bucket"
    clock[0] = 0.5
    assert [buckets.take("x") for _ in range(2)] == [True, False]
    buckets.put_back("x")
    assert [buckets.take("x") for _ in range(2)] == [True, False]
    clock[0] = 100.0
    assert [buckets.take("x") for _ in range(4)] == [True, True, True, False]

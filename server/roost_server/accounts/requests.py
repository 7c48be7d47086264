"""Requests of owners and admins, as messages of `roost.v1`, answered from a store alone.

`answers.administration` says which function answers which request. `Caller` is who asks: the audit log has that name.
"""

import json
from typing import NamedTuple

from sqlalchemy import select

from roost.v1 import admin_pb2
from roost_games.errors import UsageError
from roost_server.accounts import audit, invitations, keys, owners
from roost_server.accounts.keys import Identity, KeyRecord, Scope
from roost_server.accounts.names import NameRules, claim_name
from roost_server.accounts.owners import BotRecord, OwnerRecord
from roost_server.errors import DeniedError, InvalidError
from roost_server.store import Store
from roost_server.store.models import BOT, BOT_VERSION, COMPETITION, ENTRY

COMMAND = "command"
"""The actor of commands that open the database."""
SCOPES = {
    admin_pb2.KEY_SCOPE_BOT: Scope.BOT,
    admin_pb2.KEY_SCOPE_OWNER: Scope.OWNER,
    admin_pb2.KEY_SCOPE_ADMIN: Scope.ADMIN,
}
SCOPES_ON_THE_WIRE = {scope: number for number, scope in SCOPES.items()}
MOST_ACTS = 1000
DEFAULT_ACTS = 50
MOST_USES = 100_000
MOST_PEOPLE = 10_000
LONGEST_LABEL = 100
LAST_MS = 253_402_300_799_999
"""The end of the year 9999."""


class Caller(NamedTuple):
    """Who asks."""

    actor: str
    owner_id: int | None = None


def caller_of(identity: Identity) -> Caller:
    """The caller behind a key."""
    return Caller(identity.actor, identity.owner_id)


def add_owner(store: Store, caller: Caller, request: admin_pb2.AddOwnerRequest) -> admin_pb2.OwnerRecord:
    """A new owner."""
    owners.add_owner(store, request.name, caller.actor)
    return next(_owner(each) for each in owners.owners(store) if each.name == request.name)


def list_owners(store: Store, _: Caller, request: admin_pb2.ListOwnersRequest) -> admin_pb2.ListOwnersResponse:
    """All owners."""
    return admin_pb2.ListOwnersResponse(owners=[_owner(each) for each in owners.owners(store)])


def add_bot(store: Store, caller: Caller, request: admin_pb2.AddBotRequest) -> admin_pb2.BotRecord:
    """A new bot of an owner."""
    return _bot(owners.add_bot(store, request.owner, request.name, caller.actor))


def list_bots(store: Store, _: Caller, request: admin_pb2.ListOwnedBotsRequest) -> admin_pb2.ListOwnedBotsResponse:
    """All bots with their owners."""
    return admin_pb2.ListOwnedBotsResponse(bots=[_bot(each) for each in owners.bots(store)])


def make_key(store: Store, caller: Caller, request: admin_pb2.MakeKeyRequest) -> admin_pb2.MakeKeyResponse:
    """A new key."""
    if request.scope not in SCOPES:
        raise InvalidError("say what the key is for: a bot, an owner or an admin")
    key = keys.make_key(
        store,
        SCOPES[request.scope],
        caller.actor,
        owner=request.owner,
        bot=request.bot,
        label=_label(request.label),
        expires_ms=_expiry(request.expires_ms),
    )
    return admin_pb2.MakeKeyResponse(key=key)


def end_key(store: Store, caller: Caller, request: admin_pb2.EndKeyRequest) -> admin_pb2.MakeKeyResponse:
    """Revoke or rotate a key; an owner only the owner's own."""
    if request.rotate:
        key = keys.rotate_key(store, request.prefix, caller.actor, owner_id=caller.owner_id)
        return admin_pb2.MakeKeyResponse(key=key)
    keys.revoke_key(store, request.prefix, caller.actor, owner_id=caller.owner_id)
    return admin_pb2.MakeKeyResponse()


def list_keys(store: Store, _: Caller, request: admin_pb2.ListKeysRequest) -> admin_pb2.ListKeysResponse:
    """All keys, without their secrets."""
    return admin_pb2.ListKeysResponse(keys=[_key(each) for each in keys.keys(store)])


def invite(store: Store, caller: Caller, request: admin_pb2.InviteRequest) -> admin_pb2.InviteResponse:
    """A new invitation, or one for each of several people."""
    if request.uses > MOST_USES:
        raise InvalidError(f"an invitation is for at most {MOST_USES} owners")
    label, expires_ms = _label(request.label), _expiry(request.expires_ms)
    if request.people:
        people = _people(request)
        return admin_pb2.InviteResponse(
            invitations=invitations.invite_people(store, caller.actor, people, expires_ms=expires_ms)
        )
    invitation = invitations.invite(store, caller.actor, label=label, uses=request.uses or 1, expires_ms=expires_ms)
    return admin_pb2.InviteResponse(invitation=invitation)


def list_invitations(
    store: Store, _: Caller, request: admin_pb2.ListInvitationsRequest
) -> admin_pb2.ListInvitationsResponse:
    """All invitations."""
    found = invitations.invitations(store)
    return admin_pb2.ListInvitationsResponse(
        invitations=[
            admin_pb2.InvitationRecord(
                prefix=each.prefix,
                label=each.label,
                uses_left=each.uses_left,
                created_ms=each.created_ms,
                expires_ms=each.expires_ms or 0,
                revoked_ms=each.revoked_ms or 0,
            )
            for each in found
        ]
    )


def revoke_invitation(
    store: Store, caller: Caller, request: admin_pb2.RevokeInvitationRequest
) -> admin_pb2.RevokeInvitationResponse:
    """End an invitation."""
    ended = invitations.revoke_invitation(store, request.prefix, caller.actor)
    return admin_pb2.RevokeInvitationResponse(label=ended.label, uses_left=ended.uses_left)


def list_acts(store: Store, _: Caller, request: admin_pb2.ListActsRequest) -> admin_pb2.ListActsResponse:
    """The latest entries of the audit log."""
    found = audit.acts(store, min(request.limit or DEFAULT_ACTS, MOST_ACTS))
    return admin_pb2.ListActsResponse(
        acts=[
            admin_pb2.Act(at_ms=each.at_ms, actor=each.actor, act=each.act, details=json.dumps(each.details))
            for each in found
        ]
    )


def register(store: Store, request: admin_pb2.RegisterRequest, *, invited_only: bool) -> admin_pb2.RegisterResponse:
    """Register an owner."""
    if invited_only and not request.invitation:
        raise DeniedError("registration needs an invitation; give the one that the host sent you")
    key = invitations.register(store, request.owner, request.invitation or None)
    return admin_pb2.RegisterResponse(owner=request.owner, key=key)


def get_account(store: Store, caller: Caller, request: admin_pb2.GetAccountRequest) -> admin_pb2.GetAccountResponse:
    """Everything about the owner who asks."""
    owner_id = _owner_id(caller)
    return admin_pb2.GetAccountResponse(
        owner=next(each.name for each in owners.owners(store) if each.id == owner_id),
        bots=[_bot(each) for each in owners.bots(store, owner_id=owner_id)],
        keys=[_key(each) for each in keys.keys(store, owner_id=owner_id)],
        entries=_entries(store, owner_id),
    )


def make_own_key(
    store: Store, caller: Caller, request: admin_pb2.MakeOwnKeyRequest, *, names: NameRules
) -> admin_pb2.MakeKeyResponse:
    """A new key for the owner who asks, or for one of the owner's bots, which is added if it does not exist."""
    owner_id = _owner_id(caller)
    label, expires_ms = _label(request.label), _expiry(request.expires_ms)
    if request.bot:
        with store.writing() as connection:
            claim_name(connection, caller.actor, owner_id, request.bot, names)
    owner = next(each.name for each in owners.owners(store) if each.id == owner_id)
    scope = Scope.BOT if request.bot else Scope.OWNER
    key = keys.make_key(store, scope, caller.actor, owner=owner, bot=request.bot, label=label, expires_ms=expires_ms)
    return admin_pb2.MakeKeyResponse(key=key)


def _people(request: admin_pb2.InviteRequest) -> list[str]:
    if request.label or request.uses:
        raise UsageError("invitations for people have their names as labels, and one use each")
    if len(request.people) > MOST_PEOPLE:
        raise UsageError(f"at most {MOST_PEOPLE} people are invited at once; make several lists")
    for person in request.people:
        if not person.strip() or len(person) > LONGEST_LABEL or not person.isprintable():
            raise UsageError(f"{person[:LONGEST_LABEL]!r} is not a name: one line of 1 to {LONGEST_LABEL} characters")
    return list(request.people)


def _label(text: str) -> str:
    if len(text) > LONGEST_LABEL or not text.isprintable():
        raise InvalidError(f"a label is one line of at most {LONGEST_LABEL} characters")
    return text


def _expiry(ms: int) -> int | None:
    """The time of expiry; `None` for never."""
    if ms > LAST_MS:
        raise InvalidError("this time is too far in the future; leave it out for no expiry")
    return ms or None


def existing_bot(store: Store, caller: Caller, name: str) -> BotRecord:
    """The owner's bot of this name. Raises `UsageError` if this owner has none."""
    for bot in owners.bots(store, owner_id=_owner_id(caller)):
        if bot.name == name:
            return bot
    raise UsageError(f"you have no bot {name!r}; `roost account` lists yours")


def _owner_id(caller: Caller) -> int:
    if caller.owner_id is None:
        raise InvalidError("this is for owners")
    return caller.owner_id


def _entries(store: Store, owner_id: int) -> list[admin_pb2.EntryRecord]:
    query = (
        select(COMPETITION.c.name, BOT.c.name, COMPETITION.c.phase, BOT_VERSION.c.version)
        .join_from(ENTRY, COMPETITION)
        .join(BOT)
        .join(BOT_VERSION, ENTRY.c.pinned_version_id == BOT_VERSION.c.id, isouter=True)
        .where(BOT.c.owner_id == owner_id, ENTRY.c.withdrawn_ms.is_(None))
        .order_by(ENTRY.c.entered_ms)
    )
    with store.reading() as connection:
        return [
            admin_pb2.EntryRecord(competition=competition, bot=bot, phase=phase, pinned_version=version or "")
            for competition, bot, phase, version in connection.execute(query)
        ]


def _owner(owner: OwnerRecord) -> admin_pb2.OwnerRecord:
    return admin_pb2.OwnerRecord(name=owner.name, created_ms=owner.created_ms, bots=owner.bots, banned=owner.banned)


def _bot(bot: BotRecord) -> admin_pb2.BotRecord:
    return admin_pb2.BotRecord(name=bot.name, owner=bot.owner, created_ms=bot.created_ms)


def _key(key: KeyRecord) -> admin_pb2.KeyRecord:
    return admin_pb2.KeyRecord(
        prefix=key.prefix,
        label=key.label,
        scope=SCOPES_ON_THE_WIRE[Scope(key.scope)],
        owner=key.owner or "",
        bot=key.bot or "",
        created_ms=key.created_ms,
        expires_ms=key.expires_ms or 0,
        revoked_ms=key.revoked_ms or 0,
    )

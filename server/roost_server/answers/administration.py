"""Acts of administration: one line for each has the request, who may send it, and the function that answers it.

The services `roost.v1.Admin` and `roost.v1.Accounts` of a running arena are built from these lines, and the database of
a stopped arena is asked through them. The name of a method and the type of its response come from the contract, in
which a service has one method for each type of request.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from roost.v1 import admin_pb2
from roost_server.accounts import requests
from roost_server.accounts.gate import Need
from roost_server.accounts.requests import Caller
from roost_server.answers import competitions, held, rulings, status
from roost_server.store import Store

ACCOUNTS = admin_pb2.DESCRIPTOR.services_by_name["Accounts"]
ADMIN = admin_pb2.DESCRIPTOR.services_by_name["Admin"]


class Act(NamedTuple):
    """Something that an owner or an admin can do."""

    request: type[Message]
    need: Need
    """Who may send it."""
    answer: Callable[[Store, Caller, Any], Message] | None
    """Answers from the records. `None` if only a running arena can."""
    changes: bool = True
    """Whether it writes to the records."""


OWNERS_ACTS = (
    Act(admin_pb2.RegisterRequest, Need.NOTHING, None),
    Act(admin_pb2.GetAccountRequest, Need.OWN, competitions.get_account, changes=False),
    Act(admin_pb2.MakeOwnKeyRequest, Need.OWN, None),
    Act(admin_pb2.EndKeyRequest, Need.OWN, requests.end_key),
    Act(admin_pb2.ChangeEntryRequest, Need.OWN, None),
    Act(admin_pb2.ChallengeRequest, Need.OWN, None),
)
"""The service `roost.v1.Accounts`."""
ADMINS_ACTS = (
    Act(admin_pb2.AddOwnerRequest, Need.ADMINISTER, requests.add_owner),
    Act(admin_pb2.ListOwnersRequest, Need.ADMINISTER, requests.list_owners, changes=False),
    Act(admin_pb2.AddBotRequest, Need.ADMINISTER, requests.add_bot),
    Act(admin_pb2.ListOwnedBotsRequest, Need.ADMINISTER, requests.list_bots, changes=False),
    Act(admin_pb2.MakeKeyRequest, Need.ADMINISTER, requests.make_key),
    Act(admin_pb2.EndKeyRequest, Need.ADMINISTER, requests.end_key),
    Act(admin_pb2.ListKeysRequest, Need.ADMINISTER, requests.list_keys, changes=False),
    Act(admin_pb2.InviteRequest, Need.ADMINISTER, requests.invite),
    Act(admin_pb2.ListInvitationsRequest, Need.ADMINISTER, requests.list_invitations, changes=False),
    Act(admin_pb2.RevokeInvitationRequest, Need.ADMINISTER, requests.revoke_invitation),
    Act(admin_pb2.BanOwnerRequest, Need.ADMINISTER, rulings.ban_owner),
    Act(admin_pb2.UnbanOwnerRequest, Need.ADMINISTER, rulings.unban_owner),
    Act(admin_pb2.DisqualifyBotRequest, Need.ADMINISTER, rulings.disqualify_bot),
    Act(admin_pb2.ReinstateBotRequest, Need.ADMINISTER, rulings.reinstate_bot),
    Act(admin_pb2.RenameBotRequest, Need.ADMINISTER, rulings.rename_bot),
    Act(admin_pb2.MoveBotRequest, Need.ADMINISTER, rulings.move_bot),
    Act(admin_pb2.VoidMatchRequest, Need.ADMINISTER, rulings.void_match),
    Act(admin_pb2.ExtendPhaseRequest, Need.ADMINISTER, rulings.extend_phase),
    Act(admin_pb2.ReleaseResultsRequest, Need.ADMINISTER, held.release_results),
    Act(admin_pb2.ChangePhaseRequest, Need.ADMINISTER, status.change_phase),
    Act(admin_pb2.GetStatusRequest, Need.ADMINISTER, status.get_status, changes=False),
    Act(admin_pb2.BackupRequest, Need.ADMINISTER, status.back_up, changes=False),
    Act(admin_pb2.ListActsRequest, Need.ADMINISTER, requests.list_acts, changes=False),
)
"""The service `roost.v1.Admin`."""
ACTS = {ACCOUNTS.full_name: OWNERS_ACTS, ADMIN.full_name: ADMINS_ACTS}


def method_of(service: str, request: type[Message]) -> MethodDescriptor:
    """The method of a service that takes this type of request, by the service's full name."""
    methods = admin_pb2.DESCRIPTOR.services_by_name[service.rpartition(".")[2]].methods
    return next(each for each in methods if each.input_type.full_name == request.DESCRIPTOR.full_name)


def act_of(request: Message) -> Act:
    """The act that an admin asks for with this request."""
    return next(act for act in ADMINS_ACTS if act.request is type(request))


def answer(store: Store, request: Message, actor: str = requests.COMMAND) -> Message:
    """Answer an admin's request from a store alone. `actor` is who does it, for the audit log."""
    act = act_of(request)
    if act.answer is None:
        raise ValueError(f"{type(request).__name__} is for a running arena")
    return act.answer(store, Caller(actor), request)

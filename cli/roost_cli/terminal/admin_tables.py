"""Lists of `roost admin` and `roost account`, as tables for people and as plain data for programs.

The keys of the JSON are those of the messages in `proto/roost/v1/admin.proto` and stay as they are.
"""

from collections.abc import Iterable, Sequence

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from roost.v1 import admin_pb2
from roost_cli.admin_desk import Desk
from roost_cli.terminal.arena_tables import local_time
from roost_cli.terminal.console import print_json, results
from roost_cli.terminal.fitted import Column, print_fitted

NEVER = "-"
SCOPES = {
    admin_pb2.KEY_SCOPE_BOT: "bot",
    admin_pb2.KEY_SCOPE_OWNER: "owner",
    admin_pb2.KEY_SCOPE_ADMIN: "admin",
}


def show_owners(desk: Desk, *, as_json: bool) -> None:
    """`roost admin owner list`."""
    found = desk.ask("ListOwners", admin_pb2.ListOwnersRequest(), admin_pb2.ListOwnersResponse).owners
    columns = [
        Column("owner", [each.name for each in found]),
        Column(">bots", [str(each.bots) for each in found]),
        Column("since", [moment(each.created_ms) for each in found], drop=1),
    ]
    show("owners", found, columns, as_json=as_json)


def show_bots(desk: Desk, *, as_json: bool) -> None:
    """`roost admin bot list`."""
    found = desk.ask("ListOwnedBots", admin_pb2.ListOwnedBotsRequest(), admin_pb2.ListOwnedBotsResponse).bots
    show("bots", found, bot_columns(found), as_json=as_json)


def bot_columns(bots: Iterable[admin_pb2.BotRecord]) -> list[Column]:
    """Bots and whose they are."""
    found = list(bots)
    return [
        Column("bot", [each.name for each in found]),
        Column("owner", [each.owner for each in found]),
        Column("since", [moment(each.created_ms) for each in found], drop=1),
    ]


def show_keys(desk: Desk, *, as_json: bool) -> None:
    """`roost admin key list`."""
    found = desk.ask("ListKeys", admin_pb2.ListKeysRequest(), admin_pb2.ListKeysResponse).keys
    show("keys", found, key_columns(found), as_json=as_json)


def key_columns(keys: Iterable[admin_pb2.KeyRecord]) -> list[Column]:
    """Keys, or what may be known of them."""
    found = list(keys)
    return [
        Column("key", [f"{each.prefix}…" for each in found], whole=True),
        Column("for", [_whose(each) for each in found]),
        Column("label", [each.label for each in found], drop=2),
        Column("made", [moment(each.created_ms) for each in found], drop=3),
        Column("ends", [moment(each.expires_ms) for each in found], drop=1),
        Column("revoked", [moment(each.revoked_ms) for each in found], drop=1),
    ]


def _whose(key: admin_pb2.KeyRecord) -> str:
    return " ".join(filter(None, (SCOPES[key.scope], key.bot or key.owner)))


def show_invitations(desk: Desk, *, as_json: bool) -> None:
    """`roost admin invitations`."""
    answer = desk.ask("ListInvitations", admin_pb2.ListInvitationsRequest(), admin_pb2.ListInvitationsResponse)
    found = answer.invitations
    columns = [
        Column("invitation", [f"{each.prefix}…" for each in found], whole=True),
        Column(">uses left", [str(each.uses_left) for each in found]),
        Column("label", [each.label for each in found], drop=1),
        Column("made", [moment(each.created_ms) for each in found], drop=2),
        Column("ends", [moment(each.expires_ms) for each in found], drop=1),
    ]
    show("invitations", found, columns, as_json=as_json)


def show_acts(desk: Desk, limit: int, *, as_json: bool) -> None:
    """`roost admin log`."""
    found = desk.ask("ListActs", admin_pb2.ListActsRequest(limit=limit), admin_pb2.ListActsResponse).acts
    columns = [
        Column("when", [moment(each.at_ms) for each in found]),
        Column("who", [each.actor for each in found]),
        Column("what", [each.act for each in found]),
        Column("details", [each.details for each in found], drop=1),
    ]
    show("acts", found, columns, as_json=as_json)


def moment(ms: int) -> str:
    """A time, or a dash where there is none."""
    return local_time(ms) if ms else NEVER


def show(what: str, found: Sequence[Message], columns: Sequence[Column], *, as_json: bool) -> None:
    """A list, one way or the other."""
    if as_json:
        print_json({what: [plain(each) for each in found]})
    elif found:
        print_fitted(results(), columns)
    else:
        results().print(f"no {what}")


def plain(message: Message) -> dict[str, object]:
    """A message as plain data: all its fields under their names, whole numbers as numbers."""
    data = MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return {name: int(value) if name.endswith(("_ms", "_bytes")) else value for name, value in data.items()}

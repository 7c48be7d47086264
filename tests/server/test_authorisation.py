"""Who may do what: every call with every kind of key ends as docs/hosting/competition.md says."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from google.protobuf.message import Message

from roost.v1 import admin_pb2, arena_pb2, play_pb2, records_pb2
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import Ending
from roost_server.accounts import invitations, keys, owners
from roost_server.accounts.keys import SHOWN, Scope
from roost_server.clocks import epoch_ms
from roost_server.store import Store
from tests.support.arenas.hall import Hall, bounded, hall
from tests.support.cups import cup

PAGE = (Path(__file__).parents[2] / "docs/hosting/competition.md").read_text(encoding="utf-8")
SERVICES = (arena_pb2.DESCRIPTOR, "Arena"), (admin_pb2.DESCRIPTOR, "Accounts"), (admin_pb2.DESCRIPTOR, "Admin")
METHODS = {
    f"{service}.{method.name}": f"/roost.v1.{service}/{method.name}"
    for file, service in SERVICES
    for method in file.services_by_name[service].methods
}
STREAMS = ("Arena.WatchMatch", "Arena.ExportCompetition")
U, D, OK = "UNAUTHENTICATED", "PERMISSION_DENIED", "OK"
SAYS = {"yes": OK, "no key": U, "no": D}
"""How the page says it."""


class World(NamedTuple):
    """An arena with people."""

    place: Hall
    keys: dict[str, str | None]
    """By kind."""
    spare: dict[str, str]
    """The first letters of keys and of an invitation that may be ended."""
    folder: Path


def people(store: Store) -> tuple[dict[str, str | None], dict[str, str]]:
    """Ann has the bots a1 and a2, Bob has b1. What is asked is about Ann and her bot a1."""
    for owner in ("Ann", "Bob", "Dot"):
        owners.add_owner(store, owner, "test")
    for owner, bot in (("Ann", "a1"), ("Ann", "a2"), ("Bob", "b1"), ("Dot", "d1")):
        owners.add_bot(store, owner, bot, "test")

    def make(scope: Scope, **whose: Any) -> str:
        return keys.make_key(store, scope, "test", **whose)

    by_kind: dict[str, str | None] = {
        "none": None,
        "made up": "roost_" + "x" * 43,
        "revoked": make(Scope.OWNER, owner="Ann"),
        "expired": make(Scope.OWNER, owner="Ann", expires_ms=epoch_ms() - 1),
        "other bot's": make(Scope.BOT, bot="a2"),
        "other owner's": make(Scope.OWNER, owner="Bob"),
        "bot's": make(Scope.BOT, bot="a1"),
        "owner's": make(Scope.OWNER, owner="Ann"),
        "admin's": make(Scope.ADMIN),
    }
    keys.revoke_key(store, str(by_kind["revoked"]), "test")
    spare = {name: make(Scope.OWNER, owner="Ann")[:SHOWN] for name in ("own", "any")}
    return by_kind, spare | {"invitation": invitations.invite(store, "test")[:SHOWN]}


@asynccontextmanager
async def world(folder: Path, *, public: bool = True) -> AsyncIterator[World]:
    text = cup(
        "registration",
        {"phase": "ladder", "starts": datetime(2040, 1, 1, tzinfo=UTC)},
        "done",
        entry={"who": "open", "bots_per_owner": 5},
        spectators={"public": public},
    )
    async with hall(folder, None, text) as place:
        yield World(place, *people(place.store), folder)


def requests(there: World, kind: str) -> dict[str, Message]:
    """What is asked: something that could be done, if the caller may."""
    nobody = f"new {kind.replace(chr(39), '')}"
    return {
        "Arena.GetArena": records_pb2.GetArenaRequest(),
        "Arena.ListBots": arena_pb2.ListBotsRequest(),
        "Arena.GetBot": records_pb2.GetBotRequest(bot="a1"),
        "Arena.ListFaults": records_pb2.ListFaultsRequest(bot="a1"),
        "Arena.GetStandings": arena_pb2.GetStandingsRequest(competition="cup"),
        "Arena.GetCrossTable": records_pb2.GetCrossTableRequest(),
        "Arena.GetRatingHistory": records_pb2.GetRatingHistoryRequest(),
        "Arena.GetMatch": arena_pb2.GetMatchRequest(match_id="none"),
        "Arena.GetCompetition": records_pb2.GetCompetitionRequest(competition="cup"),
        "Arena.GetCollusion": records_pb2.GetCollusionRequest(competition="cup"),
        "Arena.ListMatches": arena_pb2.ListMatchesRequest(competition="cup"),
        "Arena.GetReplay": arena_pb2.GetReplayRequest(match_id="none"),
        "Arena.ListCompetitions": arena_pb2.ListCompetitionsRequest(),
        "Arena.GetBracket": arena_pb2.GetBracketRequest(competition="cup"),
        "Arena.GetChallenge": records_pb2.GetChallengeRequest(challenge_id="none"),
        "Arena.ExportCompetition": arena_pb2.ExportCompetitionRequest(competition="cup"),
        "Arena.WatchMatch": arena_pb2.WatchMatchRequest(match_id="none"),
        "Accounts.Register": admin_pb2.RegisterRequest(owner=nobody),
        "Accounts.GetAccount": admin_pb2.GetAccountRequest(),
        "Accounts.MakeOwnKey": admin_pb2.MakeOwnKeyRequest(bot="a1"),
        "Accounts.EndOwnKey": admin_pb2.EndKeyRequest(prefix=there.spare["own"]),
        "Accounts.ChangeEntry": admin_pb2.ChangeEntryRequest(competition="cup", bot="a1", enter=True),
        "Accounts.Challenge": admin_pb2.ChallengeRequest(bot="a1", opponents=["b1"], game="karteneck"),
        "Admin.AddOwner": admin_pb2.AddOwnerRequest(name="Cid"),
        "Admin.ListOwners": admin_pb2.ListOwnersRequest(),
        "Admin.AddBot": admin_pb2.AddBotRequest(owner="Ann", name="a3"),
        "Admin.ListOwnedBots": admin_pb2.ListOwnedBotsRequest(),
        "Admin.MakeKey": admin_pb2.MakeKeyRequest(scope=admin_pb2.KEY_SCOPE_ADMIN),
        "Admin.EndKey": admin_pb2.EndKeyRequest(prefix=there.spare["any"]),
        "Admin.ListKeys": admin_pb2.ListKeysRequest(),
        "Admin.Invite": admin_pb2.InviteRequest(),
        "Admin.ListInvitations": admin_pb2.ListInvitationsRequest(),
        "Admin.RevokeInvitation": admin_pb2.RevokeInvitationRequest(prefix=there.spare["invitation"]),
        "Admin.BanOwner": admin_pb2.BanOwnerRequest(owner="Dot"),
        "Admin.UnbanOwner": admin_pb2.UnbanOwnerRequest(owner="Dot"),
        "Admin.DisqualifyBot": admin_pb2.DisqualifyBotRequest(competition="cup", bot="a1"),
        "Admin.ReinstateBot": admin_pb2.ReinstateBotRequest(competition="cup", bot="a1"),
        "Admin.RenameBot": admin_pb2.RenameBotRequest(bot="d1", name="d2"),
        "Admin.MoveBot": admin_pb2.MoveBotRequest(bot="d2", owner="Bob"),
        "Admin.VoidMatch": admin_pb2.VoidMatchRequest(match_id="none"),
        "Admin.ExtendPhase": admin_pb2.ExtendPhaseRequest(competition="cup", by_ms=1),
        "Admin.ChangePhase": admin_pb2.ChangePhaseRequest(competition="cup", phase="ladder"),
        "Admin.ReleaseResults": admin_pb2.ReleaseResultsRequest(competition="cup"),
        "Admin.GetStatus": admin_pb2.GetStatusRequest(),
        "Admin.Backup": admin_pb2.BackupRequest(path="copy.db"),
        "Admin.ListActs": admin_pb2.ListActsRequest(),
    }


async def status_of(there: World, name: str, kind: str) -> str:
    """How a call ends with a key of this kind."""
    metadata = Credentials(there.keys[kind]).metadata()
    async with grpc.aio.insecure_channel(there.place.address) as channel:
        if name == "Arena.Play":
            return await said_hello(channel, metadata, kind)
        return (await ending_of(channel, name, requests(there, kind)[name], metadata))[0]


async def ending_of(channel: grpc.aio.Channel, name: str, request: Message, metadata: Any) -> tuple[str, str]:
    """The status and the details with which a call ends."""
    method: Any = channel.unary_stream if name in STREAMS else channel.unary_unary
    call = method(METHODS[name], type(request).SerializeToString, bytes)(request, metadata=metadata)
    try:
        await (call.read() if name in STREAMS else call)
    except grpc.aio.AioRpcError as error:
        return error.code().name, error.details() or ""
    return OK, ""


async def said_hello(channel: grpc.aio.Channel, metadata: Any, kind: str) -> str:
    """How a stream ends; it is well if the arena says welcome."""
    open_stream: Any = channel.stream_stream(METHODS["Arena.Play"], play_pb2.BotMessage.SerializeToString, bytes)
    stream = open_stream(metadata=metadata)
    ending = Ending(stream)
    version = re.sub(r"\W", "", kind)
    try:
        await stream.write(play_pb2.BotMessage(hello=play_pb2.Hello(name="a1", version=version)))
        await stream.read()
    except grpc.aio.AioRpcError:
        status, _ = await ending.status()
        return status.name
    stream.cancel()
    return OK


def described() -> dict[str, dict[str, str]]:
    """What the page says: by call and kind of key, the status."""
    (table,) = re.findall(r"^\| Call \|.*?(?=\n\n)", PAGE, re.MULTILINE | re.DOTALL)
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    said = {}
    for calls, *cells in rows:
        for call in re.findall(r"`(\w+\.\w+)`", calls):
            said[call] = {kind: SAYS.get(cell, cell.strip("`")) for kind, cell in zip(head[1:], cells, strict=True)}
    return said


def test_every_call_with_every_kind_of_key(tmp_path: Path) -> None:
    measured: dict[str, dict[str, str]] = {}

    async def script() -> None:
        async with world(tmp_path) as there:
            for name in METHODS:
                measured[name] = {kind: await status_of(there, name, kind) for kind in there.keys}

    bounded(script)
    assert described().keys() == METHODS.keys()
    for name, row in described().items():
        assert measured[name] == row, name


def test_a_competition_that_does_not_exist_is_not_found_by_any_call(tmp_path: Path) -> None:
    said = ("NOT_FOUND", "there is no competition 'cap'; the competitions are: cup")

    async def script() -> None:
        async with world(tmp_path) as there, grpc.aio.insecure_channel(there.place.address) as channel:
            asked = []
            for name, request in requests(there, "none").items():
                fields: Any = getattr(request, "filter", request)
                if "competition" in fields.DESCRIPTOR.fields_by_name:
                    fields.competition = "cap"
                    metadata = Credentials(there.keys["owner's" if "Accounts" in name else "admin's"]).metadata()
                    assert (name, *await ending_of(channel, name, request, metadata)) == (name, *said)
                    asked.append(name)
            assert len(asked) > 12

    bounded(script)


READING = [name for name in METHODS if name.startswith("Arena.") and name != "Arena.Play"]


def test_where_spectators_need_a_key(tmp_path: Path) -> None:
    """`public = false`: as described, but that nobody reads without a key."""

    async def script() -> None:
        async with world(tmp_path, public=False) as there:
            for name in READING:
                assert await status_of(there, name, "none") == U
                for kind in ("other bot's", "other owner's", "owner's", "admin's"):
                    assert await status_of(there, name, kind) == described()[name][kind]

    bounded(script)


@pytest.mark.parametrize("shown", ["Basic YW5uOmFubg==", "roost_abc", "Bearer", "Bearer "])
def test_what_is_shown_in_another_way_is_no_key(tmp_path: Path, shown: str) -> None:
    async def script() -> None:
        async with world(tmp_path) as there, grpc.aio.insecure_channel(there.place.address) as channel:
            call = channel.unary_unary(METHODS["Admin.ListKeys"], bytes, bytes)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call(b"", metadata=(("authorization", shown),))
            assert refused.value.code().name == U

    bounded(script)


def test_nothing_is_done_for_those_who_are_refused(tmp_path: Path) -> None:
    """The records after all refused calls are those before."""

    async def script() -> None:
        async with world(tmp_path) as there:
            store = there.place.store
            looks: list[Callable[[], object]] = [
                lambda: [owner.name for owner in owners.owners(store)],
                lambda: [bot.name for bot in owners.bots(store)],
                lambda: [(key.prefix, key.revoked_ms) for key in keys.keys(store)],
                lambda: there.place.arena.directors[0].competition.phase,
            ]
            before = [look() for look in looks]
            said = described()
            for name, row in said.items():
                for kind, status in row.items():
                    if status != OK:
                        assert await status_of(there, name, kind) == status
            assert [look() for look in looks] == before
            assert not (tmp_path / "copy.db").exists()

    bounded(script)

"""`roost.v1.Accounts` and `roost.v1.Admin`: what owners and the host ask of a running arena.

Most of it is answered by `accounts.desk` from the records alone. What is here besides needs the arena: to end a key
also ends the streams that play with it, and a phase is changed in the competition that is being played.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import admin_pb2
from roost_games.errors import UsageError
from roost_server.accounts import keys
from roost_server.accounts import requests as desk
from roost_server.accounts.gate import Gate, Need
from roost_server.accounts.keys import Identity
from roost_server.accounts.requests import Caller, caller_of
from roost_server.answers import host
from roost_server.clocks import epoch_ms
from roost_server.errors import NotYetError, UnauthenticatedError
from roost_server.play.arena import Arena
from roost_server.play.director import Director
from roost_server.serving.rpc import Methods
from roost_server.store import Store

ACCOUNTS = "roost.v1.Accounts"
ADMIN = "roost.v1.Admin"
SAMPLE_SECONDS = 5.0
SAMPLES = 12
"""How far back the arena's own delay is told: a minute."""
RequestT = TypeVar("RequestT", bound=Message)
AtDesk = Callable[[Store, Caller, RequestT], Message]


class _Service:
    """What the two have in common: every method asks for a key, and knows who uses it."""

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._methods = Methods(gate, arena.metrics)

    def _method(
        self, name: str, need: Need, request_type: type[RequestT], answer: Callable[[RequestT, Caller], Any]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        async def ask(request: RequestT, identity: Identity | None) -> Message:
            answered: Message = await answer(request, _caller(identity))
            return answered

        return self._methods.unary(name, need, request_type, ask)

    def _desk(
        self, name: str, need: Need, request_type: type[RequestT], answer: AtDesk[RequestT]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """Answered from the records, in a thread of its own, so that running matches do not wait for it."""

        async def ask(request: RequestT, caller: Caller) -> Message:
            return await asyncio.to_thread(answer, self._arena.store, caller, request)

        return self._method(name, need, request_type, ask)

    async def _end_key(self, request: admin_pb2.EndKeyRequest, caller: Caller) -> admin_pb2.MakeKeyResponse:
        answer = await asyncio.to_thread(desk.end_key, self._arena.store, caller, request)
        self._gate.forget()
        self._arena.entrance.expel(await asyncio.to_thread(keys.revoked_ids, self._arena.store))
        return answer

    def _director(self, name: str) -> Director:
        for director in self._arena.directors:
            if director.file.name == name:
                return director
        running = ", ".join(director.file.name for director in self._arena.directors)
        raise UsageError(f"there is no competition {name!r} here; there are: {running or 'none'}")


class AccountsService(_Service):
    """`roost.v1.Accounts`."""

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server takes."""
        return grpc.method_handlers_generic_handler(
            ACCOUNTS,
            {
                "Register": self._methods.unary("Register", Need.NOTHING, admin_pb2.RegisterRequest, self._register),
                "GetAccount": self._desk("GetAccount", Need.OWN, admin_pb2.GetAccountRequest, desk.get_account),
                "MakeOwnKey": self._desk("MakeOwnKey", Need.OWN, admin_pb2.MakeOwnKeyRequest, desk.make_own_key),
                "EndOwnKey": self._method("EndOwnKey", Need.OWN, admin_pb2.EndKeyRequest, self._end_key),
                "ChangeEntry": self._method("ChangeEntry", Need.OWN, admin_pb2.ChangeEntryRequest, self._change_entry),
            },
        )

    async def _register(self, request: admin_pb2.RegisterRequest, _: Identity | None) -> admin_pb2.RegisterResponse:
        if not self._gate.accounts:
            raise NotYetError("this arena has no accounts; everybody can play here without a key")
        # Whoever is registered can enter every competition, so the strictest one decides.
        invited = any(director.file.entry.who == "invited" for director in self._arena.directors)
        return await asyncio.to_thread(desk.register, self._arena.store, request, invited_only=invited)

    async def _change_entry(
        self, request: admin_pb2.ChangeEntryRequest, caller: Caller
    ) -> admin_pb2.ChangeEntryResponse:
        director = self._director(request.competition)
        bot = await asyncio.to_thread(desk.existing_bot, self._arena.store, caller, request.bot)
        if request.enter:
            await self._arena.enter_competition(director, bot.id, bot.owner_id)
        else:
            await director.withdraw(bot.id, caller.actor)
        return admin_pb2.ChangeEntryResponse()


class AdminService(_Service):
    """`roost.v1.Admin`. `start` it with the arena, `stop` it in the end."""

    def __init__(self, arena: Arena, gate: Gate) -> None:
        super().__init__(arena, gate)
        self._started_ms = epoch_ms()
        self._delays: deque[float] = deque([0.0], maxlen=SAMPLES + 1)
        self._sampling: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to note how late the arena is."""
        self._delays.append(self._arena.delayed_ms)
        self._sampling = asyncio.get_running_loop().call_later(SAMPLE_SECONDS, self.start)

    def stop(self) -> None:
        """Note no more."""
        if self._sampling is not None:
            self._sampling.cancel()

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server takes."""
        return grpc.method_handlers_generic_handler(
            ADMIN,
            {
                "AddOwner": self._admin("AddOwner", admin_pb2.AddOwnerRequest, desk.add_owner),
                "ListOwners": self._admin("ListOwners", admin_pb2.ListOwnersRequest, desk.list_owners),
                "AddBot": self._admin("AddBot", admin_pb2.AddBotRequest, desk.add_bot),
                "ListOwnedBots": self._admin("ListOwnedBots", admin_pb2.ListOwnedBotsRequest, desk.list_bots),
                "MakeKey": self._admin("MakeKey", admin_pb2.MakeKeyRequest, desk.make_key),
                "EndKey": self._method("EndKey", Need.ADMINISTER, admin_pb2.EndKeyRequest, self._end_key),
                "ListKeys": self._admin("ListKeys", admin_pb2.ListKeysRequest, desk.list_keys),
                "Invite": self._admin("Invite", admin_pb2.InviteRequest, desk.invite),
                "ListInvitations": self._admin(
                    "ListInvitations", admin_pb2.ListInvitationsRequest, desk.list_invitations
                ),
                "ChangePhase": self._method(
                    "ChangePhase", Need.ADMINISTER, admin_pb2.ChangePhaseRequest, self._change_phase
                ),
                "GetStatus": self._method("GetStatus", Need.ADMINISTER, admin_pb2.GetStatusRequest, self._get_status),
                "Backup": self._admin("Backup", admin_pb2.BackupRequest, host.back_up),
                "ListActs": self._admin("ListActs", admin_pb2.ListActsRequest, desk.list_acts),
            },
        )

    def _admin(
        self, name: str, request_type: type[RequestT], answer: AtDesk[RequestT]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        return self._desk(name, Need.ADMINISTER, request_type, answer)

    async def _change_phase(
        self, request: admin_pb2.ChangePhaseRequest, caller: Caller
    ) -> admin_pb2.ChangePhaseResponse:
        director = self._director(request.competition)
        before = director.competition.phase
        await self._arena.change_phase(director, request.phase, caller.actor)
        return admin_pb2.ChangePhaseResponse(before=before, phase=director.competition.phase)

    async def _get_status(self, request: admin_pb2.GetStatusRequest, _: Caller) -> admin_pb2.GetStatusResponse:
        arena = self._arena
        status = await asyncio.to_thread(host.status, arena.store)
        status.started_ms = self._started_ms
        status.connected = sum(session.connected for session in arena.lobby.sessions)
        status.running_matches = len(arena.tables)
        status.delayed_ms = arena.delayed_ms - self._delays[0]
        return status


def _caller(identity: Identity | None) -> Caller:
    if identity is None:
        raise UnauthenticatedError("this needs a key; set ROOST_KEY, or give --key-file")
    return caller_of(identity)

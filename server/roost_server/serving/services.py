"""The services of `roost.v1`: thin handlers that translate between messages and what the arena and its records say.

Most of what owners and admins ask for is answered from the records, as `answers.administration` says. A running arena
adds its part: revoking a key also ends the streams that use it, and a change of phase affects the matches.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import admin_pb2, arena_pb2, play_pb2
from roost_games.errors import RoostError, UsageError
from roost_server.accounts import keys, requests
from roost_server.accounts.gate import Gate, Need
from roost_server.accounts.keys import Identity
from roost_server.accounts.requests import Caller, caller_of
from roost_server.answers import administration, competitions, matches, status
from roost_server.answers.administration import Act
from roost_server.answers.bots import bots
from roost_server.answers.standings import LiveAnswers
from roost_server.clocks import epoch_ms
from roost_server.competition.ledger import id_of
from roost_server.errors import NotFoundError, NotYetError, UnauthenticatedError
from roost_server.export.writer import Sender
from roost_server.play.arena import Arena
from roost_server.play.director import Director
from roost_server.play.seating import RunningMatch
from roost_server.play.stream import parser_of, play
from roost_server.serving.rpc import Answer, Methods
from roost_server.serving.watching import shown_names, watch
from roost_server.store import Store, StoreError

ARENA = "roost.v1.Arena"
ACCOUNTS = administration.ACCOUNTS.full_name
ADMIN = administration.ADMIN.full_name
NOBODY = "nobody"
"""The actor of requests that need no key."""
SAMPLE_SECONDS = 5.0
SAMPLES = 12
"""How far back the arena's own delay is reported: a minute."""
RequestT = TypeVar("RequestT", bound=Message)
AnswerLive = Callable[[Any, Caller], Awaitable[Message]]
"""Answers a request of the caller's with the running arena."""


class ArenaService:
    """`roost.v1.Arena`."""

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._methods = Methods(gate, arena.metrics)
        self._standings = LiveAnswers(arena.store)
        self._exports = Sender(arena.store)

    def handler(self) -> grpc.GenericRpcHandler:
        """The handler for a gRPC server. Unlike the generated one, it answers invalid bytes with a clear status."""
        read = self._reading
        return grpc.method_handlers_generic_handler(
            ARENA,
            {
                "Play": grpc.stream_stream_rpc_method_handler(self._play, parser_of(play_pb2.BotMessage)),
                "ListBots": read("ListBots", arena_pb2.ListBotsRequest, self._list_bots),
                "GetStandings": read(
                    "GetStandings",
                    arena_pb2.GetStandingsRequest,
                    self._from_store(lambda _, request: self._standings.standings_of(request)),
                ),
                "ListMatches": read("ListMatches", arena_pb2.ListMatchesRequest, self._list_matches),
                "GetReplay": read("GetReplay", arena_pb2.GetReplayRequest, self._get_replay),
                "ListCompetitions": read(
                    "ListCompetitions",
                    arena_pb2.ListCompetitionsRequest,
                    self._from_store(lambda store, _: competitions.competitions(store)),
                ),
                "GetBracket": read("GetBracket", arena_pb2.GetBracketRequest, self._from_store(competitions.bracket)),
                "ExportCompetition": self._methods.stream(
                    "ExportCompetition",
                    Need.READ,
                    arena_pb2.ExportCompetitionRequest,
                    lambda request: self._exports.send(request.competition),
                ),
                "WatchMatch": self._methods.stream(
                    "WatchMatch",
                    Need.READ,
                    arena_pb2.WatchMatchRequest,
                    lambda request: watch(self._arena.seating.running(request.match_id)),
                ),
            },
        )

    def _reading(
        self, name: str, request_type: type[RequestT], answer: Answer[RequestT]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        return self._methods.unary(name, Need.READ, request_type, answer)

    async def _play(self, _: object, context: Any) -> None:
        try:
            identity = await self._gate.admit(context, Need.PLAY)
        except RoostError as error:
            await self._methods.refuse("Play", context, error)
            return
        expiry = self._expel_on_expiry(identity)
        try:
            await play(self._arena.entrance, context, identity)
        finally:
            if expiry is not None:
                expiry.cancel()

    def _expel_on_expiry(self, identity: Identity | None) -> asyncio.TimerHandle | None:
        """Disconnect the bot when its key expires, as if the key were revoked."""
        if identity is None or identity.expires_ms is None:
            return None
        seconds = max(0.0, (identity.expires_ms - epoch_ms()) / 1000)
        return asyncio.get_running_loop().call_later(seconds, self._arena.entrance.expel, (identity.key_id,))

    def _from_store(self, answer: Callable[[Store, RequestT], Message]) -> Answer[RequestT]:
        """Answer from the records in another thread, so that running matches do not wait."""

        async def ask(request: RequestT, _: Identity | None) -> Message:
            return await asyncio.to_thread(answer, self._arena.store, request)

        return ask

    async def _list_bots(self, request: arena_pb2.ListBotsRequest, _: Identity | None) -> arena_pb2.ListBotsResponse:
        answer = await asyncio.to_thread(bots, self._arena.store)
        for bot in answer.bots:
            session = self._arena.lobby.session_of(bot.version_id)
            if session is not None and session.connected:
                bot.connected = True
                bot.playing = session.playing
                bot.latency_us = int(session.latency_ms * 1000)
        if request.connected_only:
            return arena_pb2.ListBotsResponse(bots=[bot for bot in answer.bots if bot.connected])
        return answer

    async def _list_matches(
        self, request: arena_pb2.ListMatchesRequest, _: Identity | None
    ) -> arena_pb2.ListMatchesResponse:
        store = self._arena.store
        if not request.running:
            return await asyncio.to_thread(matches.matches, store, request)
        matches.check_game(request.game)
        wanted = await asyncio.to_thread(id_of, store, request.competition) if request.competition else None
        running = [self._arena.seating.running(table.match_id) for table in self._arena.seating.tables]
        found = [_summary(each) for each in running if _asked_for(each, request, wanted)]
        return arena_pb2.ListMatchesResponse(matches=found[-matches.page_size(request) :][::-1])

    async def _get_replay(self, request: arena_pb2.GetReplayRequest, _: Identity | None) -> arena_pb2.GetReplayResponse:
        self._arena.seating.check_revealed(request.match_id)
        try:
            return await asyncio.to_thread(matches.replay, self._arena.store, request)
        except UsageError as error:
            raise NotFoundError(str(error)) from None


def _asked_for(running: RunningMatch, request: arena_pb2.ListMatchesRequest, competition_id: int | None) -> bool:
    table, plan = running.table, running.block.plan
    right_game = request.game in ("", table.rules.game)
    right_bot = request.bot in ("", *filter(None, shown_names(table)))
    return right_game and right_bot and (competition_id is None or (plan and plan.competition_id) == competition_id)


def _summary(running: RunningMatch) -> arena_pb2.MatchSummary:
    table = running.table
    return arena_pb2.MatchSummary(
        match_id=table.match_id,
        game=table.rules.game,
        players=table.rules.players,
        bots=shown_names(table),
        started_ms=table.started_ms,
    )


class AdministrationService:
    """A service of `roost.v1` for owners or admins, as `administration.ACTS` declares it.

    `_live` has the methods in which the running arena takes part, by type of request.
    """

    service: str

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._methods = Methods(gate, arena.metrics)
        self._live: Mapping[type[Message], AnswerLive] = {}

    def handler(self) -> grpc.GenericRpcHandler:
        """The handler for a gRPC server."""
        acts = administration.ACTS[self.service]
        named = {administration.method_of(self.service, act.request).name: act for act in acts}
        handlers = {name: self._handler(name, act) for name, act in named.items()}
        return grpc.method_handlers_generic_handler(self.service, handlers)

    def _handler(self, name: str, act: Act) -> "grpc.RpcMethodHandler[Any, Any]":
        answer = self._live.get(act.request) or self._from_records(act)

        async def ask(request: Message, identity: Identity | None) -> Message:
            return await answer(request, _caller(identity, act.need))

        return self._methods.unary(name, act.need, act.request, ask)

    def _from_records(self, act: Act) -> AnswerLive:
        """Answer in another thread, so that running matches do not wait."""
        answer = act.answer
        if answer is None:
            raise ValueError(f"{self.service} does not answer {act.request.__name__}")

        async def ask(request: Message, caller: Caller) -> Message:
            return await asyncio.to_thread(answer, self._arena.store, caller, request)

        return ask

    async def _end_key(self, request: admin_pb2.EndKeyRequest, caller: Caller) -> admin_pb2.MakeKeyResponse:
        answer = await asyncio.to_thread(requests.end_key, self._arena.store, caller, request)
        self._gate.forget()
        self._arena.entrance.expel(await asyncio.to_thread(keys.revoked_ids, self._arena.store))
        return answer

    def _director(self, name: str) -> Director:
        for director in self._arena.directors:
            if director.file.name == name:
                return director
        running = ", ".join(director.file.name for director in self._arena.directors)
        raise UsageError(f"there is no competition {name!r} here; there are: {running or 'none'}")


class AccountsService(AdministrationService):
    """`roost.v1.Accounts`."""

    service = ACCOUNTS

    def __init__(self, arena: Arena, gate: Gate) -> None:
        super().__init__(arena, gate)
        self._live = {
            admin_pb2.RegisterRequest: self._register,
            admin_pb2.EndKeyRequest: self._end_key,
            admin_pb2.ChangeEntryRequest: self._change_entry,
        }

    async def _register(self, request: admin_pb2.RegisterRequest, _: Caller) -> admin_pb2.RegisterResponse:
        if not self._gate.accounts:
            raise NotYetError("this arena has no accounts; everybody can play here without a key")
        # A registered owner can enter every competition, so the strictest one decides.
        invited = any(director.file.entry.who == "invited" for director in self._arena.directors)
        return await asyncio.to_thread(requests.register, self._arena.store, request, invited_only=invited)

    async def _change_entry(
        self, request: admin_pb2.ChangeEntryRequest, caller: Caller
    ) -> admin_pb2.ChangeEntryResponse:
        director = self._director(request.competition)
        bot = await asyncio.to_thread(requests.existing_bot, self._arena.store, caller, request.bot)
        if request.enter:
            await self._arena.enter_competition(director, bot.id, bot.owner_id)
        else:
            await director.withdraw(bot.id, caller.actor)
        return admin_pb2.ChangeEntryResponse()


class AdminService(AdministrationService):
    """`roost.v1.Admin`. `start` it with the arena, `stop` it at the end."""

    service = ADMIN

    def __init__(self, arena: Arena, gate: Gate) -> None:
        super().__init__(arena, gate)
        self._live = {
            admin_pb2.EndKeyRequest: self._end_key,
            admin_pb2.ChangePhaseRequest: self._change_phase,
            admin_pb2.GetStatusRequest: self._get_status,
            admin_pb2.BackupRequest: self._back_up,
        }
        self._started_ms = epoch_ms()
        self._delays: deque[float] = deque([0.0], maxlen=SAMPLES + 1)
        self._sampling: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Start sampling the arena's own delay."""
        self._delays.append(self._arena.delayed_ms)
        self._sampling = asyncio.get_running_loop().call_later(SAMPLE_SECONDS, self.start)

    def stop(self) -> None:
        """Stop sampling."""
        if self._sampling is not None:
            self._sampling.cancel()

    async def _change_phase(
        self, request: admin_pb2.ChangePhaseRequest, caller: Caller
    ) -> admin_pb2.ChangePhaseResponse:
        director = self._director(request.competition)
        before = director.competition.phase
        await self._arena.change_phase(director, request.phase, caller.actor)
        return admin_pb2.ChangePhaseResponse(before=before, phase=director.competition.phase)

    async def _back_up(self, request: admin_pb2.BackupRequest, caller: Caller) -> admin_pb2.BackupResponse:
        try:
            return await asyncio.to_thread(status.back_up, self._arena.store, caller, request)
        except StoreError as error:  # about the copy, not about the arena's own database
            raise UsageError(str(error)) from None

    async def _get_status(self, request: admin_pb2.GetStatusRequest, caller: Caller) -> admin_pb2.GetStatusResponse:
        arena = self._arena
        answer = await asyncio.to_thread(status.get_status, arena.store, caller, request)
        answer.started_ms = self._started_ms
        answer.connected = sum(session.connected for session in arena.lobby.sessions)
        answer.running_matches = len(arena.seating.tables)
        answer.delayed_ms = arena.delayed_ms - self._delays[0]
        return answer


def _caller(identity: Identity | None, need: Need) -> Caller:
    if identity is not None:
        return caller_of(identity)
    if need is not Need.NOTHING:
        raise UnauthenticatedError("this needs a key; set ROOST_KEY, or give --key-file")
    return Caller(NOBODY)

"""The gRPC face of the arena: thin handlers that translate between messages and what the arena and its records say."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2, play_pb2
from roost_games.errors import RoostError, UsageError
from roost_server.accounts.gate import Gate, Need
from roost_server.accounts.keys import Identity
from roost_server.answers import competitions as of_competitions
from roost_server.answers import records as answers
from roost_server.answers.live import LiveAnswers
from roost_server.clocks import epoch_ms
from roost_server.competition.ledger import find
from roost_server.errors import NotFoundError
from roost_server.export.sending import Sender
from roost_server.play.arena import Arena, Running
from roost_server.play.stream import parser_of, play
from roost_server.play.watching import shown_names, watch
from roost_server.serving.rpc import Answer, Methods
from roost_server.store import Store

SERVICE = "roost.v1.Arena"
RequestT = TypeVar("RequestT", bound=Message)


class ArenaService:
    """`roost.v1.Arena`."""

    def __init__(self, arena: Arena, gate: Gate) -> None:
        self._arena = arena
        self._gate = gate
        self._methods = Methods(gate, arena.metrics)
        self._standings = LiveAnswers(arena.store)
        self._exports = Sender(arena.store)

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server takes. Like the generated one, but bytes that are no message end in a clear status."""
        read = self._reading
        return grpc.method_handlers_generic_handler(
            SERVICE,
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
                    self._from_store(lambda store, _: of_competitions.competitions(store)),
                ),
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
                    lambda request: watch(self._arena, request.match_id),
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
            await play(self._arena, context, identity)
        finally:
            if expiry is not None:
                expiry.cancel()

    def _expel_on_expiry(self, identity: Identity | None) -> asyncio.TimerHandle | None:
        """A key that expires while its bot plays ends like one that is revoked."""
        if identity is None or identity.expires_ms is None:
            return None
        seconds = max(0.0, (identity.expires_ms - epoch_ms()) / 1000)
        return asyncio.get_running_loop().call_later(seconds, self._arena.entrance.expel, (identity.key_id,))

    def _from_store(self, answer: Callable[[Store, RequestT], Message]) -> Answer[RequestT]:
        """Asked of the records in a thread of its own, so that running matches do not wait for it."""

        async def ask(request: RequestT, _: Identity | None) -> Message:
            return await asyncio.to_thread(answer, self._arena.store, request)

        return ask

    async def _list_bots(self, request: arena_pb2.ListBotsRequest, _: Identity | None) -> arena_pb2.ListBotsResponse:
        answer = await asyncio.to_thread(answers.bots, self._arena.store)
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
            return await asyncio.to_thread(answers.matches, store, request)
        answers.check_game(request.game)
        wanted = (await asyncio.to_thread(find, store, request.competition)).id if request.competition else None
        running = [self._arena.running(table.match_id) for table in self._arena.tables]
        found = [_summary(each) for each in running if _asked_for(each, request, wanted)]
        return arena_pb2.ListMatchesResponse(matches=found[-answers.page_size(request) :][::-1])

    async def _get_replay(self, request: arena_pb2.GetReplayRequest, _: Identity | None) -> arena_pb2.GetReplayResponse:
        self._arena.check_revealed(request.match_id)
        try:
            return await asyncio.to_thread(answers.replay, self._arena.store, request)
        except UsageError as error:
            raise NotFoundError(str(error)) from None


def _asked_for(running: Running, request: arena_pb2.ListMatchesRequest, competition_id: int | None) -> bool:
    table, plan = running.table, running.open_block.plan
    right_game = request.game in ("", table.rules.game)
    right_bot = request.bot in ("", *filter(None, shown_names(table)))
    return right_game and right_bot and (competition_id is None or (plan and plan.competition_id) == competition_id)


def _summary(running: Running) -> arena_pb2.MatchSummary:
    table = running.table
    return arena_pb2.MatchSummary(
        match_id=table.match_id,
        game=table.rules.game,
        players=table.rules.players,
        bots=shown_names(table),
        started_ms=running.started_ms,
    )

"""The gRPC face of the arena: thin handlers that translate between messages and what the arena and its records say."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2, play_pb2
from roost_games.errors import RoostError, UsageError
from roost_server import answers
from roost_server.arena import Arena
from roost_server.errors import InvalidError, NotFoundError, status_of
from roost_server.play_stream import parser_of, play
from roost_server.store import Store
from roost_server.watching import watch

SERVICE = "roost.v1.Arena"
RequestT = TypeVar("RequestT", bound=Message)
ResponseT = TypeVar("ResponseT", bound=Message)


class ArenaService:
    """`roost.v1.Arena`."""

    def __init__(self, arena: Arena) -> None:
        self._arena = arena

    def handler(self) -> grpc.GenericRpcHandler:
        """What a gRPC server takes. Like the generated one, but bytes that are no message end in a clear status."""
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "Play": grpc.stream_stream_rpc_method_handler(self._play, parser_of(play_pb2.BotMessage)),
                "ListBots": _unary(self._list_bots, arena_pb2.ListBotsRequest),
                "GetStandings": _unary(self._from_store(answers.standings_of), arena_pb2.GetStandingsRequest),
                "ListMatches": _unary(self._list_matches, arena_pb2.ListMatchesRequest),
                "GetReplay": _unary(self._get_replay, arena_pb2.GetReplayRequest),
                "WatchMatch": grpc.unary_stream_rpc_method_handler(
                    self._watch_match,
                    parser_of(arena_pb2.WatchMatchRequest),
                    arena_pb2.WatchMatchResponse.SerializeToString,
                ),
            },
        )

    async def _play(self, requests: AsyncIterator[play_pb2.BotMessage | None], context: Any) -> None:
        await play(self._arena, requests, context)

    def _from_store(self, answer: Callable[[Store, RequestT], ResponseT]) -> Callable[[RequestT], Awaitable[ResponseT]]:
        """Asked of the records in a thread of its own, so that running matches do not wait for it."""

        async def ask(request: RequestT) -> ResponseT:
            return await asyncio.to_thread(answer, self._arena.store, request)

        return ask

    async def _list_bots(self, request: arena_pb2.ListBotsRequest) -> arena_pb2.ListBotsResponse:
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

    async def _list_matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        if not request.running:
            return await asyncio.to_thread(answers.matches, self._arena.store, request)
        answers.check_game(request.game)
        running = [
            arena_pb2.MatchSummary(
                match_id=table.match_id,
                game=table.rules.game,
                players=table.rules.players,
                bots=[seat.bot for seat in table.seats],
                started_ms=self._arena.started_ms(table.match_id),
            )
            for table in self._arena.tables.values()
            if request.game in ("", table.rules.game) and request.bot in ("", *(seat.bot for seat in table.seats))
        ]
        limit = answers.page_size(request)
        return arena_pb2.ListMatchesResponse(matches=running[-limit:][::-1])

    async def _get_replay(self, request: arena_pb2.GetReplayRequest) -> arena_pb2.GetReplayResponse:
        self._arena.check_revealed(request.match_id)
        try:
            return await asyncio.to_thread(answers.replay, self._arena.store, request)
        except UsageError as error:
            raise NotFoundError(str(error)) from None

    async def _watch_match(
        self, request: arena_pb2.WatchMatchRequest | None, context: Any
    ) -> AsyncIterator[arena_pb2.WatchMatchResponse]:
        try:
            async for update in watch(self._arena, _understood(request).match_id):
                yield update
        except RoostError as error:
            await context.abort(status_of(error), str(error))


def _unary(
    answer: Callable[[RequestT], Awaitable[Message]], request_type: type[RequestT]
) -> "grpc.RpcMethodHandler[RequestT | None, Message]":
    """A method that turns our errors into statuses."""

    async def handle(request: RequestT | None, context: Any) -> Message:
        try:
            return await answer(_understood(request))
        except RoostError as error:
            await context.abort(status_of(error), str(error))
            raise

    return grpc.unary_unary_rpc_method_handler(handle, parser_of(request_type), _bytes_of)


def _understood(request: RequestT | None) -> RequestT:
    if request is None:
        raise InvalidError("these bytes are not the request that this method takes")
    return request


def _bytes_of(message: Message) -> bytes:
    return message.SerializeToString()

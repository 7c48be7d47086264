"""`roost.v1.Arena` over records without an arena: everything can be asked, and nothing is played."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2, play_pb2
from roost_server.accounts.gate import Asker, Gate, Need, asker_of
from roost_server.accounts.keys import Identity
from roost_server.answers.questions import ARENA, RecordAnswers
from roost_server.answers.ratings import Ratings
from roost_server.errors import NotYetError
from roost_server.export.sender import Sender
from roost_server.metrics import Metrics
from roost_server.play.stream import parser_of
from roost_server.serving.rpc import Methods
from roost_server.store import Store

NOTHING_PLAYED = "these are records; nothing is played here"
AnswerLive = Callable[[Any, Asker], Awaitable[Message]]
"""Answers a request with the running arena."""


class ReadingService:
    """The reading half of `roost.v1.Arena`, over a store alone. Nobody needs a key for it, unless a gate says so.

    The service of a running arena answers from its records in the same way. `_live` has the requests in which the arena
    takes part.
    """

    def __init__(
        self, store: Store, gate: Gate | None = None, metrics: Metrics | None = None, ratings: Ratings | None = None
    ) -> None:
        self._gate = gate or Gate(store)
        self._methods = Methods(self._gate, metrics or Metrics())
        self._ratings = ratings or Ratings(store)
        self._records = RecordAnswers(store, self._ratings)
        self._exports = Sender(store)
        self._parse_play = parser_of(play_pb2.BotMessage)
        self._live: Mapping[type[Message], AnswerLive] = {}

    def close(self) -> None:
        """Remove what was written for those who asked."""
        self._exports.close()

    def handler(self) -> grpc.GenericRpcHandler:
        """The handler for a gRPC server. Unlike the generated one, it answers invalid bytes with a clear status."""
        unary = {name: self._handler(name, request) for name, request in self._records.requests.items()}
        return grpc.method_handlers_generic_handler(ARENA.full_name, unary | self._streams())

    def _handler(self, name: str, request_type: type[Message]) -> "grpc.RpcMethodHandler[Any, Any]":
        answer: AnswerLive = self._live.get(request_type, self._from_records)

        async def ask(request: Message, identity: Identity | None) -> Message:
            return await answer(request, asker_of(identity))

        return self._methods.unary(name, Need.READ, request_type, ask)

    async def _from_records(self, request: Message, asker: Asker) -> Message:
        """Answer in another thread, so that running matches do not wait."""
        return await asyncio.to_thread(self._records.answer, request, asker)

    def _streams(self) -> dict[str, "grpc.RpcMethodHandler[Any, Any]"]:
        stream = self._methods.stream
        return {
            "Play": grpc.stream_stream_rpc_method_handler(self._play, self._parse_play),
            "ExportCompetition": stream(
                "ExportCompetition",
                Need.READ,
                arena_pb2.ExportCompetitionRequest,
                lambda request: self._exports.send(request.competition, request.phase),
            ),
            "WatchMatch": stream("WatchMatch", Need.READ, arena_pb2.WatchMatchRequest, self._watch),
        }

    async def _play(self, _: object, context: Any) -> None:
        await self._methods.refuse("Play", context, NotYetError(NOTHING_PLAYED))

    async def _watch(self, request: arena_pb2.WatchMatchRequest) -> AsyncGenerator[Message, None]:
        raise NotYetError(NOTHING_PLAYED)
        yield  # pragma: no cover  it makes this a stream

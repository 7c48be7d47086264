"""`roost.v1.Arena` over records without an arena: everything can be asked, and nothing is played."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from time import thread_time
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2, play_pb2
from roost_server.accounts.callers import INSIDE
from roost_server.accounts.gate import CALLER, Asker, Gate, Need, asker_of
from roost_server.accounts.keys import Identity
from roost_server.accounts.limits import READING, WATCHING, Buckets
from roost_server.answers.questions import ARENA, RecordAnswers
from roost_server.answers.ratings import Ratings
from roost_server.errors import NotYetError, TooMuchError
from roost_server.export.sender import Sender
from roost_server.metrics import Metrics
from roost_server.play.stream import parser_of
from roost_server.serving.rpc import Methods
from roost_server.store import Store

NOTHING_PLAYED = "these are records; nothing is played here"
READERS = 4
"""How many questions are answered at the same time."""
WAIT_SECONDS = 0.05
"""How often it is looked whether a caller may be sent more."""
AnswerT = TypeVar("AnswerT")
AnswerLive = Callable[[Any, Asker], Awaitable[Message]]
"""Answers a request with the running arena."""


class Readers:
    """Threads in which questions about the records are answered. Log-ins and play have others, and never wait for them.

    One question of a caller is answered at a time, so that callers take turns. Each pays with the time of the processor
    that its answers take.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(READERS, "reader")
        self._budgets = Buckets(READING)
        self._updates = Buckets(WATCHING)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def close(self) -> None:
        """Answer nothing more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def run(self, function: Callable[..., AnswerT], *arguments: Any) -> AnswerT:
        """What the function returns. Raises `TooMuchError` if the caller has used up its time."""
        caller = CALLER.get()
        if caller == INSIDE:
            return await self._begin(caller, function, *arguments)
        async with self._turns.setdefault(caller, asyncio.Lock()):
            self._check(caller)
            answering = self._begin(caller, function, *arguments)
            try:
                return await asyncio.shield(answering)
            finally:
                # Its turn lasts as long as the thread is busy, even if the caller has gone.
                await asyncio.wait([answering])
                # An error keeps this frame. If the frame kept the error, only the garbage collector could free both.
                del answering

    def run_here(self, function: Callable[..., AnswerT], *arguments: Any, worth_ms: float = 0.0) -> AnswerT:
        """The same for what only the thread of the running arena may do, so there are no turns.

        It costs `worth_ms` more if it leads to more work.
        """
        caller = CALLER.get()
        if caller != INSIDE:
            self._check(caller)
        begun = thread_time()
        try:
            return function(*arguments)
        finally:
            self._budgets.charge(caller, worth_ms + 1000 * (thread_time() - begun))

    async def await_turn(self) -> None:
        """Wait until the caller may be sent another update of a running match."""
        caller = CALLER.get()
        while caller != INSIDE and not self._updates.take(caller):
            await asyncio.sleep(WAIT_SECONDS)

    def _check(self, caller: str) -> None:
        if not self._budgets.take(caller):
            raise TooMuchError("the answers to your questions took too much time; wait a minute and ask less often")

    def _begin(self, caller: str, function: Callable[..., AnswerT], *arguments: Any) -> "asyncio.Future[AnswerT]":
        loop = asyncio.get_running_loop()

        def work() -> AnswerT:
            begun = thread_time()
            try:
                return function(*arguments)
            finally:
                loop.call_soon_threadsafe(self._budgets.charge, caller, 1000 * (thread_time() - begun))

        return loop.run_in_executor(self._threads, work)


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
        self._readers = Readers()
        self._exports = Sender(store)
        self._parse_play = parser_of(play_pb2.BotMessage)
        self._live: Mapping[type[Message], AnswerLive] = {}

    def close(self) -> None:
        """Answer nothing more, and remove what was written for those who asked."""
        self._readers.close()
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
        return await self._readers.run(self._records.answer, request, asker)

    def _streams(self) -> dict[str, "grpc.RpcMethodHandler[Any, Any]"]:
        stream = self._methods.stream
        return {
            "Play": grpc.stream_stream_rpc_method_handler(self._play, self._parse_play),
            "ExportCompetition": stream(
                "ExportCompetition",
                Need.READ,
                arena_pb2.ExportCompetitionRequest,
                lambda request, identity: self._exports.send(
                    request.competition, request.phase, everything=asker_of(identity).sees_everything
                ),
            ),
            "WatchMatch": stream("WatchMatch", Need.READ, arena_pb2.WatchMatchRequest, self._watch),
        }

    async def _play(self, _: object, context: Any) -> None:
        await self._methods.refuse("Play", context, NotYetError(NOTHING_PLAYED))

    async def _watch(
        self, request: arena_pb2.WatchMatchRequest, identity: Identity | None
    ) -> AsyncGenerator[Message, None]:
        raise NotYetError(NOTHING_PLAYED)
        yield  # pragma: no cover  it makes this a stream

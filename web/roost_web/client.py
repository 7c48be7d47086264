"""The arena as the page asks it: over gRPC, with answers that are kept while they are true.

Every call raises a `PageError` with the HTTP status that a visitor gets.

All visitors are one caller: the page's own key, if it has one. Where people sign in, a request brings a caller of its
own, whose key replaces the page's in the metadata. Then the caller belongs into the key of `_kept` here and of
`KeepResponses`, so that nobody is shown an answer for somebody else.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Hashable
from typing import Any, NamedTuple, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2, records_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk.arena.connection import CHANNEL_OPTIONS
from roost_web.cache import ArenaWatch, Freshness, Kept, SingleFlight, Stamp, note_state
from roost_web.errors import (
    ArenaAwayError,
    BadRequestError,
    ForeignArenaError,
    NotAllowedError,
    NotThereError,
    PageError,
    TooEarlyError,
    TooManyError,
)
from roost_web.settings import PageSettings

ANSWER_SECONDS = 20.0
"""How long the arena may take to answer."""
LOOK_SECONDS = 1.0
"""How often the arena is asked at most whether anything has changed."""
KEPT_BYTES = 64 << 20
UNCHANGED_SECONDS = 10.0
"""Phases change with the clock, and presence without a match: an answer of a running arena is not kept for longer."""
FOREVER = float("inf")
PATIENCE = 50
"""An answer is kept for at least this many times as long as the arena took for it: so no question keeps it busy, …"""
MOST_PATIENCE_SECONDS = 15.0
"""… but for no longer than this."""
ASK_AGAIN_SECONDS = 0.2
RECONNECT = (
    # An arena that restarts is back within seconds.
    ("grpc.initial_reconnect_backoff_ms", 250),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)
AnswerT = TypeVar("AnswerT", bound=Message)
MESSAGES: dict[grpc.StatusCode, type[PageError]] = {
    grpc.StatusCode.NOT_FOUND: NotThereError,
    grpc.StatusCode.INVALID_ARGUMENT: BadRequestError,
    grpc.StatusCode.OUT_OF_RANGE: BadRequestError,
    grpc.StatusCode.FAILED_PRECONDITION: TooEarlyError,
    grpc.StatusCode.UNAUTHENTICATED: NotAllowedError,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowedError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: TooManyError,
    grpc.StatusCode.UNIMPLEMENTED: ForeignArenaError,
}


class _Answer(NamedTuple):
    """What the arena has answered."""

    message: Any
    made: Stamp
    took: float
    """How long, in seconds."""

    def is_true(self, state: Hashable, changing: float, unchanged: float) -> bool:
        """Whether it may still be shown; `changing` and `unchanged` as in `Freshness`."""
        patience = min(PATIENCE * self.took, MOST_PATIENCE_SECONDS)
        return Freshness(max(changing, patience), unchanged).allows(self.made, state, time.monotonic())


class ArenaClient:
    """Asks one arena. It belongs to the event loop in which it is first used."""

    def __init__(self, settings: PageSettings, *, patient: bool = False) -> None:
        """`patient` for answers with everything that the arena is still working out."""
        self._settings = settings
        self._patient = patient
        self._metadata = settings.credentials.metadata()
        self._channel: grpc.aio.Channel | None = None
        self._opened: ArenaStub | None = None
        self._answers: Kept[_Answer] = Kept(KEPT_BYTES)
        self._flight: SingleFlight[_Answer] = SingleFlight()
        self._arena = ArenaWatch(self._ask_arena, LOOK_SECONDS)

    @property
    def _stub(self) -> ArenaStub:
        if self._opened is None:
            options = (*CHANNEL_OPTIONS, *RECONNECT)
            self._channel = self._settings.credentials.aio_channel(self._settings.server, options)
            self._opened = ArenaStub(self._channel)
        return self._opened

    async def close(self) -> None:
        """End the connection."""
        if self._channel is not None:
            await self._channel.close()

    async def arena(self) -> records_pb2.GetArenaResponse:
        """What the arena is doing, at most a second old."""
        return await self._arena.get()

    async def state(self) -> Hashable:
        """Equal while nothing at the arena has changed that shows on a page."""
        return _state(await self._arena.get())

    async def unchanged_seconds(self) -> float:
        """How long something may be shown while the state is the same."""
        return UNCHANGED_SECONDS if (await self._arena.get()).running else FOREVER

    async def _ask_arena(self) -> records_pb2.GetArenaResponse:
        return await self._ask(self._stub.GetArena, records_pb2.GetArenaRequest())

    async def bots(self) -> arena_pb2.ListBotsResponse:
        """Every bot version."""
        return await self._kept(self._stub.ListBots, arena_pb2.ListBotsRequest(), 1)

    async def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        """Ratings with their intervals."""
        answer = await self._kept(self._stub.GetStandings, request, 2)
        while self._patient and is_to_come(answer):
            await asyncio.sleep(ASK_AGAIN_SECONDS)
            answer = await self._kept(self._stub.GetStandings, request, 0)
        return answer

    async def cross_table(self, request: records_pb2.GetCrossTableRequest) -> records_pb2.GetCrossTableResponse:
        """Every pair of bots that have met."""
        return await self._kept(self._stub.GetCrossTable, request, 5)

    async def rating_history(
        self, request: records_pb2.GetRatingHistoryRequest
    ) -> records_pb2.GetRatingHistoryResponse:
        """The ratings at several moments."""
        return await self._kept(self._stub.GetRatingHistory, request, 15)

    async def bot(self, request: records_pb2.GetBotRequest) -> records_pb2.GetBotResponse:
        """The record of one bot."""
        return await self._kept(self._stub.GetBot, request, 5)

    async def faults(self, request: records_pb2.ListFaultsRequest) -> records_pb2.ListFaultsResponse:
        """The faults of one bot."""
        return await self._kept(self._stub.ListFaults, request, 2)

    async def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        """A page of matches, recorded or running."""
        return await self._kept(self._stub.ListMatches, request, 1)

    async def match(self, match_id: str) -> arena_pb2.GetMatchResponse:
        """One match, running or recorded."""
        return await self._kept(self._stub.GetMatch, arena_pb2.GetMatchRequest(match_id=match_id), 1)

    async def replay(self, match_id: str) -> str:
        """The record of a match, one line of JSON."""
        return (await self._ask(self._stub.GetReplay, arena_pb2.GetReplayRequest(match_id=match_id))).replay

    async def competitions(self) -> arena_pb2.ListCompetitionsResponse:
        """Every competition."""
        return await self._kept(self._stub.ListCompetitions, arena_pb2.ListCompetitionsRequest(), 1)

    async def competition(self, name: str) -> records_pb2.GetCompetitionResponse:
        """Rules, phases and entries of one competition."""
        return await self._kept(self._stub.GetCompetition, records_pb2.GetCompetitionRequest(competition=name), 2)

    async def bracket(self, name: str) -> arena_pb2.GetBracketResponse:
        """The bracket of a competition's finals."""
        return await self._kept(self._stub.GetBracket, arena_pb2.GetBracketRequest(competition=name), 1)

    async def collusion(self, name: str) -> records_pb2.GetCollusionResponse:
        """The collusion report of a competition that is done."""
        return await self._kept(self._stub.GetCollusion, records_pb2.GetCollusionRequest(competition=name), 30)

    def watch(self, match_id: str) -> AsyncIterator[arena_pb2.WatchMatchResponse]:
        """A running match from its beginning, as a spectator sees it."""
        return self._stream(self._stub.WatchMatch, arena_pb2.WatchMatchRequest(match_id=match_id, from_beginning=True))

    def export(self, name: str) -> AsyncIterator[arena_pb2.ExportCompetitionResponse]:
        """The files of a competition, in pieces."""
        return self._stream(self._stub.ExportCompetition, arena_pb2.ExportCompetitionRequest(competition=name))

    async def _kept(
        self, method: grpc.aio.UnaryUnaryMultiCallable[Any, AnswerT], request: Message, changing: float
    ) -> AnswerT:
        state = await self.state()
        key = (type(request).__name__, request.SerializeToString(deterministic=True))
        found = self._answers.get(key)
        if found is None or not found.is_true(state, changing, await self.unchanged_seconds()):
            found = await self._flight.get(key, lambda: self._ask_and_keep(key, method, request, state))
        note_state(found.made.state)
        answer: AnswerT = found.message
        return answer

    async def _ask_and_keep(
        self, key: Hashable, method: grpc.aio.UnaryUnaryMultiCallable[Any, AnswerT], request: Message, state: Hashable
    ) -> "_Answer":
        asked_at = time.monotonic()
        message = await self._ask(method, request)
        # More will come without a change of the arena's state, so the answer is of a state that never comes back.
        made = Stamp(object() if is_to_come(message) else state, asked_at)
        answer = _Answer(message, made, time.monotonic() - asked_at)
        self._answers.put(key, answer, 2 * message.ByteSize() + 200)
        return answer

    async def _ask(self, method: grpc.aio.UnaryUnaryMultiCallable[Any, AnswerT], request: Message) -> AnswerT:
        try:
            return await method(request, timeout=ANSWER_SECONDS, metadata=self._metadata)
        except grpc.aio.AioRpcError as error:
            raise _page_error(error) from None

    async def _stream(
        self, method: grpc.aio.UnaryStreamMultiCallable[Any, AnswerT], request: Message
    ) -> AsyncIterator[AnswerT]:
        call = method(request, metadata=self._metadata)
        try:
            async for answer in call:
                yield answer
        except grpc.aio.AioRpcError as error:
            raise _page_error(error) from None
        finally:
            call.cancel()


def is_to_come(answer: Message) -> bool:
    """Whether a part of the answer is being worked out."""
    if not isinstance(answer, arena_pb2.GetStandingsResponse):
        return False
    return answer.second.state == arena_pb2.SECOND_STATE_BEING_WORKED_OUT


def _state(answer: records_pb2.GetArenaResponse) -> Hashable:
    timeless = records_pb2.GetArenaResponse()
    timeless.CopyFrom(answer)
    timeless.ClearField("now_ms")
    return timeless.SerializeToString(deterministic=True)


def _page_error(error: grpc.aio.AioRpcError) -> PageError:
    """What an arena, or something else that listens, has answered."""
    status, details = error.code(), error.details() or ""
    if status is grpc.StatusCode.UNIMPLEMENTED:
        return ForeignArenaError("The arena is of a version that cannot answer this. Its host can update it.")
    if status in MESSAGES:
        return MESSAGES[status](_sentence(details))
    return ArenaAwayError("It may be restarting, or its records cannot be read now. This page tries again by itself.")


def _sentence(details: str) -> str:
    """The arena's words, which begin like a part of a sentence."""
    return f"{details[:1].upper()}{details[1:]}".rstrip(".") + "." if details else "The arena gave no reason."

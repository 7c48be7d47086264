"""Where answers about an arena come from: the arena itself, asked over gRPC, or its database, read from here.

Both give the same messages of `roost.v1`, so whoever shows them need not care.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2
from roost_cli.arena_options import DEFAULT_SERVER, database_url
from roost_cli.server_extra import server_extra
from roost_games.errors import RoostError, UsageError
from roost_sdk.link import CHANNEL_OPTIONS, check_address

ANSWER_SECONDS = 30.0
"""How long an arena may take for an answer."""
NOBODY_THERE = ("failed to connect", "errors resolving", "DNS resolution failed", "Socket closed", "connection reset")
"""How gRPC begins to say that there is no arena, all in one status with what an arena itself may say."""
CALLERS_MISTAKES = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)
SERVICE = f"/{arena_pb2.DESCRIPTOR.services_by_name['Arena'].full_name}"
AnswerT = TypeVar("AnswerT", bound=Message)


class Source(Protocol):
    """Whom to ask. Every question raises `RoostError`, which says what is wrong."""

    option: str
    """How a command is told to ask here: `--db roost.db`."""
    live: bool
    """Whether it knows who is connected."""

    def bots(self) -> arena_pb2.ListBotsResponse:
        """Every bot version."""

    def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        """Who is how strong."""

    def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        """A page of matches."""

    def replay(self, match_id: str) -> str:
        """The record of a match, one line of JSON."""


class RemoteSource:
    """An arena, asked over gRPC."""

    live = True

    def __init__(self, address: str, channel: grpc.Channel) -> None:
        self.address = address
        self.option = f"--server {address}"
        self._channel = channel

    def bots(self) -> arena_pb2.ListBotsResponse:
        return self._ask("ListBots", arena_pb2.ListBotsRequest(), arena_pb2.ListBotsResponse)

    def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        return self._ask("GetStandings", request, arena_pb2.GetStandingsResponse)

    def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        return self._ask("ListMatches", request, arena_pb2.ListMatchesResponse)

    def replay(self, match_id: str) -> str:
        request = arena_pb2.GetReplayRequest(match_id=match_id)
        return self._ask("GetReplay", request, arena_pb2.GetReplayResponse).replay

    def watch(self, match_id: str) -> Iterator[arena_pb2.WatchMatchResponse]:
        """What a spectator of a running match is told, as it happens."""
        call = self._channel.unary_stream(
            f"{SERVICE}/WatchMatch",
            arena_pb2.WatchMatchRequest.SerializeToString,
            arena_pb2.WatchMatchResponse.FromString,
        )
        with arena_errors(self.address):
            yield from call(arena_pb2.WatchMatchRequest(match_id=match_id))

    def _ask(self, method: str, request: Message, answer: type[AnswerT]) -> AnswerT:
        # Not the generated stub: its types are those of grpc.aio, and a command has nothing else to do meanwhile.
        call = self._channel.unary_unary(f"{SERVICE}/{method}", type(request).SerializeToString, answer.FromString)
        with arena_errors(self.address):
            return call(request, timeout=ANSWER_SECONDS)


@contextmanager
def arena_errors(address: str) -> Iterator[None]:
    """Turn what gRPC says about a call to `address` into `RoostError`."""
    try:
        yield
    except grpc.RpcError as error:
        status, details = error.code(), error.details() or ""
        if status is grpc.StatusCode.UNAVAILABLE and details.startswith(NOBODY_THERE):
            raise RoostError(
                f"there is no arena at {address}; roost serve runs one, --server HOST:PORT names another, "
                "and --db FILE reads a database"
            ) from None
        if status is grpc.StatusCode.UNIMPLEMENTED:
            raise RoostError(f"what listens at {address} is not an arena") from None
        if status in CALLERS_MISTAKES:
            raise UsageError(details) from None
        raise RoostError(f"the arena at {address} did not answer: {details or status.name}") from None


@contextmanager
def open_source(server: str | None, db: str | None) -> Iterator[Source]:
    """Whom a person wants to ask: by default the arena at the usual address. Raises `UsageError` for both at once."""
    if server is not None and db is not None:
        raise UsageError("--server asks an arena and --db reads a database; choose one")
    if db is None:
        with open_remote(server or DEFAULT_SERVER) as source:
            yield source
    else:
        with server_extra("--db"):
            from roost_cli.database_source import open_database
        with open_database(database_url(db)) as database:
            yield database


@contextmanager
def open_remote(address: str) -> Iterator[RemoteSource]:
    """The arena at `address`. Nothing is asked yet."""
    with grpc.insecure_channel(check_address(address), options=CHANNEL_OPTIONS) as channel:
        yield RemoteSource(address, channel)

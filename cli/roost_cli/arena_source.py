"""Where answers about an arena come from: the arena itself, asked over gRPC, or its database, read from here.

Both give the same messages of `roost.v1`, so whoever shows them need not care.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

import grpc
from google.protobuf.message import Message

from roost.v1 import arena_pb2
from roost_cli.access import Access
from roost_cli.arena_options import database_url
from roost_cli.server_extra import server_extra
from roost_games.errors import RoostError, UsageError
from roost_sdk.arena.connection import CHANNEL_OPTIONS, DEFAULT_SERVER, check_address
from roost_sdk.arena.credentials import NOTHING, Credentials
from roost_sdk.arena.link import NOT_CONNECTED, plain_trouble, tls_trouble

ANSWER_SECONDS = 30.0
"""How long an arena may take for an answer."""
NOBODY_THERE = (NOT_CONNECTED, "errors resolving", "DNS resolution failed", "Socket closed", "connection reset")
"""How gRPC begins to say that there is no arena, all in one status with what an arena itself may say."""
CALLERS_MISTAKES = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)
REFUSALS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.FAILED_PRECONDITION,
)
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

    def competitions(self) -> arena_pb2.ListCompetitionsResponse:
        """Every competition."""

    def bracket(self, competition: str) -> arena_pb2.GetBracketResponse:
        """The bracket of a competition's finals."""

    def replay(self, match_id: str) -> str:
        """The record of a match, one line of JSON."""

    def export(self, competition: str, folder: Path) -> list[Path]:
        """Everything about a competition, as files in a new folder."""


class RemoteSource:
    """An arena, asked over gRPC. With `or_database` whoever asks could read a database instead."""

    live = True

    def __init__(
        self,
        address: str,
        channel: grpc.Channel,
        credentials: Credentials,
        *,
        or_database: bool,
        patience: float = ANSWER_SECONDS,
    ) -> None:
        self.address = address
        connecting = credentials.option if isinstance(credentials, Access) else ""
        self.option = f"--server {address} {connecting}".rstrip()
        self._channel = channel
        self._metadata = credentials.metadata()
        self._patience = patience
        self._tls = credentials.tls
        self._or_database = or_database

    def bots(self) -> arena_pb2.ListBotsResponse:
        return self._ask("ListBots", arena_pb2.ListBotsRequest(), arena_pb2.ListBotsResponse)

    def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        return self._ask("GetStandings", request, arena_pb2.GetStandingsResponse)

    def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        return self._ask("ListMatches", request, arena_pb2.ListMatchesResponse)

    def competitions(self) -> arena_pb2.ListCompetitionsResponse:
        return self._ask("ListCompetitions", arena_pb2.ListCompetitionsRequest(), arena_pb2.ListCompetitionsResponse)

    def bracket(self, competition: str) -> arena_pb2.GetBracketResponse:
        request = arena_pb2.GetBracketRequest(competition=competition)
        return self._ask("GetBracket", request, arena_pb2.GetBracketResponse)

    def replay(self, match_id: str) -> str:
        request = arena_pb2.GetReplayRequest(match_id=match_id)
        return self._ask("GetReplay", request, arena_pb2.GetReplayResponse).replay

    def export(self, competition: str, folder: Path) -> list[Path]:
        call = self._channel.unary_stream(
            f"{SERVICE}/ExportCompetition",
            arena_pb2.ExportCompetitionRequest.SerializeToString,
            arena_pb2.ExportCompetitionResponse.FromString,
        )
        request = arena_pb2.ExportCompetitionRequest(competition=competition)
        with self._errors():
            return _save(call(request, metadata=self._metadata), folder)

    def watch(self, match_id: str) -> Iterator[arena_pb2.WatchMatchResponse]:
        """What a spectator of a running match is told, as it happens."""
        call = self._channel.unary_stream(
            f"{SERVICE}/WatchMatch",
            arena_pb2.WatchMatchRequest.SerializeToString,
            arena_pb2.WatchMatchResponse.FromString,
        )
        with self._errors():
            yield from call(arena_pb2.WatchMatchRequest(match_id=match_id), metadata=self._metadata)

    def _ask(self, method: str, request: Message, answer: type[AnswerT]) -> AnswerT:
        return self.ask(f"{SERVICE}/{method}", request, answer)

    def ask(self, method: str, request: Message, answer: type[AnswerT]) -> AnswerT:
        """Call a method by its full name: `/roost.v1.Admin/ListKeys`."""
        # Not the generated stub: its types are those of grpc.aio, and a command has nothing else to do meanwhile.
        call = self._channel.unary_unary(method, type(request).SerializeToString, answer.FromString)
        with self._errors():
            return call(request, timeout=self._patience, metadata=self._metadata)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what gRPC says about a call into `RoostError`."""
        try:
            yield
        except grpc.RpcError as error:
            status, details = error.code(), error.details() or ""
            if trouble := tls_trouble(details):
                raise RoostError(f"what listens at {self.address} {trouble}") from None
            if status is grpc.StatusCode.UNAVAILABLE and details.startswith(NOBODY_THERE):
                raise RoostError(self._why_not(details)) from None
            raise _error(self.address, status, details) from None

    def _why_not(self, details: str) -> str:
        """Why there is nobody to ask, and whom to ask instead."""
        if not self._tls and (trouble := plain_trouble(self.address, details)):
            return trouble
        others = ["roost serve runs one", "--server HOST:PORT names another"]
        if self._or_database:
            others.append("--db FILE reads a database")
        return f"there is no arena at {self.address}; {', '.join(others[:-1])}, and {others[-1]}"


def _save(pieces: Iterable[arena_pb2.ExportCompetitionResponse], folder: Path) -> list[Path]:
    """Put files together that come in pieces, in a new folder. Names that lead elsewhere are refused."""
    files: dict[str, Path] = {}
    for piece in pieces:
        if Path(piece.file).name != piece.file:
            raise RoostError(f"the arena sent a file with the name {piece.file!r}, which is none for a folder")
        try:
            if not files:
                folder.mkdir(parents=True)
            files[piece.file] = folder / piece.file
            with files[piece.file].open("ab") as file:
                file.write(piece.data)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror}; name a folder that is not there") from None
    return list(files.values())


def _error(address: str, status: grpc.StatusCode, details: str) -> RoostError:
    """What an arena, or something else that listens, has answered."""
    if status is grpc.StatusCode.UNIMPLEMENTED:
        return RoostError(f"what listens at {address} is not an arena")
    if status in CALLERS_MISTAKES:
        return UsageError(details)
    if status in REFUSALS:
        return RoostError(f"the arena at {address} refused: {details}")
    return RoostError(f"the arena at {address} did not answer: {details or status.name}")


@contextmanager
def open_source(server: str | None, db: str | None, credentials: Credentials = NOTHING) -> Iterator[Source]:
    """Whom a person wants to ask: by default the arena at the usual address. Raises `UsageError` for both at once."""
    if server is not None and db is not None:
        raise UsageError("--server asks an arena and --db reads a database; choose one")
    if db is None:
        with open_remote(server or DEFAULT_SERVER, credentials, or_database=True) as source:
            yield source
    else:
        with server_extra("--db"):
            from roost_server.answers.database import open_database
        with open_database(database_url(db)) as database:
            yield database


@contextmanager
def open_remote(
    address: str,
    credentials: Credentials = NOTHING,
    *,
    or_database: bool = False,
    patience: float = ANSWER_SECONDS,
) -> Iterator[RemoteSource]:
    """The arena at `address`, which may take `patience` seconds for an answer. Nothing is asked yet.

    `or_database`: whoever finds none there could read a database instead.
    """
    with credentials.channel(check_address(address), CHANNEL_OPTIONS) as channel:
        yield RemoteSource(address, channel, credentials, or_database=or_database, patience=patience)

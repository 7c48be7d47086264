"""What anybody may ask an arena: bots, standings, matches, competitions, replays; with a key, accounts and more.

    with open_arena("arena.example:50051") as arena:
        for row in arena.standings(arena_pb2.GetStandingsRequest(game="karteneck")).standings:
            print(row.name, round(row.rating))

Answers are messages of `roost.v1`. Every call raises `RoostError` with a line that says what is wrong.
"""

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost_games.errors import RoostError, UsageError
from roost_games.wording import harmless
from roost_sdk.arena.connection import CHANNEL_OPTIONS, check_address
from roost_sdk.arena.credentials import NOTHING, Credentials
from roost_sdk.arena.link import NOT_CONNECTED, plain_trouble, tls_trouble

ANSWER_SECONDS = 30.0
"""How long an arena may take to answer."""
CHALLENGE_SECONDS = 1.0
"""The pause between two questions about a challenge."""
AWAY_SECONDS = 120.0
"""How long an arena may be away while a challenge is followed. It plays on when it is back."""
MOST_FILES = 1000
"""The most files of an export. One has about thirty."""
MATCHES_PER_PAGE = 1000
"""The most matches that an arena lists at once."""
UNREACHABLE = (NOT_CONNECTED, "errors resolving", "DNS resolution failed", "Socket closed", "connection reset")
"""How gRPC's details begin when there is no arena. The status alone does not tell: arenas use it too."""
CALLERS_MISTAKES = (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT)
REFUSALS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.FAILED_PRECONDITION,
)
ARENA = arena_pb2.DESCRIPTOR.services_by_name["Arena"]
ADMIN = admin_pb2.DESCRIPTOR.services_by_name["Admin"]
ACCOUNTS = admin_pb2.DESCRIPTOR.services_by_name["Accounts"]
AnswerT = TypeVar("AnswerT", bound=Message)


class NoArenaError(RoostError):
    """Nothing answers at the address."""


class Reader(ABC):
    """Answers what anybody may ask an arena. The database of an arena has a reader too, in `roost_server`."""

    @abstractmethod
    def ask(self, request: Message) -> Any:
        """The response to a request of the service `roost.v1.Arena` that has one."""

    @abstractmethod
    def export(self, competition: str, folder: Path, phase: str = "", *, most_bytes: int | None = None) -> list[Path]:
        """Write everything about a competition, or about one phase, into a new folder, and return the files.

        Raises `RoostError` before there are more than `most_bytes`.
        """

    def arena(self) -> records_pb2.GetArenaResponse:
        """What is played, and how much is going on."""
        return self._answer(records_pb2.GetArenaRequest(), records_pb2.GetArenaResponse)

    def bots(self) -> arena_pb2.ListBotsResponse:
        """Every bot version."""
        return self._answer(arena_pb2.ListBotsRequest(), arena_pb2.ListBotsResponse)

    def bot(self, request: records_pb2.GetBotRequest) -> records_pb2.GetBotResponse:
        """One bot's record by game, table size and seat, and against every opponent."""
        return self._answer(request, records_pb2.GetBotResponse)

    def faults(self, request: records_pb2.ListFaultsRequest) -> records_pb2.ListFaultsResponse:
        """A page of the faults of one bot."""
        return self._answer(request, records_pb2.ListFaultsResponse)

    def standings(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        """Ratings with their intervals."""
        return self._answer(request, arena_pb2.GetStandingsResponse)

    def cross_table(self, request: records_pb2.GetCrossTableRequest) -> records_pb2.GetCrossTableResponse:
        """Every pair of bots that have met."""
        return self._answer(request, records_pb2.GetCrossTableResponse)

    def rating_history(self, request: records_pb2.GetRatingHistoryRequest) -> records_pb2.GetRatingHistoryResponse:
        """The ratings at several moments."""
        return self._answer(request, records_pb2.GetRatingHistoryResponse)

    def matches(self, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
        """A page of matches."""
        return self._answer(request, arena_pb2.ListMatchesResponse)

    def match(self, match_id: str) -> arena_pb2.GetMatchResponse:
        """One match, running or recorded."""
        return self._answer(arena_pb2.GetMatchRequest(match_id=match_id), arena_pb2.GetMatchResponse)

    def replay(self, match_id: str) -> str:
        """The record of a match, one line of JSON."""
        return self._answer(arena_pb2.GetReplayRequest(match_id=match_id), arena_pb2.GetReplayResponse).replay

    def same_deal(self, match_id: str) -> str | None:
        """The record of a match with the same deal under rotated seats, if there is one and it may be read."""
        asked = self.match(match_id)
        for other in asked.block if asked.commitment else ():
            with suppress(UsageError):  # planned, and never played
                found = self.match(other)
                if other != match_id and found.replay_ready and found.commitment == asked.commitment:
                    return self.replay(other)
        return None

    def challenge(self, challenge_id: str) -> records_pb2.GetChallengeResponse:
        """The progress and the result of a challenge."""
        request = records_pb2.GetChallengeRequest(challenge_id=challenge_id)
        return self._answer(request, records_pb2.GetChallengeResponse)

    def competitions(self) -> arena_pb2.ListCompetitionsResponse:
        """Every competition."""
        return self._answer(arena_pb2.ListCompetitionsRequest(), arena_pb2.ListCompetitionsResponse)

    def competition(self, name: str) -> records_pb2.GetCompetitionResponse:
        """The rules of a competition in words, its phases and its entries."""
        return self._answer(records_pb2.GetCompetitionRequest(competition=name), records_pb2.GetCompetitionResponse)

    def bracket(self, competition: str) -> arena_pb2.GetBracketResponse:
        """The bracket of a competition's finals; without rounds if there is none, or not yet."""
        return self._answer(arena_pb2.GetBracketRequest(competition=competition), arena_pb2.GetBracketResponse)

    def suspicions(self, request: records_pb2.GetCollusionRequest) -> records_pb2.GetCollusionResponse:
        """The suspicion report of a competition that is done; for admins, of any matches."""
        return self._answer(request, records_pb2.GetCollusionResponse)

    def _answer(self, request: Message, answer: type[AnswerT]) -> AnswerT:
        answered: AnswerT = self.ask(request)
        return answered


class ArenaReader(Reader):
    """The `Reader` of a running arena, asked over gRPC."""

    def __init__(
        self, address: str, channel: grpc.Channel, credentials: Credentials, *, patience: float = ANSWER_SECONDS
    ) -> None:
        self.address = address
        self._channel = channel
        self._metadata = credentials.metadata()
        self._patience = patience
        self._tls = credentials.tls

    def ask(self, request: Message) -> Any:
        return self._call(_method_for(ARENA, request), request)

    def export(self, competition: str, folder: Path, phase: str = "", *, most_bytes: int | None = None) -> list[Path]:
        request = arena_pb2.ExportCompetitionRequest(competition=competition, phase=phase)
        return _save(self._stream(request, arena_pb2.ExportCompetitionResponse), folder, most_bytes)

    def watch(self, match_id: str, *, from_beginning: bool = False) -> Iterator[arena_pb2.WatchMatchResponse]:
        """What a spectator of a running match is told, as it happens; first what has happened, if that is wanted."""
        request = arena_pb2.WatchMatchRequest(match_id=match_id, from_beginning=from_beginning)
        return self._stream(request, arena_pb2.WatchMatchResponse)

    def administer(self, request: Message) -> Any:
        """The response to a request of the service `roost.v1.Admin`."""
        return self._call(_method_for(ADMIN, request), request)

    def ask_account(self, request: Message) -> Any:
        """The response to a request of the service `roost.v1.Accounts`."""
        return self._call(_method_for(ACCOUNTS, request), request)

    def _call(self, method: MethodDescriptor, request: Message) -> Any:
        # Not the generated stub: its types are those of grpc.aio, and a caller here has nothing else to do meanwhile.
        read = GetMessageClass(method.output_type).FromString
        call = self._channel.unary_unary(_path(method), type(request).SerializeToString, read)
        with self._errors():
            return call(request, timeout=self._patience, metadata=self._metadata)

    def _stream(self, request: Message, answer: type[AnswerT]) -> Iterator[AnswerT]:
        method = _method_for(ARENA, request)
        call = self._channel.unary_stream(_path(method), type(request).SerializeToString, answer.FromString)
        with self._errors():
            yield from call(request, metadata=self._metadata)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what gRPC says about a call into `RoostError`."""
        try:
            yield
        except grpc.RpcError as error:
            status, details = error.code(), error.details() or ""
            if trouble := tls_trouble(details):
                raise RoostError(f"what listens at {self.address} {trouble}") from None
            if status is grpc.StatusCode.UNAVAILABLE and details.startswith(UNREACHABLE):
                raise self._unreachable(details) from None
            raise _error(self.address, status, details) from None

    def _unreachable(self, details: str) -> RoostError:
        if not self._tls and (trouble := plain_trouble(self.address, details)):
            return RoostError(trouble)
        return NoArenaError(f"there is no arena at {self.address}")


@contextmanager
def open_arena(
    address: str, credentials: Credentials = NOTHING, *, patience: float = ANSWER_SECONDS
) -> Iterator[ArenaReader]:
    """The arena at `address`, which may take `patience` seconds to answer. Nothing is asked yet."""
    with credentials.channel(check_address(address), CHANNEL_OPTIONS) as channel:
        yield ArenaReader(address, channel, credentials, patience=patience)


def _method_for(service: Any, request: Message) -> MethodDescriptor:
    """The method that takes this type of request: each service has one at most."""
    for method in service.methods:
        if method.input_type.full_name == request.DESCRIPTOR.full_name:
            found: MethodDescriptor = method
            return found
    raise TypeError(f"{service.full_name} takes no {request.DESCRIPTOR.name}")


def _path(method: MethodDescriptor) -> str:
    return f"/{method.containing_service.full_name}/{method.name}"


def _save(pieces: Iterable[arena_pb2.ExportCompetitionResponse], folder: Path, most_bytes: int | None) -> list[Path]:
    """Write files that arrive in pieces into a new folder. Names that lead out of it are refused."""
    files: dict[str, Path] = {}
    received = 0
    for piece in pieces:
        if Path(piece.file).name != piece.file or harmless(piece.file) != piece.file:
            raise RoostError(f"the arena sent a file named {piece.file[:100]!r}, which is not a plain file name")
        received += len(piece.data)
        if most_bytes is not None and received > most_bytes:
            raise RoostError(
                f"the arena sends more than {most_bytes >> 20:,} MiB, for which {folder.parent} has no room; fetch it "
                "with roost export, and check the folder with roost verify FOLDER"
            )
        if len(files) == MOST_FILES and piece.file not in files:
            raise RoostError(f"the arena sends more than {MOST_FILES:,} files, which no export has")
        try:
            if not files:
                folder.mkdir(parents=True)
            files[piece.file] = folder / piece.file
            with files[piece.file].open("ab") as file:
                file.write(piece.data)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror}; name a new folder") from None
    return list(files.values())


def _error(address: str, status: grpc.StatusCode, details: str) -> RoostError:
    """What an arena, or something else that listens, has answered."""
    if status is grpc.StatusCode.UNIMPLEMENTED:
        return RoostError(f"what listens at {address} is not an arena, or one of a version that cannot answer this")
    if status in CALLERS_MISTAKES:
        return UsageError(details)
    if status in REFUSALS:
        return RoostError(f"the arena at {address} refused: {details}")
    return RoostError(f"the arena at {address} did not answer: {details or status.name}")


def newest_matches(reader: Reader, wanted: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
    """The newest matches of the `wanted` kind, at most `wanted.limit`, read page by page."""
    found = arena_pb2.ListMatchesResponse()
    while len(found.matches) < wanted.limit:
        request = arena_pb2.ListMatchesRequest()
        request.CopyFrom(wanted)
        request.limit = min(MATCHES_PER_PAGE, wanted.limit - len(found.matches))
        request.before_match_id = found.matches[-1].match_id if found.matches else ""
        page = reader.matches(request)
        found.MergeFrom(page)
        # Running matches come on one page: they have no lasting order.
        if len(page.matches) < request.limit or wanted.running:
            break
    return found


def newest_running(arena: ArenaReader) -> str:
    """The id of the match that was started last. Raises `UsageError` if none is running."""
    running = arena.matches(arena_pb2.ListMatchesRequest(running=True, limit=1)).matches
    if not running:
        raise UsageError(f"no match is running at {arena.address}; a bot joins with roost submit")
    return running[0].match_id


def find_competition(reader: Reader, name: str | None = None) -> arena_pb2.CompetitionStatus:
    """The competition called `name`, or the only one. Raises `UsageError`, which lists what there is."""
    found = reader.competitions().competitions
    fitting = [each for each in found if name in (None, each.name)]
    if len(fitting) == 1:
        return fitting[0]
    listed = f"the competitions are: {', '.join(each.name for each in found)}" if found else "there is none"
    raise UsageError(f"there is no competition {name!r}; {listed}" if name else f"name the competition; {listed}")


def follow_challenge(
    reader: Reader, challenge_id: str, *, pause: float = CHALLENGE_SECONDS, patience: float = AWAY_SECONDS
) -> Iterator[records_pb2.GetChallengeResponse]:
    """The progress of a challenge, again and again until it is over. Raises `RoostError` if the arena does not know it.

    Once the arena has answered, it may be away for as long as `patience` says.
    """
    answered = -inf
    while True:
        try:
            found = reader.challenge(challenge_id)
        except NoArenaError:
            if time.monotonic() - answered > patience:
                raise
        else:
            answered = time.monotonic()
            yield found
            if found.over:
                return
        time.sleep(pause)


class RatingWatch:
    """Asks an arena for the standing of a bot version now and then, in a thread of its own.

    An arena that does not answer is not an error here: the standing stays as it was.
    """

    FIRST_SECONDS = 3.0
    SECONDS = 20.0
    """Not more often: the arena has to look at all matches for it."""
    LAST_SECONDS = 3.0
    """How long `final` waits for an answer."""

    def __init__(self, server: str, credentials: Credentials = NOTHING) -> None:
        self._server = server
        self._credentials = credentials
        self._over = threading.Event()
        self._version_id: int | None = None
        self.standing: arena_pb2.Standing | None = None
        """`None` until it is known."""
        self.bots = 0
        """How many bot versions are ranked."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()

    def follow(self, version_id: int) -> None:
        """Begin to ask about this version."""
        self._version_id = version_id
        threading.Thread(target=self._ask_on, daemon=True).start()

    def final(self) -> arena_pb2.Standing | None:
        """The standing as of now; `None` if the arena does not say."""
        self.standing = None
        if self._version_id is not None:
            self._ask(self.LAST_SECONDS)
        return self.standing

    def _ask_on(self) -> None:
        pause = self.FIRST_SECONDS
        while not self._over.wait(pause):
            pause = self.SECONDS
            self._ask(ANSWER_SECONDS)

    def _ask(self, patience: float) -> None:
        # Each question has a connection of its own, since the arena closes idle ones.
        with suppress(RoostError), open_arena(self._server, self._credentials, patience=patience) as arena:
            # In whichever competition the bot plays.
            rows = arena.standings(arena_pb2.GetStandingsRequest(everything=True)).standings
            for row in rows:
                if row.version_id == self._version_id:
                    self.standing, self.bots = row, len(rows)

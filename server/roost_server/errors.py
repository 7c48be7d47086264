"""What the arena refuses, each with the gRPC status that tells the caller what to do."""

from collections.abc import Iterable

import grpc

from roost_games.errors import RoostError, UsageError


class ArenaError(RoostError):
    """The arena refuses a call."""

    status = grpc.StatusCode.UNKNOWN


class InvalidError(ArenaError):
    """The request is invalid."""

    status = grpc.StatusCode.INVALID_ARGUMENT


class NotFoundError(ArenaError):
    """What was asked for does not exist."""

    status = grpc.StatusCode.NOT_FOUND


class UnknownCompetitionError(NotFoundError, UsageError):
    """There is no competition of this name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        super().__init__(f"there is no competition {name!r}; the competitions are: {', '.join(known) or 'none'}")


class NotYetError(ArenaError):
    """The call is not possible yet."""

    status = grpc.StatusCode.FAILED_PRECONDITION


class DealInPlayError(NotYetError):
    """The deal of a match is still a secret: others play it too."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"the deal of match {match_id} is still being played with other seats; ask again later")


class HeldBackError(NotYetError):
    """The host holds the result of a match back."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"the results of the phase of match {match_id} are held back; ask again when they are released"
        )


class NamesHiddenError(NotYetError):
    """The bots of a match must not be named yet."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"the competition hides names, so match {match_id} is shown when all matches of its block are over; "
            "ask again then"
        )


class AlreadyConnectedError(ArenaError):
    """The bot is already connected."""

    status = grpc.StatusCode.ALREADY_EXISTS


class UnauthenticatedError(ArenaError):
    """The caller is unknown."""

    status = grpc.StatusCode.UNAUTHENTICATED


class DeniedError(ArenaError):
    """The caller's key does not allow the call."""

    status = grpc.StatusCode.PERMISSION_DENIED


class ReplacedError(ArenaError):
    """The bot has another stream now."""

    status = grpc.StatusCode.ABORTED


class StalledError(ArenaError):
    """The bot does not read what it is sent. It may connect again."""

    status = grpc.StatusCode.ABORTED


class OverdueError(ArenaError):
    """The caller has not sent its request in time."""

    status = grpc.StatusCode.DEADLINE_EXCEEDED


class TooMuchError(ArenaError):
    """The caller sends too much."""

    status = grpc.StatusCode.RESOURCE_EXHAUSTED


class ClosingError(ArenaError):
    """The arena is shutting down; try again later."""

    status = grpc.StatusCode.UNAVAILABLE


def status_of(error: RoostError) -> grpc.StatusCode:
    """The gRPC status for `error`."""
    if isinstance(error, ArenaError):
        return error.status
    return grpc.StatusCode.INVALID_ARGUMENT if isinstance(error, UsageError) else grpc.StatusCode.UNAVAILABLE

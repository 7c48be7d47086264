"""What the arena refuses, each with the gRPC status that tells the caller what to do about it."""

import grpc

from roost_games.errors import RoostError, UsageError


class ArenaError(RoostError):
    """The arena will not do that."""

    status = grpc.StatusCode.UNKNOWN


class InvalidError(ArenaError):
    """What was sent makes no sense."""

    status = grpc.StatusCode.INVALID_ARGUMENT


class NotFoundError(ArenaError):
    """There is no such thing."""

    status = grpc.StatusCode.NOT_FOUND


class NotYetError(ArenaError):
    """It will be possible later."""

    status = grpc.StatusCode.FAILED_PRECONDITION


class AlreadyConnectedError(ArenaError):
    """The same bot plays here already."""

    status = grpc.StatusCode.ALREADY_EXISTS


class UnauthenticatedError(ArenaError):
    """We do not know who that is."""

    status = grpc.StatusCode.UNAUTHENTICATED


class DeniedError(ArenaError):
    """Not with these credentials."""

    status = grpc.StatusCode.PERMISSION_DENIED


class ReplacedError(ArenaError):
    """The bot has another stream now."""

    status = grpc.StatusCode.ABORTED


class StalledError(ArenaError):
    """The bot does not take what it is sent. It may come back."""

    status = grpc.StatusCode.ABORTED


class TooMuchError(ArenaError):
    """The caller sends more than anybody needs."""

    status = grpc.StatusCode.RESOURCE_EXHAUSTED


class ClosingError(ArenaError):
    """The arena is shutting down; try again later."""

    status = grpc.StatusCode.UNAVAILABLE


def status_of(error: RoostError) -> grpc.StatusCode:
    """The status that tells a caller what to do about `error`."""
    if isinstance(error, ArenaError):
        return error.status
    return grpc.StatusCode.INVALID_ARGUMENT if isinstance(error, UsageError) else grpc.StatusCode.UNAVAILABLE

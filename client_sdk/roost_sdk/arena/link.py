"""What carries messages between a bot and an arena, and how it fails.

A `Link` is one stream, from the hello to its end. It fails in two ways. After `LinkLost`, trying again a moment later
may help. After `Refused` it does not: the arena has decided.
`GrpcLink` is the link to a real arena; `roost_sdk.testing` has one without sockets.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeVar

import grpc

from roost.v1.arena_pb2_grpc import ArenaStub
from roost.v1.play_pb2 import ArenaMessage, BotMessage
from roost_games.errors import RoostError
from roost_sdk.arena.connection import CHANNEL_OPTIONS, check_address
from roost_sdk.arena.credentials import NOTHING, Credentials

WORTH_A_RETRY = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DATA_LOSS,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)
TLS_TROUBLES = {
    "CERTIFICATE_VERIFY_FAILED": "shows a certificate that is not trusted here; give the one to trust with --tls-ca",
    "Hostname Verification": "shows a certificate for another name; call it by a name that is in the certificate",
    "WRONG_VERSION_NUMBER": "does not speak TLS; leave out --tls and --tls-ca",
}
"""What gRPC says, with the status of an arena that is not there, if TLS fails with the one that is."""
NOT_CONNECTED = "failed to connect"
HUNG_UP = ("Socket closed", "Connection reset")
"""What gRPC says after that if something listens there, but expects something else."""
DENIED = grpc.StatusCode.PERMISSION_DENIED.name
ResultT = TypeVar("ResultT")


class LinkLost(RoostError):
    """The arena cannot be reached, or no longer can be. Trying again may help."""


class Refused(RoostError):
    """The arena refuses this bot, or the way it connects. Trying again without a change is useless."""

    def __init__(self, message: str, status: str = "") -> None:
        super().__init__(message)
        self.status = status
        """The name of the gRPC status, such as `ALREADY_EXISTS`."""


class Link(Protocol):
    """One stream to an arena. Sending and iterating raise `LinkLost` or `Refused`."""

    async def send(self, message: BotMessage) -> None:
        """Send `message`. Only one call may be under way at a time."""

    def __aiter__(self) -> AsyncIterator[ArenaMessage]:
        """What the arena says, until it ends the stream."""

    async def close(self) -> None:
        """End the stream, whatever state it is in. It may be closed twice."""


OpenLink = Callable[[], Awaitable[Link]]
"""Makes a new link; called again after a `LinkLost`."""


def tls_trouble(details: str | None) -> str | None:
    """Why TLS could not be made, in words that complete `what listens there …`; `None` if it is something else."""
    return next((trouble for sign, trouble in TLS_TROUBLES.items() if sign in (details or "")), None)


def plain_trouble(address: str, details: str | None) -> str | None:
    """What is wrong if the other side hangs up on a connection without TLS; `None` if it is something else."""
    said = details or ""
    if said.startswith(NOT_CONNECTED) and any(sign in said for sign in HUNG_UP):
        return f"what listens at {address} hung up; if it is an arena with TLS, give --tls-ca FILE or --tls"
    return None


class Ending:
    """The status of a stream, kept when the stream ends.

    If a message is being written at that moment, grpc.aio replaces the status with an error of its own
    (issue 36066 of gRPC). The reason of a refusal would be lost.
    """

    def __init__(self, call: grpc.aio.Call) -> None:
        self._came: asyncio.Future[tuple[grpc.StatusCode, str | None]] = asyncio.get_running_loop().create_future()
        call.add_done_callback(self._note)

    def _note(self, call: Any) -> None:
        if not self._came.done():
            self._came.set_result((_known(call.code()), _known(call.details())))

    async def status(self) -> tuple[grpc.StatusCode, str | None]:
        """The status and what is said about it, once the stream has ended."""
        return await asyncio.shield(self._came)


def _known(asked: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The result of `asked`, which is available already."""
    try:
        asked.send(None)
    except StopIteration as returned:
        result: ResultT = returned.value
        return result
    raise RuntimeError("a status that has come has to be waited for")


class GrpcLink:
    """A link to the arena at `address`, over a connection of its own. Must be created inside a running event loop."""

    def __init__(self, address: str, credentials: Credentials = NOTHING) -> None:
        self._address = check_address(address)
        self._tls = credentials.tls
        self._channel = credentials.aio_channel(address, CHANNEL_OPTIONS)
        self._call = ArenaStub(self._channel).Play(metadata=credentials.metadata())
        self._ending = Ending(self._call)
        self._reached = False

    async def send(self, message: BotMessage) -> None:
        try:
            await self._call.write(message)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            # Either way the stream is over. Its status says why.
            raise self._error(*await self._ending.status()) from None

    async def __aiter__(self) -> AsyncIterator[ArenaMessage]:
        try:
            async for message in self._call:
                self._reached = True
                yield message
        except grpc.aio.AioRpcError:
            status, details = await self._ending.status()
            if status is not grpc.StatusCode.OK:
                raise self._error(status, details) from None

    async def close(self) -> None:
        self._call.cancel()
        await self._channel.close()

    def _error(self, status: grpc.StatusCode, details: str | None) -> LinkLost | Refused:
        if status is grpc.StatusCode.UNIMPLEMENTED:
            return Refused(f"what listens at {self._address} is not an arena: {details}", status.name)
        if status not in WORTH_A_RETRY and status is not grpc.StatusCode.OK:
            return Refused(f"the arena at {self._address} refused: {details}", status.name)
        if trouble := tls_trouble(details):
            return Refused(f"what listens at {self._address} {trouble}", status.name)
        if self._reached:
            return LinkLost(f"the connection to {self._address} was lost")
        if not self._tls and (trouble := plain_trouble(self._address, details)):
            # An arena that is just shutting down hangs up, too, so it may help to try again.
            return LinkLost(trouble)
        return LinkLost(f"no arena at {self._address} yet")


def grpc_links(address: str, credentials: Credentials = NOTHING) -> OpenLink:
    """Makes links to the arena at `address`. Raises `UsageError` if that is not an address."""
    check_address(address)

    async def open_link() -> Link:
        return GrpcLink(address, credentials)

    return open_link

"""`Arena.Play`: one bot's stream. It reads into the session, and writes what the session has gathered."""

import asyncio
import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Self, TypeVar, cast

import grpc
import structlog
from google.protobuf.message import DecodeError, Message

from roost.v1 import play_pb2
from roost_games.errors import RoostError
from roost_server.accounts.keys import Identity
from roost_server.errors import (
    ArenaError,
    ClosingError,
    InvalidError,
    ReplacedError,
    StalledError,
    TooMuchError,
    UnauthenticatedError,
    status_of,
)
from roost_server.play.entrance import Entrance
from roost_server.play.session import Session

BUSY_MATCHES = 8
GATHER_SECONDS = 0.0003
"""A bot in this many matches that still owes an answer is written to a moment later, so that more fits into a message.
With hundreds of matches at once that makes far fewer and larger messages. A bot that has answered may be idle, and is
not kept waiting. Clocks start when a decision is written."""
HELLO_SECONDS = 10.0
STALLED_SECONDS = 10.0
"""How long a bot may leave a message unread. Nothing behind it can be asked, so its matches would not go on."""
USUAL_BYTES = 64 << 10
"""No request but a list of people to invite is larger than this."""
MessageT = TypeVar("MessageT", bound=Message)
Context = grpc.aio.ServicerContext[play_pb2.BotMessage, bytes]
log = structlog.get_logger()


def parser_of(kind: type[MessageT], most: int = USUAL_BYTES) -> Callable[[bytes], MessageT | ArenaError]:
    """Makes messages out of bytes. What cannot be one becomes the error to end the call with: see `understood`."""

    def parse(data: bytes) -> MessageT | ArenaError:
        if len(data) > most:
            return TooMuchError(f"a message of {len(data)} bytes; send at most {most} at once")
        try:
            return kind.FromString(data)
        except DecodeError:
            return InvalidError(f"these bytes are not a {kind.DESCRIPTOR.name}")

    return parse


def understood(message: MessageT | ArenaError) -> MessageT:
    """What a parser has made. Raises `ArenaError` if it could make nothing."""
    if isinstance(message, ArenaError):
        raise message
    return message


async def end(context: Any, status: grpc.StatusCode, text: str) -> None:
    """End a call with a status, unless the caller has already gone. The handler has to return after that.

    gRPC keeps the exception that `abort` raises with the call, and raises it again when the handler has returned. Its
    traceback and context lead back to the call: a cycle that only the garbage collector can free, much later. Under a
    flood of calls that is a lot of memory.
    """
    with suppress(grpc.aio.InternalError):
        try:
            await context.abort(status, text)
        except grpc.aio.AbortError as kept:
            kept.__traceback__ = kept.__context__ = None


class Incoming:
    """What a bot sends, message by message.

    gRPC's own iterator refers to itself and to the call with all its buffers. If it is not read to its end, only the
    garbage collector frees them, much later: streams that the arena itself ends would fill the memory.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> play_pb2.BotMessage:
        message: Any = await self._context.read()
        if message is grpc.aio.EOF:
            raise StopAsyncIteration
        return understood(cast(play_pb2.BotMessage | ArenaError, message))


async def play(entrance: Entrance, context: Context, identity: Identity | None, address: str) -> None:
    """Serve one stream from hello to its end."""
    requests = Incoming(context)
    # Now, not with the first write: ending the stream during that write would send it twice, and gRPC would fail.
    await context.send_initial_metadata(())
    try:
        session = await _enter(entrance, requests, identity, address)
    except RoostError as error:
        await end(context, status_of(error), str(error))
        return
    stream = entrance.attach(session)
    write = Write()
    writing = asyncio.create_task(_write(session, stream, context, write))
    tasks = [writing, *map(asyncio.create_task, (_read(session, requests), _watch(write)))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks if not write.stalled else tasks[1:]:
            task.cancel()
        if session.stream == stream:
            entrance.lost(session)
    if write.stalled:
        # The status comes after what is unread, and until then gRPC keeps the call: so it stays open.
        await asyncio.wait([writing])
    await _close(tasks, context)


async def _enter(entrance: Entrance, requests: Incoming, identity: Identity | None, address: str) -> Session:
    try:
        first = await asyncio.wait_for(anext(requests), HELLO_SECONDS)
    except (TimeoutError, StopAsyncIteration):
        raise InvalidError(f"a stream begins with a hello within {HELLO_SECONDS:.0f} seconds") from None
    if not first.HasField("hello"):
        raise InvalidError("the first message of a stream is a hello")
    return await entrance.enter(first.hello, identity, address)


async def _read(session: Session, requests: Incoming) -> None:
    """Read until the bot ends the stream. Raises `ArenaError` if the bot must not go on."""
    async for message in requests:
        if message.HasField("hello"):
            raise InvalidError("a second hello on one stream; a stream has one hello")
        for _ in session.receive(message):
            # Write what the answers led to before going on: bots are waiting for it.
            await asyncio.sleep(0)


class Write:
    """The write that is under way, if any."""

    def __init__(self) -> None:
        self.since = math.inf
        self.stalled = False
        """Whether it takes too long. Nothing is written after it."""


async def _watch(write: Write) -> None:
    """Raise `StalledError` if a write takes too long. A timer for each write would cost 10 % of a quick answer."""
    now = asyncio.get_running_loop().time
    while now() - write.since < STALLED_SECONDS:
        await asyncio.sleep(STALLED_SECONDS / 4)
    write.stalled = True
    raise StalledError(f"the bot has read nothing for {STALLED_SECONDS:.0f} seconds")


async def _write(session: Session, stream: int, context: Context, write: Write) -> None:
    """Write until the bot has left and knows everything. Raises `ArenaError` if this stream must end."""
    now = asyncio.get_running_loop().time
    while not write.stalled and (session.outgoing.wake.is_set() or not session.has_left):
        await session.outgoing.wake.wait()
        if session.playing >= BUSY_MATCHES and not session.waits:
            await asyncio.sleep(GATHER_SECONDS)
        if session.stream != stream:
            raise ReplacedError("the bot has connected again, and plays on its new stream")
        if session.expelled:
            raise UnauthenticatedError(session.expelled)
        write.since = now()
        try:
            await context.write(session.next_message())
        except grpc.aio.BaseError:
            return  # the connection is gone
        write.since = math.inf
        if session.dismissed and not session.outgoing.wake.is_set():
            raise ClosingError("the arena is shutting down")


async def _close(tasks: Iterable[asyncio.Task[None]], context: Context) -> None:
    """End the stream with the status that says why."""
    for task in tasks:
        error = task.exception() if task.done() and not task.cancelled() else None
        if isinstance(error, RoostError):
            if not isinstance(error, ClosingError):
                log.warning("stream ended", error=str(error))
            await end(context, status_of(error), str(error))
            break
        if error is not None:
            log.error("internal error", exc_info=error)
            await end(context, grpc.StatusCode.INTERNAL, "internal error; the arena's log has the details")
            break

"""Makes gRPC methods from plain functions: the gate comes first, and our errors become statuses in one place.

Before the gate there is the turnstile: it lets calls in, those of other services too, and limits them by address.
"""

import asyncio
import gc
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost_games.errors import RoostError
from roost_server.accounts.callers import INSIDE, Addresses
from roost_server.accounts.gate import CALLER, Gate, Need
from roost_server.accounts.keys import Identity
from roost_server.accounts.limits import OpenCalls
from roost_server.errors import InvalidError, OverdueError, StalledError, status_of
from roost_server.metrics import Metrics
from roost_server.play.stream import USUAL_BYTES, end, parser_of, understood

LARGEST_REQUEST = 1 << 20
"""In bytes, for gRPC. What is larger is not even read."""
REQUEST_SECONDS = 10.0
"""How long a caller may take to send the request of a call."""
STALLED_SECONDS = 30.0
"""How long a caller may keep an answer waiting. What it reads makes up for that, at `SLOWEST`."""
SLOWEST = 32 << 10
"""In bytes a second. A caller that reads more slowly than this is cut off after a while."""
RequestT = TypeVar("RequestT", bound=Message)
Answer = Callable[[RequestT, Identity | None], Awaitable[Message]]
Updates = Callable[[RequestT, Identity | None], AsyncGenerator[Message, None]]


class Methods:
    """Makes the methods of one arena. Only admitted calls are parsed, and reach the functions behind them."""

    def __init__(self, gate: Gate, metrics: Metrics) -> None:
        self._gate = gate
        self._metrics = metrics

    async def refuse(self, name: str, context: Any, error: RoostError) -> None:
        """End a call with the status that says why. The handler must return then."""
        self._metrics.call_refused(name, status_of(error).name)
        await _end(context, error)

    def unary(
        self, name: str, need: Need, request_type: type[RequestT], answer: Answer[RequestT]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """A method with one request and one answer."""
        parse = parser_of(request_type, _most_bytes(need))

        async def handle(data: bytes, context: Any) -> Message | None:
            try:
                identity = await self._gate.admit(context, need)
                return await answer(understood(parse(data)), identity)
            except RoostError as error:
                await self.refuse(name, context, error)
            return None

        return grpc.unary_unary_rpc_method_handler(handle, None, _bytes_of)

    def stream(
        self, name: str, need: Need, request_type: type[RequestT], updates: Updates[RequestT]
    ) -> "grpc.RpcMethodHandler[Any, Any]":
        """A method with one request and a stream of answers."""
        parse = parser_of(request_type)

        async def handle(data: bytes, context: Any) -> None:
            try:
                identity = await self._gate.admit(context, need)
                patience = Patience()
                async with aclosing(updates(understood(parse(data)), identity)) as found:
                    async for update in found:
                        await patience.write(context, update.SerializeToString())
            except RoostError as error:
                await self.refuse(name, context, error)

        return grpc.unary_stream_rpc_method_handler(handle)


def _most_bytes(need: Need) -> int:
    """How large a request may be. An admin may invite a whole school."""
    return LARGEST_REQUEST if need is Need.ADMINISTER else USUAL_BYTES


def _bytes_of(message: Message) -> bytes:
    return message.SerializeToString()


class UnreadError(StalledError):
    """The caller does not read, or too slowly for too long."""

    def __init__(self, write: "asyncio.Future[None]") -> None:
        super().__init__("the answer was read too slowly, or not at all")
        self.write = write
        """What is still being sent."""


class Patience:
    """How long one caller may still keep us waiting while it reads."""

    def __init__(self) -> None:
        self._left = STALLED_SECONDS

    async def write(self, context: Any, data: bytes) -> None:
        """Send an answer. Raises `UnreadError` if the caller keeps us waiting."""
        now = asyncio.get_running_loop().time
        begun = now()
        write = asyncio.ensure_future(context.write(data))
        write.add_done_callback(lambda done: done.cancelled() or done.exception())
        if not (await asyncio.wait([write], timeout=self._left))[0]:
            raise UnreadError(write)
        write.result()
        self._left = min(STALLED_SECONDS, self._left - (now() - begun) + len(data) / SLOWEST)


async def _end(context: Any, error: RoostError) -> None:
    """End a call with the status that says why. The handler has to return then."""
    if isinstance(error, UnreadError):
        # A status comes after what is unread, and until then gRPC keeps the call. So it is still open for us, too. If
        # the caller goes instead, gRPC cancels the handler here.
        await asyncio.wait([error.write])
    await end(context, status_of(error), str(error))


class Turnstile(grpc.aio.ServerInterceptor):
    """Lets calls in, and out again: only as many of an address at a time as it may have, and none that stands still.

    For gRPC every method becomes a stream in both directions. On the wire that is the same, but a request that is not
    sent to its end, and an answer that nobody reads, are then seen here.
    """

    def __init__(self, addresses: Addresses, calls: OpenCalls, metrics: Metrics) -> None:
        self._addresses = addresses
        self._calls = calls
        self._metrics = metrics
        self._behind: dict[Any, Any] = {}
        """By handler, what stands before it."""

    async def intercept_service(self, continuation: Any, details: Any) -> Any:
        """Put the turnstile before a method. Unknown ones have none: gRPC refuses them."""
        handler: Any = await continuation(details)
        if handler is None:
            return None
        if handler not in self._behind:
            self._behind[handler] = self._before(handler, details.method.rpartition("/")[2])
        return self._behind[handler]

    def _before(self, handler: Any, method: str) -> Any:
        serve = _stream_of(handler)

        async def handle(requests: Any, context: Any) -> None:
            address = self._addresses.of(context)
            CALLER.set(address)

            def over(call: Any) -> None:
                self._calls.end(address, method)
                _forget_callbacks(call)

            try:
                if address != INSIDE:
                    self._calls.begin(address, method)
                    # When the caller has read everything, or is gone. Until then gRPC keeps the call.
                    context.add_done_callback(over)
                await serve(requests, context)
            except RoostError as error:
                self._metrics.call_refused(method, status_of(error).name)
                await _end(context, error)
            except grpc.aio.InternalError:
                return  # the caller went while it was being answered

        return grpc.stream_stream_rpc_method_handler(
            handle, handler.request_deserializer, None if handler.unary_unary else handler.response_serializer
        )


def _forget_callbacks(call: Any) -> None:
    """Let go of what gRPC keeps to be called at the end of a call, which is over.

    It keeps the call itself with each callback: a cycle that only the garbage collector could free, much later.
    """
    for state in gc.get_referents(call):
        for kept in gc.get_referents(state):
            if isinstance(kept, list) and kept and all(isinstance(each, partial) for each in kept):
                kept.clear()


def _stream_of(handler: Any) -> Callable[[Any, Any], Awaitable[None]]:
    """What a handler does, given a stream of requests."""

    async def answer(_: Any, context: Any) -> None:
        message = await handler.unary_unary(await _request(context), context)
        if message is not None:
            await Patience().write(context, handler.response_serializer(message))

    async def stream(_: Any, context: Any) -> None:
        await handler.unary_stream(await _request(context), context)

    async def converse(requests: Any, context: Any) -> None:
        done = handler.stream_stream(requests, context)
        if isinstance(done, Awaitable):
            await done
            return
        async for message in done:
            await context.write(message)

    if handler.stream_stream:
        return converse
    return answer if handler.unary_unary else stream


async def _request(context: Any) -> Any:
    """The request of a call. Raises `ArenaError` if it does not come."""
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            request = await context.read()
    except TimeoutError:
        raise OverdueError(f"a request has to be sent within {REQUEST_SECONDS:.0f} seconds") from None
    if request is grpc.aio.EOF:
        raise InvalidError("a call begins with a request")
    return request

"""Makes gRPC methods from plain functions: the gate comes first, and our errors become statuses in one place."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from roost_games.errors import RoostError
from roost_server.accounts.gate import Gate, Need
from roost_server.accounts.keys import Identity
from roost_server.errors import StalledError, status_of
from roost_server.metrics import Metrics
from roost_server.play.stream import USUAL_BYTES, end, parser_of, understood

LARGEST_REQUEST = 1 << 20
"""In bytes, for gRPC. What is larger is not even read."""
STALLED_SECONDS = 30.0
"""A caller that reads nothing for this long is cut off."""
RequestT = TypeVar("RequestT", bound=Message)
Answer = Callable[[RequestT, Identity | None], Awaitable[Message]]
Updates = Callable[[RequestT], AsyncGenerator[Message, None]]


class Methods:
    """Makes the methods of one arena. Only admitted calls are parsed, and reach the functions behind them."""

    def __init__(self, gate: Gate, metrics: Metrics) -> None:
        self._gate = gate
        self._metrics = metrics

    async def refuse(self, name: str, context: Any, error: RoostError) -> None:
        """End a call with the status that says why. The handler must return then."""
        self._metrics.call_refused(name, status_of(error).name)
        await end(context, status_of(error), str(error))

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
                await self._gate.admit(context, need)
                async with aclosing(updates(understood(parse(data)))) as found:
                    async for update in found:
                        await _write(context, update)
            except RoostError as error:
                await self.refuse(name, context, error)

        return grpc.unary_stream_rpc_method_handler(handle, None, _bytes_of)


def _most_bytes(need: Need) -> int:
    """How large a request may be. An admin may invite a whole school."""
    return LARGEST_REQUEST if need is Need.ADMINISTER else USUAL_BYTES


async def _write(context: Any, update: Message) -> None:
    """Send an update. Raises `StalledError` if the caller does not read."""
    try:
        async with asyncio.timeout(STALLED_SECONDS):
            await context.write(update)
    except TimeoutError:
        raise StalledError(f"nothing was read for {STALLED_SECONDS:.0f} seconds") from None


def _bytes_of(message: Message) -> bytes:
    return message.SerializeToString()

"""A stream to `Arena.Play` that carries any bytes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from roost.v1 import play_pb2
from roost_sdk.arena.link import Ending

METHOD = "/roost.v1.Arena/Play"


class RawStream:
    """One stream. What the arena says is parsed; what is sent to it is sent as it is."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self._ending = Ending(call)

    async def send(self, data: bytes) -> None:
        await self.call.write(data)

    async def read(self) -> play_pb2.ArenaMessage | None:
        """The next message, or `None` at the end."""
        message = await self.call.read()
        return None if message is grpc.aio.EOF else message

    async def end(self) -> tuple[grpc.StatusCode, str]:
        """Read to the end: how it ended."""
        while True:
            try:
                if await self.read() is None:
                    break
            except grpc.aio.AioRpcError:
                break
        status, details = await self._ending.status()
        return status, details or ""


@asynccontextmanager
async def raw_stream(address: str) -> AsyncIterator[RawStream]:
    """A stream to the arena at `address`, over a connection of its own."""
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        call: Any = channel.stream_stream(METHOD, None, play_pb2.ArenaMessage.FromString)()
        try:
            yield RawStream(call)
        finally:
            call.cancel()


def hello(name: str = "bot", version: str = "v1", **fields: Any) -> bytes:
    """The bytes of a hello."""
    return play_pb2.BotMessage(hello=play_pb2.Hello(name=name, version=version, **fields)).SerializeToString()

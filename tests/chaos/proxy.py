"""A connection that fails on demand: a TCP proxy on loopback between one bot and the arena."""

import asyncio
from contextlib import suppress
from typing import Self

CHUNK = 1 << 16
HANDSHAKE = 8 << 10
"""How many bytes pass before a connection is corrupted: a broken handshake tests nothing."""


class Proxy:
    """Passes bytes on to the arena at `target`, whose port is known before it listens. Enter it to listen."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._writers: set[asyncio.StreamWriter] = set()
        self._passing = asyncio.Event()
        self._passing.set()
        self._corrupt = False
        self._server: asyncio.Server
        self.address = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.address = "{}:{}".format(*self._server.sockets[0].getsockname())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._passing.set()
        self.drop()

    def drop(self) -> None:
        """Break every connection, without a word."""
        for writer in self._writers:
            writer.transport.abort()

    def corrupt(self) -> None:
        """Change a byte of what comes next."""
        self._corrupt = True

    async def delay(self, seconds: float) -> None:
        """Pass nothing on for a while."""
        self._passing.clear()
        await asyncio.sleep(seconds)
        self._passing.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_arena, to_arena = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, to_arena}
        self._writers |= ends
        try:
            await asyncio.gather(self._pass_on(reader, to_arena), self._pass_on(from_arena, writer))
        finally:
            self._writers -= ends
            for end in ends:
                end.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passed = 0
        with suppress(OSError):
            while data := await reader.read(CHUNK):
                await self._passing.wait()
                passed += len(data)
                writer.write(self._perhaps_corrupted(data) if passed > HANDSHAKE else data)
                await writer.drain()
        # The other direction is of no use without this one.
        writer.transport.abort()

    def _perhaps_corrupted(self, data: bytes) -> bytes:
        if not self._corrupt:
            return data
        self._corrupt = False
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1 :]

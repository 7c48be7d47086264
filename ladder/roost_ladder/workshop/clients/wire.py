"""The arena's end of the wire: streams that carry any bytes, and a connection that can be cut."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from enum import Enum
from typing import Any

import grpc

from roost_games.errors import UsageError
from roost_sdk.arena.connection import LARGEST_MESSAGE, host_and_port

SERVICE = "roost.v1.Arena"
CHUNK = 1 << 16
GONE_SECONDS = 0.2
"""How long it takes at most from the end of a client's side until it turns out that the client is gone."""


class Loss(Enum):
    """How a client's side of a stream ended."""

    HALF_CLOSED = "half-closed"
    GONE = "gone"


class ClientStream:
    """One stream of a client. `said` has what it sends, and at last how its side ended."""

    def __init__(self, context: Any) -> None:
        self.said = asyncio.Queue[bytes | Loss]()
        self.has_deadline = context.time_remaining() is not None
        self.over = asyncio.Event()
        self._context = context
        self._verdict: asyncio.Future[tuple[grpc.StatusCode, str]] = asyncio.get_running_loop().create_future()

    async def send(self, data: bytes) -> None:
        """Send a message. If the client is gone, `said` tells."""
        with suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            await self._context.write(data)

    def end(self, status: grpc.StatusCode = grpc.StatusCode.OK, text: str = "") -> None:
        """End the stream with this status."""
        if not self._verdict.done():
            self._verdict.set_result((status, text))

    async def serve(self) -> None:
        """Read until the stream is over."""
        reading = asyncio.create_task(self._read())
        try:
            status, text = await self._verdict
        finally:
            reading.cancel()
            self.over.set()
            self.said.put_nowait(Loss.GONE)
        if status is not grpc.StatusCode.OK:
            await self._context.abort(status, text)

    async def _read(self) -> None:
        with suppress(grpc.aio.BaseError, asyncio.InvalidStateError):
            while (data := await self._context.read()) is not grpc.aio.EOF:
                self.said.put_nowait(data)
            # A client that is gone has ended its side, too.
            await asyncio.sleep(GONE_SECONDS)
            self.said.put_nowait(Loss.HALF_CLOSED)


class Relay:
    """Carries connections to an address that nobody else knows, until they are cut."""

    def __init__(self, target: str) -> None:
        self.target = target
        """HOST:PORT."""
        self._ends: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        self.attempts = 0
        """How often somebody tried to connect since the last cut."""

    def cut(self) -> None:
        """Break all connections, and let nobody through before `open`."""
        self._closed, self.attempts = True, 0
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    def open(self) -> None:
        """Let everybody through again."""
        self._closed = False

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection."""
        self.attempts += 1
        if self._closed:
            writer.transport.abort()
            return
        host, _, port = self.target.rpartition(":")
        far_reader, far_writer = await asyncio.open_connection(host, int(port))
        self._ends |= {writer, far_writer}
        self._start(self._carry(reader, far_writer))
        self._start(self._carry(far_reader, writer))

    async def settle(self) -> None:
        """Wait until nothing is being carried."""
        await asyncio.gather(*self._tasks)

    def _start(self, carrying: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(carrying)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await source.read(CHUNK):
                sink.write(data)
                await sink.drain()
        self._ends.discard(sink)
        sink.close()


class Door:
    """Where clients come in: `arrivals` has their streams."""

    def __init__(self, relay: Relay, address: str) -> None:
        self.relay = relay
        self.address = address
        """Where it listens, with the real port."""
        self.arrivals = asyncio.Queue[ClientStream]()

    async def play(self, _: object, context: Any) -> None:
        """The handler of `Arena.Play`."""
        stream = ClientStream(context)
        self.arrivals.put_nowait(stream)
        await stream.serve()


@asynccontextmanager
async def listening(address: str) -> AsyncIterator[Door]:
    """A door at `address`, HOST:PORT; port 0 is any free one. Raises `UsageError` if nobody can listen there."""
    where = host_and_port(address)
    if where is None:
        raise UsageError(f"{address!r} is not an address to listen at; write HOST:PORT, such as 127.0.0.1:50051")
    server = grpc.aio.server(options=(("grpc.max_receive_message_length", LARGEST_MESSAGE),))
    relay = Relay(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
    try:
        listener = await asyncio.start_server(relay.connect, *where)
    except OSError:
        raise UsageError(
            f"cannot listen at {address}: it is in use, or not an address of this machine; give another one"
        ) from None
    host, port = listener.sockets[0].getsockname()[:2]
    door = Door(relay, f"{host}:{port}")
    methods: dict[str, Any] = {"Play": grpc.stream_stream_rpc_method_handler(door.play)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, methods),))
    await server.start()
    try:
        yield door
    finally:
        listener.close()
        relay.cut()
        await server.stop(0)
        await relay.settle()

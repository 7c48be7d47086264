"""HTTP/2 by hand, for what no client of gRPC sends: half a call, a stream that is reset, an answer that is not read."""

import asyncio
import re
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Self

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM = ACK = 1
END_HEADERS = 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
TABLE_SIZE, WINDOW = 1, 4
"""Settings: the size of the table of headers, and how much of a stream may be sent unread."""
USUAL_WINDOW = 65_535
CANCEL = (8).to_bytes(4, "big")
STATUS = re.compile(rb"grpc-status.(\d+)", re.DOTALL)


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """One frame as it is sent."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def _setting(number: int, value: int) -> bytes:
    return number.to_bytes(2, "big") + value.to_bytes(4, "big")


def _text(text: str) -> bytes:
    """A string of HPACK: its length in the low seven bits, with more bytes if needed, then its letters."""
    data = text.encode()
    if len(data) < 127:
        return bytes((len(data),)) + data
    rest, length = len(data) - 127, b"\x7f"
    while rest >= 128:
        length += bytes((rest % 128 + 128,))
        rest //= 128
    return length + bytes((rest,)) + data


def call(path: str, **metadata: str) -> bytes:
    """The headers of a call, in HPACK without a table."""
    fields = {
        ":method": "POST",
        ":scheme": "http",
        ":path": path,
        ":authority": "arena",
        "te": "trailers",
        "content-type": "application/grpc",
        **{name.replace("_", "-"): value for name, value in metadata.items()},
    }
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields.items())


def message(data: bytes) -> bytes:
    """A message of gRPC, as it is sent in DATA."""
    return b"\x00" + len(data).to_bytes(4, "big") + data


class RawConnection:
    """One connection. Enter it to connect; what the arena answers is read until it is closed.

    With a `window` of 0, the arena can send no byte of an answer.
    """

    def __init__(self, address: str, window: int = USUAL_WINDOW, ca: Path | None = None) -> None:
        """With `ca`, the certificate to trust, it speaks TLS."""
        self._tls = None if ca is None else ssl.create_default_context(cafile=str(ca))
        if self._tls is not None:
            self._tls.set_alpn_protocols(["h2"])
        self._host, _, self._port = address.rpartition(":")
        self._window = window
        self._next = 1
        self.ended: dict[int, int | None] = {}
        """The streams that have ended, each with its gRPC status if there was one."""
        self.received: dict[int, int] = {}
        """By stream, how many bytes came."""
        self.closed = asyncio.Event()
        """Set when the arena has closed the connection."""
        self._reading: asyncio.Task[None]
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        reader, self._writer = await asyncio.open_connection(self._host, int(self._port), ssl=self._tls)
        self._writer.write(PREFACE + frame(SETTINGS, 0, 0, _setting(TABLE_SIZE, 0) + _setting(WINDOW, self._window)))
        self._reading = asyncio.create_task(self._read(reader))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._reading.cancel()
        self._writer.transport.abort()

    def begin(self, path: str, **metadata: str) -> int:
        """Begin a call, and send no message. Returns its stream."""
        stream, self._next = self._next, self._next + 2
        self._writer.write(frame(HEADERS, END_HEADERS, stream, call(path, **metadata)))
        return stream

    def ask(self, path: str, request: bytes, **metadata: str) -> int:
        """Make a whole call with one message. Returns its stream."""
        stream = self.begin(path, **metadata)
        self._writer.write(frame(DATA, END_STREAM, stream, message(request)))
        return stream

    def reset(self, stream: int) -> None:
        """Take a call back."""
        self._writer.write(frame(RESET, 0, stream, CANCEL))

    async def sent(self) -> None:
        """Wait until the network has taken what was written."""
        with suppress(OSError):
            await self._writer.drain()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                head = await reader.readexactly(9)
                payload = await reader.readexactly(int.from_bytes(head[:3], "big"))
                self._take(head[3], head[4], int.from_bytes(head[5:], "big"), payload)
        except (asyncio.IncompleteReadError, OSError):
            self.closed.set()

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind in (SETTINGS, PING) and not flags & ACK:
            self._writer.write(frame(kind, ACK, 0, payload if kind == PING else b""))
        self.received[stream] = self.received.get(stream, 0) + len(payload)
        found = STATUS.search(payload) if kind == HEADERS else None
        if kind == RESET or (kind in (HEADERS, DATA) and flags & END_STREAM):
            self.ended.setdefault(stream, int(found[1]) if found else None)

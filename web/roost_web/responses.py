"""Keeps ready-made responses: compressed, with an ETag, until what they show may have changed.

It surrounds the whole application, so that a page that is asked for often costs a look into a table. What is streamed
passes through.
"""

import gzip
import hashlib
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roost_web.cache import STALE_SECONDS, Freshness, Kept, SingleFlight, Stamp, noted_states
from roost_web.errors import PageError

KEPT_BYTES = 64 << 20
WORTH_COMPRESSING = 600
"""Below this many bytes compressing saves nothing."""
CHANGING_SECONDS = 1.0
NOT_COMPRESSED = ("image/png", "application/zip", "application/gzip", "font/")
NOT_KEPT = "no-store"
LASTING = "immutable"
StateOfArena = Callable[[], Awaitable[tuple[Hashable, float]]]


class Ready(NamedTuple):
    """A response, whole."""

    made: Stamp
    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes
    packed: bytes | None
    """The same, compressed."""
    etag: str
    lasting: bool
    """Whether it never changes."""


class KeepResponses:
    """Middleware. `state` tells the state of the arena, and for how long a page may be shown while it is the same."""

    def __init__(self, app: ASGIApp, state: StateOfArena) -> None:
        self._app = app
        self._state = state
        self._kept: Kept[Ready] = Kept(KEPT_BYTES)
        self._flight: SingleFlight[Ready] = SingleFlight()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        head_only = scope["method"] == "HEAD"
        if head_only:
            scope = {**scope, "method": "GET"}
            send = _without_body(send)
        if scope["method"] == "GET":
            await self._get(scope, receive, send, headers)
        else:
            await self._app(scope, receive, send)

    async def _get(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        key = (scope["path"], scope.get("query_string", b""), "hx-request" in headers)
        found = self._kept.get(key)
        if found is not None:
            await _respond(await self._latest(key, found, scope), headers, send)
        elif (made := await self._make(key, scope, receive, send)) is not None:
            await _respond(made, headers, send)

    async def _latest(self, key: Hashable, found: Ready, scope: Scope) -> Ready:
        """What is kept, if it is still true. Otherwise it is made again, once for all who wait for it.

        Nobody waits long as long as it is not old.
        """
        if found.lasting or await self._is_true(found):
            return found

        async def make_again() -> Ready:
            return await self._make(key, dict(scope), _nothing_more, _to_nobody) or found

        if time.monotonic() - found.made.at < STALE_SECONDS:
            return await self._flight.get_soon(key, make_again, found)
        return await self._flight.get(key, make_again)

    async def _is_true(self, found: Ready) -> bool:
        try:
            state, unchanged = await self._state()
        except PageError:
            return False
        return Freshness(CHANGING_SECONDS, unchanged).allows(found.made, state, time.monotonic())

    async def _make(self, key: Hashable, scope: Scope, receive: Receive, send: Send) -> Ready | None:
        """Let the application make a response, and keep it. Returns nothing if it was streamed to the visitor."""
        made = await self._stamp()
        catcher = _Catcher(send)
        used: set[Hashable] = set()
        noting = noted_states.set(used)
        try:
            await self._app(scope, receive, catcher.send)
        finally:
            noted_states.reset(noting)
        if catcher.whole is None:
            return None
        if used - {made.state}:
            made = made._replace(state=None)  # an answer in it is of an older state
        ready = _ready(made, catcher.start, catcher.whole)
        if ready.status == 200 and NOT_KEPT not in Headers(raw=ready.headers).get("cache-control", ""):
            self._kept.put(key, ready, len(ready.body) + len(ready.packed or b"") + 1000)
        return ready

    async def _stamp(self) -> Stamp:
        """Taken before a page is made: what changes meanwhile makes it old."""
        try:
            state, _ = await self._state()
        except PageError:
            state = None
        return Stamp(state, time.monotonic())


def _ready(made: Stamp, start: Message, body: bytes) -> Ready:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    packed = None
    if len(body) >= WORTH_COMPRESSING and not kind.startswith(NOT_COMPRESSED):
        packed = gzip.compress(body, 5, mtime=0)
    etag = f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    lasting = LASTING in Headers(raw=headers).get("cache-control", "")
    return Ready(made, start["status"], headers, body, packed, etag, lasting)


async def _nothing_more() -> Message:
    """Nobody in particular asks for a page that is made again."""
    return {"type": "http.request", "body": b"", "more_body": False}


async def _to_nobody(message: Message) -> None:
    """A page that is made again is kept, not sent."""


class _Catcher:
    """Holds back a response that is whole, and lets one that is streamed through."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._streamed = False
        self._body = bytearray()
        self.start: Message = {}
        self.whole: bytes | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
            self._streamed = "content-length" not in Headers(raw=message["headers"])
        if self._streamed:
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                self.whole = bytes(self._body)


def _without_body(send: Send) -> Send:
    """Ends a response after its headers, a streamed one too."""
    started = False

    async def head_only(message: Message) -> None:
        nonlocal started
        if message["type"] == "http.response.start":
            await send(message)
            await send({"type": "http.response.body", "body": b""})
            started = True
        elif started and message.get("more_body", False):
            raise OSError("the visitor wants no body")

    return head_only


async def _respond(ready: Ready, asked: Headers, send: Send) -> None:
    headers = MutableHeaders(raw=list(ready.headers))
    body = ready.body
    if ready.packed is not None:
        headers.add_vary_header("Accept-Encoding")
        if "gzip" in asked.get("accept-encoding", ""):
            body = ready.packed
            headers["content-encoding"] = "gzip"
    status = ready.status
    if status == 200:
        headers["etag"] = ready.etag
        headers.setdefault("cache-control", "no-cache")
        if ready.etag in asked.get("if-none-match", ""):
            status, body = 304, b""
    if status != 304:
        headers["content-length"] = str(len(body))
    await send({"type": "http.response.start", "status": status, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})

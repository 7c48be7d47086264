"""Running matches for any number of viewers: one stream from the arena serves all who watch the same match.

What is sent is what a spectator is told, so nothing hidden passes here. Pieces are encoded once and sent in small
batches. A reader who is far behind is let go; the browser comes back by itself and begins with the whole document.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable

from roost_games.errors import RoostError
from roost_sdk.viewing.live import LiveMatch
from roost_web.client import ArenaClient
from roost_web.errors import PageError, TooManyError
from roost_web.frames import as_event

log = logging.getLogger("roost_web")
BATCH_SECONDS = 0.1
"""Viewers are woken at most this often: they see no difference."""
WOKEN_PER_SECOND = 1000
"""And this many a second in all: 500 viewers of a match get its steps twice a second, in batches."""
HEARTBEAT_SECONDS = 15.0
"""So often something is sent, so that proxies keep the connection and a viewer that is gone is noticed."""
LINGER_SECONDS = 5.0
"""How long the arena's stream is kept when nobody watches: somebody may only have reloaded the page."""
FAR_BEHIND = 2 << 20
"""A reader who has not taken this many bytes is let go."""
MOST_MATCHES = 200
MOST_VIEWERS = 5000
RETRY = b"retry: 2000\n\n"
HEARTBEAT = b": here\n\n"


class Broadcasts:
    """The running matches that are being watched."""

    def __init__(self, client: ArenaClient) -> None:
        self._client = client
        self._running: dict[str, Broadcast] = {}

    @property
    def matches(self) -> int:
        """How many matches are watched."""
        return len(self._running)

    def watch(self, match_id: str) -> AsyncIterator[bytes]:
        """What a viewer's browser is sent, as server-sent events. Raises `TooManyError`."""
        broadcast = self._running.get(match_id)
        if broadcast is None:
            if len(self._running) >= MOST_MATCHES:
                raise TooManyError("Too many matches are being watched; try again in a moment.")
            broadcast = Broadcast(self._client, match_id, lambda: self._running.pop(match_id, None))
            self._running[match_id] = broadcast
        if sum(each.viewers for each in self._running.values()) >= MOST_VIEWERS:
            raise TooManyError("Too many people are watching; try again in a moment.")
        return broadcast.events()

    async def close(self) -> None:
        """End everything."""
        for broadcast in list(self._running.values()):
            await broadcast.close()


class Broadcast:
    """One running match."""

    def __init__(self, client: ArenaClient, match_id: str, gone: Callable[[], object]) -> None:
        self._client = client
        self._match_id = match_id
        self._gone = gone
        self._live = LiveMatch()
        self._pieces: list[bytes] = []
        """Everything since the beginning, each piece as one event."""
        self._document: tuple[int, bytes] = (0, b"")
        """Everything so far as one event, and the number of pieces in it."""
        self._over = False
        self._news = asyncio.Event()
        self._waking: asyncio.TimerHandle | None = None
        self.viewers = 0
        self._leaving: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._listen())

    async def events(self) -> AsyncIterator[bytes]:
        """What one viewer is sent."""
        self._arrive()
        try:
            yield RETRY
            async for event in self._told():
                yield event
        finally:
            self._leave()

    async def _told(self) -> AsyncIterator[bytes]:
        told = 0
        while True:
            pieces = self._pieces
            if told == 0 and pieces:
                told, document = self._so_far()
                yield document
            elif told < len(pieces):
                batch, told = b"".join(pieces[told:]), len(pieces)
                if len(batch) > FAR_BEHIND:
                    return
                yield batch
            elif self._over:
                return
            elif not await self._something_new():
                yield HEARTBEAT

    async def _something_new(self) -> bool:
        try:
            await asyncio.wait_for(self._news.wait(), HEARTBEAT_SECONDS)
        except TimeoutError:
            return False
        return True

    def _so_far(self) -> tuple[int, bytes]:
        """Made once for all viewers who come at the same time."""
        if self._document[0] != len(self._pieces):
            document = self._live.document()
            ending = as_event({"result": document["result"]}) if document["result"] else b""
            self._document = len(self._pieces), as_event(document) + ending
        return self._document

    async def _listen(self) -> None:
        try:
            async for update in self._client.watch(self._match_id):
                for piece in self._live.hear(update):
                    self._pieces.append(as_event(piece))
                self._wake_soon()
        except PageError:
            pass  # the arena is gone or the match is: browsers ask again and are told
        except RoostError as error:
            log.warning("match %s cannot be watched: %s", self._match_id, error)
        finally:
            self._over = True
            self._gone()
            self._wake()

    def _wake_soon(self) -> None:
        if self._waking is None:
            pause = max(BATCH_SECONDS, self.viewers / WOKEN_PER_SECOND)
            self._waking = asyncio.get_running_loop().call_later(pause, self._wake)

    def _wake(self) -> None:
        if self._waking is not None:
            self._waking.cancel()
        self._waking = None
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _arrive(self) -> None:
        self.viewers += 1
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _leave(self) -> None:
        self.viewers -= 1
        if self.viewers == 0 and not self._over:
            self._leaving = asyncio.get_running_loop().call_later(LINGER_SECONDS, self._task.cancel)

    async def close(self) -> None:
        """Stop listening to the arena."""
        if self._leaving is not None:
            self._leaving.cancel()
        self._task.cancel()
        await asyncio.wait([self._task])

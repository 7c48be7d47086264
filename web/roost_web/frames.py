"""Recorded matches as frames documents, played back in a thread and kept; and files of visitors, which are not kept."""

import asyncio
import gzip
import json
import time
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from roost_games.errors import RoostError, UsageError
from roost_games.replay import Replay
from roost_sdk.viewing.frames import MOST_CHARACTERS, OPEN, SPECTATOR, Recorded, eye_of, recorded_of
from roost_web.cache import Kept, SingleFlight
from roost_web.client import ArenaClient
from roost_web.errors import BadRequestError, ForeignArenaError, NotThereError, PageError, TooManyError

KEPT_BYTES = 64 << 20
BYTES_PER_CHARACTER = 60
"""About how much room a match takes when it is played back, for every character of its record."""
AT_ONCE = 2
"""Playing back keeps a processor busy: others have to wait."""
MOST_WAITING = 16
FILES_A_MINUTE = 20
"""How many files one visitor may have played back in a minute."""
MOST_BYTES = MOST_CHARACTERS
MOST_VISITORS = 10_000


T = TypeVar("T")


class Frames:
    """The frames of one arena's recorded matches."""

    def __init__(self, client: ArenaClient) -> None:
        self._client = client
        self._kept: Kept[Recorded] = Kept(KEPT_BYTES)
        self._flight: SingleFlight[Recorded] = SingleFlight()
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self.files = FileRate()

    async def document(self, match_id: str, eye: str) -> bytes:
        """The document of a match for an eye, as JSON. Raises `PageError`."""
        recorded = await self.recorded(match_id)
        try:
            return await self._in_turn(lambda: as_json(recorded.document(eye_of(eye))))
        except UsageError as error:
            raise NotThereError(_sentence(error)) from None

    async def ended(self, match_id: str) -> bytes:
        """The events that a viewer is sent who comes too late to a running match: all of it, and the result."""
        recorded = await self.recorded(match_id)
        eye = SPECTATOR if SPECTATOR in recorded.eyes else OPEN
        document = recorded.document(eye)
        return as_event(document) + as_event({"result": document["result"]})

    async def packed(self, match_id: str) -> str:
        """The documents of a match for every eye, compressed, as text that can be a part of a page."""
        recorded = await self.recorded(match_id)
        return await self._in_turn(lambda: b64encode(gzip.compress(as_json(recorded.documents()))).decode())

    async def recorded(self, match_id: str) -> Recorded:
        """A match that was played back."""
        found = self._kept.get(match_id)
        return found or await self._flight.get(match_id, lambda: self._play_back(match_id))

    async def _play_back(self, match_id: str) -> Recorded:
        line = await self._client.replay(match_id)
        try:
            recorded = await self._in_turn(lambda: Recorded(Replay.from_line(line)))
        except PageError:
            raise
        except RoostError as error:
            raise ForeignArenaError(f"The record of this match cannot be played back: {error}.") from None
        self._kept.put(match_id, recorded, BYTES_PER_CHARACTER * len(line))
        return recorded

    async def of_file(self, text: str, number: int, visitor: str) -> bytes:
        """The documents of a visitor's file for every eye, as JSON. Nothing of it is kept."""
        self.files.check(visitor)
        try:
            return await self._in_turn(lambda: _file_documents(text, number))
        except PageError:
            raise
        except RoostError as error:
            raise BadRequestError(f"This file cannot be shown: {error}.") from None

    async def _in_turn(self, work: Callable[[], T]) -> T:
        if self._waiting >= MOST_WAITING:
            raise TooManyError("Too many matches are being played back; try again in a moment.")
        self._waiting += 1
        try:
            async with self._turns:
                return await asyncio.to_thread(work)
        finally:
            self._waiting -= 1


class FileRate:
    """How many files each visitor had played back in the last minute."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, list[float]] = OrderedDict()

    def check(self, visitor: str) -> None:
        """Raise `TooManyError` if it was too many."""
        now = time.monotonic()
        recent = [at for at in self._times.pop(visitor, []) if now - at < 60]
        self._times[visitor] = recent
        while len(self._times) > MOST_VISITORS:
            self._times.popitem(last=False)
        if len(recent) >= FILES_A_MINUTE:
            raise TooManyError("Too many files at once; try again in a minute.")
        recent.append(now)


def _file_documents(text: str, number: int) -> bytes:
    recorded = recorded_of(text, number)
    matches = sum(1 for line in text.splitlines() if line.strip())
    return as_json({"matches": matches, "documents": recorded.documents()})


def as_json(value: object) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def as_event(piece: object) -> bytes:
    """A piece of a live match as a server-sent event."""
    return b"data: " + as_json(piece) + b"\n\n"


def _sentence(error: Exception) -> str:
    words = str(error)
    return f"{words[:1].upper()}{words[1:]}."

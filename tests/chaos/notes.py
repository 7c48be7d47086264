"""What a bot was told, in a file: a line of JSON for each thing, written whole or not at all, even under kill -9."""

import json
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from roost.v1.play_pb2 import ArenaMessage, MatchStarted
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import GrpcLink

NOBODY = "nobody"
"""Who sits with a bot in a match for practice, of which nothing is recorded."""


class Asked(NamedTuple):
    """A question that was put to the bot."""

    match_id: str
    seat: int
    request: int
    view: bytes


class Told(NamedTuple):
    """The end of a match that the bot was told."""

    match_id: str
    places: tuple[int, ...]


@dataclass
class Notes:
    """Everything that a bot was told."""

    asked: list[Asked] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)


class NotingLink(GrpcLink):
    """A link to an arena that notes what comes over it."""

    def __init__(self, address: str, credentials: Credentials, path: Path) -> None:
        super().__init__(address, credentials)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def close(self) -> None:
        await super().close()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    async def __aiter__(self) -> AsyncIterator[ArenaMessage]:
        matches: dict[int, MatchStarted] = {}
        async for message in super().__aiter__():
            matches.update({started.match: started for started in message.started})
            for entry in _entries(message, matches):
                os.write(self._file, entry.encode())
            yield message


def _entries(message: ArenaMessage, matches: dict[int, MatchStarted]) -> Iterator[str]:
    for decision in message.decisions:
        match = matches[decision.match]
        if NOBODY not in match.bots:
            view = decision.view.SerializeToString(deterministic=True).hex()
            yield json.dumps(["asked", match.match_id, match.seat, decision.request, view]) + "\n"
    for ended in message.ended:
        # The end of a match of a former stream may come without its beginning; then nobody knows which one it was.
        if ended.match in matches and NOBODY not in matches[ended.match].bots:
            yield json.dumps(["told", matches[ended.match].match_id, list(ended.result.places)]) + "\n"


def read_notes(path: Path) -> Notes:
    """What was noted in a file; nothing if there is none."""
    notes = Notes()
    for line in path.read_text().splitlines() if path.exists() else ():
        kind, match_id, *rest = json.loads(line)
        if kind == "asked":
            seat, request, view = rest
            notes.asked.append(Asked(match_id, seat, request, bytes.fromhex(view)))
        else:
            notes.told.append(Told(match_id, tuple(rest[0])))
    return notes

"""Sends exports to anybody who asks, without slowing down the arena.

An export is written by a process of its own with low priority, one at a time. It is kept for a while: those who ask
meanwhile get the same files. Few are sent at once, and all of them together no faster than `PACE` allows.
"""

import asyncio
import json
import shutil
import time
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp

from google.protobuf.message import Message

import roost_server.export
from roost.v1 import arena_pb2
from roost_games.errors import Exit, RoostError, UsageError
from roost_sdk.processes import GuardedProcess, python_words
from roost_server.competition import ledger
from roost_server.competition.staging import check_exportable
from roost_server.errors import TooMuchError
from roost_server.store import Store, queries
from roost_server.store.measures.holds import Held, held_now

PIECE = 1 << 16
"""How many bytes of a file are sent at a time."""
PACE = 0.002
"""Seconds between two pieces, over all callers: about 30 MB a second."""
MOST_AT_ONCE = 16
"""How many callers may wait for exports or get them."""
MOST_KEPT = 4
"""How many exports are kept."""
FRESH_SECONDS = 60.0
"""An export of a running competition is not written again within this time, unless its phase has changed."""

State = tuple[tuple[str, Held], int, int]
"""The phase of a competition and what is held back, and the last match and the last act on record."""
Key = tuple[str, str, bool]
"""The competition, the phase, and whether what is held back is in it."""


@dataclass(slots=True)
class _Written:
    """An export on disk. It is removed when it is neither kept nor being sent."""

    folder: Path
    state: State
    at: float
    readers: int = 0
    kept: bool = True
    files: list[Path] = field(default_factory=list)

    def remove_if_unused(self) -> None:
        if not self.kept and not self.readers:
            shutil.rmtree(self.folder, ignore_errors=True)


class Sender:
    """Exports competitions of a store. `close` it when done."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[Key, _Written] = {}
        self._writing = asyncio.Lock()
        self._pacing = asyncio.Lock()
        self._callers = 0

    def close(self) -> None:
        """Remove everything that was written."""
        for written in self._kept.values():
            shutil.rmtree(written.folder, ignore_errors=True)
        self._kept.clear()

    async def send(
        self, competition: str, phase: str = "", *, everything: bool = False
    ) -> AsyncGenerator[Message, None]:
        """The files of an export, piece by piece; with `everything`, including what is held back.

        Raises `UsageError` if there is no such competition or phase, `NotYetError` if all of the phase is held back.
        """
        if self._callers >= MOST_AT_ONCE:
            raise TooMuchError("too many exports are being sent; ask again in a few minutes")
        self._callers += 1
        try:
            written = await self._written((competition, phase, everything))
            written.readers += 1
            try:
                for file in written.files:
                    for piece in _pieces(file):
                        yield arena_pb2.ExportCompetitionResponse(file=file.name, data=piece)
                        async with self._pacing:
                            await asyncio.sleep(PACE)
            finally:
                written.readers -= 1
                written.remove_if_unused()
        finally:
            self._callers -= 1

    async def _written(self, key: Key) -> _Written:
        """The export that is kept, or a new one. Those who wait for the same one write it once."""
        async with self._writing:
            state = await asyncio.to_thread(self._state, key)
            kept = self._kept.get(key)
            if kept is not None and (kept.state == state or _fresh(kept, state)):
                return kept
            written = await self._write(key, state)
            self._keep(key, written)
            return written

    def _state(self, key: Key) -> State:
        name, phase, everything = key
        with self._store.reading() as reading:
            competition, held = ledger.read(reading, name), () if everything else held_now(reading)
            check_exportable(competition, phase, held)
            return (competition.phase, held), *queries.last_changes(reading)

    async def _write(self, key: Key, state: State) -> _Written:
        competition, phase, everything = key
        temporary = Path(mkdtemp(prefix="roost-export-"))
        where = {"url": self._store.backend.full_url(), "folder": str(temporary / "export")}
        order = {**where, "competition": competition, "phase": phase, "everything": everything}
        # In a file that only we can read: the address of a database may have a password in it.
        (temporary / "order.json").write_text(json.dumps(order))
        try:
            await _run(temporary / "order.json")
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        files = sorted((temporary / "export").iterdir())
        return _Written(temporary, state, time.monotonic(), files=files)

    def _keep(self, key: Key, written: _Written) -> None:
        before = [self._kept.pop(key)] if key in self._kept else []
        self._kept[key] = written
        while len(self._kept) > MOST_KEPT:
            before.append(self._kept.pop(next(iter(self._kept))))
        for each in before:
            each.kept = False
            each.remove_if_unused()


def _fresh(kept: _Written, state: State) -> bool:
    return kept.state[0] == state[0] and time.monotonic() < kept.at + FRESH_SECONDS


async def _run(order: Path) -> None:
    """Write an export in another process. Raises `RoostError` if that fails."""
    process = GuardedProcess("export", python_words(roost_server.export, str(order)))
    try:
        code = await asyncio.to_thread(lambda: process.code)
    finally:
        process.kill()
    if code:
        why = process.last_words()
        raise UsageError(why) if code == Exit.USAGE else RoostError(f"the export failed: {why}")


def _pieces(file: Path) -> Iterator[bytes]:
    """The content of a file in pieces: at least one, so that an empty file is not left out."""
    with file.open("rb") as opened:
        yield opened.read(PIECE)
        while piece := opened.read(PIECE):
            yield piece

"""An export for somebody who is not on the arena's machine: the same files, in pieces."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from roost.v1 import arena_pb2
from roost_server.export.writing import export
from roost_server.store import Store

PIECE = 1 << 18


class Sender:
    """Exports the competitions of a store, one after the other: however many ask, the arena has other work to do."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = asyncio.Lock()

    async def send(self, competition: str) -> AsyncIterator[arena_pb2.ExportCompetitionResponse]:
        """The files of an export, piece by piece. Raises `UsageError` if there is no such competition."""
        async with self._turn:
            with TemporaryDirectory(prefix="roost-export-") as folder:
                files = await asyncio.to_thread(export, self._store, competition, Path(folder) / "export")
                for file in files:
                    for piece in _pieces(file):
                        yield arena_pb2.ExportCompetitionResponse(file=file.name, data=piece)


def _pieces(file: Path) -> Iterator[bytes]:
    """At least one, so that an empty file is not left out."""
    with file.open("rb") as opened:
        yield opened.read(PIECE)
        while piece := opened.read(PIECE):
            yield piece

"""The file to which a run adds its records."""

import contextlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from roost_games.errors import RoostError, UsageError
from roost_games.replay import Replay


class ReplayFile:
    """A JSON Lines file to which the record of each match is added as soon as the match is over."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            half_a_line = _ends_within_a_line(path)
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise UsageError(self._cannot(error)) from None
        if half_a_line:
            self._write(b"\n")

    def add(self, replay: Replay) -> None:
        """Write the record of a match. It is safe against a crash of this process once this returns."""
        self._write(replay.to_line().encode() + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise RoostError(self._cannot(error)) from None

    def _cannot(self, error: OSError) -> str:
        return f"cannot write replays to {self.path}: {error.strerror or error}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError):
            self._file.close()


def _ends_within_a_line(path: Path) -> bool:
    """Whether a run that was killed left half a line; what is added must not become part of it."""
    if not path.is_file() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() != b"\n"

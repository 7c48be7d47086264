"""A disk that can be full: a small one of memory where that can be mounted, else a limit on the arena's files."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

SIZE_MB = 64
CHUNK = bytes(1 << 20)
UNLIMITED = resource.RLIM_INFINITY


class Disk(Protocol):
    """Where the arena records."""

    how: str
    """How it is made full, for people."""

    def fill(self, arena_pid: int) -> None:
        """From now on nothing can be written."""

    def free(self, arena_pid: int) -> None:
        """From now on something can. The arena may be another process by then, or none."""


class SmallDisk:
    """A file system of its own, filled with zeros."""

    how = f"a tmpfs of {SIZE_MB} MB, filled to the last byte"

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"

    def fill(self, arena_pid: int) -> None:
        with suppress(OSError), self._ballast.open("wb", buffering=0) as file:
            # What is left when a large piece does not fit any more takes a small one.
            for piece in (CHUNK, bytes(512), b"0"):
                with suppress(OSError):
                    while True:
                        file.write(piece)

    def free(self, arena_pid: int) -> None:
        self._ballast.unlink(missing_ok=True)


class LimitedFiles:
    """A limit on the size of the files that the arena writes: every write beyond the first byte fails."""

    how = "RLIMIT_FSIZE of the arena's process"

    def fill(self, arena_pid: int) -> None:
        self._limit(arena_pid, 1)

    def free(self, arena_pid: int) -> None:
        self._limit(arena_pid, UNLIMITED)

    def _limit(self, arena_pid: int, size: int) -> None:
        with suppress(ProcessLookupError):
            resource.prlimit(arena_pid, resource.RLIMIT_FSIZE, (size, UNLIMITED))


@contextmanager
def disk_at(folder: Path, *, mount: bool) -> Iterator[Disk]:
    """A disk whose files are in `folder`, which is made. To `mount` one needs the right to."""
    folder.mkdir()
    if not (mount and _mounted(folder)):
        yield LimitedFiles()
        return
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _mounted(folder: Path) -> bool:
    if os.geteuid() != 0:
        return False
    asked = ["mount", "-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(folder)]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0

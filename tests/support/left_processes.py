"""Processes that a run of the tests has started, directly or not, and that are still there. Needs /proc.

Every process inherits a mark in its environment, so that those are found, too, whose parents have ended.
"""

import os
import time
import uuid
from pathlib import Path

MARK = "ROOST_TEST_RUN"
PATIENCE = 30.0
"""Seconds for what is just about to end."""


def mark_children() -> None:
    """From now on, whatever is started is found."""
    os.environ[MARK] = uuid.uuid4().hex


def left() -> list[str]:
    """The command lines of what does not end by itself."""
    deadline = time.monotonic() + PATIENCE
    while (found := _marked()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _marked() -> list[str]:
    mark = f"{MARK}={os.environ[MARK]}".encode()
    return [_command(folder) for folder in Path("/proc").glob("[0-9]*") if mark in _environment(folder)]


def _environment(folder: Path) -> list[bytes]:
    """Empty for a process that has ended and for one that is none of ours."""
    try:
        return [] if int(folder.name) == os.getpid() else (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _command(folder: Path) -> str:
    try:
        return f"{folder.name}: " + (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return folder.name

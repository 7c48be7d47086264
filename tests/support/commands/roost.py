"""Running `roost`: what a call gives, and commands as processes, to be talked to and stopped."""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

PATIENCE = 180.0
"""How many seconds a test waits before it fails: longer than anything takes on a busy machine."""
NOT_INHERITED = ("FORCE_COLOR", "NO_COLOR", "ROOST_TRACEBACK")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED} | {"COLUMNS": "80"}
"""As for a pipe of 80 columns, whatever the terminal of the tester is."""
INTERRUPTIBLE = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from roost_cli.main import main; main()",
)
"""A test run in the background ignores Ctrl-C, and its children inherit that; this one does not."""
SLOW_BOT = """
import asyncio
from roost_sdk import Bot

class Slow(Bot):
    async def choose(self, view, legal):
        await asyncio.sleep({seconds})
        return legal[0]
"""
HELD_BOT = """
import asyncio
from pathlib import Path
from roost_sdk import Bot

class Held(Bot):
    async def choose(self, view, legal):
        while not Path({file!r}).exists():
            await asyncio.sleep(0.02)
        return legal[0]
"""
"""Answers nothing until there is a file of that name."""


class Outcome(NamedTuple):
    """What a call of the command gives."""

    code: int
    out: str
    err: str


Roost = Callable[..., Outcome]
"""The fixture `roost`: runs the command in this process."""


class Process:
    """A running `roost` command."""

    def __init__(self, *arguments: object, folder: Path) -> None:
        self.popen = subprocess.Popen(
            [*INTERRUPTIBLE, *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=ENVIRONMENT,
        )
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self.out = Lines(self.popen.stdout)
        self.err = Lines(self.popen.stderr)

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def press_until_end(self, number: signal.Signals) -> None:
        """Send a signal, and send it again until the process has ended."""
        while self.popen.poll() is None:
            self.popen.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.popen.wait(10.0)

    def end(self) -> int:
        """Its exit code."""
        code = self.popen.wait(PATIENCE)
        self.out.finish()
        self.err.finish()
        return code

    def remove(self) -> None:
        self.popen.kill()
        self.popen.wait()
        self.out.finish()
        self.err.finish()


class Lines:
    """What a process writes, read as it comes, so that it never waits for us."""

    def __init__(self, stream: IO[str]) -> None:
        self.lines: list[str] = []
        self._new: queue.Queue[str | None] = queue.Queue()
        self._stream = stream
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._stream:
            self.lines.append(line.rstrip("\n"))
            self._new.put(line.rstrip("\n"))
        self._new.put(None)

    def until(self, part: str) -> str:
        """The next line with `part` in it."""
        deadline = time.monotonic() + PATIENCE
        while (line := self._new.get(timeout=max(0.0, deadline - time.monotonic()))) is not None:
            if part in line:
                return line
        raise AssertionError(f"no line with {part!r}: {self.lines}")

    def finish(self) -> None:
        self._reader.join()
        self._stream.close()


@contextmanager
def roost_process(*arguments: object, folder: Path) -> Iterator[Process]:
    """A process that is gone when the block is left."""
    process = Process(*arguments, folder=folder)
    try:
        yield process
    finally:
        process.remove()


@contextmanager
def arena(folder: Path, *arguments: object) -> Iterator[tuple[Process, str]]:
    """An arena on a free port with clocks that nobody runs out of, and its address."""
    serve = ("serve", "--listen", "127.0.0.1:0", "--decision-ms", 60_000, "--db", "roost.db", *arguments)
    with roost_process(*serve, folder=folder) as process:
        greeting = process.out.until("listening at ")
        yield process, greeting.removeprefix("listening at ").partition(",")[0]


def guarded(*parts: str) -> dict[int, str]:
    """The command lines of our processes that end with the one that started them, by their numbers: those with one of
    `parts` in them. Needs /proc."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if command.startswith(f"{sys.executable} -P -m roost_") and any(part in command for part in parts):
            found[int(folder.name)] = command
    return found


def until(condition: Callable[[], bool]) -> None:
    """Wait for `condition` to hold."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.1)

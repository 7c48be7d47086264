"""Other `roost` commands as processes that end with this one, whatever becomes of it (see `tether`)."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import Future
from io import BufferedReader
from threading import Thread
from types import TracebackType
from typing import Self, cast

from roost_games.errors import RoostError

SECONDS_TO_LEAVE = 15.0
"""How long processes may take to end in order."""
COMMAND = "roost: "
"""What a line begins with in which the command says why it ends."""
MOST_KEPT = 1 << 16
"""So many bytes are kept of what a process has written last."""
MOST_WORDS = 500
"""So many characters of a line are told."""
SECONDS_TO_READ = 1.0
"""How long what a process has left behind in a pipe may take to be read. Its own children may hold that pipe open."""


class Tail:
    """The end of what a process writes. All of it is read as it comes, so that the process never waits for a reader."""

    def __init__(self, stream: BufferedReader) -> None:
        self.first_line: Future[bytes] = Future()
        """Empty if the stream ends without one."""
        self._stream = stream
        self._kept = b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self._stream as stream:
            self._kept = stream.readline(MOST_KEPT)
            self.first_line.set_result(self._kept)
            while some := stream.read1(MOST_KEPT):
                self._kept = (self._kept + some)[-MOST_KEPT:]

    def last_lines(self) -> list[str]:
        """Those with something in them, the last one first. To be asked when the process is over."""
        self._reader.join(SECONDS_TO_READ)
        lines = self._kept.decode(errors="replace").split("\n")
        return [line for line in reversed(lines) if line.strip()]


class Member:
    """A process of the household."""

    def __init__(self, name: str, arguments: Iterable[str]) -> None:
        self.name = name
        # In a session of its own, so that a Ctrl-C on the terminal reaches only who started it.
        # With -P a random.py in this folder hides no module of Python, as it would not from `roost` itself.
        self._process = subprocess.Popen(  # noqa: S603  our own command
            [sys.executable, "-P", "-m", "roost_cli.tether", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._output = Tail(cast(BufferedReader, self._process.stdout))
        self._log = Tail(cast(BufferedReader, self._process.stderr))

    def first_line(self) -> str:
        """What it says first. Raises `RoostError` if it ends without a word."""
        line = self._output.first_line.result()
        if not line:
            self._process.wait()
            raise RoostError(f"the {self.name} does not start: {self.last_words()}")
        return line.decode().rstrip("\n")

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self._process.poll() is not None

    @property
    def ending(self) -> str:
        """How it ended."""
        code = self._process.wait()
        return f"exit code {code}" if code >= 0 else f"signal {-code}"

    def last_words(self) -> str:
        """Why it ended, or else the last line of its log."""
        lines = self._log.last_lines() or ["it says nothing"]
        # Lines of a bot's code may follow what the command itself has to say.
        told = next((line for line in lines if line.startswith(COMMAND)), lines[0])
        return told.removeprefix(COMMAND)[:MOST_WORDS]

    def ask_to_leave(self) -> None:
        """Let it end in order."""
        self._process.terminate()

    def wait_until(self, moment: float) -> None:
        """Wait for its end, but not beyond `moment` on the monotonic clock."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, moment - time.monotonic()))

    def remove(self) -> None:
        """Make sure that it is over."""
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


class Household:
    """Processes that are all over when the block is left."""

    def __init__(self) -> None:
        self.members: list[Member] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for member in self.members:
            member.remove()

    def start(self, name: str, *arguments: str) -> Member:
        """Run `roost` with these arguments."""
        member = Member(name, arguments)
        self.members.append(member)
        return member

    def dismiss(self, member: Member) -> None:
        """Keep nothing of one that has ended."""
        member.remove()
        self.members.remove(member)

    def leave(self, members: Iterable[Member], seconds: float = SECONDS_TO_LEAVE) -> None:
        """Let these end in order, if they do so in a reasonable time."""
        leaving = list(members)
        for member in leaving:
            member.ask_to_leave()
        moment = time.monotonic() + seconds
        for member in leaving:
            member.wait_until(moment)

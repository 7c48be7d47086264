"""Other `roost` commands as processes that end with this one, whatever becomes of it (see `tether`)."""

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from types import TracebackType
from typing import IO, Self

from roost_games.errors import RoostError

SECONDS_TO_LEAVE = 15.0
"""How long processes may take to end in order."""


class Member:
    """A process of the household."""

    def __init__(self, name: str, arguments: Iterable[str]) -> None:
        self.name = name
        self._log: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115  closed by `remove`
        # In a session of its own, so that a Ctrl-C on the terminal reaches only who started it.
        self._process = subprocess.Popen(  # noqa: S603  our own command
            [sys.executable, "-m", "roost_cli.tether", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            start_new_session=True,
        )

    def first_line(self) -> str:
        """What it says first. Raises `RoostError` if it ends without a word."""
        assert self._process.stdout is not None  # noqa: S101  it is a pipe
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise RoostError(f"the {self.name} does not start: {self.last_words()}")
        return line.rstrip("\n")

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self._process.poll() is not None

    def last_words(self) -> str:
        """The last line of its log."""
        self._log.seek(0)
        lines = self._log.read().split("\n")
        return next((line.removeprefix("roost: ") for line in reversed(lines) if line.strip()), "it says nothing")

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
        self._process.communicate()
        self._log.close()


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

    def leave(self, members: Iterable[Member]) -> None:
        """Let these end in order, if they do so in a reasonable time."""
        leaving = list(members)
        for member in leaving:
            member.ask_to_leave()
        moment = time.monotonic() + SECONDS_TO_LEAVE
        for member in leaving:
            member.wait_until(moment)

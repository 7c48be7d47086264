"""A process beside a program that plays a bot on a terminal. It speaks where that program cannot.

C code that holds the interpreter keeps all threads of the program from running: nobody there could say where the bot
is, nor answer Ctrl-C. So Python itself writes every few seconds to a pipe where its threads are (`hangs.dump_if_held`),
and at the other end a bystander reads it, names the bot and the line, and answers Ctrl-C, which reaches both processes.
Decision 25 has the reasons.

    with bystander("mybot") as answered:
        ...
        answered()  # the program has answered the first Ctrl-C itself

The program `python -m roost_sdk.troubles.bystander BOT` is the process. It ends with the program that has started it.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from select import select
from typing import IO, cast

from roost_sdk.processes import python_words
from roost_sdk.tracebacks import where_it_was
from roost_sdk.troubles.hangs import HELD_SECONDS, Hang, dumps_to, hang_line

ANSWERED = b"the program has answered\n"
SECONDS_TO_ANSWER = 0.5
"""A program that is not held answers the first Ctrl-C within this time."""
SECONDS_TO_STOP = 3.0
"""After the second Ctrl-C the program ends itself within this time, unless it is held."""
LOOK_SECONDS = 0.2
MOST_READ = 1 << 16
CLEARED = "\r\x1b[2K\x1b[?25h"
"""Removes what the program shows in the last line of the terminal, and shows the cursor, which it may have hidden."""


@contextmanager
def bystander(bot: str) -> Iterator[Callable[[], None]]:
    """While the block runs on a terminal, a process stands by. Call what this yields when Ctrl-C has been answered."""
    if sys.__stderr__ is None or not sys.__stderr__.isatty() or not hasattr(os, "killpg"):
        yield lambda: None
        return
    with _started(bot) as process:
        pipe = cast("IO[bytes]", process.stdin)

        def answered() -> None:
            with suppress(OSError):
                os.write(pipe.fileno(), ANSWERED)

        try:
            with dumps_to(pipe):
                yield answered
        finally:
            process.kill()


def _started(bot: str) -> subprocess.Popen[bytes]:
    """The process. Ctrl-C waits until it is ready for it."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        words = python_words(sys.modules[__name__], bot)
        # In our session, unlike every other process: Ctrl-C has to reach it.
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)  # noqa: S603
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


class Bystander:
    """What the process knows. `look` says what there is to say, and is called often."""

    def __init__(self, bot: str, say: Callable[[str], None], stop: Callable[[], None]) -> None:
        """`say` gets lines, and `stop` ends the program at once."""
        self.stopped = False
        """Whether there is nothing left to stand by."""
        self._bot = bot
        self._say = say
        self._stop = stop
        self._dumps = b""
        self._where = ""
        self._hang = Hang()
        self._held = 0
        """How many times in a row Python has found the interpreter held."""
        self._dumped_at = 0.0
        self._interrupts: list[float] = []
        self._answered = False

    def read(self, written: bytes) -> None:
        """The program, or Python in it, has written this."""
        self._answered |= ANSWERED in written
        self._dumps += written.replace(ANSWERED, b"")

    def interrupted(self, now: float) -> None:
        """Ctrl-C was pressed."""
        self._interrupts.append(now)

    def look(self, now: float) -> None:
        """Nothing more is being written for now."""
        if self._dumps:
            self._name_line(now)
        first, second = (*self._interrupts[:2], now, now)[:2]
        if now > first + SECONDS_TO_ANSWER and not self._answered:
            self._answered = True
            at = f" (at {self._where})" if self._where else ""
            self._say(f"{self._bot} holds the interpreter{at}; leaving when it lets go; press Ctrl-C again to stop")
        if now > second + SECONDS_TO_STOP:
            self._say(f"{self._bot} was stopped")
            self.stopped = True
            self._stop()

    def _name_line(self, now: float) -> None:
        self._where = where_it_was(self._dumps.decode(errors="replace")).rpartition("\n")[2]
        self._dumps = b""
        in_a_row = now < self._dumped_at + 1.5 * HELD_SECONDS
        self._held = self._held + 1 if in_a_row else 1
        self._hang = self._hang if in_a_row else Hang()
        self._dumped_at = now
        if self._hang.is_news(self._held * HELD_SECONDS):
            self._say(hang_line(self._bot, self._held * HELD_SECONDS, self._where))


def main() -> None:
    """Stand by until the program that has started this one ends."""
    program = os.getppid()
    interrupts, wakeup = os.pipe()
    os.set_blocking(wakeup, False)
    signal.set_wakeup_fd(wakeup)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    watch = Bystander(sys.argv[1], _say, lambda: os.kill(program, signal.SIGKILL))
    while os.getppid() == program and not watch.stopped:
        ready, _, _ = select([0, interrupts], [], [], LOOK_SECONDS)
        if interrupts in ready:
            os.read(interrupts, 1)
            watch.interrupted(time.monotonic())
        if 0 in ready:
            written = os.read(0, MOST_READ)
            if not written:
                return
            watch.read(written)
        else:
            watch.look(time.monotonic())


def _say(line: str) -> None:
    sys.stderr.write(f"{CLEARED}{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()

"""A bot's process as its parent sees it: it takes a batch of calls, answers them in order, or is lost.

    process = BotProcess("mybot.py", BotLimits(patience=11.0))
    process.load()
    process.send([(1, "start", ("karteneck", 0, 2, "any text", clock))])
    for call, answer in process.receive(): ...

The process ends with all that it has started, at the latest when we end. Its memory and the number of its processes
are limited together with theirs, on Linux.
"""

import mmap
import os
import selectors
import socket as sockets
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from socket import socket, socketpair
from subprocess import PIPE
from threading import Thread
from typing import IO, Any, NamedTuple

from roost_games.errors import RoostError, UsageError
from roost_games.game import JsonValue
from roost_games.referee import STANDARD_CLOCK, Fault
from roost_games.wording import harmless
from roost_sdk.bot_process import host
from roost_sdk.bot_process.answers import (
    Answer,
    AnswerKind,
    BotDescription,
    NotAnAnswer,
    read_descriptions,
    shown,
    take_answers,
)
from roost_sdk.bot_process.batches import BatchWriter
from roost_sdk.bot_process.host import LENGTH, MARK
from roost_sdk.guard import OUT_OF_MEMORY, TOO_MANY_PROCESSES
from roost_sdk.load import short_name
from roost_sdk.processes import ProcessTree, TreeLimits, check_processes, ending_of, hide_memory, python_words
from roost_sdk.tracebacks import where_it_was
from roost_sdk.troubles.hangs import HANG_SECONDS, Hang, hang_line

LOOK_SECONDS = 0.1
"""How often somebody who waits can be interrupted."""
SECONDS_TO_END = 2.0
"""How long a process may take to end after its channel was closed."""
OWN_MEMORY_MB = 64
"""What a process takes without its bot."""
MOST_RECEIVED = 1 << 16
MOST_NOTED = 1 << 14
"""How many of the last bytes are read that a process notes about where its bot hangs."""
SPARE_MS = 1000.0
"""A bot's process measures how long its bot thinks. We measure too, and believe it up to this difference."""
QUICK_MS = 1.0
"""A bot that answers faster than this on average is quick: its questions are worth gathering."""
UNASKED = "nothing was asked (a forked child that goes on as the bot does this; end it with os._exit)"
LEARNING_RATE = 0.1

BotCall = tuple[int, str, tuple[Any, ...]]
"""The number of a seat, what is to be done, and what that is given: see `host.BotHost`."""
Heard = list[tuple[BotCall, Answer]]
"""Answers with their calls."""
Wrap = Callable[[list[str]], list[str]]
"""Makes other words of those that start a program, such as a sandbox around it."""


class BotLimits(NamedTuple):
    """What the process of a bot may use up."""

    patience: float = (STANDARD_CLOCK.decision_ms + STANDARD_CLOCK.bank_ms) / 1000
    """A bot that does not answer for this many seconds is stopped."""
    memory_mb: int = 1024
    processes: int = 64
    """How many there may be, its own and those that it starts."""
    log_bytes: int = 1 << 20
    """How much of what the bot writes is shown."""
    prints: bool = False
    """Whether what it prints is shown, too, and not only what it writes to stderr."""
    margin: float = 1.0
    """It is stopped this many seconds later: a bot that watches its time says itself that it is late."""
    slow: float = 0.0
    """It is not said to hang before it has taken this many seconds."""
    loading: float = 60.0
    """How many seconds the import of its file may take."""


class BotLost(RoostError):
    """A bot's process has ended, or had to be stopped. The message follows the bot's name in a sentence."""

    def __init__(self, why: str, fault: Fault, number: int, *, ending: str = "", where: str = "") -> None:
        super().__init__(f"{why} ({ending})" if ending else why)
        self.fault = fault
        """What the open decision is on record as."""
        self.number = number
        """That of the seat which was being called; 0 if none was."""
        self.ending = ending
        """How the process ended, if it did so by itself: `exit code 2`."""
        self.where = where
        """The author's lines that were running when a call had taken too long, the outermost one first."""


def write_stderr(line: str) -> None:
    """Show its author what a bot writes."""
    sys.stderr.write(line)


class BotProcess:
    """The process of one bot, which may sit at many tables."""

    def __init__(
        self,
        text: str,
        limits: BotLimits,
        wrap: Wrap = list,
        log: Callable[[str], None] = write_stderr,
        tell: Callable[[str], None] = lambda line: write_stderr(f"{line}\n"),
    ) -> None:
        """The bot is named as for `load_bot`. `load` or `describe` comes first.

        `log` gets the lines that it writes, and `tell` a line when it hangs, while it does.
        """
        check_processes()
        hide_memory()
        self.text = text
        self.asked: deque[BotCall] = deque()
        """The calls that have not been answered, in order."""
        self.average_ms = QUICK_MS
        self._limits = limits
        self._tell = tell
        self._batch = 0
        self._before = 0
        self._received = bytearray()
        self._writer = BatchWriter()
        self._waited = 0.0
        """For how many seconds we have done nothing but wait for the next answer."""
        self._hang = Hang()
        self._noted_before = MARK.size
        """The size of its notes when it was asked last."""
        self._channel, theirs = socketpair()
        self._notes = tempfile.TemporaryFile()  # noqa: SIM115  closed in `stop`
        self._notes.truncate(MARK.size)
        self._mark = mmap.mmap(self._notes.fileno(), MARK.size)
        with theirs:
            self._tree = _started(theirs, self._notes.fileno(), limits, wrap)
        self._channel.settimeout(limits.patience)
        self._log = Thread(target=_pass_on, args=(self._tree.stderr, log), daemon=True)
        self._log.start()

    @property
    def quick(self) -> bool:
        """Whether the bot answers so fast that gathering questions saves time."""
        return self.average_ms < QUICK_MS

    def fileno(self) -> int:
        """What can be waited for."""
        return self._channel.fileno()

    def load(self, beat: Callable[[], None] = lambda: None) -> bool:
        """Import the bot; whether it wants to see all moves. Raises `UsageError` or `BotLost`.

        `beat` is called several times a second.
        """
        return self._ask_first(beat, "load", self.text, self._limits.memory_mb) is True

    def describe(self, whole_file: bool, samples: Sequence[str] = ()) -> list[BotDescription]:
        """The bot that its text names, or all in that file. Raises `UsageError` (with `samples`) or `BotLost`."""
        try:
            found = read_descriptions(self._ask_first(lambda: None, "describe", self.text, whole_file, samples))
        except NotAnAnswer as error:
            raise self.babble(error) from None
        if not whole_file and len(found) != 1:
            raise self.babble(NotAnAnswer("what it described is not one bot"))
        return found

    def _ask_first(self, beat: Callable[[], None], kind: str, *given: object) -> JsonValue:
        self.send([(0, kind, given)])
        while not (answered := self.receive_soon()):
            beat()
            self._say_if_it_hangs()
            if self._waited > self._limits.loading:
                raise self.lost(f"was not imported within {self._limits.loading:g} s", Fault.LATE)
        try:
            ((_, answer),) = answered
            if answer.kind is AnswerKind.NOT_LOADED:
                raise UsageError(answer.text())
            return answer.value()
        except NotAnAnswer as error:
            raise self.babble(error) from None

    def send(self, calls: Sequence[BotCall]) -> None:
        """Have calls made. Those before must have been answered. Raises `BotLost`."""
        self.asked.extend(calls)
        self._before += self._batch
        self._batch = len(calls)
        self._waited = 0.0
        self._noted_before = os.fstat(self._notes.fileno()).st_size
        data = self._writer.write(calls)
        try:
            self._channel.sendall(LENGTH.pack(len(data)) + data)
        except TimeoutError:
            raise self._hung() from None
        except OSError:
            raise self._ended() from None

    def receive_soon(self) -> Heard:
        """The answers that come in a moment, if nothing else is waited for; perhaps none. Raises `BotLost`."""
        began = time.monotonic()
        with selectors.PollSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            heard = selector.select(LOOK_SECONDS)
        self.note_wait(time.monotonic() - began)
        return self.receive() if heard else []

    def receive(self) -> Heard:
        """The answers that have come, perhaps none, each with its call. Raises `BotLost`."""
        try:
            some = self._channel.recv(MOST_RECEIVED, sockets.MSG_DONTWAIT)
        except BlockingIOError:
            return []
        except OSError:
            some = b""
        if not some:
            raise self._ended()
        self._received += some
        try:
            answers = take_answers(self._received)
        except NotAnAnswer as error:
            raise self.babble(error) from None
        if len(answers) > len(self.asked) or (self._received and not self.asked):
            raise self.babble(NotAnAnswer(UNASKED))
        return [(self.asked.popleft(), answer) for answer in self._charged(answers)]

    def _charged(self, answers: list[Answer]) -> list[Answer]:
        """Answers with the times that count: a bot cannot say that it thought for no time at all."""
        if answers:
            told = sum([answer.ms for answer in answers])
            # Of many decisions that were answered together, each took as long as all of them.
            took = min(told, self._waited * 1000)
            self.average_ms += LEARNING_RATE * (took / len(answers) - self.average_ms)
            untold = self._waited * 1000 - told - SPARE_MS
            self._waited = 0.0
            if untold > 0:
                answers[0] = answers[0]._replace(ms=answers[0].ms + untold)
        return answers

    def note_wait(self, seconds: float) -> None:
        """Take down that we have waited for an answer, and for nothing else."""
        self._waited += seconds

    def check_patience(self) -> None:
        """Say that the bot hangs, if it does. Raises `BotLost` if we have waited for long enough."""
        self._say_if_it_hangs()
        if self._waited > self._limits.patience + self._limits.margin:
            raise self._hung()

    def _say_if_it_hangs(self) -> None:
        if self._waited < HANG_SECONDS or (not self._noted() and self._waited < HANG_SECONDS + SPARE_MS / 1000):
            # It notes a moment later than we where it is.
            self._hang.is_news(0.0)
            return
        if self._hang.is_news(self._waited, self._limits.slow):
            self._tell(hang_line(self._shown_name, self._waited, self._innermost()))

    @property
    def _shown_name(self) -> str:
        return shown(short_name(self.text))

    def _innermost(self) -> str:
        return self._noted().rpartition("\n")[2]

    def open_call(self) -> str:
        """What is told of a call that is still open; empty if the bot has been answering."""
        hangs = self.asked and self._waited > HANG_SECONDS
        return hang_line(self._shown_name, self._waited, self._innermost()) if hangs else ""

    def _hung(self) -> BotLost:
        return self.lost(f"did not answer for {self._limits.patience:g} s and was stopped", Fault.LATE)

    def lost(self, why: str, fault: Fault, ending: str = "") -> BotLost:
        """Stop it."""
        # What the process has noted decides only which of its bot's own matches is concerned.
        (begun,) = MARK.unpack_from(self._mark)
        where = self._noted() if fault is Fault.LATE else ""
        self.stop()
        answered = self._batch - len(self.asked)
        open_call = min(max(answered, begun - self._before - 1), self._batch - 1) - answered
        number = self.asked[open_call][0] if self.asked else 0
        return BotLost(why, fault, number, ending=ending, where=where)

    def _noted(self) -> str:
        file = self._notes.fileno()
        first = max(self._noted_before, os.fstat(file).st_size - MOST_NOTED)
        return shown(where_it_was(os.pread(file, MOST_NOTED, first).decode(errors="replace")))

    def babble(self, error: NotAnAnswer) -> BotLost:
        """Stop it, because of what it wrote."""
        return self.lost(f"wrote to the channel of its process and was stopped: {error}", Fault.MALFORMED)

    def _ended(self) -> BotLost:
        self._tree.wait_until(time.monotonic() + SECONDS_TO_END)
        if not self._tree.ended:
            return self.lost("closed the channel of its process and was stopped", Fault.GONE)
        code = self._tree.code
        if code == OUT_OF_MEMORY:
            return self.lost(f"took more than {self._limits.memory_mb} MB of memory and was stopped", Fault.CRASHED)
        if code == TOO_MANY_PROCESSES:
            most = self._limits.processes
            return self.lost(f"had more than {most} processes at a time and was stopped", Fault.CRASHED)
        return self.lost("ended its process", Fault.GONE, ending_of(code))

    def stop(self) -> None:
        """End it at once, with all that it has started. Twice is fine."""
        self._tree.kill()
        self._channel.close()
        self._notes.close()
        self._log.join(SECONDS_TO_END)

    def close(self) -> None:
        """Let it shut down, if it does so at once."""
        self._channel.close()
        self._tree.wait_until(time.monotonic() + SECONDS_TO_END)
        self.stop()


def _pass_on(stream: IO[bytes], log: Callable[[str], None]) -> None:
    with stream:
        for line in stream:
            log(harmless(line.decode(errors="replace")))


def _started(theirs: socket, mark: int, limits: BotLimits, wrap: Wrap) -> ProcessTree:
    channel = theirs.fileno()
    words = python_words(host, *map(str, (channel, mark, int(limits.prints), limits.patience)))
    return ProcessTree(
        wrap(words),
        stderr=PIPE,
        pass_fds=[channel, mark],
        limits=TreeLimits(limits.memory_mb + OWN_MEMORY_MB, limits.processes, limits.log_bytes),
    )

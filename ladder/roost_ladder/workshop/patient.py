"""The bot that is examined: it has a process of its own, and is asked one thing after the other.

    with closing(Patient(bot, seconds=30.0)) as patient:
        patient.begin()
        patient.ask([(1, "start", ...), (1, "decide", ...)], hear)

If the bot hangs or ends its process, that raises `BotLost`. What is asked next goes to a fresh process.
"""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from roost_sdk.bot_process.answers import Answer, BotDescription, NotAnAnswer
from roost_sdk.bot_process.process import BotCall, BotLimits, BotLost, BotProcess, Wrap
from roost_sdk.bot_process.sandbox import sandbox_for

SPARE_SECONDS = 5.0
"""How much longer than an answer an import may take: on a busy machine it takes a while until it begins."""
PROMPT = 0.8
"""After this share of the patience a bot that watches its time should say that it is late."""
MOST_LINES = 6
"""How many of the last lines of a process are shown."""


class TimeIsUp(Exception):
    """There is no more time for this part of the examination."""


class ExaminedBot(NamedTuple):
    """A bot to be examined."""

    text: str
    """What `load_bot` finds it by."""
    patience: float
    """After this many seconds without an answer the bot is taken to hang."""
    sandbox: bool = False
    """Whether its processes run in a sandbox."""


class Patient:
    """A bot under examination. Its process starts when it is needed."""

    def __init__(
        self,
        bot: ExaminedBot,
        seconds: float,
        end: float = math.inf,
        salt: int = 1,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        """It has `seconds` from when its process is there, but not beyond `end` on the monotonic clock.

        `salt` decides about the order of sets in its process, on which a bot should not depend. `tell` gets a line when
        it hangs.
        """
        self.said = deque[str](maxlen=MOST_LINES)
        """The last lines that its process wrote."""
        self.asked_at = 0.0
        """When it was asked last."""
        self.until = end
        """When the time for its turn is up, on the monotonic clock."""
        self.end = end
        """When all its time is up; certain once it has begun."""
        self.salt = salt
        self.wants_moves = False
        """Whether it wants to see all moves; known once it has begun."""
        self._bot = bot
        self._seconds = seconds
        self._tell = tell
        self._process: BotProcess | None = None

    @property
    def has_time(self) -> bool:
        """Whether there is time to ask it in this turn. A decision that has begun may take longer."""
        return time.monotonic() < self.until

    @property
    def is_over(self) -> bool:
        """Whether all its time is up."""
        return time.monotonic() >= self.end

    def take_turn(self, left: int) -> None:
        """It gets its share of the remaining time; `left` turns are still to come. Raises `BotLost` or `TimeIsUp`."""
        self.until = self.end
        self.begin()
        now = time.monotonic()
        self.until = now + (self.end - now) / left

    def interrupt(self) -> None:
        """There is no more time; another thread may be asking it."""
        self.until = self.end = -math.inf

    def describe(self, samples: Sequence[str]) -> BotDescription:
        """What its file says. Raises `UsageError`, which names `samples` if need be, or `BotLost`."""
        process = self._started()
        try:
            (described,) = process.describe(whole_file=False, samples=samples)
        finally:
            process.stop()
        return described

    def begin(self) -> None:
        """See to it that it has a process. Raises `BotLost` or `TimeIsUp`."""
        self._loaded()

    def ask(self, calls: Sequence[BotCall], hear: Callable[[BotCall, Answer], None]) -> None:
        """Have calls made; `hear` gets each with its answer. Raises `BotLost`, or `TimeIsUp` before all have come."""
        process = self._loaded()
        self.asked_at = time.monotonic()
        try:
            process.send(calls)
            while process.asked:
                self._check_time()
                for call, answer in process.receive_soon():
                    hear(call, answer)
                process.check_patience()
        except (NotAnAnswer, BotLost) as error:
            self._process = None
            raise error if isinstance(error, BotLost) else process.babble(error) from None

    def open_call(self) -> str:
        """What is told of a call that is still open; empty if it has been answering."""
        return "" if self._process is None else self._process.open_call()

    def close(self) -> None:
        """End its process."""
        if self._process is not None:
            self._process.stop()

    def _check_time(self) -> None:
        if self.is_over:
            raise TimeIsUp

    def _loaded(self) -> BotProcess:
        if self._process is None:
            process = self._started()
            try:
                self.wants_moves = process.load(self._check_time)
            except BaseException:
                process.stop()
                raise
            self._process = process
            self.end, self._seconds = min(self.end, time.monotonic() + self._seconds), math.inf
            self.until = min(self.until, self.end)
        return self._process

    def _started(self) -> BotProcess:
        self.said.clear()
        text, patience, sandbox = self._bot
        around: Wrap = sandbox_for(text) if sandbox else list
        limits = BotLimits(PROMPT * patience, margin=(1 - PROMPT) * patience, loading=patience + SPARE_SECONDS)
        salted = ["env", f"PYTHONHASHSEED={self.salt}"]
        return BotProcess(text, limits, lambda words: around([*salted, *words]), self.said.append, self._tell)

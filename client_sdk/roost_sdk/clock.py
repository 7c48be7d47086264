"""A bot's clock: the time limits of its match, and how much of them is left."""

from collections.abc import Callable
from math import inf, isfinite
from time import monotonic, perf_counter
from typing import NamedTuple, Self

from roost_games.referee import STANDARD_CLOCK, Clock

SPARE_MS = 50.0
"""What `MatchClock.deadline` keeps back: for what both programs do besides, and for a slower network now and then."""
SPARE_SHARE = 0.1
"""It keeps back no more than this share of the time for a decision."""


class TimeLeft(NamedTuple):
    """What a bot is told about its time when it is asked to decide. Times are in milliseconds."""

    time_ms: float
    """For this decision, with all that is left of the bank."""
    bank_ms: float
    """How much of it is the bank."""
    latency_ms: float = 0.0
    """The round trip between the bot and an arena, as last measured; 0 without a network."""
    asked: float | None = None
    """Since when it runs, by `perf_counter`; by default since the bot was called."""

    @classmethod
    def of(cls, clock: Clock, bank_used: float = 0.0) -> Self:
        """For a bot that runs beside its clock and has used up this much of its bank."""
        bank = clock.bank_ms - bank_used
        return cls(clock.decision_ms + bank, bank)


class MatchClock(Clock):
    """The time limits of a match, and what is left of them while a bot decides. Times are in milliseconds."""

    called: float | None  # by `perf_counter`; what calls the bot sets it
    _left: Callable[[], TimeLeft]

    def __new__(cls, limits: Clock = STANDARD_CLOCK, left: Callable[[], TimeLeft] | None = None) -> Self:
        """`left` is asked when the bot wants to know. By default no decision has touched the bank."""
        clock = super().__new__(cls, *limits)
        clock._left = left or (lambda: TimeLeft.of(limits))
        clock.called = None
        return clock

    @property
    def time_left_ms(self) -> float:
        """How long this decision may still take, bank included. It runs while the bot thinks, and is never below 0."""
        left = self._left()
        return max(0.0, left.time_ms - self._passed_ms(left))

    @property
    def bank_left_ms(self) -> float:
        """How much of `time_left_ms` is the bank. It gets less only once the time for the decision is used up."""
        left = self._left()
        return max(0.0, min(left.bank_ms, left.time_ms - self._passed_ms(left)))

    @property
    def latency_ms(self) -> float:
        """The round trip between the bot and the arena, as last measured; 0 in local play."""
        return self._left().latency_ms

    def deadline(self, bank_ms: float = inf) -> float:
        """Until when the bot may think about this decision, as a moment of `time.monotonic()`.

        It takes no more than `bank_ms` out of the bank: by default all that is left, with 0 nothing. An answer that is
        returned by then is in time. The network is taken off twice: an arena does not count its usual round trip, and
        this is also a round trip, as last measured, and up to 50 ms earlier.
        """
        left = self._left()
        time_ms = left.time_ms
        if bank_ms < left.bank_ms:
            time_ms = (time_ms - left.bank_ms if isfinite(left.bank_ms) else self.decision_ms) + bank_ms
        time_ms -= left.latency_ms + min(SPARE_MS, SPARE_SHARE * time_ms)
        return monotonic() + (time_ms - self._passed_ms(left)) / 1000

    def _passed_ms(self, left: TimeLeft) -> float:
        since = self.called if left.asked is None else left.asked
        return 0.0 if since is None else (perf_counter() - since) * 1000

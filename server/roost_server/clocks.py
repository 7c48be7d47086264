"""Fair clocks: the time a bot takes, without the network's part and without the arena's own delay.

A bot's clock runs from the write of a question to the arrival of the answer. Two parts of that are not the bot's. One
is the way there and back (`Latency`, up to a cap, so that answering pings slowly gains little). The other is the
moments in which our own event loop was too busy to read the answer (`Pulse`). `elapsed` puts them together.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

PULSE_SECONDS = 0.01
NOTICEABLE_SECONDS = 0.003
"""A pulse that comes later than this counts as our own delay."""
PINGS_REMEMBERED = 8


def epoch_ms() -> int:
    """The time of day, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Latency:
    """The round-trip time of one stream, from its recent pings."""

    def __init__(self, cap_ms: float) -> None:
        self._cap_ms = cap_ms
        self._sent: dict[int, float] = {}
        self._measured: deque[float] = deque(maxlen=PINGS_REMEMBERED)
        self._last_ping = 0
        self.allowance_ms = 0.0
        """The part that is not counted against the bot: the least of the recent measurements, up to the cap."""

    def ping(self, now: float) -> int:
        """The number of a ping that is sent at `now`, never 0. Older pings without an answer are forgotten."""
        self._last_ping += 1
        self._sent = {self._last_ping: now}
        return self._last_ping

    def pong(self, number: int, now: float) -> None:
        """The answer to ping `number` arrived at `now`. Anything else is ignored."""
        sent = self._sent.pop(number, None)
        if sent is not None:
            self._measured.append((now - sent) * 1000)
            self.allowance_ms = min(*self._measured, self._cap_ms)

    @property
    def last_ms(self) -> float:
        """The last measurement; 0 before the first pong."""
        return self._measured[-1] if self._measured else 0.0


class Instant(NamedTuple):
    """A moment, as `Pulse.read` gives it. See `elapsed` for the time between two of them."""

    time: float
    """In seconds, by the event loop's clock."""
    delayed_ms: float
    """How late we have been until then, in total."""


class Elapsed(NamedTuple):
    """How long a bot has taken, in milliseconds, without the network's part."""

    passed_ms: float
    """Including our own delay. It is negative if the answer came faster than the network usually allows."""
    counted_ms: float
    """The part that counts against the bot: without our own delay."""


def elapsed(sent: Instant, now: Instant, allowance_ms: float) -> Elapsed:
    """The time on a bot's clock between the write of a question and `now`."""
    passed_ms = (now.time - sent.time) * 1000 - allowance_ms
    return Elapsed(passed_ms, max(0.0, passed_ms - (now.delayed_ms - sent.delayed_ms)))


class Pulse:
    """Measures our own delay: a beat that should come every few milliseconds, and by how much it came too late."""

    def __init__(self) -> None:
        self._delayed = 0.0
        self._due = math.inf
        self._time = time.monotonic
        self._listeners: list[Callable[[], None]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._handle: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to beat in the running event loop."""
        self._loop = asyncio.get_running_loop()
        self._time = self._loop.time
        self._schedule()

    def stop(self) -> None:
        """Stop beating."""
        if self._handle is not None:
            self._handle.cancel()

    def every_beat(self, listener: Callable[[], None]) -> None:
        """Call `listener` with every beat."""
        self._listeners.append(listener)

    def read(self) -> Instant:
        """The time, and our own delay since the start."""
        now = self._time()
        late = now - self._due
        return Instant(now, (self._delayed + (late if late > NOTICEABLE_SECONDS else 0.0)) * 1000)

    def _schedule(self) -> None:
        assert self._loop is not None  # noqa: S101  started
        self._due = self._loop.time() + PULSE_SECONDS
        self._handle = self._loop.call_at(self._due, self._beat)

    def _beat(self) -> None:
        self._delayed = self.read().delayed_ms / 1000
        self._schedule()
        for listener in self._listeners:
            listener()

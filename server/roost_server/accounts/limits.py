"""Limits for callers: buckets of requests and of time, which refill, and how many calls of an address may be open."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from roost_server.errors import TooMuchError

MOST_BUCKETS = 10_000
"""How many callers are remembered. The one that has been quiet the longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a host allows a caller: a key, or an address without one."""

    requests_per_second: float = 50.0
    """In the long run."""
    burst: int = 200
    """At once, after a pause."""


REGISTRATIONS = RequestLimits(requests_per_second=0.1, burst=20)
"""What a host allows an address, or an invitation: 20 registrations at once, then six a minute."""
READING = RequestLimits(requests_per_second=100.0, burst=3_000)
"""How many milliseconds of the processor a caller's questions may take: a tenth of one, and three seconds at once."""
WATCHING = RequestLimits(requests_per_second=500.0, burst=5_000)
"""How many updates of running matches a caller is sent. More wait: nobody can look at them faster, and each takes time
from the matches."""


class Buckets:
    """Counts requests by caller."""

    def __init__(self, limits: RequestLimits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By caller: how many requests were left, and when that was."""

    def take(self, caller: str) -> bool:
        """Take a request from the bucket. False if it is empty."""
        now = self._now()
        left, before = self._left.get(caller, (float(self._limits.burst), now))
        left = min(self._limits.burst, left + (now - before) * self._limits.requests_per_second)
        allowed = left >= 1
        self._left[caller] = (left - allowed, now)
        self._left.move_to_end(caller)
        if len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        return allowed

    def put_back(self, caller: str) -> None:
        """Put a request back that should not count."""
        self.charge(caller, -1)

    def charge(self, caller: str, much: float) -> None:
        """Take more for a request that cost more. Nothing is allowed until that is made up for."""
        left, since = self._left.get(caller, (float(self._limits.burst), self._now()))
        self._left[caller] = (left - much, since)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How many calls of one address may be open at the same time."""

    most: int = 512
    """In all. A bot that plays has one open."""
    most_of: Mapping[str, int] = field(default_factory=lambda: {"WatchMatch": 16, "ExportCompetition": 2})
    """By method, for those that cost more."""


class OpenCalls:
    """Counts the open calls of every address."""

    def __init__(self, limits: CallLimits) -> None:
        self._limits = limits
        self._open: Counter[tuple[str, str]] = Counter()

    def begin(self, address: str, method: str) -> None:
        """A call begins; `end` has to follow. Raises `TooMuchError`, and counts nothing, if it is one too many."""
        if self._open[address, ""] >= self._limits.most:
            raise TooMuchError(f"{self._limits.most} calls from here are open; end one of them first")
        most = self._limits.most_of.get(method)
        if most is not None and self._open[address, method] >= most:
            raise TooMuchError(f"{most} calls of {method} from here are open; end one of them first")
        self._open.update(self._counted(address, method))

    def end(self, address: str, method: str) -> None:
        """A call has ended."""
        for key in self._counted(address, method):
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

    def _counted(self, address: str, method: str) -> list[tuple[str, str]]:
        return [(address, ""), *([(address, method)] if method in self._limits.most_of else [])]

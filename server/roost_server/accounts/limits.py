"""Rate limits: each caller has a bucket of requests that refills with time."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

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
        left, since = self._left.get(caller, (float(self._limits.burst), self._now()))
        self._left[caller] = (left + 1, since)

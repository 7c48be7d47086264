"""How much a caller may ask for: a bucket of requests for each that fills again with time."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MOST_BUCKETS = 10_000
"""So many callers are remembered; the one that has been quiet for longest is forgotten first, its bucket full again."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a host allows a caller, which is a key, or without keys an address."""

    requests_per_second: float = 50.0
    """In the long run."""
    burst: int = 200
    """At once, after a quiet time."""


class Buckets:
    """Counts requests by caller."""

    def __init__(self, limits: RequestLimits, now: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By caller: how many requests were left, and when that was."""

    def take(self, caller: str) -> bool:
        """One more request. False if the bucket is empty."""
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
        """A request that was taken is not to count."""
        left, since = self._left.get(caller, (float(self._limits.burst), self._now()))
        self._left[caller] = (left + 1, since)

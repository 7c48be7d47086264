"""How quick bots are, so that one slow bot does not hold up the rest."""

import math
import time
from collections import defaultdict, deque
from collections.abc import Collection, Iterable
from functools import partial
from statistics import median

SLOW_SECONDS, SLOW_TIMES = 2.0, 4.0
"""A bot is slow that takes longer than this for a block, and so many times as long as the median bot usually does."""
BLOCKS = 8
"""Of so many of its last blocks the quickest counts: who plays with a slow bot now and then is not slow by that."""


class Paces:
    """How long bots take for a block, and who is busy with one for so long that nobody should wait for it."""

    def __init__(self) -> None:
        self._took: defaultdict[int, deque[float]] = defaultdict(partial(deque, maxlen=BLOCKS))
        self._begun: defaultdict[int, list[float]] = defaultdict(list)
        """By bot, when the blocks began that it is playing, the latest last."""

    def begin(self, group: Iterable[int]) -> float:
        """These bots begin a block. Returns the time, which `end` wants to know."""
        now = time.monotonic()
        for bot in group:
            self._begun[bot].append(now)
        return now

    def end(self, group: Iterable[int], begun: float) -> None:
        """Their block is over."""
        seconds = time.monotonic() - begun
        for bot in group:
            self._took[bot].append(seconds)
            self._begun[bot].remove(begun)

    def slow(self, bots: Collection[int]) -> set[int]:
        """Those that are slow beside the others, for the time being or always."""
        paces = {bot: min(self._took[bot]) for bot in bots if bot in self._took}
        limit = max(SLOW_SECONDS, SLOW_TIMES * median(paces.values())) if paces else SLOW_SECONDS
        late = time.monotonic() - limit
        return {bot for bot in bots if paces.get(bot, 0.0) > limit or self._is_stuck(bot, late)}

    def _is_stuck(self, bot: int, late: float) -> bool:
        """Whether it plays, and has begun nothing since then."""
        begun = self._begun.get(bot) or [math.inf]
        return begun[-1] < late

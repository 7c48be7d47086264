"""Planning ahead: which bots are slow beside the others, and for whom more blocks are planned.

Both are decided here, because the one follows from the other: a block that waits for a slow bot is no work for the
bots that are to meet it, so more is planned for them.
"""

import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Mapping, Sequence, Set
from functools import partial
from random import shuffle
from statistics import median

from roost_server.play.block import OpenBlock
from roost_server.play.pacing.queue import BlockQueue

SLOW_SECONDS, SLOW_TIMES = 2.0, 4.0
"""A bot is slow if a block takes it longer than the first, and also this many times as long as the median bot."""
BLOCKS_REMEMBERED = 8
"""The quickest of a bot's last blocks counts: to play with a slow bot now and then makes nobody slow."""
AHEAD = 2
"""Blocks planned ahead per concurrent match, so that fast bots never idle."""
MOST_PLANNED_FOR = 256
"""How many bots are planned for at once. What a schedule does for many takes much longer than for some at a time."""
WAITING_MORE = 6
"""A bot with this many more blocks waiting for it than for another gets none for now, so as not to delay the others."""


class Paces:
    """How long bots take for a block, and which of them are so slow that nobody should wait for them."""

    def __init__(self) -> None:
        self._took: defaultdict[int, deque[float]] = defaultdict(partial(deque, maxlen=BLOCKS_REMEMBERED))
        self._begun: defaultdict[int, list[float]] = defaultdict(list)
        """By bot, when the blocks began that it is playing, the latest last."""

    def begin(self, block: OpenBlock) -> None:
        """A block has begun."""
        for bot in block.group:
            self._begun[bot].append(block.begun)

    def end(self, block: OpenBlock) -> None:
        """A block is over. One that never began does not matter here."""
        seconds = time.monotonic() - block.begun
        for bot in block.group if block.begun else ():
            self._took[bot].append(seconds)
            self._begun[bot].remove(block.begun)

    def slow(self, bots: Mapping[int, bool]) -> set[int]:
        """Those that are slow beside the others, for the time being or always.

        With each comes whether it plays as many matches as it takes: one that has room waits for somebody else.
        """
        paces = {bot: min(self._took[bot]) for bot in bots if bot in self._took}
        limit = max(SLOW_SECONDS, SLOW_TIMES * median(paces.values())) if paces else SLOW_SECONDS
        late = time.monotonic() - limit
        return {bot for bot in bots if paces.get(bot, 0.0) > limit or (bots[bot] and self._is_stuck(bot, late))}

    def _is_stuck(self, bot: int, late: float) -> bool:
        """Whether it plays, and has begun nothing since then."""
        begun: Sequence[float] = self._begun.get(bot) or [math.inf]
        return begun[-1] < late


def enough(at_once: Collection[int]) -> int:
    """How many blocks should wait for bots that play this many matches at once: two for each, or more for many."""
    return max(AHEAD * len(at_once), sum(at_once) // 2)


def to_plan_for(at_once: Mapping[int, int], slow: Set[int], queue: BlockQueue) -> list[int]:
    """The bots to plan more for, of those that are here; none if enough blocks are waiting that can be played.

    `at_once` says how many matches each of them plays at once. A block that waits for an absent bot does not count. One
    that waits for a slow bot counts only for that bot: the others would idle.
    """
    away = {bot for bot in queue.bots if bot not in at_once}
    fast = [bot for bot in at_once if bot not in slow]
    held_up = queue.of_any(away | slow)
    for_slow = Counter(bot for block in queue.of_any(away) for bot in block.group)
    for_fast = Counter(bot for block in held_up for bot in block.group)
    waiting = {bot: queue.count(bot) - (for_slow if bot in slow else for_fast)[bot] for bot in at_once}
    idle = [bot for bot in at_once if bot in slow and waiting[bot] < AHEAD]
    has_enough = len(queue) - len(held_up) >= enough([at_once[bot] for bot in fast])
    return [] if has_enough and not idle else [*_with_short_queue(fast, waiting), *idle]


def _with_short_queue(bots: Sequence[int], waiting: Mapping[int, int]) -> list[int]:
    """The bots whose queue is not much longer than the shortest; of too many, those with the shortest, at random."""
    least = min((waiting[bot] for bot in bots), default=0)
    short = [bot for bot in bots if waiting[bot] < least + WAITING_MORE]
    if len(short) <= MOST_PLANNED_FOR:
        return short
    shuffle(short)
    return sorted(short, key=waiting.__getitem__)[:MOST_PLANNED_FOR]

"""The blocks of a contest that wait to be played.

A block is looked at when it comes, and again when one of its bots has been woken: it may have room now. So what a match
costs here depends on how many blocks wait for its own bots, and not on how many bots there are.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import cache
from heapq import heappop, heappush
from itertools import islice, takewhile

from roost_server.play.block import OpenBlock

PATIENCE = 2
"""How often a block may be passed over before its bots are kept free for it."""
LOOK_AHEAD = 32
"""How many blocks of a bot are looked at. A ladder plans fewer ahead. Finals plan whole rounds."""


class BlockQueue:
    """Waiting blocks in their order. `take` finds those whose bots have room, the oldest first."""

    def __init__(self) -> None:
        self._ranks: dict[str, int] = {}
        """Of the blocks that wait."""
        self._next = self._first = 0
        self._lines: defaultdict[int, dict[str, OpenBlock]] = defaultdict(dict)
        """By bot, the blocks that wait for it, in their order."""
        self._blocks: dict[str, OpenBlock] = {}
        self._candidates: list[tuple[int, str]] = []
        """A heap: what may be played. It has each waiting block at most once."""
        self._listed: set[str] = set()
        self._woken: set[int] = set()

    def __len__(self) -> int:
        return len(self._blocks)

    def __iter__(self) -> Iterator[OpenBlock]:
        """In no order."""
        return iter(self._blocks.values())

    @property
    def bots(self) -> Collection[int]:
        """The bots that blocks have waited for."""
        return self._lines.keys()

    def append(self, blocks: Sequence[OpenBlock]) -> None:
        """These come last."""
        for block in blocks:
            self._add(block, self._next)
            self._next += 1

    def put_first(self, blocks: Sequence[OpenBlock]) -> None:
        """These come before all others."""
        for block in reversed(blocks):
            self._first -= 1
            self._add(block, self._first)
        for bot in {bot for block in blocks for bot in block.group}:
            self._lines[bot] = dict(sorted(self._lines[bot].items(), key=lambda each: self._ranks[each[0]]))

    def _add(self, block: OpenBlock, rank: int) -> None:
        self._ranks[block.id] = rank
        self._blocks[block.id] = block
        for bot in block.group:
            self._lines[bot][block.id] = block
        self._list(block)

    def _list(self, block: OpenBlock) -> None:
        if block.id not in self._listed:
            self._listed.add(block.id)
            heappush(self._candidates, (self._ranks[block.id], block.id))

    def of_bot(self, bot: int) -> list[OpenBlock]:
        """The blocks that wait for a bot, in their order."""
        return list(self._lines.get(bot, {}).values())

    def remove(self, block: OpenBlock) -> None:
        """A block no longer waits."""
        del self._ranks[block.id], self._blocks[block.id]
        for bot in block.group:
            del self._lines[bot][block.id]
            if not self._lines[bot]:
                del self._lines[bot]

    def count(self, bot: int) -> int:
        """How many blocks wait for a bot."""
        return len(self._lines.get(bot, ()))

    def of_any(self, bots: Container[int]) -> list[OpenBlock]:
        """The blocks that wait for one of these bots."""
        found = [block for bot in self._lines if bot in bots for block in self.of_bot(bot)]
        return list({block.id: block for block in found}.values())

    def wake(self, bot: int) -> None:
        """A bot may have room again: look at its blocks next time."""
        if bot in self._lines:
            self._woken.add(bot)

    def take(
        self, free: Container[int], here: Container[int], comes_soon: Callable[[Sequence[int]], bool]
    ) -> OpenBlock | None:
        """The first block whose bots are all `free`. It waits no longer.

        Small tables fill up sooner than large ones. So a block that was passed over often, and whose bots are all here,
        reserves those of them that are free, unless the others do not come soon.
        """
        # Nothing changes meanwhile, and bots without room are asked for many blocks.
        is_free = cache(free.__contains__)
        self._list_woken(is_free, here)
        while self._candidates:
            rank, block_id = heappop(self._candidates)
            self._listed.discard(block_id)
            block = self._blocks.get(block_id)
            if block is None or not all(map(is_free, block.needed)):
                continue
            if not any(self._is_kept(bot, rank, here, comes_soon) for bot in block.needed):
                self._begin(block, rank, here)
                return block
        return None

    def _begin(self, block: OpenBlock, rank: int, here: Container[int]) -> None:
        self._pass_over(block, rank, here)
        self.remove(block)
        if block.passed_over >= PATIENCE:
            # Its bots are no longer kept free.
            self._woken.update(block.group)

    def _list_woken(self, is_free: Callable[[int], bool], here: Container[int]) -> None:
        while self._woken:
            bot = self._woken.pop()
            # It is woken again when it has room. If it is not here, there may be blocks that do not need it.
            if is_free(bot) or bot not in here:
                for _, block in self._front(bot, here):
                    self._list(block)

    def _front(self, bot: int, here: Container[int]) -> Iterator[tuple[int, OpenBlock]]:
        """The first blocks that wait for a bot and for nobody who is not here, with their ranks."""
        waiting = self._lines.get(bot, {}).values()
        playable = (block for block in waiting if _all_in(here, block.needed))
        return ((self._ranks[block.id], block) for block in islice(playable, LOOK_AHEAD))

    def _is_kept(self, bot: int, rank: int, here: Container[int], comes_soon: Callable[[Sequence[int]], bool]) -> bool:
        """Whether a bot is kept free for a block before this rank."""
        for before, block in self._front(bot, here):
            if before >= rank:
                return False
            if block.passed_over >= PATIENCE and comes_soon(block.needed):
                return True
        return False

    def _pass_over(self, taken: OpenBlock, rank: int, here: Container[int]) -> None:
        """The blocks before this one that wait for one of its bots have been passed over."""
        fronts = [self._front(bot, here) for bot in taken.needed]
        for block in {block for front in fronts for before, block in takewhile(lambda each: each[0] < rank, front)}:
            block.pass_over()


def _all_in(bots: Container[int], group: Sequence[int]) -> bool:
    # A loop, because this is asked most, and `all` takes three times as long.
    for bot in group:  # noqa: SIM110
        if bot not in bots:
            return False
    return True

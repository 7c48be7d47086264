"""The simplest fair schedule for bots that come and go: who has played least plays next, with whom it met least."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import Generic, TypeVar

KindT = TypeVar("KindT", bound=Hashable)


class LeastPlayed(Generic[KindT]):
    """Counts blocks per kind of table and bot, and chooses the next block to play.

    It never looks at results. Ties are broken by `rng`, so the same counts and the same generator give the same choice,
    in whatever order the bots are named.
    """

    def __init__(self, kinds: Sequence[KindT], rng: Random) -> None:
        self._kinds = tuple(kinds)
        self._rng = rng
        self._blocks: Counter[KindT] = Counter()
        self._played: defaultdict[KindT, Counter[int]] = defaultdict(Counter)
        self._met: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def count(self, kind: KindT, group: Collection[int]) -> None:
        """A block of this kind has been given to this group."""
        self._blocks[kind] += 1
        self._played[kind].update(group)
        for bot, other in permutations(group, 2):
            self._met[bot][other] += 1

    def choose(self, kind: KindT, size: int, bots: Iterable[int]) -> tuple[int, ...] | None:
        """A group of `size` out of `bots` for a table of this kind; `None` if there are not so many.

        The first is one that has played least at this kind of table. Then come, one by one, those who met the group so
        far least often at any table, and among them those who have played least.
        """
        waiting = set(bots)
        if len(waiting) < size:
            return None
        group: list[int] = []
        meetings: Counter[int] = Counter()
        while len(group) < size:
            candidates = _fewest(_fewest(waiting, meetings), self._played[kind])
            chosen = self._rng.choice(sorted(candidates))
            group.append(chosen)
            waiting.remove(chosen)
            meetings.update(self._met[chosen])
        self._rng.shuffle(group)
        return tuple(group)

    def blocks(self, kind: KindT) -> int:
        """How many blocks of this kind there have been."""
        return self._blocks[kind]

    def kinds_by_need(self) -> list[KindT]:
        """The kinds of tables, the least played first."""
        kinds = list(self._kinds)
        self._rng.shuffle(kinds)
        return sorted(kinds, key=self._blocks.__getitem__)


def _fewest(bots: Collection[int], counts: Mapping[int, int]) -> Collection[int]:
    """Those of the bots that have the least count."""
    if not counts:
        return bots
    of_bots = [counts.get(bot, 0) for bot in bots]  # a Counter's own answer for missing bots takes twice as long
    fewest = min(of_bots)
    return [bot for bot, count in zip(bots, of_bots, strict=True) if count == fewest]

"""Balanced samples of groups, for round robins with too many of them: every pair meets equally often.

Put the bots in a circle and rotate a group: the groups that it becomes are its orbit. How often two bots meet in an
orbit depends only on their distance on the circle. So a few groups whose distances are evenly spread, together with all
their rotations, let every pair meet equally often. Such groups are called a difference family. `family` finds one by
chance: it starts with random groups, and moves single bots as long as the distances do not get less even.
"""

from dataclasses import dataclass, field
from itertools import combinations, count
from math import gcd
from random import Random

Group = tuple[int, ...]
TRIES = 2
"""How often a search is begun again before a larger family is looked for: some do not exist."""
STEPS = 1_000
"""How many moves for each group are tried before a search is given up."""


def family_size(bots: int, size: int, times: int = 1) -> int:
    """How many groups are in the smallest family with even distances, or in one that is `times` as large.

    A pair meets in it `times * size * (size - 1) / gcd(bots - 1, size * (size - 1))` times.
    """
    return times * (bots - 1) // gcd(bots - 1, size * (size - 1))


def family(bots: int, size: int, rng: Random) -> list[Group]:
    """Groups of `size` numbers below `bots` whose rotations let every pair meet equally often. Some may be equal."""
    for attempt in count():
        search = _Search(bots, size, 1 + attempt // TRIES, rng)
        if search.succeeds():
            return [tuple(sorted(group)) for group in search.groups]
    raise AssertionError("a search without end has ended")


@dataclass(slots=True)
class _Search:
    bots: int
    size: int
    times: int
    rng: Random
    groups: list[list[int]] = field(init=False)
    _seen: list[int] = field(init=False)
    """By distance, how often a pair at this distance meets."""
    _wanted: int = field(init=False)

    def __post_init__(self) -> None:
        number = family_size(self.bots, self.size, self.times)
        self._wanted = number * self.size * (self.size - 1) // (self.bots - 1)
        self.groups = [self.rng.sample(range(self.bots), self.size) for _ in range(number)]
        self._seen = [0] * (self.bots // 2 + 1)
        for group in self.groups:
            for one, other in combinations(group, 2):
                self._meet(one, other, 1)

    def succeeds(self) -> bool:
        """Whether the groups become even."""
        for _ in range(STEPS):
            rare = [distance for distance, seen in enumerate(self._seen) if distance and seen < self._wanted]
            if not rare:
                return True
            for _ in range(len(self.groups)):
                self._try_to_move(self.rng.choice(rare))
        return False

    def _try_to_move(self, wanted: int) -> None:
        """Move a bot of some group so that a distance that is too rare comes up, unless that makes others worse."""
        group = self.rng.choice(self.groups)
        moved, partner = self.rng.sample(range(self.size), 2)
        before, after = group[moved], (group[partner] + self.rng.choice((wanted, -wanted))) % self.bots
        if after in group:
            return
        others = group[:moved] + group[moved + 1 :]
        worse = sum([self._meet(before, other, -1) for other in others])
        worse += sum([self._meet(after, other, 1) for other in others])
        if worse <= 0:
            group[moved] = after
            return
        for other in others:
            self._meet(after, other, -1)
            self._meet(before, other, 1)

    def _meet(self, one: int, other: int, times: int) -> int:
        """Count that two bots meet, and say how much more uneven that is: the change of the squared deviation."""
        apart = abs(one - other)
        distance = min(apart, self.bots - apart)
        # Two bots that are opposite to each other meet twice in an orbit.
        added = 2 * times if 2 * distance == self.bots else times
        deviation = self._seen[distance] - self._wanted
        self._seen[distance] += added
        return added * (2 * deviation + added)

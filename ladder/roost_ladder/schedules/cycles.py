"""Schedules that go through a list of groups: all of them, or all that a bot can be in.

Groups come in orbits. Put the bots in a circle: an orbit is a group and all groups that it becomes when it is rotated.
Every bot is equally often in an orbit, so a run that ends with an orbit is balanced, and one that ends within an orbit
is nearly balanced. If there are too many groups, some orbits are chosen in which every pair is equally often.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_ladder.schedules.samples import family, family_size
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, rng_for, shuffled

MOST_GROUPS = 250_000
"""If there are more groups than this, a sample of them plays: 50 bots have 230,300 groups of four."""
MOST_IN_SAMPLE = 2_000_000
"""More groups than this are not listed, not even as a sample."""
ROUND = 4096
"""The most blocks in a round, so that a run with a budget need not plan everything."""

Group = tuple[int, ...]


class Extent(NamedTuple):
    """How much of a round robin is played at one kind of table."""

    kind: Kind
    groups: int
    """How many meet."""
    possible: int
    """How many there are. If that is more, those that meet are a sample, in which every pair is equally often."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every group of bots that fits at a table meets there `times` times, or without end.

    Where there are more than `most_groups` of them, a sample meets instead. Every pair is in it equally often; only
    where owners have several bots, groups with two of one owner are left out of it, and pairs meet about equally often.
    """

    seed: bytes = b""
    times: int | None = 1
    most_groups: int = MOST_GROUPS

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        return _missing(self._groups(field), past, self.times, rng_for(self.seed, past))

    def blocks_left(self, field: Participants, past: Past) -> int | None:
        return _blocks_left(self._groups(field), past, self.times)

    def extents(self, field: Participants) -> list[Extent]:
        """How much is played at each kind of table."""
        return [
            Extent(kind, len(groups), comb(len(field.at(kind)), kind.players))
            for kind, groups in self._groups(field).items()
        ]

    def _groups(self, field: Participants) -> dict[Kind, list[Group]]:
        return {kind: _round_robin(field, kind, self.seed, self.most_groups) for kind in field.kinds}


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The bot `hero` meets every group of others that fits at a table with it, `times` times, or without end."""

    hero: int
    seed: bytes = b""
    times: int | None = 1

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        if self.hero not in field.bots:
            raise UsageError(f"bot {self.hero} is to play against the field, but does not take part")
        return _missing(self._groups(field), past, self.times, rng_for(self.seed, past))

    def blocks_left(self, field: Participants, past: Past) -> int | None:
        return _blocks_left(self._groups(field), past, self.times)

    def _groups(self, field: Participants) -> dict[Kind, list[Group]]:
        return {kind: _gauntlet(field, kind, self.hero, self.seed) for kind in field.kinds}


def _round_robin(field: Participants, kind: Kind, seed: bytes, most: int) -> list[Group]:
    bots = field.at(kind)
    groups = (tuple(sorted(bots[index] for index in group)) for group in _orbits(len(bots), kind.players, seed, most))
    return [group for group in groups if field.may_meet(group)]


def _gauntlet(field: Participants, kind: Kind, hero: int, seed: bytes) -> list[Group]:
    if hero not in field.at(kind):
        return []
    others = [bot for bot in field.at(kind) if field.owner(bot) != field.owner(hero)]
    orbits = _orbits(len(others), kind.players - 1, seed)
    groups = (tuple(sorted([hero, *(others[index] for index in group)])) for group in orbits)
    return [group for group in groups if field.may_meet(group)]


def _missing(groups: dict[Kind, list[Group]], past: Past, times: int | None, rng: Random) -> list[Pairing]:
    """The groups that have met least often, the same share at all kinds of tables, unless that is often enough."""
    counts = {kind: _met(some, past.tally.groups[kind]) for kind, some in groups.items() if some}
    fewest = min((min(some) for some in counts.values()), default=0)
    if times is not None and fewest >= times:
        return []
    rows = [_spread(kind, groups[kind], counts[kind], fewest) for kind in counts]
    in_turn = sorted((row for some in rows for row in some), key=lambda row: row[0])
    return [shuffled(kind, group, rng) for _, kind, group in in_turn[:ROUND]]


def _blocks_left(groups: dict[Kind, list[Group]], past: Past, times: int | None) -> int | None:
    if times is None:
        return None
    return sum(max(0, times - met) for kind, some in groups.items() for met in _met(some, past.tally.groups[kind]))


def _met(groups: Sequence[Group], tally: Mapping[Group, int]) -> list[int]:
    """How often each group of a list has met. One that is there several times has met for its first place first."""
    often = Counter(groups)
    if len(often) == len(groups):
        return [tally[group] for group in groups]
    before: Counter[Group] = Counter()
    met = []
    for group in groups:
        met.append(-((before[group] - tally[group]) // often[group]))
        before[group] += 1
    return met


def _spread(kind: Kind, groups: list[Group], counts: list[int], fewest: int) -> list[tuple[float, Kind, Group]]:
    """The groups of one kind that have met least often, each with its point of time between 0 and 1."""
    return [
        (position / len(groups), kind, group)
        for position, (group, count) in enumerate(zip(groups, counts, strict=True))
        if count == fewest
    ]


@lru_cache(maxsize=16)
def _orbits(bots: int, size: int, seed: bytes, most: int = MOST_GROUPS) -> tuple[Group, ...]:
    """All groups of `size` numbers below `bots`, or a sample, orbit by orbit; circle and orbits are in random order."""
    number = comb(bots, size)
    sampled = number > most and size > 1 and bots * family_size(bots, size) < number
    if (listed := bots * family_size(bots, size) if sampled else number) > MOST_IN_SAMPLE:
        raise UsageError(
            f"{bots} bots have too many groups of {size} to go through, {listed:,} if every pair is to meet equally "
            "often: use the schedule sure, swiss or least-played"
        )
    rng = Random(f"roost-orbits/1:{seed.hex()}:{bots}:{size}")
    circle = rng.sample(range(bots), bots)
    if sampled:
        rotated = (_rotations(group, bots) for group in family(bots, size, rng))
    else:
        firsts = [(0, *others) for others in combinations(range(1, bots), size - 1) if _is_first((0, *others), bots)]
        rng.shuffle(firsts)
        rotated = (dict.fromkeys(_rotations(first, bots)) for first in firsts)
    return tuple(tuple(circle[at] for at in group) for orbit in rotated for group in orbit)


def _is_first(group: Group, bots: int) -> bool:
    """Whether this group represents its orbit: its gaps between neighbours, read from its first on, are the least."""
    gaps = [(after - at) % bots for at, after in zip(group, group[1:] + group[:1], strict=True)]
    return all(gaps <= gaps[turn:] + gaps[:turn] for turn in range(1, len(gaps)))


def _rotations(group: Group, bots: int) -> Iterable[Group]:
    """The groups that a group becomes when it is rotated. A regular one becomes the same ones several times."""
    return (tuple(sorted((at + turn) % bots for at in group)) for turn in range(bots))

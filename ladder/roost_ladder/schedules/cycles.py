"""Schedules that go through a list of groups: all of them, or all that a bot can be in.

Groups come in orbits. Put the bots in a circle: an orbit is a group and all groups that it becomes when it is rotated.
Every bot is equally often in an orbit, so a run that ends with an orbit is balanced, and one that ends within an orbit
is nearly balanced.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random

from roost_games.errors import UsageError
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, rng_for, shuffled

MOST_GROUPS = 250_000
"""More groups than this are not gone through: 50 bots have 230,300 groups of four."""
ROUND = 4096
"""The most blocks in a round, so that a run with a budget need not plan everything."""

Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every group of bots that fits at a table meets there `times` times, or without end."""

    seed: bytes = b""
    times: int | None = 1

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        return _missing(self._groups(field), past, self.times, rng_for(self.seed, past))

    def blocks_left(self, field: Participants, past: Past) -> int | None:
        return _blocks_left(self._groups(field), past, self.times)

    def _groups(self, field: Participants) -> dict[Kind, list[Group]]:
        return {kind: _round_robin(field, kind, self.seed) for kind in field.kinds}


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


def _round_robin(field: Participants, kind: Kind, seed: bytes) -> list[Group]:
    bots = field.at(kind)
    groups = (tuple(sorted(bots[index] for index in group)) for group in _orbits(len(bots), kind.players, seed))
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
    counts = {kind: [past.tally.groups[kind][group] for group in some] for kind, some in groups.items() if some}
    fewest = min((min(some) for some in counts.values()), default=0)
    if times is not None and fewest >= times:
        return []
    rows = [_spread(kind, groups[kind], counts[kind], fewest) for kind in counts]
    in_turn = sorted((row for some in rows for row in some), key=lambda row: row[0])
    return [shuffled(kind, group, rng) for _, kind, group in in_turn[:ROUND]]


def _blocks_left(groups: dict[Kind, list[Group]], past: Past, times: int | None) -> int | None:
    if times is None:
        return None
    return sum(max(0, times - past.tally.groups[kind][group]) for kind, some in groups.items() for group in some)


def _spread(kind: Kind, groups: list[Group], counts: list[int], fewest: int) -> list[tuple[float, Kind, Group]]:
    """The groups of one kind that have met least often, each with its point of time between 0 and 1."""
    return [
        (position / len(groups), kind, group)
        for position, (group, count) in enumerate(zip(groups, counts, strict=True))
        if count == fewest
    ]


@lru_cache(maxsize=16)
def _orbits(bots: int, size: int, seed: bytes) -> tuple[Group, ...]:
    """All groups of `size` numbers below `bots`, orbit by orbit; circle and orbits are in random order."""
    if comb(bots, size) > MOST_GROUPS:
        raise UsageError(
            f"{bots} bots have {comb(bots, size):,} groups of {size}, too many to go through: "
            "use the schedule sure, swiss or least-played"
        )
    rng = Random(f"roost-orbits/1:{seed.hex()}:{bots}:{size}")
    circle = rng.sample(range(bots), bots)
    firsts = [(0, *others) for others in combinations(range(1, bots), size - 1) if _is_first((0, *others), bots)]
    rng.shuffle(firsts)
    return tuple(tuple(circle[at] for at in group) for first in firsts for group in _orbit(first, bots))


def _is_first(group: Group, bots: int) -> bool:
    """Whether this group represents its orbit: its gaps between neighbours, read from its first on, are the least."""
    gaps = [(after - at) % bots for at, after in zip(group, group[1:] + group[:1], strict=True)]
    return all(gaps <= gaps[turn:] + gaps[:turn] for turn in range(1, len(gaps)))


def _orbit(group: Group, bots: int) -> Iterable[Group]:
    """All groups that a group becomes when it is rotated, each once."""
    return dict.fromkeys(tuple(sorted((at + turn) % bots for at in group)) for turn in range(bots))

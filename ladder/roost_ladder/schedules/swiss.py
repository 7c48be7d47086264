"""Swiss rounds: every bot plays in each, against bots with about the same score that it has not met yet."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice
from math import ceil
from random import Random

from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Tally, rng_for, shuffled

NEAR = 32
"""How many bots, or groups, are compared before the best of them is taken."""

Group = list[int]


@dataclass(frozen=True, slots=True)
class Swiss:
    """Goes on until every bot has played `rounds` blocks at each kind of table, or without end.

    The score of a bot is the share of its opponents, at all tables, that it finished ahead of. If there are not seats
    for all, those that have played most sit out, and among those the ones at the bottom.
    """

    seed: bytes = b""
    rounds: int | None = None

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        rng = rng_for(self.seed, past)
        pairings: list[Pairing] = []
        for kind in field.kinds:
            bots = field.at(kind)
            if self.rounds is None or any(past.tally.played[kind][bot] < self.rounds for bot in bots):
                groups = _Seating(field, kind, bots, past, rng).groups()
                pairings += [shuffled(kind, group, rng) for group in groups]
        return pairings

    def blocks_left(self, field: Participants, past: Past) -> int | None:
        """Exact, unless owners keep bots from sitting down."""
        if self.rounds is None:
            return None
        left = 0
        for kind in field.kinds:
            bots = field.at(kind)
            tables = len(bots) // kind.players
            seats = sum(max(0, self.rounds - past.tally.played[kind][bot]) for bot in bots)
            left += tables * ceil(seats / (tables * kind.players)) if seats else 0
        return left


class _Seating:
    """Finds the groups of one round at one kind of table."""

    def __init__(self, field: Participants, kind: Kind, bots: Sequence[int], past: Past, rng: Random) -> None:
        self._field = field
        self._kind = kind
        self._tally: Tally = past.tally
        drawn = rng.sample(bots, len(bots))
        by_score = sorted(drawn, key=lambda bot: -past.score(bot))
        self._rank = {bot: rank for rank, bot in enumerate(by_score)}
        # The bot that has played least is seated first: it must not be left over twice, and owners may leave bots over.
        self._order = sorted(by_score, key=lambda bot: past.tally.played[kind][bot])
        meetings = sum(self._tally.met[bot].total() for bot in bots)
        self._usual = meetings // max(len(bots) * (len(bots) - 1), 1)

    def groups(self) -> list[Group]:
        """One group after the other, each around the first bot that has no seat yet; then repeats are repaired."""
        waiting = dict.fromkeys(self._order[: len(self._order) - len(self._order) % self._kind.players])
        groups: list[Group] = []
        while self._field.can_fill(self._kind, waiting):
            group = self._group_around(next(iter(waiting)), waiting)
            for bot in group:
                del waiting[bot]
            groups.append(group)
        self._mend(groups)
        return groups

    def _group_around(self, first: int, waiting: Iterable[int]) -> Group:
        group = [first]
        while len(group) < self._kind.players:
            allowed = (bot for bot in waiting if self._field.may_meet([*group, bot]))
            group.append(min(islice(allowed, NEAR), key=lambda bot: self._cost([*group, bot])))
        return group

    def _cost(self, group: Group) -> tuple[int, int]:
        """First the repeats beyond what is usual by now, then the distance between the bots."""
        repeats = sum(max(self._tally.met[one][other] - self._usual, 0) for one, other in combinations(group, 2))
        ranks = [self._rank[bot] for bot in group]
        return repeats, max(ranks) - min(ranks)

    def _mend(self, groups: list[Group]) -> None:
        """Exchange bots between a group with repeats and another one, as long as that leaves fewer repeats."""
        for group in groups:
            if self._cost(group)[0]:
                others = (other for other in groups if other is not group)
                for other in sorted(others, key=partial(self._distance, group))[:NEAR]:
                    self._exchange(group, other)

    def _distance(self, group: Group, other: Group) -> int:
        return abs(sum(self._rank[bot] for bot in group) - sum(self._rank[bot] for bot in other))

    def _exchange(self, group: Group, other: Group) -> None:
        best = self._cost(group)[0] + self._cost(other)[0]
        for here in range(self._kind.players):
            for there in range(self._kind.players):
                one, two = group.copy(), other.copy()
                one[here], two[there] = other[there], group[here]
                allowed = self._field.may_meet(one) and self._field.may_meet(two)
                if allowed and self._cost(one)[0] + self._cost(two)[0] < best:
                    group[:], other[:] = one, two
                    return

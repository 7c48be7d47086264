"""Results added up by group of bots: all that ratings, their intervals and comparisons of pairs need.

However many blocks a group has played, what a fit needs of them is bounded. With what is expected of a pair, the
surplus of a block is linear in its scores, so the sum of the products of two surpluses follows from the sum of the
products of two scores. The sums are of whole and half numbers, which is exact, and the groups are sorted; so the same
blocks in any order give the same result to the last digit. Decision 15 has the formulas.

Intervals of pairs. Matches of one block are not independent, so the number of matches is divided by how much more the
blocks scatter than independent matches would (less, with duplicate deals). The share has Wilson's interval for that
number, with Student's quantile for the number of blocks. Few or one-sided results hardly show how blocks scatter, so
`DOUBTED` pulls the comparison towards independent matches.

Upsets. Where hardly one is expected, a single upset is far from any normal distribution. So a pair is asked whether it
strays from what is expected only if that is at least `FEWEST_UPSETS`.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roost_ladder.rating.estimates import normal_score, student_quantiles
from roost_ladder.rating.results import Floats, Indices, Kind, Numbers, ResultSums, Tables

AT_ONCE = 2048
"""How many groups are worked on at a time where that takes much memory."""
DOUBTED = 2.0
"""This much variance, in matches squared, is added to what blocks show and to what independent matches would show."""
FEWEST_UPSETS = 4.0
"""To six decimals, so that rounding decides nothing."""


@cache
def pairs_of(players: int) -> tuple[tuple[int, int], ...]:
    """The pairs of members of a group, by their positions: (0, 1), (0, 2) …"""
    return tuple(combinations(range(players), 2))


class GroupTables(NamedTuple):
    """All groups at one kind of table, each once. A bot is named by its index in `GroupSums.bots`."""

    kind: Kind
    groups: Indices
    """By group: its members, ascending; the groups are in ascending order too."""
    blocks: Floats
    """By group: how many blocks it has played."""
    scores: Floats
    """By group: matches, then for each of `pairs_of` how often the first finished ahead of the second."""
    products: Floats
    """By group, score and score: the sum over blocks of the product of the two."""
    wins: Floats
    """By group and member: first places, shared ones too."""
    place_sums: Floats
    """By group and member: the sum of its places."""

    @property
    def players(self) -> int:
        """How many sit at such a table."""
        return self.kind.players

    @property
    def matches(self) -> Floats:
        """By group: how many matches it has played."""
        matches: Floats = self.scores[:, 0]
        return matches

    def by_bot(self, by_member: Floats, bots: int) -> Floats:
        """Add up what groups hold for each member. `bots` is the number of all bots."""
        return _added(self.groups, np.broadcast_to(by_member, self.groups.shape), bots)

    def by_pair(self, by_pair: Floats, bots: int) -> Floats:
        """Add up what groups hold for each pair, into a matrix over all bots whose lower part is 0."""
        one, other = np.array(pairs_of(self.players)).T
        cells = self.groups[:, one] * bots + self.groups[:, other]
        return _added(cells, np.broadcast_to(by_pair, cells.shape), bots * bots).reshape(bots, bots)


class GroupSums(NamedTuple):
    """All results, added up by group."""

    bots: Numbers
    """The numbers that identify the bots, ascending."""
    tables: tuple[GroupTables, ...]
    """By kind: by rising number of players, then by the name of the game."""

    def blocks(self) -> Floats:
        """By bot: how many blocks it has played."""
        return self.by_bot(lambda tables: tables.blocks[:, None])

    def by_bot(self, by_member: Callable[[GroupTables], Floats]) -> Floats:
        """By bot: the sum of what each kind of table has for the members of its groups."""
        return _total((each.by_bot(by_member(each), len(self.bots)) for each in self.tables), (len(self.bots),))

    def by_pair(self, by_pair: Callable[[GroupTables], Floats]) -> Floats:
        """By bot and bot, the first before the second: the sum of what each kind of table has for pairs."""
        shape = (len(self.bots), len(self.bots))
        return _total((each.by_pair(by_pair(each), len(self.bots)) for each in self.tables), shape)

    def ahead(self, weight: Callable[[GroupTables], float]) -> Floats:
        """By bot and bot: how often the first finished ahead of the second, each match by the weight of its tables."""
        ahead = self.by_pair(lambda tables: weight(tables) * tables.scores[:, 1:])
        behind = self.by_pair(lambda tables: weight(tables) * (tables.scores[:, :1] - tables.scores[:, 1:]))
        return ahead + behind.T

    def by_kind(self) -> "Iterator[GroupSums]":
        """The results at each kind of table alone, of the same bots."""
        return (self._replace(tables=(each,)) for each in self.tables)


Record = ResultSums | GroupSums
"""Results that have been added up, by block or by group."""


def grouped(record: Record) -> GroupSums:
    """The record by group. One that is already so is returned as it is."""
    if isinstance(record, GroupSums):
        return record
    return GroupSums(record.bots, tuple(map(_of_blocks, record.tables)))


class PairSums(NamedTuple):
    """Sums over the blocks in which two bots met, for each of many pairs. `ahead` is how often the first was."""

    blocks: Floats
    matches: Floats
    ahead: Floats
    ahead_squared: Floats
    ahead_by_matches: Floats
    matches_squared: Floats

    def scatter(self, share: Floats) -> Floats:
        """The sum over blocks of the squared difference from this share of its matches."""
        squares: Floats = self.ahead_squared - 2 * share * self.ahead_by_matches + share**2 * self.matches_squared
        return squares

    def interval(self) -> tuple[Floats, Floats]:
        """The 95 % interval of each share."""
        guarded = (self.ahead + 0.5) / (self.matches + 1)
        alone = self.matches * guarded * (1 - guarded)
        effective = self.matches * (alone + DOUBTED) / (self.scatter(guarded) + DOUBTED)
        share, spread = self.ahead / self.matches, student_quantiles(self.blocks) ** 2 / effective
        centre = (share + spread / 2) / (1 + spread)
        half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
        return np.maximum(centre - half, 0), np.minimum(centre + half, 1)

    def upsets(self, expected: Floats) -> Floats:
        """The variance of `ahead` if matches were independent: about how many the weaker one is expected to win."""
        upsets: Floats = self.matches * expected * (1 - expected)
        return upsets

    def may_surprise(self, expected: Floats) -> NDArray[np.bool_]:
        """Which pairs can be asked whether they stray from what is expected."""
        return np.asarray(self.upsets(expected).round(6) >= FEWEST_UPSETS)

    def variance(self, expected: Floats) -> Floats:
        """Of `ahead`, by how the blocks scatter, pulled towards independent matches."""
        alone = self.upsets(expected)
        return alone * (self.scatter(expected) + DOUBTED) / (alone + DOUBTED)

    def variance_of_before(self, expected: Floats) -> Floats:
        """The same by `Method.EACH_OPPONENT`: far too small where one of the two wins nearly all matches."""
        return self.scatter(expected) + self.upsets(expected) / self.blocks

    def score_against(self, expected: Floats) -> Floats:
        """How far each share is from what is expected, as a value of the standard normal distribution."""
        return normal_score((self.ahead - self.matches * expected) / np.sqrt(self.variance(expected)), self.blocks)


class Met(NamedTuple):
    """Every pair that has met."""

    pairs: PairSums
    one: Indices
    """The indices of the two bots, the first before the second."""
    other: Indices


def met(record: Record) -> Met:
    """The sums of every pair that has met."""
    sums = grouped(record)
    everybody = PairSums(
        sums.by_pair(lambda tables: tables.blocks[:, None]),
        sums.by_pair(lambda tables: tables.matches[:, None]),
        sums.by_pair(lambda tables: tables.scores[:, 1:]),
        sums.by_pair(lambda tables: np.diagonal(tables.products, axis1=1, axis2=2)[:, 1:]),
        sums.by_pair(lambda tables: tables.products[:, 0, 1:]),
        sums.by_pair(lambda tables: tables.products[:, 0, :1]),
    )
    one, other = np.nonzero(everybody.matches)
    return Met(PairSums._make(each[one, other] for each in everybody), one, other)


def added_up(sums: Iterable[GroupSums]) -> GroupSums:
    """Several records as one."""
    every = list(sums)
    bots = np.unique(np.concatenate([np.empty(0, np.int64), *(each.bots for each in every)]))
    by_kind: dict[Kind, list[GroupTables]] = {}
    for each in every:
        renamed = np.searchsorted(bots, each.bots)
        for tables in each.tables:
            by_kind.setdefault(tables.kind, []).append(tables._replace(groups=renamed[tables.groups]))
    return GroupSums(bots, tuple(_merged(by_kind[kind]) for kind in sorted(by_kind, key=Kind.size_first)))


def _of_blocks(tables: Tables) -> GroupTables:
    one, other = np.array(pairs_of(tables.players)).T
    scores = np.column_stack([tables.matches, tables.ahead[:, one, other]])
    products = scores[:, :, None] * scores[:, None, :]
    blocks = np.ones(len(scores))
    by_block = GroupTables(tables.kind, tables.groups, blocks, scores, products, tables.wins, tables.place_sums)
    return _merged([by_block])


def _merged(parts: list[GroupTables]) -> GroupTables:
    """The same with each group once, in ascending order."""
    if len(parts) == 1 and _ascending(parts[0].groups):
        return parts[0]
    groups = np.concatenate([part.groups for part in parts])
    order = np.lexsort(groups.T[::-1])
    ordered = groups[order]
    first = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)]))
    sums = [
        np.add.reduceat(np.concatenate(columns)[order], first, axis=0)
        for columns in zip(*(part[2:] for part in parts), strict=True)
    ]
    return GroupTables(parts[0].kind, ordered[first], *sums)


def _ascending(groups: Indices) -> bool:
    """Whether each group comes after the one before."""
    change = np.diff(groups, axis=0)
    first = (change != 0).argmax(axis=1)
    return bool((change[np.arange(len(change)), first] > 0).all())


def _added(where: Indices, values: Floats, cells: int) -> Floats:
    return np.bincount(where.ravel(), weights=values.ravel(), minlength=cells).astype(float, copy=False)


def _total(parts: Iterable[Floats], shape: tuple[int, ...]) -> Floats:
    return sum(parts, np.zeros(shape))

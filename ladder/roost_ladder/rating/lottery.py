"""A ranking that copies of a bot cannot move: by the score against the mix of bots that nothing beats.

The mix. Say that a mix of bots plays: one of them is drawn for each match, with fixed chances. Some mix is beaten by no
bot on average, the *maximal lottery*: rock, paper and scissors each in a third of the matches, or the best bot alone,
if there is one that beats all others. A bot's score is how often it finishes ahead of this mix: 50 % for the bots in
it, at most 50 % for all others. Copies of a bot share its part of the mix, so all scores stay as they are.

Several mixes. Where results are exactly even, several mixes may be unbeaten. A bot's score is then the middle between
the lowest and the highest that they give it; for this, too, copies make no difference.

What two bots do. The share of a pair is that of its matches together with one more, in which it did what the ratings
say. A pair that has never met has this one alone.

Intervals come from a bootstrap: each block weighs as an exponential number that is drawn for it (Rubin's), and as in
the fit, each pair has one block more with the variance that independent matches would have. What the ratings say is
drawn too: the strengths by their covariance, and what the pair strays from them by the measure of misfit. The draws
need the sums by group alone: the weights of a group's blocks add up to a gamma number, and how they are shared out
moves the mean of the blocks by a normal one with the same covariance. With one block in a group that is exact.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roost_ladder.rating.certainty import rank_ranges
from roost_ladder.rating.fit import Fit, weight
from roost_ladder.rating.groups import GroupSums, GroupTables, Record, grouped
from roost_ladder.rating.results import Floats, Indices
from roost_ladder.rating.standings import Standing

Flags = NDArray[np.bool_]
ROUNDING = 1e-9
"""What is smaller than this is 0."""
TIED = 6
"""Scores that agree to this many decimals are in the order of the ratings."""
MOST_BOTS = 300
"""In larger fields the bootstrap takes too long: half a minute for these, if they are equal."""
AGREES = "no circle shows: the clone-proof ranking agrees"
TOO_MANY_BOTS = f"the clone-proof ranking is not worked out for more than {MOST_BOTS} bots"
VARIED = 1e-6
"""By how much the numbers differ from 1 by which the simplex method chooses its way."""
MOST_STEPS = 2_000
"""Rounding might keep the simplex method from ending. No field that was tried took a tenth of this."""
DRAWS = 200
TAIL = 2.5
"""Percent of draws on either side of an interval."""


class LotteryScore(NamedTuple):
    """What a bot does against the mix that nothing beats."""

    bot: int
    score: float
    """The share of matches in which it would finish ahead, a tie as half; 1/2 at most."""
    low: float
    """The lower end of its 95 % interval."""
    high: float
    best_rank: int
    """The ranks that the results allow, at 95 %: from this one ..."""
    worst_rank: int
    """... to this one."""

    @property
    def percent(self) -> str:
        """The score with its interval, in percent."""
        score, low, high = (round(100 * each) for each in (self.score, self.low, self.high))
        return f"{score} % ({low}–{high})"


def lottery_scores(shares: Floats) -> Floats:
    """By bot: its score against the mix that nothing beats.

    `shares` has, by bot and bot, how often the first finishes ahead of the second: 1/2 in the diagonal, and 1 together
    with the other way round.
    """
    bots = len(shares)
    # The shares of a mix, divided by what every bot gets from it, are the largest that no bot gets more than 1 from.
    # 1 more for all makes what they get positive, and changes nothing else.
    programme = _Programme(1 + shares)
    left = programme.climb(np.repeat([1.0, 0.0], bots))
    free = left > -ROUNDING
    if free.sum() == bots:
        return np.asarray(shares @ programme.mix())
    scores = np.empty((2, bots))
    for bot, row in enumerate(shares):
        for end, sign in enumerate((1, -1)):
            programme.climb(np.concatenate([sign * row, np.zeros(bots)]), free)
            scores[end, bot] = row @ programme.mix()
    return np.asarray(scores.mean(axis=0))


class _Programme:
    """The linear programme: the largest `gains @ x` with `matrix @ x <= 1` and `x >= 0`, by the simplex method.

    `x` is followed by what each row leaves of its 1. Each step lets one of these numbers grow from 0 until another one
    gets 0. Where several would get 0 at once, steps may lead round in a circle. So the way is chosen with slightly
    different numbers instead of the ones, and `x` is worked out with the ones.
    """

    def __init__(self, matrix: Floats) -> None:
        size = len(matrix)
        varied = 1 + VARIED * np.random.default_rng(0).random((size, 1))
        self._rows = np.hstack([matrix, np.eye(size), np.ones((size, 1)), varied])
        self._grown: Indices = np.arange(size, 2 * size)
        """By row: the number that it gives, all others being 0."""

    def climb(self, gains: Floats, free: Flags | bool = True) -> Floats:
        """Go to the best `x`, from the one before. Returns what more of each number would still gain: 0 or less.

        Numbers that are not `free` stay 0, or what they are.
        """
        for _ in range(MOST_STEPS):
            left = gains - gains[self._grown] @ self._rows[:, :-2]
            growing = np.where(free, left, 0)
            if growing.max() <= ROUNDING:
                break
            self._grow(int(growing.argmax()))
        return np.asarray(left)

    def _grow(self, number: int) -> None:
        column = self._rows[:, number]
        room = np.full(len(column), np.inf)
        np.divide(self._rows[:, -1], column, out=room, where=column > ROUNDING)
        row = room.argmin()
        self._rows[row] /= self._rows[row, number]
        factors = column.copy()
        factors[row] = 0
        self._rows -= factors[:, None] * self._rows[row]
        self._grown[row] = number

    def mix(self) -> Floats:
        """The first numbers, divided by their sum."""
        size = len(self._rows)
        found = np.zeros(2 * size)
        found[self._grown] = np.maximum(self._rows[:, -2], 0)
        return np.asarray(found[:size] / found[:size].sum())


def clone_proof(record: Record, fitted: Fit) -> list[LotteryScore]:
    """The bots by their scores, the highest first. `fitted` is the fit of this record. Empty for a field too large."""
    sums = grouped(record)
    if len(sums.bots) > MOST_BOTS:
        return []
    found = lottery_scores(_shares(sums.ahead(weight), _expected(fitted.strengths)))
    drawn = _drawn(sums, fitted)
    low, high = np.percentile(drawn, (TAIL, 100 - TAIL), axis=0)
    low, high = np.minimum(low, found), np.maximum(high, found)
    spread = np.cov(drawn, rowvar=False) + ROUNDING * np.eye(len(found))
    ranges = rank_ranges(Fit(found, spread, sums.blocks() + 1))
    return [
        LotteryScore(int(sums.bots[row]), float(found[row]), float(low[row]), float(high[row]), *ranges[row])
        for row in np.lexsort((-fitted.strengths.round(TIED), -found.round(TIED))).tolist()
    ]


def _drawn(record: GroupSums, fitted: Fit) -> Floats:
    """By draw and bot: scores as they might have been."""
    rng, bots = np.random.default_rng(0), len(record.bots)
    root = np.linalg.cholesky(fitted.covariance + ROUNDING * np.eye(bots))
    groups = [_Scatter(tables) for tables in record.tables]
    ahead, met = record.ahead(weight), record.by_pair(lambda tables: tables.blocks[:, None])
    of_block = (ahead + ahead.T) / np.maximum(met + met.T, 1)
    scores = []
    for _ in range(DRAWS):
        ahead = record._replace(tables=tuple(each.drawn(rng) for each in groups)).ahead(weight)
        expected = _expected(fitted.strengths + root @ rng.normal(size=bots))
        variance = expected * (1 - expected)
        ahead += np.sqrt(of_block * variance) * _both_ways(rng, bots)
        expected += np.sqrt(fitted.misfit.found * variance) * _both_ways(rng, bots)
        scores.append(lottery_scores(_shares(ahead, expected).clip(0, 1)))
    return np.array(scores)


class _Scatter:
    """How the blocks of each group scatter around their mean, so that their sums can be drawn again."""

    def __init__(self, tables: GroupTables) -> None:
        self._tables = tables
        blocks = tables.blocks[:, None]
        self._mean = tables.scores / blocks
        self._several = np.flatnonzero(tables.blocks > 1)
        mean, blocks = self._mean[self._several], blocks[self._several, :, None]
        covariance = (tables.products[self._several] / blocks - mean[:, :, None] * mean[:, None, :]) / (blocks + 1)
        self._root = np.linalg.cholesky(covariance + ROUNDING * np.eye(mean.shape[1]))

    def drawn(self, rng: np.random.Generator) -> GroupTables:
        """The same groups with other weights of their blocks."""
        mean = self._mean.copy()
        mean[self._several] += np.einsum("gij,gj->gi", self._root, rng.normal(size=self._root.shape[:2]))
        mean[:, 1:] = np.clip(mean[:, 1:], 0, mean[:, :1].clip(0))
        return self._tables._replace(scores=rng.gamma(self._tables.blocks)[:, None] * mean)


def _both_ways(rng: np.random.Generator, bots: int) -> Floats:
    """A normal number for each pair, with the opposite sign the other way round."""
    above = np.triu(rng.normal(size=(bots, bots)), 1)
    return np.asarray(above - above.T)


def _expected(strengths: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(strengths - strengths[:, None])))


def _shares(ahead: Floats, expected: Floats) -> Floats:
    return np.asarray((ahead + expected) / (ahead + ahead.T + 1))


def lottery_line(standings: Sequence[Standing], scores: Sequence[LotteryScore], names: Mapping[int, str]) -> str:
    """Whether the two rankings differ, and which bots show it best, in a line. `names` are text or markup."""
    by_bot = {each.bot: each for each in scores}
    pairs = combinations([(each, by_bot[each.bot]) for each in standings], 2)
    differing = [(upper, lower) for (upper, one), (lower, other) in pairs if _differ(upper, lower, one, other)]
    if not differing:
        return "the clone-proof ranking agrees: it puts no two bots surely in another order"
    upper, lower = max(differing, key=lambda pair: pair[0].rating - pair[1].rating)
    one, other = (f"{100 * by_bot[each.bot].score:.0f} %" for each in (upper, lower))
    return (
        f"{names[upper.bot]} is rated {upper.rating - lower.rating:.0f} points above {names[lower.bot]}, but scores "
        f"{one} against the mix of bots that nothing beats, and {names[lower.bot]} {other}: "
        "copies of a bot change ratings, but not the clone-proof ranking"
    )


def _differ(upper: Standing, lower: Standing, one: LotteryScore, other: LotteryScore) -> bool:
    """Whether one ranking is sure of an order that the other one does not have. `upper` is rated higher."""
    turned = one.score < other.score + 10**-TIED
    return (turned and upper.worst_rank < lower.best_rank) or other.worst_rank < one.best_rank

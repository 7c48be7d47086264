"""Pairs of bots: how they did against each other, how sure that is, and whether it defies the ratings.

Intervals. Matches of one block are not independent, so the number of matches is divided by how much more the blocks
scatter than independent matches would (less, with duplicate deals). The share has Wilson's interval for that number,
with Student's quantile for the number of blocks. Few or one-sided results hardly show how blocks scatter, so `DOUBTED`
pulls the comparison towards independent matches.

Defying. A pair defies the ratings if its results differ from what the fit expects by more than chance explains, at 5 %
for all pairs together: Holm's rule, so that among bots that follow the ratings at most 1 table in 20 names any pair.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.certainty import normal_score, student_quantiles
from roost_ladder.rating.estimates import DOUBT
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.groups import Record, grouped
from roost_ladder.rating.results import Floats, Indices

DOUBTED = 2.0
"""This much variance, in matches squared, is added to what blocks show and to what independent matches would show."""


class PairRecord(NamedTuple):
    """What two bots did in the matches in which they met."""

    bot: int
    opponent: int
    matches: int
    blocks: int
    share: float
    """The share of matches in which the bot finished ahead of the opponent; a tie is half."""
    low: float
    """The lower end of the 95 % interval of the share."""
    high: float
    expected: float
    """The share that the fit expects."""
    defies: bool
    """Whether the difference is larger than chance explains, all pairs considered."""


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

    def score_against(self, expected: Floats) -> Floats:
        """How far each share is from what is expected, as a value of the standard normal distribution.

        As in the fit, there is one block more, with the variance that independent matches would have.
        """
        one_more = self.matches / self.blocks * expected * (1 - expected)
        ratio = (self.ahead - self.matches * expected) / np.sqrt(self.scatter(expected) + one_more)
        return normal_score(ratio, self.blocks)


def share_of_blocks(blocks: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The mean of the scores of matches, each from 0 to 1, by block, and its 95 % interval."""
    ahead, matches = (np.array([measure(block) for block in blocks], float) for measure in (sum, len))
    sums = PairSums._make(
        np.array([total.sum()])
        for total in (np.ones(len(blocks)), matches, ahead, ahead**2, ahead * matches, matches**2)
    )
    low, high = sums.interval()
    return float(ahead.sum() / matches.sum()), float(low[0]), float(high[0])


def pairs(record: Record, fitted: Fit) -> list[PairRecord]:
    """Every pair that has met, each once, in the order of the record's bots. `fitted` is the fit of this record."""
    found, one, other = met(record)
    expected = 1 / (1 + np.exp(fitted.strengths[other] - fitted.strengths[one]))
    low, high = found.interval()
    defies = _holds(np.abs(found.score_against(expected)))
    bots = grouped(record).bots
    columns = (bots[one], bots[other], found.matches.astype(int), found.blocks.astype(int))
    measured = (found.ahead / found.matches, low, high, expected, defies)
    return [PairRecord._make(row) for row in zip(*(each.tolist() for each in (*columns, *measured)), strict=True)]


def met(record: Record) -> tuple[PairSums, Indices, Indices]:
    """The sums of every pair that has met, and the indices of the two bots, the first before the second."""
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
    return PairSums._make(each[one, other] for each in everybody), one, other


def _holds(scores: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Holm's rule: the clearest has to hold at 5 % / n, the next at 5 % / (n - 1), to the first that does not."""
    bounds = np.array([NormalDist().inv_cdf(1 - DOUBT / 2 / left) for left in range(len(scores), 0, -1)])
    clearest_first = np.argsort(-scores, kind="stable")
    held = np.logical_and.accumulate(scores[clearest_first] > bounds)
    holds = np.zeros(len(scores), bool)
    holds[clearest_first] = held
    return holds

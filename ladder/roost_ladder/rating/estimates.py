"""Means and shares with their uncertainty, for matches that are independent of each other.

Every interval is a 95 % interval: of all intervals made like this, about 95 in 100 hold the true value. They say how
far luck may have moved a number. They do not say that a bot is good, only how it fared against these opponents.
"""

from collections.abc import Sequence
from math import erfc, expm1, log1p, sqrt
from statistics import NormalDist, fmean, stdev
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.results import Floats

DOUBT = 0.05
"""How often a statement may be wrong."""
Z = 1.959964
"""97.5 % of a normal distribution lies below this many standard deviations."""
STUDENT_OF_FEW = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281)
"""The same for Student's t with 1 to 10 degrees of freedom, where `student_quantile` is a little wide."""


class Estimate(NamedTuple):
    """A number and its 95 % interval."""

    mean: float
    low: float | None
    """`None` if the matches cannot tell: there is only one, or all gave the same value."""
    high: float | None

    @property
    def is_positive(self) -> bool:
        """Whether it is above 0 by more than chance allows."""
        return self.low is not None and self.low > 0


def student_quantile(freedom: float, doubt: float = DOUBT) -> float:
    """How many standard errors an interval extends to either side, by Student's distribution.

    Wallace's approximation. A 95 % interval is 4 % too wide with 2 degrees of freedom, 1 % with 3, less with more.
    """
    stretched = NormalDist().inv_cdf(1 - doubt / 2) * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(stretched**2 / freedom))


def student_chance(score: float, freedom: float) -> float:
    """How often a value of Student's distribution is at least as far from 0: the inverse of `student_quantile`."""
    stretched = sqrt(freedom * log1p(score**2 / freedom))
    return erfc(stretched * (8 * freedom + 1) / (8 * freedom + 3) / sqrt(2))


def student_quantiles(freedom: Floats, doubt: float = DOUBT) -> Floats:
    """`student_quantile` of each number of degrees of freedom."""
    quantiles: Floats = np.vectorize(student_quantile, otypes=[float])(freedom, doubt)
    return quantiles


def normal_score(ratio: Floats, freedom: Floats) -> Floats:
    """What a number of standard errors amounts to under the normal distribution: the inverse of `student_quantile`."""
    score: Floats = np.sign(ratio) * np.sqrt(freedom * np.log1p(ratio**2 / freedom))
    return score * (8 * freedom + 1) / (8 * freedom + 3)


def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t."""
    return STUDENT_OF_FEW[freedom - 1] if freedom <= len(STUDENT_OF_FEW) else student_quantile(freedom)


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of independent values, with Student's interval."""
    mean = fmean(values)
    if len(values) < 2 or min(values) == max(values):
        return Estimate(mean, None, None)
    half = student_t(len(values) - 1) * stdev(values) / sqrt(len(values))
    return Estimate(mean, mean - half, mean + half)


def share_of(won: float, matches: int) -> Estimate:
    """The share of matches won, with Wilson's interval, which is right at 0 and 1 too.

    A win shared by k counts 1/k. Such values vary less than wins and losses do, so the interval is then a little wide.
    """
    share = won / matches
    spread = Z**2 / matches
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return Estimate(share, max(0.0, centre - half), min(1.0, centre + half))

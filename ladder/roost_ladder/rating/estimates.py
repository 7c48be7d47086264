"""Means and shares with their uncertainty, for matches that are independent of each other.

Every interval is a 95 % interval: of all intervals made like this, about 95 in 100 hold the true value. They say how
far luck may have moved a number. They do not say that a bot is good, only how it fared against these opponents.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.certainty import student_quantile

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


def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t."""
    if freedom <= len(STUDENT_OF_FEW):
        return STUDENT_OF_FEW[freedom - 1]
    return float(student_quantile(np.array([freedom]))[0])


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

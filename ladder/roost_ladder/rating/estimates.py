"""Means and shares with their uncertainty, for matches that are independent of each other.

Every interval is a 95 % interval: of all intervals made like this, about 95 in 100 hold the true value. They say how
far luck may have moved a number. They do not say that a bot is good, only how it fared against these opponents.
"""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

Z = 1.959964
"""97.5 % of a normal distribution lies below this many standard deviations."""
T_FEW = {1: 12.7062, 2: 4.3027}
"""The same for Student's t with 1 and 2 degrees of freedom, where the series below is too coarse."""


class Estimate(NamedTuple):
    """A number and its 95 % interval."""

    mean: float
    low: float | None
    """`None` if the matches cannot tell: there is one only, or all gave the same."""
    high: float | None


def student_t(freedom: int) -> float:
    """The 97.5 % point of Student's t, from its expansion around the normal one; within 1 % from 3 degrees on."""
    if freedom in T_FEW:
        return T_FEW[freedom]
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / 384
    return Z + first / freedom + second / freedom**2 + third / freedom**3


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

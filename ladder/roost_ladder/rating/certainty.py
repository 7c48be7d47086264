"""How sure a fit is: intervals, which of two bots is stronger, and which ranks are possible."""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.estimates import DOUBT, normal_score, student_quantiles
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.results import Floats, Indices


class RankRange(NamedTuple):
    """The ranks that a bot can have; 1 is the best."""

    best: int
    worst: int


def half_widths(fit: Fit, zero: Floats) -> Floats:
    """By bot: half the width of the 95 % interval of its strength, counted from a mean of strengths.

    `zero` has the weights of this mean, which add up to 1.
    """
    shared = fit.covariance @ zero
    variance = np.diagonal(fit.covariance) - 2 * shared + zero @ shared
    # Rounding can leave a bot that is its own zero with a tiny variance below 0.
    return student_quantiles(fit.freedom) * np.sqrt(np.maximum(variance, 0))


def superiority(fit: Fit) -> Floats:
    """By bot and bot: how surely the first is stronger, as a value of the standard normal distribution.

    It is the difference of the strengths by its own standard error. Above 1.96 the 95 % interval of the difference lies
    above 0. The degrees of freedom are those of the bot that is known less well.
    """
    bots = np.arange(len(fit.strengths))
    return _scores(fit, bots[:, None], bots)


def likely_above_next(fit: Fit, strongest_first: Indices) -> list[float]:
    """How likely each bot is to be stronger than the one after it, in this order. The last one is left out."""
    scores = _scores(fit, strongest_first[:-1], strongest_first[1:])
    return [NormalDist().cdf(score) for score in scores.tolist()]


def _scores(fit: Fit, one: Indices, other: Indices) -> Floats:
    own = np.diagonal(fit.covariance)
    variance = np.where(one == other, 1, own[one] + own[other] - 2 * fit.covariance[one, other])
    difference = fit.strengths[one] - fit.strengths[other]
    return normal_score(difference / np.sqrt(variance), np.minimum(fit.freedom[one], fit.freedom[other]))


def rank_ranges(fit: Fit) -> list[RankRange]:
    """By bot: its possible ranks. The chance that a bot is not within its range is at most 5 %.

    The best rank leaves room for all bots that are surely stronger, the worst for all that are surely weaker. A bot is
    compared with each of the n - 1 others, and one wrong comparison makes its range wrong; so the comparisons share the
    5 % by Holm's rule: the clearest has to hold at 5 % / (n - 1), the next at 5 % / (n - 2), and so on to the first
    that does not hold.
    """
    score = superiority(fit)
    sure = _holds(np.abs(score))
    above = (sure & (score < 0)).sum(axis=1)
    below = (sure & (score > 0)).sum(axis=1)
    return [RankRange(1 + int(over), len(score) - int(under)) for over, under in zip(above, below, strict=True)]


def _holds(scores: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Holm's rule in each row. The score of a bot against itself is 0 and never holds."""
    bounds = [NormalDist().inv_cdf(1 - DOUBT / 2 / left) for left in range(len(scores) - 1, 0, -1)] + [np.inf]
    clearest_first = -np.sort(-scores, axis=1)
    held = np.logical_and.accumulate(clearest_first > np.array(bounds), axis=1)
    least = np.where(held, clearest_first, np.inf).min(axis=1, keepdims=True)
    holds: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = scores >= least
    return holds

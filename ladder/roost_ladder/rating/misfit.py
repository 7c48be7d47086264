"""How far pairs of bots stray from what a single order of strengths explains: whether they beat each other in circles.

The measure. Let the strengths say that a bot gets the share p of its matches against another. Beside that, every pair
has a deviation of its own, with the variance k p (1 - p). If k is 0, one number for each bot explains everything.
However often a pair meets, it tells no more about strengths than 1/k independent matches would.

How it is found. Each pair has a surplus over what is expected, counted in standard errors, with the block as one
observation. If an order explains the field, the squares add up to 1 for each pair, less what the fit took by being
fitted to it; the rest comes from k (the estimator of DerSimonian and Laird). The interval is of the kind that Wilson's
is for shares: it holds every k for which the sum found would be no surprise.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.estimates import Z
from roost_ladder.rating.groups import Met
from roost_ladder.rating.results import Floats

LEAST_BLOCKS = 4
"""Pairs with fewer blocks are not asked how far they stray: so few blocks hardly show how they scatter. Nor are those
that can hardly surprise: where a win in a hundred is expected, one more or less would pass for a circle."""


class Misfit(NamedTuple):
    """The measure `k`, which is 0 if one order explains the field."""

    found: float
    low: float
    """The lower end of its 95 % interval."""
    high: float
    left: float
    """The part of the deviations that no strengths could have absorbed: k times this is what pairs stray by."""


UNKNOWN = Misfit(0.0, 0.0, 1.0, 1.0)
"""What is known where too few pairs have met."""


def misfit(
    found: Met, weight: float | Floats, strengths: Floats, inverse: Floats, *, as_before: bool = False
) -> Misfit:
    """How far the pairs stray from these strengths.

    `weight` is that of their matches in the fit, the mean of each pair if it differs, and `inverse` the inverse of the
    fit's curvature. `as_before` is for `Method.EACH_OPPONENT`.
    """
    pairs, one, other = found
    chance = 1 / (1 + np.exp(strengths[other] - strengths[one]))
    spread, own = chance * (1 - chance), np.diagonal(inverse)
    variance = pairs.variance_of_before(chance) if as_before else pairs.variance(chance)
    free = 1 - weight * pairs.matches * spread * (own[one] + own[other] - 2 * inverse[one, other])
    squares = (pairs.ahead - pairs.matches * chance) ** 2 / variance
    gains = free * pairs.matches**2 * spread / variance
    some = (pairs.blocks >= LEAST_BLOCKS) & (as_before | pairs.may_surprise(chance))
    left = float(free[some].sum())
    if left <= FREE:
        return UNKNOWN
    ends = _solved(float(squares[some].sum()) - left, left, float(gains[some].sum()))
    return Misfit._make((*ends, left / float(some.sum())))


FREE = 0.5
"""Fewer pairs than this, less what the fit took, show nothing."""


def spreads(strengths: Floats) -> Floats:
    """By bot and bot: the variance of a match between them."""
    spread: Floats = 0.5 / (1 + np.cosh(strengths[:, None] - strengths))
    return spread


def laplacian(links: Floats) -> Floats:
    """The matrix that has minus these links beside its diagonal, and rows that add up to 0."""
    matrix = -links
    np.fill_diagonal(matrix, links.sum(axis=1) - np.diagonal(links))
    return matrix


def _solved(excess: float, free: float, gain: float) -> list[float]:
    """The k that explains the excess, and the ends of those for which it is no surprise.

    With the gain g, the sum of squares has the mean free + g k and about the variance 2 free + 4 g k. A sum that is too
    small is no proof that k is.
    """
    excess = max(excess, 0.0)
    centre, half = excess + 2 * Z**2, Z * sqrt(4 * excess + 4 * Z**2 + 2 * free)
    return [min(max(each / gain, 0.0), 1.0) for each in (excess, centre - half, centre + half)]

"""The fit: how strong every bot is, judged by all matches at once, and how sure that is.

The model. A bot has a strength s. In a match the log-odds that i finishes ahead of j are s_i - s_j, whatever other bots
play. Every match is taken apart into its pairs, a tie as half of either result, and the strengths are those that make
all pairs together most likely (a composite likelihood; docs/why/ratings.md explains it, decision 4 says why).

Weights. The pairs of a match are not independent, so each weighs 3 / (n + 1) in a match of n players. For bots of equal
strength the curvature of the likelihood then equals the variance of its slope, as in a proper likelihood: a match
counts for exactly what it tells.

The virtual match. Every bot has one more match, a draw against a bot of strength 0. It keeps the strength of a bot that
has won everything finite, and holds groups that never met side by side.

Order. What single blocks add to a sum is rounded to multiples of 2 ** -26. Sums of such numbers are exact, so the same
blocks in any order give the same result to the last digit.
"""

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.results import Floats, ResultSums, Tables

PRECISION = 1e-7
"""The climb ends with a step below this. The error left is of the order of its square."""
MOST_STEPS = 100
GRAINS = 2.0**26
"""Numbers whose sum must not depend on their order are rounded this finely. The sum is exact up to the same number."""


class Fit(NamedTuple):
    """Strengths on the scale of natural logarithms of odds. Only their differences mean something."""

    strengths: Floats
    """By bot, in the order of `ResultSums.bots`."""
    covariance: Floats
    """Of the strengths, clustered by block."""
    freedom: Floats
    """By bot: the degrees of freedom of its variance, at least 2."""


class _Terms(NamedTuple):
    """What each of many blocks adds to the slope and the curvature."""

    tables: Tables
    slopes: Floats
    """By member and block."""
    links: dict[tuple[int, int], Floats]
    """By pair of members, and block: minus the curvature between them."""

    def informations(self) -> list[Floats]:
        """By member and block: the curvature on the diagonal."""
        return [
            np.sum([link for pair, link in self.links.items() if member in pair], axis=0)
            for member in range(self.tables.players)
        ]


def fit(record: ResultSums, start: Floats | None = None) -> Fit:
    """The most likely strengths of the bots of a record that is not empty.

    `start` are strengths that are nearly right, such as those before the latest results: then it takes less time.
    """
    ahead = record.ahead(_weight)
    strengths = _climb(ahead, np.zeros(len(ahead)) if start is None else start)
    inverse = np.linalg.inv(_slope_and_curvature(ahead, strengths)[1])
    noise, freedom = _noise(record, strengths)
    return Fit(strengths, inverse @ noise @ inverse, freedom)


def _weight(tables: Tables) -> float:
    return 3 / (tables.players + 1)


def _chance(strength: Floats) -> Floats:
    """The probability of beating a bot that is weaker by `strength`."""
    return (1 + np.tanh(strength / 2)) / 2


def _climb(ahead: Floats, start: Floats) -> Floats:
    """Newton's method. `ahead` has the weighted results of all pairs of bots.

    A step that would change a difference of strengths by d is shortened to log(1 + d). The curvature of this likelihood
    changes at most by the factor exp(d) on the way, so every step climbs, and no search along the step is needed.
    """
    strengths = start.copy()
    for _ in range(MOST_STEPS):
        slope, curvature = _slope_and_curvature(ahead, strengths)
        step = np.linalg.solve(curvature, slope)
        change = max(step.max(), 0.0) - min(step.min(), 0.0)
        if change < PRECISION:
            return strengths + step
        strengths += step * np.log1p(change) / change
    return strengths


def _slope_and_curvature(ahead: Floats, strengths: Floats) -> tuple[Floats, Floats]:
    odds = np.exp(strengths)
    chance = odds[:, None] / (odds[:, None] + odds)
    expected = (ahead + ahead.T) * chance
    virtual = _chance(strengths)
    slope = (ahead - expected).sum(axis=1) + 0.5 - virtual
    links = expected * chance.T
    curvature = -links
    np.fill_diagonal(curvature, links.sum(axis=1) - np.diagonal(links) + virtual * (1 - virtual))
    return slope, curvature


def _noise(record: ResultSums, strengths: Floats) -> tuple[Floats, Floats]:
    """The covariance of the slope, and the degrees of freedom of each bot's part of it.

    What is observed is the product of each block's slopes: rotations of one deal are not independent, blocks are. A bot
    with few blocks may show too little variance by accident (two blocks, each split evenly, show none), so it gets one
    block more, with the variance that independent matches would have. The virtual match is one block for each bot; it
    is not known to be a draw, so a win and a loss enter with equal parts.
    """
    blocks = record.blocks()
    terms = [_terms(tables, strengths) for tables in record.tables]
    upper = sum(_sum_of_products(each, blocks) for each in terms)
    virtual = (0.5 - _chance(strengths)) ** 2 + 0.25
    noise = upper + np.triu(upper, 1).T + np.diag(virtual)
    return noise, _effective_blocks(terms, len(blocks)) + 1


def _terms(tables: Tables, strengths: Floats) -> _Terms:
    odds = np.exp(strengths)[tables.groups.T]
    slopes = np.zeros(odds.shape)
    links = {}
    for one, other in combinations(range(tables.players), 2):
        chance = odds[one] / (odds[one] + odds[other])
        surplus = _weight(tables) * (tables.ahead[:, one, other] - tables.matches * chance)
        slopes[one] += surplus
        slopes[other] -= surplus
        links[one, other] = _weight(tables) * tables.matches * chance * (1 - chance)
    return _Terms(tables, slopes, links)


def _sum_of_products(terms: _Terms, blocks: Floats) -> Floats:
    """The upper triangle: members of a block are in ascending order."""
    bots = len(blocks)
    members = terms.tables.groups.T
    share = 1 / blocks[members].min(axis=0)
    informations = terms.informations()
    total = np.zeros(bots * bots)
    for one, other in combinations_with_replacement(range(len(members)), 2):
        curvature = informations[one] if one == other else -terms.links[one, other]
        products = _grained(terms.slopes[one] * terms.slopes[other] + curvature * share)
        total += np.bincount(members[one] * bots + members[other], weights=products, minlength=bots * bots)
    return total.reshape(bots, bots)


def _grained(values: Floats) -> Floats:
    rounded: Floats = np.rint(values * GRAINS) / GRAINS
    return rounded


def _effective_blocks(terms: Iterable[_Terms], bots: int) -> Floats:
    """By bot: how many equally informative blocks would tell as much about it as its own, unequal ones."""
    told, of_squares = np.zeros((2, bots))
    for each in terms:
        for members, information in zip(each.tables.groups.T, each.informations(), strict=True):
            told += np.bincount(members, weights=_grained(information), minlength=bots)
            of_squares += np.bincount(members, weights=_grained(information**2), minlength=bots)
    return told**2 / of_squares

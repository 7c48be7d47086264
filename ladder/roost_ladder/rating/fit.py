"""The fit: how strong every bot is against the field, judged by all matches at once, and how sure that is.

The model. A bot has a strength s. In a match the log-odds that i finishes ahead of j are s_i - s_j, whatever other bots
play. Every match is taken apart into its pairs, a tie as half of either result, and the strengths are those that make
all pairs together most likely (a composite likelihood; docs/why/ratings.md explains it, decision 4 says why).

What is estimated. No strengths fit bots that beat each other in a circle. What is meant then are the strengths of an
endless round robin, in which every opponent counts the same: with them, each bot scores on average over all others what
it really does. A pair that meets often must not count for more than it can tell about that, so the matches of a pair
weigh less the more they are, as far as pairs stray from the order (`roost_ladder.rating.misfit`). Where one order
explains the field, they all weigh the same. Pairs that never met are taken to be as the strengths say.

Weights. The pairs of a match are not independent, so each weighs 3 / (n + 1) in a match of n players. For bots of equal
strength the curvature of the likelihood then equals the variance of its slope, as in a proper likelihood: a match
counts for exactly what it tells.

The virtual match. Every bot has one more match, a draw against a bot of strength 0. It keeps the strength of a bot that
has won everything finite, and holds groups that never met side by side.

Order. The fit works on sums by group, which are exact and sorted. So the same blocks in any order give the same result
to the last digit.
"""

from enum import IntEnum
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.groups import AT_ONCE, GroupSums, GroupTables, Record, grouped, pairs_of
from roost_ladder.rating.misfit import UNKNOWN, Misfit, laplacian, misfit, spreads
from roost_ladder.rating.results import Floats, Tables

PRECISION = 1e-7
"""The climb ends with a step below this. The error left is of the order of its square."""
MOST_STEPS = 100


class Method(IntEnum):
    """How matches are weighed. A competition is rated to its end as it was when it began."""

    EACH_MATCH = 1
    """Every match of a table size counts the same, so a pair that meets often counts for more."""
    EACH_OPPONENT = 2
    """Every opponent counts the same, as far as pairs stray from what the strengths explain."""


LATEST = Method.EACH_OPPONENT


class Fit(NamedTuple):
    """Strengths on the scale of natural logarithms of odds. Only their differences mean something."""

    strengths: Floats
    """By bot, in the order of the record's bots."""
    covariance: Floats
    """Of the strengths, clustered by block."""
    freedom: Floats
    """By bot: the degrees of freedom of its variance, at least 2."""
    misfit: Misfit = UNKNOWN
    """How far pairs stray from these strengths."""
    shares: Floats = np.ones((1, 1))
    """By bot and bot: what one more match between them would count for, beside the average match."""


class _Terms(NamedTuple):
    """What the blocks of each group add to the slope and to its variance, added up."""

    tables: GroupTables
    products: Floats
    """By group, member and member: the sum of the products of their slopes in each block."""
    links: Floats
    """By group and pair of members: minus the covariance of their slopes in independent matches."""
    informations: Floats
    """By group and member: the variance of its slope in independent matches."""
    squares: Floats
    """By group and member: the sum of the squares of each block's part of that."""


def fit(record: Record, start: Floats | None = None, method: Method = LATEST) -> Fit:
    """The strengths of the bots of a record that is not empty.

    `start` are strengths that are nearly right, such as those before the latest results: then it takes less time.
    """
    sums = grouped(record)
    ahead = sums.ahead(weight)
    strengths = _climb(ahead, np.zeros(len(ahead)) if start is None else start)
    stray, shares = UNKNOWN, np.ones_like(ahead)
    if method is not Method.EACH_MATCH:
        stray = misfit(sums, ahead + ahead.T, strengths, _inverse_curvature(ahead, strengths))
    if stray.found:
        shares = _shares(ahead + ahead.T, stray.found)
        ahead *= shares
        strengths = _climb(ahead, strengths)
    noise, freedom = _noise(sums, strengths, shares)
    noise += stray.found * _unevenness(ahead + ahead.T, strengths)
    inverse = _inverse_curvature(ahead, strengths)
    return Fit(strengths, inverse @ noise @ inverse, freedom, stray, shares)


def _shares(matches: Floats, stray: float) -> Floats:
    """By bot and bot: what a match between them counts for; 1 on average over all matches.

    With the measure of misfit k, n matches of a pair tell as much as n / (1 + k n) independent ones.
    """
    shares: Floats = 1 / (1 + stray * matches)
    shares *= matches.sum() / (matches * shares).sum()
    return shares


def _unevenness(counted: Floats, strengths: Floats) -> Floats:
    """The covariance that the slope has, for each unit of misfit, because pairs do not count equally.

    If all did, what the opponents of a bot stray from the strengths would add up to nothing: that is what strength
    against the field means. `counted` is what the matches of each pair count for; nothing if they never met.
    """
    spread = spreads(strengths)
    whole = np.asarray(np.linalg.inv(laplacian(spread) + 1 / len(spread)), np.float64)
    some = laplacian(counted * spread)
    covariance: Floats = laplacian(counted**2 * spread) - some @ whole @ some
    return covariance


def _inverse_curvature(ahead: Floats, strengths: Floats) -> Floats:
    return np.asarray(np.linalg.inv(_slope_and_curvature(ahead, strengths)[1]), np.float64)


def weight(tables: GroupTables | Tables) -> float:
    """What each pair of a match at such tables counts for."""
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


def _noise(record: GroupSums, strengths: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """The covariance of the slope, and the degrees of freedom of each bot's part of it.

    What is observed is the product of each block's slopes: rotations of one deal are not independent, blocks are. A bot
    with few blocks may show too little variance by accident (two blocks, each split evenly, show none), so it gets one
    block more, with the variance that independent matches would have. The virtual match is one block for each bot; it
    is not known to be a draw, so a win and a loss enter with equal parts.
    """
    blocks = record.blocks()
    terms = [_terms(tables, strengths, shares) for tables in record.tables]
    upper = sum(_sum_of_products(each, blocks) for each in terms)
    virtual = (0.5 - _chance(strengths)) ** 2 + 0.25
    noise = upper + np.triu(upper, 1).T + np.diag(virtual)
    return noise, _effective_blocks(terms, len(blocks)) + 1


def _terms(tables: GroupTables, strengths: Floats, shares: Floats) -> _Terms:
    one, other = np.array(pairs_of(tables.players)).T
    odds = np.exp(strengths)[tables.groups]
    chance = odds[:, one] / (odds[:, one] + odds[:, other])
    share = shares[tables.groups[:, one], tables.groups[:, other]]
    link = weight(tables) * share**2 * chance * (1 - chance)
    information = link @ np.abs(_sides(tables.players))
    return _Terms(
        tables,
        products=_slope_products(tables, chance, share),
        links=link * tables.matches[:, None],
        informations=information * tables.matches[:, None],
        squares=information**2 * tables.products[:, 0, :1],
    )


def _slope_products(tables: GroupTables, chance: Floats, share: Floats) -> Floats:
    """Some groups at a time, so that what lies between stays in the processor's cache."""
    sides = weight(tables) * _sides(tables.players)
    made: Floats = np.empty((len(chance), tables.players, tables.players))
    for first in range(0, len(chance), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        weighted = share[some, :, None] * sides
        products = surplus_products(tables.products[some], chance[some])
        made[some] = weighted.transpose(0, 2, 1) @ products @ weighted
    return made


def _sides(players: int) -> Floats:
    """By pair and member: 1 for the first of the pair, -1 for the second."""
    members = np.eye(players)
    one, other = np.array(pairs_of(players)).T
    sides: Floats = members[one] - members[other]
    return sides


def surplus_products(products: Floats, chance: Floats) -> Floats:
    """By group, pair and pair: the sum over blocks of the product of what the pairs scored above what is expected.

    `products` is of these groups. `chance` is what is expected of a match, by group and pair. The surplus of a block
    with n matches is a - n c.
    """
    crossed = chance[:, :, None] * products[:, :1, 1:]
    expected: Floats = chance[:, :, None] * chance[:, None, :] * products[:, :1, :1]
    return products[:, 1:, 1:] - crossed - crossed.transpose(0, 2, 1) + expected


def _sum_of_products(terms: _Terms, blocks: Floats) -> Floats:
    """The upper triangle: members of a group are in ascending order."""
    bots, groups, players = len(blocks), terms.tables.groups, terms.tables.players
    share = 1 / blocks[groups].min(axis=1)
    link_of = {pair: terms.links[:, cell] for cell, pair in enumerate(pairs_of(players))}
    total = np.zeros(bots * bots)
    for one, other in combinations_with_replacement(range(players), 2):
        expected = terms.informations[:, one] if one == other else -link_of[one, other]
        products = terms.products[:, one, other] + expected * share
        total += np.bincount(groups[:, one] * bots + groups[:, other], weights=products, minlength=bots * bots)
    return total.reshape(bots, bots)


def _effective_blocks(terms: list[_Terms], bots: int) -> Floats:
    """By bot: how many equally informative blocks would tell as much about it as its own, unequal ones."""
    told: Floats = np.sum([each.tables.by_bot(each.informations, bots) for each in terms], axis=0)
    of_squares: Floats = np.sum([each.tables.by_bot(each.squares, bots) for each in terms], axis=0)
    return told**2 / of_squares

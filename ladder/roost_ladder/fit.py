"""The fit: how strong every bot is, judged by all matches at once, and how sure that is.

The model. A bot has a strength s, and in a match the log-odds that i finishes ahead of j are s_i - s_j, whoever else
plays. Every match is taken apart into its pairs, a tie as half of either result, and the strengths are those that make
all pairs together most likely (a composite likelihood; docs/ratings.md explains it, decision 4 says why).

Weights. The pairs of a match are not independent, so each weighs 3 / (n + 1) in a match of n players. For bots of equal
strength the curvature of the likelihood then equals the variance of its slope, as in a proper likelihood: a match
counts for exactly what it tells.

The virtual match. Every bot has one more match, a draw against a bot of strength 0. It keeps the strength of a bot that
has won everything finite, and holds groups that never met side by side.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from roost_ladder.results import Floats, Indices, Record, Tables

PRECISION = 1e-7
"""The climb ends with a step below this. The error left is of the order of its square."""
MOST_STEPS = 100


class Fit(NamedTuple):
    """Strengths on the scale of natural logarithms of odds. Only their differences mean something."""

    strengths: Floats
    """By bot, in the order of `Record.bots`."""
    covariance: Floats
    """Of the strengths, clustered by block."""
    freedom: Floats
    """By bot: the degrees of freedom of its variance, at least 2."""


def fit(record: Record) -> Fit:
    """The most likely strengths of the bots of a record that is not empty."""
    ahead = _sum_over_pairs(record, (_weight(tables) * tables.ahead for tables in record.tables))
    strengths = _climb(ahead)
    inverse = np.linalg.inv(_slope_and_curvature(ahead, strengths)[1])
    noise, freedom = _noise(record, strengths)
    return Fit(strengths, inverse @ noise @ inverse, freedom)


def _weight(tables: Tables) -> float:
    return 3 / (tables.players + 1)


def _chance(strength: Floats) -> Floats:
    """The probability to beat a bot that is weaker by so much."""
    return (1 + np.tanh(strength / 2)) / 2


def _climb(ahead: Floats) -> Floats:
    """Newton's method from equal strengths. `ahead` has the weighted results of all pairs of bots.

    A step that would change a difference of strengths by d is shortened to log(1 + d). The curvature of this likelihood
    changes at most by the factor exp(d) on the way, so every step climbs, and no search along the step is needed.
    """
    strengths = np.zeros(len(ahead))
    for _ in range(MOST_STEPS):
        slope, curvature = _slope_and_curvature(ahead, strengths)
        step = np.linalg.solve(curvature, slope)
        change = max(step.max(), 0.0) - min(step.min(), 0.0)
        if change < PRECISION:
            return strengths + step
        strengths += step * np.log1p(change) / change
    return strengths


def _slope_and_curvature(ahead: Floats, strengths: Floats) -> tuple[Floats, Floats]:
    chance = _chance(strengths[:, None] - strengths)
    matches = ahead + ahead.T
    virtual = _chance(strengths)
    slope = (ahead - matches * chance).sum(axis=1) + 0.5 - virtual
    curvature = _laplacian(matches * chance * (1 - chance)) + np.diag(virtual * (1 - virtual))
    return slope, curvature


def _laplacian(links: Floats) -> Floats:
    """Minus the links between members, and on the diagonal their sums. For one matrix or a stack of them."""
    sums: Floats = np.eye(links.shape[-1]) * links.sum(axis=-1, keepdims=True)
    return sums - links


def _noise(record: Record, strengths: Floats) -> tuple[Floats, Floats]:
    """The covariance of the slope, and the degrees of freedom of each bot's part of it.

    What is observed is the product of each block's slopes: rotations of one deal are not independent, blocks are. A bot
    with few blocks may show too little variance by accident (two blocks, each split evenly, show none), so it gets one
    block more, with the variance that independent matches would have. The virtual match is one block for each bot; it
    is not known to be a draw, so a win and a loss enter with equal parts.
    """
    blocks = record.blocks()
    terms = [_block_slopes_and_curvatures(tables, strengths) for tables in record.tables]
    products = (
        slopes[:, :, None] * slopes[:, None, :] + curvatures / blocks[tables.groups].min(axis=1)[:, None, None]
        for tables, (slopes, curvatures) in zip(record.tables, terms, strict=True)
    )
    virtual = (0.5 - _chance(strengths)) ** 2 + 0.25
    noise = _sum_over_pairs(record, products) + np.diag(virtual)
    return noise, _effective_blocks(record, [curvatures for _, curvatures in terms]) + 1


def _block_slopes_and_curvatures(tables: Tables, strengths: Floats) -> tuple[Floats, Floats]:
    own = strengths[tables.groups]
    chance = _chance(own[:, :, None] - own[:, None, :])
    matches = tables.matches[:, None, None] * (1 - np.eye(tables.players))
    slopes = _weight(tables) * (tables.ahead - matches * chance).sum(axis=2)
    return slopes, _weight(tables) * _laplacian(matches * chance * (1 - chance))


def _effective_blocks(record: Record, curvatures: Iterable[Floats]) -> Floats:
    """By bot: how many blocks that tell equally much would tell as much about it as its own, unequal blocks."""
    members = np.concatenate([tables.groups.ravel() for tables in record.tables])
    told = np.concatenate([np.diagonal(some, axis1=1, axis2=2).ravel() for some in curvatures])
    total, of_squares = (np.bincount(members, weights=told**power) for power in (1, 2))
    return total**2 / of_squares


def _sum_over_pairs(record: Record, by_block: Iterable[Floats]) -> Floats:
    """Adds up what stands in blocks for each pair of members into one matrix over all bots."""
    bots = len(record.bots)
    total = np.zeros(bots * bots)
    for tables, values in zip(record.tables, by_block, strict=True):
        pairs: Indices = tables.groups[:, :, None] * bots + tables.groups[:, None, :]
        total += np.bincount(pairs.ravel(), weights=values.ravel(), minlength=bots * bots)
    return total.reshape(bots, bots)

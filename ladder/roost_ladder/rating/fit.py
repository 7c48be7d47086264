"""The fit: how strong every bot is against the field, judged by all matches at once, and how sure that is.

The model. A bot has a strength s. In a match the log-odds that i finishes ahead of j are s_i - s_j, whatever other bots
play. Every match is taken apart into its pairs, a tie as half of either result, and the strengths are those that make
all pairs together most likely (a composite likelihood; docs/why/ratings.md explains it, decision 4 says why).

What is estimated. No strengths fit bots that beat each other in a circle. What is meant then are the strengths of an
endless round robin, in which every opponent counts the same: with them, each bot scores on average over all others what
it really does. A pair that meets often must not count for more than it can tell about that, so the matches of a pair
at one kind of table weigh less the more they are, as far as pairs stray from the order (`roost_ladder.rating.misfit`).
Where one order explains the field, they all weigh the same. Pairs that never met are taken to be as the strengths say.
Games and table sizes count for every pair as they count for all, by what was played of them.

The field. A bot that has played little is hardly known, and would make doubtful what everybody else is measured by. So
it is a part of an opponent until it has half as many matches as the average bot, and a part of a bot in the mean that
ratings are counted from. Its own strength is against the field like that of any other bot.

Weights. The pairs of a match are not independent, so each weighs 3 / (n + 1) in a match of n players. For bots of equal
strength the curvature of the likelihood then equals the variance of its slope, as in a proper likelihood: a match
counts for exactly what it tells.

The virtual match. Every bot has one more match, a draw against a bot of strength 0. It keeps the strength of a bot that
has won everything finite, and holds groups that never met side by side.

Order. The fit works on sums by group, which are exact and sorted. So the same blocks in any order give the same result
to the last digit.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.groups import AT_ONCE, GroupSums, GroupTables, Met, PairSums, Record, grouped, met, pairs_of
from roost_ladder.rating.misfit import UNKNOWN, Misfit, laplacian, misfit, spreads
from roost_ladder.rating.results import Floats, Kind, Tables

PRECISION = 1e-7
"""The climb ends with a step below this. The error left is of the order of its square."""
MOST_STEPS = 100
PLAYED_ENOUGH = 0.5
"""A bot with this part of the matches of the average bot, or more, counts in the field like any other."""


class Method(IntEnum):
    """How matches are weighed. A competition is rated to its end as it was when it began."""

    EACH_MATCH = 1
    """Every match of a table size counts the same, so a pair that meets often counts for more."""
    EACH_OPPONENT = 2
    """Every opponent counts the same, as far as pairs stray from what the strengths explain."""
    EACH_KIND = 3
    """The same at every kind of table, and a bot that has played little is a part of an opponent."""


LATEST = Method.EACH_KIND


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
    shares: Mapping[Kind, Floats] = {}
    """By kind of table, bot and bot: what a match between them counts for. Without any, all count the same."""
    field: Floats = np.ones(1)
    """By bot: how much of an opponent it is in the field; less than 1 if it has played little."""

    @property
    def middle(self) -> Floats:
        """By bot: its weight in the mean that ratings are counted from. The weights add up to 1."""
        parts = np.broadcast_to(self.field, self.strengths.shape)
        return np.asarray(parts / parts.sum())


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
    if method is Method.EACH_MATCH:
        return _judged(sums, ahead, strengths, _Weighing(np.ones(len(ahead)), UNKNOWN, 0.0, [], {}))
    found = _weighing(sums, ahead, strengths, method)
    if found.shares:
        ahead = np.sum([found.shares[each.tables[0].kind] * each.ahead(weight) for each in sums.by_kind()], axis=0)
        strengths = _climb(ahead, strengths)
    return _judged(sums, ahead, strengths, found)


class _Weighing(NamedTuple):
    """What matches count for, and why."""

    field: Floats
    misfit: Misfit
    stray: float
    """How far pairs stray at each kind of table."""
    kinds: "Sequence[_AtKind]"
    shares: Mapping[Kind, Floats]


def _weighing(sums: GroupSums, ahead: Floats, strengths: Floats, method: Method) -> _Weighing:
    """By what is seen with these strengths, for which all matches count the same."""
    matches = ahead + ahead.T
    inverse = _inverse_curvature(ahead, strengths)
    field, pairs = _field(matches), met(sums)
    weights, as_before = matches[pairs.one, pairs.other] / pairs.pairs.matches, method is Method.EACH_OPPONENT
    found = misfit(pairs, weights, strengths, inverse, as_before=as_before)
    stray, kinds = found.found, _kinds(sums, field)
    if as_before:
        field = np.ones(len(ahead))
        kinds = [_AtKind(tuple(kind for each in kinds for kind in each.kinds), matches, np.ones_like(matches))]
    elif len(kinds) > 1:
        stray = misfit(*_at_each_kind(sums), strengths, inverse).found
    return _Weighing(field, found, stray, kinds, _shares(kinds, stray) if stray else {})


def _at_each_kind(sums: GroupSums) -> tuple[Met, Floats]:
    """Every pair at every kind of table at which it has met, and the weight of its matches there."""
    of_kinds = [(met(each), weight(each.tables[0])) for each in sums.by_kind()]
    pairs = PairSums._make(map(np.concatenate, zip(*(found.pairs for found, _ in of_kinds), strict=True)))
    one, other = (np.concatenate([found[side] for found, _ in of_kinds]) for side in (1, 2))
    weights = np.concatenate([np.full(len(found.one), each) for found, each in of_kinds])
    return Met(pairs, one, other), weights


def _judged(sums: GroupSums, ahead: Floats, strengths: Floats, found: _Weighing) -> Fit:
    """These strengths, and how sure they are. `ahead` has what matches count for."""
    noise, freedom = _noise(sums, strengths, found.shares)
    if found.stray:
        noise += found.stray * _unevenness(strengths, found)
    inverse = _inverse_curvature(ahead, strengths)
    return Fit(strengths, inverse @ noise @ inverse, freedom, found.misfit, found.shares, found.field)


def _field(matches: Floats) -> Floats:
    """By bot: how much of an opponent it is. `matches` are those of each pair, by their weights."""
    played = matches.sum(axis=1)
    return np.asarray(np.minimum(played / (PLAYED_ENOUGH * played.mean()), 1))


class _AtKind(NamedTuple):
    """A kind of table, or some that count as one."""

    kinds: tuple[Kind, ...]
    matches: Floats
    """By bot and bot: their matches there, by their weights."""
    meant: Floats
    """By bot and bot: what these count for in the field that is meant; 1 on average over the kinds."""


def _kinds(sums: GroupSums, field: Floats) -> list[_AtKind]:
    ahead = [(each.tables[0].kind, each.ahead(weight)) for each in sums.by_kind()]
    total = sum(float(each.sum()) for _, each in ahead)
    parts = [len(ahead) * float(each.sum()) / total for _, each in ahead]
    return [
        _AtKind((kind,), each + each.T, part * np.outer(field, field))
        for (kind, each), part in zip(ahead, parts, strict=True)
    ]


def _shares(kinds: Sequence[_AtKind], stray: float) -> dict[Kind, Floats]:
    """By kind of table, bot and bot: what a match between them counts for; 1 on average over all matches.

    With the measure of misfit k, n matches of a pair tell as much as n / (1 + k n) independent ones. With many matches,
    pairs count for what is meant.
    """
    shares = [each.meant / (each.meant + stray * each.matches) for each in kinds]
    counted = sum(float((each.matches * share).sum()) for each, share in zip(kinds, shares, strict=True))
    scale = sum(float(each.matches.sum()) for each in kinds) / counted
    return {kind: scale * share for each, share in zip(kinds, shares, strict=True) for kind in each.kinds}


def _unevenness(strengths: Floats, found: _Weighing) -> Floats:
    """The covariance that the slope has, for each unit of misfit, because pairs do not count for what they should.

    If they did, what the opponents of a bot stray from the strengths would add up to nothing: that is what strength
    against the field means. What the matches of a pair count for is nothing if they never met.
    """
    spread = spreads(strengths)
    counted = [each.matches * found.shares[each.kinds[0]] for each in found.kinds]
    meant = [each.meant for each in found.kinds]
    whole = np.linalg.inv(laplacian(np.sum(meant, axis=0) * spread) + 1 / len(spread))
    moved = laplacian(np.sum(counted, axis=0) * spread) @ whole
    crossed = moved @ laplacian(
        np.sum([one * other for one, other in zip(meant, counted, strict=True)], axis=0) * spread
    )
    true = moved @ laplacian(np.sum(np.square(meant), axis=0) * spread) @ moved.T
    return np.asarray(laplacian(np.sum(np.square(counted), axis=0) * spread) - crossed - crossed.T + true)


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


def _noise(record: GroupSums, strengths: Floats, shares: Mapping[Kind, Floats]) -> tuple[Floats, Floats]:
    """The covariance of the slope, and the degrees of freedom of each bot's part of it.

    What is observed is the product of each block's slopes: rotations of one deal are not independent, blocks are. A bot
    with few blocks may show too little variance by accident (two blocks, each split evenly, show none), so it gets one
    block more, with the variance that independent matches would have. The virtual match is one block for each bot; it
    is not known to be a draw, so a win and a loss enter with equal parts.
    """
    blocks = record.blocks()
    alike = np.ones((len(strengths), len(strengths)))
    terms = [_terms(tables, strengths, shares.get(tables.kind, alike)) for tables in record.tables]
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

"""Which neighbours in the ranking are told apart for good, no matter how often anybody looks.

A 95 % interval is for a table that is looked at once. If you look again and again, and stop when two bots seem to
differ, equal bots will differ at some point. Here two hypotheses make a bet instead: that two bots are equal, and that
they differ by about 50 points, either way. How much more likely the second makes what was seen is the *evidence* (a
Bayes factor). If the bots are equal, the chance that the evidence *ever* exceeds 20 is at most 1 in 20. That is Ville's
inequality; with a normal distribution for the difference it is Robbins' mixture boundary. So you may look at any time,
and stop at any time. Decision 7 says what that costs.

A ladder of n bots has n - 1 pairs of neighbours, and one wrong separation is one too many. They share the 5 % by Holm's
rule, as in `roost_ladder.rating.certainty`: the clearest pair needs the evidence 20 (n - 1), the next 20 (n - 2), and
so on.
"""

from collections.abc import Iterable
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.certainty import superiority
from roost_ladder.rating.elo import ELO
from roost_ladder.rating.estimates import DOUBT
from roost_ladder.rating.fit import LATEST, Fit, Method, fit
from roost_ladder.rating.misfit import UNKNOWN
from roost_ladder.rating.results import Floats, Kind, ResultSums

USUAL_DIFFERENCE = 50 / ELO
"""The standard deviation of the differences that the bet is on. Others are found as well, a little later."""
UNPLAYED = 4.0
"""The variance of the strength of a bot that has only had its virtual match."""


class Separation(NamedTuple):
    """What is known about two bots that are next to each other in the ranking."""

    upper: int
    lower: int
    superiority: float
    """The probability that the upper bot is really stronger, for a single look."""
    separated: bool
    """Whether they are told apart at 95 %, together with all other neighbours, for any number of looks."""


class Known(NamedTuple):
    """What is known about the bots that take part: a fit of exactly these, in their order."""

    bots: tuple[int, ...]
    fit: Fit


def known(bots: Iterable[int], record: ResultSums, method: Method = LATEST) -> Known:
    """The fit of the record, for these bots. One that has not played is of average strength, and hardly known."""
    wanted = tuple(sorted(set(bots)))
    strengths, covariance, freedom = np.zeros(len(wanted)), UNPLAYED * np.eye(len(wanted)), np.full(len(wanted), 2.0)
    shares, stray, field = dict[Kind, Floats](), UNKNOWN, np.ones(len(wanted))
    if len(record.bots):
        fitted = fit(record, method=method)
        here, there = np.nonzero(np.equal.outer(np.array(wanted), record.bots))
        strengths[here], freedom[here] = fitted.strengths[there], fitted.freedom[there]
        covariance[np.ix_(here, here)] = fitted.covariance[np.ix_(there, there)]
        stray = fitted.misfit
        for kind, each in fitted.shares.items():
            shares[kind] = np.ones(covariance.shape)
            shares[kind][np.ix_(here, here)] = each[np.ix_(there, there)]
        field = np.zeros(len(wanted))
        field[here] = fitted.field[there]
    return Known(wanted, Fit(strengths, covariance, freedom, stray, shares, field))


def separations(about: Known) -> list[Separation]:
    """The neighbours among these bots, from the top of the ranking to its bottom."""
    score, evidence = superiority(about.fit), evidences(about.fit)
    order = np.argsort(-about.fit.strengths, kind="stable")
    neighbours = list(pairwise(order.tolist()))
    holds = _holm([evidence[pair] for pair in neighbours])
    return [
        Separation(
            about.bots[upper],
            about.bots[lower],
            NormalDist().cdf(score[upper, lower]),
            held,
        )
        for (upper, lower), held in zip(neighbours, holds, strict=True)
    ]


def evidences(fitted: Fit) -> Floats:
    """By bot and bot: how many times more likely a difference makes the results than equality does.

    With information t about the difference (one by its variance), a score of z standard errors, and differences of
    variance v expected: sqrt(1 / (1 + v t)) * exp(z² / 2 * v t / (1 + v t)).
    """
    expected = USUAL_DIFFERENCE**2 / difference_variances(fitted.covariance)
    score = superiority(fitted)
    exponent = score**2 / 2 * expected / (1 + expected)
    return np.exp(np.minimum(exponent, 500.0)) / np.sqrt(1 + expected)


def difference_variances(covariance: Floats) -> Floats:
    """By bot and bot: the variance of the difference of their strengths; 1 for a bot and itself."""
    own = np.diagonal(covariance)
    variance: Floats = own[:, None] + own - 2 * covariance
    np.fill_diagonal(variance, 1)
    return variance


def _holm(evidence: list[float]) -> list[bool]:
    """Which of these hold: the clearest at 5 % by their number, the next at 5 % by one less, until one does not."""
    holds = [False] * len(evidence)
    clearest_first = sorted(range(len(evidence)), key=lambda index: -evidence[index])
    for left, index in zip(range(len(evidence), 0, -1), clearest_first, strict=True):
        if evidence[index] * DOUBT < left:
            break
        holds[index] = True
    return holds

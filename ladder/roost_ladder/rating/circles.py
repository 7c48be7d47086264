"""Whether bots beat each other in circles, so that no single order fits: how strongly, and which three show it best."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.estimates import Z
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.groups import Record, grouped, met
from roost_ladder.rating.misfit import LEAST_BLOCKS
from roost_ladder.rating.results import Floats

MOST_BOTS = 60
"""Circles are looked for among this many bots, those with the most blocks."""


class InCircle(NamedTuple):
    """One of three bots of which each beats the next, and the last one the first."""

    bot: int
    ahead_of_next: float
    """The share of their matches in which it finished ahead of the next one; a tie is half."""


class Circularity(NamedTuple):
    """How far pairs stray from the ratings: 0 if one order fits, 1 if every pair is decided by itself."""

    strength: float
    low: float
    """The lower end of its 95 % interval, above 0."""
    high: float
    circle: tuple[InCircle, ...]
    """The one whose least sure pair is the surest; empty if no three bots surely beat each other."""


def circularity(record: Record, fitted: Fit) -> Circularity | None:
    """How circular the field is; `None` if one order may fit it. `fitted` is the fit of this record."""
    found = fitted.misfit
    if not found.low:
        return None
    strength, low, high = (sqrt(found.left * each) for each in (found.found, found.low, found.high))
    return Circularity(strength, low, high, _circle(record))


def _circle(record: Record) -> tuple[InCircle, ...]:
    bots, shares, surely = _duels(record)
    least, first = Z, None
    for one in range(len(bots)):
        # By the other two: how sure the least sure of the three pairs is.
        sure = np.minimum(np.minimum(surely[one][:, None], surely), surely[:, one])
        if sure.size and sure.max() > least:
            least, first = float(sure.max()), (one, *divmod(int(sure.argmax()), len(bots)))
    if first is None:
        return ()
    following = (*first[1:], first[0])
    return tuple(InCircle(bots[one], float(shares[one, two])) for one, two in zip(first, following, strict=True))


def _duels(record: Record) -> tuple[list[int], Floats, Floats]:
    """Bots; the share of each against each; and how surely that is more than half, as a value of the normal one."""
    sums, (found, one, other) = grouped(record), met(record)
    size = len(sums.bots)
    shares, surely = np.full((size, size), 0.5), np.full((size, size), -np.inf)
    share, score = found.ahead / found.matches, found.score_against(np.full(len(found.ahead), 0.5)).round(6)
    score[found.blocks < LEAST_BLOCKS] = -np.inf
    shares[one, other], shares[other, one] = share, 1 - share
    surely[one, other], surely[other, one] = score, np.where(np.isfinite(score), -score, score)
    most = np.sort(np.argsort(-sums.blocks(), kind="stable")[:MOST_BOTS])
    return sums.bots[most].tolist(), shares[np.ix_(most, most)], surely[np.ix_(most, most)]


def circle_line(strength: float, low: float, high: float, circle: Sequence[tuple[str, float]]) -> str:
    """The same in a line: "b beats a 61:39, a beats c 63:37, c beats b 60:40: no single order fits; …".

    `circle` has what names each bot, as text or as markup, and how often it was ahead of the next.
    """
    said = f"cycle strength {strength:.2f} ({low:.2f}–{high:.2f})"
    if not circle:
        return f"pairs stray from the ratings, but no three bots surely beat each other in a circle; {said}"
    following = (*circle[1:], *circle[:1])
    beaten = [f"{one} beats {other} {_odds(share)}" for (one, share), (other, _) in zip(circle, following, strict=True)]
    return f"{', '.join(beaten)}: no single order fits; {said}"


def _odds(share: float) -> str:
    ahead = round(100 * share)
    return f"{ahead}:{100 - ahead}"

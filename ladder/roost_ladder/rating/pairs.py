"""Pairs of bots: how they did against each other, how sure that is, and whether it defies the ratings.

Defying. A pair defies the ratings if its results differ from what the fit expects by more than chance explains, at 5 %
for all pairs together: Holm's rule, so that among bots that follow the ratings at most 1 table in 20 names any pair.
"""

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from roost_games.wording import counted
from roost_ladder.rating.estimates import DOUBT
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.groups import PairSums, Record, grouped, met
from roost_ladder.rating.results import Floats

MOST_NAMED = 3
"""A line names this many pairs that defy the ratings."""


class PairRecord(NamedTuple):
    """What two bots did in the matches in which they met."""

    bot: int
    opponent: int
    matches: int
    blocks: int
    share: float
    """The share of matches in which the bot finished ahead of the opponent; a tie is half."""
    low: float
    """The lower end of the 95 % interval of the share."""
    high: float
    expected: float
    """The share that the fit expects."""
    defies: bool
    """Whether the difference is larger than chance explains, all pairs considered."""

    def turned(self) -> "PairRecord":
        """The same as the opponent sees it."""
        return self._replace(
            bot=self.opponent,
            opponent=self.bot,
            share=1 - self.share,
            low=1 - self.high,
            high=1 - self.low,
            expected=1 - self.expected,
        )


def share_of_blocks(blocks: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The mean of the scores of matches, each from 0 to 1, by block, and its 95 % interval."""
    ahead, matches = (np.array([measure(block) for block in blocks], float) for measure in (sum, len))
    sums = PairSums._make(
        np.array([total.sum()])
        for total in (np.ones(len(blocks)), matches, ahead, ahead**2, ahead * matches, matches**2)
    )
    low, high = sums.interval()
    return float(ahead.sum() / matches.sum()), float(low[0]), float(high[0])


def pairs(record: Record, fitted: Fit) -> list[PairRecord]:
    """Every pair that has met, each once, in the order of the record's bots. `fitted` is the fit of this record."""
    found, one, other = met(record)
    expected = 1 / (1 + np.exp(fitted.strengths[other] - fitted.strengths[one]))
    low, high = found.interval()
    defies = _holds(np.where(found.may_surprise(expected), np.abs(found.score_against(expected)), 0))
    bots = grouped(record).bots
    columns = (bots[one], bots[other], found.matches.astype(int), found.blocks.astype(int))
    measured = (found.ahead / found.matches, low, high, expected, defies)
    return [PairRecord._make(row) for row in zip(*(each.tolist() for each in (*columns, *measured)), strict=True)]


def defying(record: Record, fitted: Fit) -> list[PairRecord]:
    """The pairs that defy the ratings, as the bot sees it that does better than expected; most of all first."""
    found = [each if each.share > each.expected else each.turned() for each in pairs(record, fitted) if each.defies]
    return sorted(found, key=lambda each: each.expected - each.share)


def defying_line(found: Sequence[PairRecord], names: Mapping[int, str]) -> str:
    """Those that defy the ratings most, in a line; empty if there are none. `names` are text or markup."""
    said = [
        f"{names[each.bot]} defies the ladder against {names[each.opponent]}: "
        f"ahead in {100 * each.share:.0f} % instead of {100 * each.expected:.0f} %"
        for each in found[:MOST_NAMED]
    ]
    more = len(found) - len(said)
    return "; ".join([*said, *([f"and {counted(more, 'more pair')}"] if more else [])])


def _holds(scores: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Holm's rule: the clearest has to hold at 5 % / n, the next at 5 % / (n - 1), to the first that does not."""
    bounds = np.array([NormalDist().inv_cdf(1 - DOUBT / 2 / left) for left in range(len(scores), 0, -1)])
    clearest_first = np.argsort(-scores, kind="stable")
    held = np.logical_and.accumulate(scores[clearest_first] > bounds)
    holds = np.zeros(len(scores), bool)
    holds[clearest_first] = held
    return holds

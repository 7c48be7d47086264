"""Which ranking decides a competition, and what breaks its ties: the seeding of finals and all places follow from it.

It follows from the record alone, so that anybody can work it out: docs/formats/export.md says how.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.fit import LATEST, Fit, Method, fit, weight
from roost_ladder.rating.results import Indices, ResultSums
from roost_ladder.rating.standings import TIED, Standing, standings_of
from roost_ladder.schedules.schedule import Past
from roost_server.competition.unbeaten import unbeaten_margins

PARTS = 1 << 30
"""Margins are counted in parts of this size of a match, as whole numbers."""


class Criterion(StrEnum):
    """What may put a bot ahead of another one; the more the better."""

    RATING = "rating"
    """Its strength against the field."""
    CLONE_PROOF = "clone-proof"
    """Its score against the mix of bots that nothing beats."""
    SCORE = "score"
    """The share of its opponents that it finished ahead of, a tie as half."""
    WORST_PAIR = "worst-pair"
    """The lowest of its shares against single opponents."""


class RankingName(StrEnum):
    """The rankings that a host can choose from."""

    FIELD = "field"
    CLONE_PROOF = "clone-proof"


FIRST = {RankingName.FIELD: Criterion.RATING, RankingName.CLONE_PROOF: Criterion.CLONE_PROOF}
USUAL_TIES = {RankingName.FIELD: Criterion.SCORE, RankingName.CLONE_PROOF: Criterion.WORST_PAIR}
"""What breaks ties unless the file says otherwise."""


class Measures(NamedTuple):
    """What a bot has."""

    of: Mapping[Criterion, float]
    low: float
    """The lower end of the 95 % interval of its rating."""
    high: float


class _Sums(NamedTuple):
    """The sums that the measures of all bots follow from."""

    record: ResultSums
    fitted: Fit
    standings: Sequence[Standing]
    past: Past


def measured(past: Past, order: Sequence[Criterion], method: Method = LATEST) -> dict[int, Measures]:
    """By bot: its rating, its score, and whatever else is in this order. The past is recorded."""
    if not past.ended:
        return {}
    record = past.record()
    fitted = fit(record, method=method)
    sums = _Sums(record, fitted, standings_of(record, fitted), past)
    by_criterion = {each: MEASURES[each](sums) for each in (Criterion.RATING, Criterion.SCORE, *order)}
    return {
        row.bot: Measures({each: has[row.bot] for each, has in by_criterion.items()}, row.low, row.high)
        for row in sums.standings
    }


def ranked(bots: Mapping[int, Measures], order: Sequence[Criterion]) -> list[int]:
    """These bots, the best first; those that no criterion tells apart by rising number."""
    return sorted(bots, key=lambda bot: (*sort_key(bots[bot], order), bot))


def sort_key(measures: Measures, order: Sequence[Criterion]) -> tuple[float, ...]:
    """What to sort by. What agrees to six decimals is equal, so that rounding decides nothing."""
    of = measures.of
    return tuple(-of[each] if each is Criterion.SCORE else -round(of[each], TIED) for each in order)


def _ratings(sums: _Sums) -> dict[int, float]:
    return {each.bot: each.rating for each in sums.standings}


def _scores(sums: _Sums) -> dict[int, float]:
    return {bot: sums.past.score(bot) for bot in sums.record.bots.tolist()}


def _clone_proof(sums: _Sums) -> dict[int, float]:
    margins = unbeaten_margins(_margins(sums))
    return _shares(sums, [float(each) for each in margins])


def _worst_pairs(sums: _Sums) -> dict[int, float]:
    """The diagonal is no opponent. A bot has some, because it has played."""
    margins = _margins(sums)
    np.fill_diagonal(margins, PARTS)
    return _shares(sums, margins.min(axis=1).tolist())


def _shares(sums: _Sums, margins: Sequence[float]) -> dict[int, float]:
    shares = [0.5 + each / (2 * PARTS) for each in margins]
    return dict(zip(sums.record.bots.tolist(), shares, strict=True))


def _margins(sums: _Sums) -> Indices:
    """By bot and bot: by how much the first is ahead in a match, in whole parts.

    Their matches count by weight, together with one more in which they did what the strengths say.
    """
    ahead, strengths = sums.record.ahead(weight), sums.fitted.strengths
    expected = np.tanh((strengths[:, None] - strengths) / 2)
    margins: Indices = np.rint(PARTS * (ahead - ahead.T + expected) / (ahead + ahead.T + 1)).astype(np.intp)
    return margins


MEASURES = {
    Criterion.RATING: _ratings,
    Criterion.SCORE: _scores,
    Criterion.CLONE_PROOF: _clone_proof,
    Criterion.WORST_PAIR: _worst_pairs,
}

"""OpenSkill, for those who want it: the ratings of the `openskill` package on our scale.

It is its Plackett-Luce model with its own parameters, updated match by match. A rating has a mean and a deviation. The
model's odds at a table of two, between bots whose ratings are known well, are exp(difference of means / (beta √2)):
this gives the factor to the Elo scale. At larger tables it expects more luck, so there the same results set bots
further apart. Its deviations take every match for independent, so intervals are too narrow where the matches of a deal
have luck in common.
"""

from collections.abc import Iterable
from math import sqrt

import numpy as np

from roost_games.errors import UsageError
from roost_ladder.rating.elo import ALL_KNOWN
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.results import MatchResult, Record


def rate_by_openskill(record: Record, results: Iterable[MatchResult]) -> Fit:
    """The rater `openskill`. Raises `UsageError` if the package is not installed."""
    try:
        from openskill.models import PlackettLuce
    except ModuleNotFoundError:
        raise UsageError("the rating openskill needs a package that is not installed: pip install openskill") from None
    model = PlackettLuce()
    ratings = {bot: model.rating() for bot in record.bots.tolist()}
    for result in results:
        rated = model.rate([[ratings[bot]] for bot in result.bots], ranks=list(map(float, result.places)))
        ratings.update((bot, team[0]) for bot, team in zip(result.bots, rated, strict=True))
    unit = sqrt(2) * model.beta
    return Fit(
        np.array([(rating.mu - model.mu) / unit for rating in ratings.values()]),
        np.diag([(rating.sigma / unit) ** 2 for rating in ratings.values()]),
        np.full(len(ratings), ALL_KNOWN),
    )

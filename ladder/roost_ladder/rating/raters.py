"""Ways to rate, by name, all behind one interface: results in, strengths and how sure they are out."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from roost_games.errors import UsageError
from roost_ladder.rating.elo import rate_by_elo
from roost_ladder.rating.fit import Fit, fit
from roost_ladder.rating.open_skill import rate_by_openskill
from roost_ladder.rating.results import MatchResult, Record


class Rater(Protocol):
    """A way to rate."""

    def __call__(self, record: Record, results: Sequence[MatchResult]) -> Fit:
        """How strong the bots of `record` are, in its order.

        `results` are the matches of the record in the order in which they were played. There is at least one.
        """


def rate_by_fit(record: Record, results: Sequence[MatchResult]) -> Fit:
    """The rater `fit`, for which the order does not matter."""
    return fit(record)


RATERS: Mapping[str, Rater] = {"fit": rate_by_fit, "elo": rate_by_elo, "openskill": rate_by_openskill}


def find_rater(name: str) -> Rater:
    """The rater of this name. Raises `UsageError` if there is none."""
    if name not in RATERS:
        raise UsageError(f"there is no rating {name!r}; the ratings are: {', '.join(RATERS)}")
    return RATERS[name]

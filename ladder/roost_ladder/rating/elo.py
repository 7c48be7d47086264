"""The Elo scale, and classic Elo, updated match by match: for the live curve, and because people know it.

Every bot starts at 1500. After a match, a bot's rating rises by

    K / (n - 1) * (sum over its n - 1 opponents of: result - expected result)

where a result is 1 ahead, 1/2 in a tie and 0 behind, and the expected result is 1 / (1 + 10 ** ((theirs - own) / 400)),
with the ratings from before the match. So no match moves a bot by more than K, and what one wins the others lose.

Elo forgets: a match counts for less the longer ago it was, and the order of matches matters. It never settles either.
The fit knows more from the same matches; docs/why/ratings.md compares them.
"""

from collections.abc import Sequence
from itertools import combinations
from math import log, sqrt

from roost_ladder.rating.results import MatchResult

MEAN_RATING = 1500.0
ELO = 400 / log(10)
"""The Elo scale: points for a factor of e in the odds, so that 400 points are a factor of ten."""
K = 20.0
"""The most that a match can move a rating. FIDE has the same number for most players."""
START_DEVIATION = 350.0
"""The standard deviation of the rating of a bot that has not played. Glicko has the same number."""


def changes(ratings: Sequence[float], places: Sequence[int], k: float = K) -> list[float]:
    """By seat: how a match changes the ratings."""
    changed = [0.0] * len(ratings)
    for one, other in combinations(range(len(ratings)), 2):
        expected = 1 / (1 + 10 ** ((ratings[other] - ratings[one]) / 400))
        surprise = k / (len(ratings) - 1) * (_result(places[one], places[other]) - expected)
        changed[one] += surprise
        changed[other] -= surprise
    return changed


def _result(place: int, other: int) -> float:
    return 0.5 if place == other else float(place < other)


class Elo:
    """Ratings that follow the matches they are told of."""

    def __init__(self, k: float = K) -> None:
        self.k = k
        self._ratings: dict[int, float] = {}
        self._variances: dict[int, float] = {}

    def add(self, result: MatchResult) -> None:
        """A match has ended."""
        before = [self.rating(bot) for bot in result.bots]
        for bot, own, change in zip(result.bots, before, changes(before, result.places, self.k), strict=True):
            self._ratings[bot] = own + change
            self._variances[bot] = self._next_variance(bot, len(result.bots))

    def rating(self, bot: int) -> float:
        """The rating of a bot. One that has not played has 1500."""
        return self._ratings.get(bot, MEAN_RATING)

    def ratings(self) -> dict[int, float]:
        """The ratings of all that have played, as they are now."""
        return dict(self._ratings)

    def deviation(self, bot: int) -> float:
        """Roughly, the standard error of a rating. See `_next_variance`."""
        return sqrt(self._variances.get(bot, START_DEVIATION**2))

    def _next_variance(self, bot: int, players: int) -> float:
        """Among bots of equal strength, with opponents whose ratings are right and matches that are independent.

        A rating that is off by x is expected to be off by x (1 - K / 4 / 173.7) after the match, since the expected
        result moves with it; and the share of opponents that a bot beats has the variance (n + 1) / 12 (n - 1).
        """
        kept = 1 - self.k / (4 * ELO)
        luck = self.k**2 * (players + 1) / (12 * (players - 1))
        return kept**2 * self._variances.get(bot, START_DEVIATION**2) + luck

"""What happened, counted: by bot, seat, table size and game, and who finished ahead of whom."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np

from roost_ladder.rating.elo import Elo
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import Floats, MatchResult, Numbers, ResultSums

Group = TypeVar("Group", bound=Hashable)


class SeatKey(NamedTuple):
    """Who sat where, at what kind of table."""

    game: str
    players: int
    seat: int
    """From 0."""
    bot: int


@dataclass(slots=True)
class Totals:
    """The results of some seats, added up."""

    places: Counter[int] = field(default_factory=Counter)
    """How often each place was taken."""
    scores: Counter[int] = field(default_factory=Counter)
    """How often each number of points was made. Points of different games do not compare."""
    faults: int = 0
    forfeits: int = 0
    decisions: int = 0
    thinking_ms: float = 0.0

    @property
    def matches(self) -> int:
        """How many matches these were, each seat counted."""
        return self.places.total()

    @property
    def wins(self) -> int:
        """First places, shared ones too."""
        return self.places[1]

    @property
    def mean_place(self) -> float:
        """1 is the best."""
        return _mean(self.places)

    @property
    def mean_score(self) -> float:
        """Points in a match."""
        return _mean(self.scores)

    @property
    def ms_per_decision(self) -> float:
        """How long a decision took, on average; 0 if there was none."""
        return self.thinking_ms / self.decisions if self.decisions else 0.0

    def score_quantile(self, share: float) -> int:
        """The least number of points that at least this share of the seats did not exceed."""
        scores = sorted(self.scores)
        seats = accumulate(self.scores[score] for score in scores)
        return next(score for score, so_far in zip(scores, seats, strict=True) if so_far >= share * self.matches)

    def add(self, other: "Totals") -> None:
        """Add the results of other seats."""
        self.places.update(other.places)
        self.scores.update(other.scores)
        self.faults += other.faults
        self.forfeits += other.forfeits
        self.decisions += other.decisions
        self.thinking_ms += other.thinking_ms


def _mean(counts: Counter[int]) -> float:
    return sum(value * times for value, times in counts.items()) / counts.total()


class Statistics:
    """Totals by game, table size, seat and bot, from which all coarser ones follow."""

    def __init__(self, facts: Iterable[MatchFacts] = ()) -> None:
        self._totals: defaultdict[SeatKey, Totals] = defaultdict(Totals)
        for each in facts:
            self.add(each)

    def add(self, match: MatchFacts) -> None:
        """Count one more match."""
        for seat, bot in enumerate(match.bots):
            totals = self._totals[SeatKey(match.game, match.players, seat, bot)]
            totals.places[match.places[seat]] += 1
            totals.scores[match.scores[seat]] += 1
            totals.faults += match.faults[seat]
            totals.forfeits += match.forfeited[seat]
            totals.decisions += match.decisions[seat]
            totals.thinking_ms += match.thinking_ms[seat]

    def by(self, group: Callable[[SeatKey], Group]) -> dict[Group, Totals]:
        """The totals of each group of seats: `by(lambda seat: (seat.bot, seat.game))`. Only groups that have played."""
        found: defaultdict[Group, Totals] = defaultdict(Totals)
        for seat, totals in self._totals.items():
            found[group(seat)].add(totals)
        return dict(found)

    def games(self) -> list[str]:
        """The games that were played, sorted."""
        return sorted({seat.game for seat in self._totals})

    def sizes(self) -> list[int]:
        """The table sizes that were played, ascending."""
        return sorted({seat.players for seat in self._totals})


class HeadToHead(NamedTuple):
    """Who finished ahead of whom, at tables of any size."""

    bots: Numbers
    met: Floats
    """By bot and bot, in this order: how many matches they played at one table."""
    ahead: Floats
    """By bot and bot: how many of these the first finished ahead in; a tie is half."""

    def share(self, row: int, column: int) -> float | None:
        """The share of matches in which the first finished ahead; `None` if they have not met."""
        return float(self.ahead[row, column] / self.met[row, column]) if self.met[row, column] else None

    def arranged(self, bots: Sequence[int]) -> "HeadToHead":
        """The same for these bots, in this order."""
        rows = np.searchsorted(self.bots, bots)
        return HeadToHead(self.bots[rows], self.met[np.ix_(rows, rows)], self.ahead[np.ix_(rows, rows)])


def head_to_head(record: ResultSums) -> HeadToHead:
    """Who finished ahead of whom, in the order of the record."""
    ahead = record.ahead(lambda tables: 1)
    return HeadToHead(record.bots, ahead + ahead.T, ahead)


class Curves(NamedTuple):
    """Ratings over time."""

    after: tuple[int, ...]
    """The numbers of matches after which ratings are given; the last is all of them."""
    ratings: dict[int, tuple[float | None, ...]]
    """By bot, for each of these: its rating, or `None` as long as it has not played."""


def elo_curves(results: Sequence[MatchResult], points: int = 120) -> Curves:
    """Classic Elo as it went from match to match, at no more than `points` moments, evenly spread."""
    after = tuple(sorted({round(len(results) * (point + 1) / points) for point in range(points)} - {0}))
    seen = list(_elo_at(results, set(after)))
    bots = sorted(seen[-1]) if seen else []
    return Curves(after, {bot: tuple(ratings.get(bot) for ratings in seen) for bot in bots})


def _elo_at(results: Sequence[MatchResult], moments: set[int]) -> Iterator[dict[int, float]]:
    elo = Elo()
    for number, result in enumerate(results, 1):
        elo.add(result)
        if number in moments:
            yield elo.ratings()

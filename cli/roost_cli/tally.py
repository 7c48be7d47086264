"""Adds up results: how each seat fared over the matches of a run."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from roost_games.replay import Result
from roost_ladder.rating.estimates import Estimate, mean_of, share_of


class SeatSummary(NamedTuple):
    """How one seat fared over a run."""

    seat: int
    bot: str
    win_share: Estimate
    """Shared first places count in part."""
    place: Estimate
    score: Estimate
    faults: Counter[str]
    """How often, by kind."""
    forfeits: int


@dataclass(slots=True)
class Tally:
    """The results of a run so far."""

    bots: list[str]
    results: list[Result] = field(default_factory=list)

    def summary(self) -> list[SeatSummary]:
        """A row for each seat. There must be a result."""
        return [self._seat(seat) for seat in range(len(self.bots))]

    def _seat(self, seat: int) -> SeatSummary:
        won = sum(1 / result.places.count(1) for result in self.results if result.places[seat] == 1)
        faults = [fault.kind.value for result in self.results for fault in result.faults if fault.seat == seat]
        return SeatSummary(
            seat,
            self.bots[seat],
            share_of(won, len(self.results)),
            mean_of([result.places[seat] for result in self.results]),
            mean_of([result.scores[seat] for result in self.results]),
            Counter(faults),
            sum(seat in result.forfeits for result in self.results),
        )

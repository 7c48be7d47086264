"""What is known about a finished match without opening its replay: all that tables and statistics are made of."""

from typing import NamedTuple

from roost_games.replay import Replay
from roost_ladder.rating.results import MatchResult


class MatchFacts(NamedTuple):
    """A finished match that counts. Tuples are by seat.

    A voided match, or a match of a voided block, has no facts: it says nothing about any bot.
    """

    block_id: str
    """Matches with the same deal and the same group of bots have the same block."""
    game: str
    bots: tuple[int, ...]
    """Any numbers that identify the bots."""
    places: tuple[int, ...]
    """1 is the best, ties share a place."""
    scores: tuple[int, ...]
    """The game's points."""
    faults: tuple[int, ...]
    """How many answers were late, malformed or not allowed."""
    forfeited: tuple[bool, ...]
    decisions: tuple[int, ...]
    """Those that the bot made itself."""
    thinking_ms: tuple[float, ...]
    """How long it took for these."""

    @property
    def players(self) -> int:
        """How many played."""
        return len(self.bots)

    def score_of(self, bot: int) -> float:
        """The share of its opponents that a bot finished ahead of, a tie as half."""
        place = self.places[self.bots.index(bot)]
        ahead = sum((other > place) + (other >= place) for other in self.places) - 1
        return ahead / (2 * len(self.bots) - 2)

    def result(self) -> MatchResult:
        """What ratings need to know of it."""
        return MatchResult(self.block_id, self.game, self.bots, self.places, any(self.forfeited))


def facts_of(replay: Replay, block_id: str, bots: tuple[int, ...]) -> MatchFacts:
    """The facts of a match that was not voided, from its replay. `bots` are the numbers of the bots by seat."""
    result, seats = replay.result, range(len(bots))
    times: list[list[float]] = [[] for _ in seats]
    for seat, ms in replay.own_times():
        times[seat].append(ms)
    return MatchFacts(
        block_id,
        replay.game,
        bots,
        result.places,
        result.scores,
        faults=tuple(sum(fault.seat == seat for fault in result.faults) for seat in seats),
        forfeited=tuple(seat in result.forfeits for seat in seats),
        decisions=tuple(map(len, times)),
        thinking_ms=tuple(sum(of_seat, 0.0) for of_seat in times),
    )

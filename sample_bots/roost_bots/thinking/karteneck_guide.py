"""The guide of a search in Karteneck.

It looks ahead to the end of the round. What counts there are a seat's worms, and its hand for the rounds to come.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from roost_bots.thinking.search import AnyState, Guide, rewards_by_lead
from roost_games.karteneck import PASS, PASS_AND_STEAL, KarteneckState, Lay, Move, View
from roost_games.karteneck.legal import NUMBER_LAYS, WORM_BIT
from roost_games.karteneck.sheet import WORM_VALUE
from roost_games.registry import AnyGame

ENOUGH = 25
WELL_AHEAD = 6
"""With this many points, and this many more than any other seat, it is time to leave."""
NUMBER_WORTH = (0.0, 0.0, 0.05, 0.1, 0.15)
WORM_WORTH = 0.3
"""The worth of a number card in the hand, by its number, and of a worm card, in worms."""
SURE_LEAD = 1.0
GOOD_LEAD = 6.0
"""What `rewards_by_lead` is told at the end of a match, and before."""


class Lays(NamedTuple):
    """What a seat can lay."""

    best: Move | None
    """The lay to make next: most of the worms, else the number with the most points."""
    reach: int
    """The total with everything laid that can be laid."""


class KarteneckGuide(Guide):
    """Knows when to leave, and what to keep."""

    def imagine(self, game: AnyGame, view: View, rng: Random) -> AnyState:
        """Ignore what was in the discard pile when it was shuffled: it tells little about the hands, and takes long."""
        return game.determinise(view._replace(trace=(), drawn=()), rng)

    def begin(self, state: KarteneckState, seat: int) -> int:
        return state.round

    def is_far(self, state: KarteneckState, start: int) -> bool:
        return state.round > start

    def candidates(self, state: KarteneckState, seat: int, start: int) -> Sequence[Move]:
        """All cards of a kind, or one, or the number that makes a theft possible."""
        total = state.totals[seat]
        wanted = {top - total for top in state.tops}
        leave = [PASS_AND_STEAL, PASS] if can_steal(state, seat) else [PASS]
        return [*leave, *_number_lays(state, seat, wanted), *_worm_lays(state, seat, wanted)]

    def quick_move(self, state: KarteneckState, seat: int, start: int, rng: Random) -> Move:
        if can_steal(state, seat):
            return PASS_AND_STEAL
        grill = state.grill
        best, reach = _lays(state, seat)
        valid = state.laid[seat] & WORM_BIT or state.worms[seat]
        if best is None or not valid or grill[-1].worms == grill[0].worms:
            return PASS
        return PASS if self._is_done(state, seat, reach) else best

    def _is_done(self, state: KarteneckState, seat: int, reach: int) -> bool:
        """Whether a seat that could go on has won what it can win."""
        rival, waiting = 0, False
        for other, status in enumerate(state.status):
            if other != seat and status != "invalid":
                rival = max(rival, state.totals[other])
                waiting |= status == "in"
        ahead = state.totals[seat] - rival if state.laid[seat] & WORM_BIT else 0
        if waiting:
            return ahead >= WELL_AHEAD and state.totals[seat] >= ENOUGH
        return ahead > 0 or reach <= rival

    def rewards(self, state: KarteneckState, start: int) -> list[float]:
        worth = [float(sum([portion.worms for portion in stack])) for stack in state.stacks]
        if not state.termination:
            for seat, numbers in enumerate(state.numbers):
                worth[seat] += WORM_WORTH * state.worms[seat].bit_count()
                worth[seat] += sum([held * each for held, each in zip(numbers, NUMBER_WORTH, strict=True)])
        return rewards_by_lead(worth, SURE_LEAD if state.termination else GOOD_LEAD)


def can_steal(state: KarteneckState, seat: int) -> bool:
    """Whether `seat` can leave with the top portion of another."""
    total = state.totals[seat]
    return state.laid[seat] & WORM_BIT != 0 and total in state.tops and state.tops[seat] != total


def _number_lays(state: KarteneckState, seat: int, wanted: set[int]) -> Iterator[Move]:
    laid = state.laid[seat]
    for kind, held in enumerate(state.numbers[seat]):
        if held and not laid >> kind & 1:
            for size, lay in enumerate(NUMBER_LAYS[kind][held], 1):
                if size in (1, held) or size * (kind + 1) in wanted:
                    yield lay


def _worm_lays(state: KarteneckState, seat: int, wanted: set[int]) -> Iterator[Move]:
    """The highest signposts go first, since they break ties."""
    worms = state.worms[seat]
    if worms and not state.laid[seat] & WORM_BIT:
        cards = state.sheet.worm_cards(worms)
        for size in range(1, len(cards) + 1):
            if size < 3 or size > len(cards) - 2 or size * WORM_VALUE in wanted:
                yield Lay(cards[-size:])


def _lays(state: KarteneckState, seat: int) -> Lays:
    best: Move | None = None
    most, reach, laid = 0, state.totals[seat], state.laid[seat]
    for kind, held in enumerate(state.numbers[seat]):
        if held and not laid >> kind & 1:
            points = held * (kind + 1)
            reach += points
            if points > most:
                best, most = NUMBER_LAYS[kind][held][-1], points
    if state.worms[seat] and not laid & WORM_BIT:
        cards = state.sheet.worm_cards(state.worms[seat])
        best = Lay(cards[1:] if len(cards) > 2 else cards)
        reach += WORM_VALUE * len(cards)
    return Lays(best, reach)

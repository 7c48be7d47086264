"""The bot that calculates: in Bratwurmeck it knows the best turn, and what it is worth, to the last digit.

A total is worth the worms of the tile that it takes; a stolen tile counts twice, since it is gained here and lost
there. Failing costs the worms on its own top tile. With these payoffs, `dice_turn` finds the best way through the turn
and weighs what can be won against what is risked in every roll.

It does not look beyond the turn. The other games hide too much for an exact answer: there it plays as `careful` does.
"""

from collections.abc import Sequence

from roost_bots.careful import CarefulBot
from roost_bots.thinking.dice_turn import MOST_POINTS, Turn
from roost_games.bratwurmeck import Take, View

STEAL_WORTH = 2
"""A stolen tile counts this many times its worms."""


class ExactBot(CarefulBot):
    """Plays the turn with the most worms on average."""

    _solved: tuple[int, Turn] | None = None
    """The number of the turn that was solved last, and its solution."""

    def bratwurmeck(self, view: View, legal: Sequence[Take]) -> Take:
        if len(legal) == 1:
            return legal[0]
        if self._solved is None or self._solved[0] != view.turn:
            self._solved = (view.turn, self.turn(view))
        return self._solved[1].best(view, legal)

    def turn(self, view: View) -> Turn:
        """This seat's turn, with what each way to end it is worth."""
        own = view.stacks[self.seat]
        failure = float(-own[-1].worms if own else 0)
        grill = [failure] * (MOST_POINTS + 1)
        for tile in view.grill:
            grill[tile.value :] = [float(tile.worms)] * (MOST_POINTS + 1 - tile.value)
        tops = [stack[-1] for seat, stack in enumerate(view.stacks) if stack and seat != self.seat]
        return Turn(grill, {top.value: float(STEAL_WORTH * top.worms) for top in tops}, failure)

"""Step 1: leave at once when all portions are worth the same. There is nothing to win, and cards are for later."""

from collections.abc import Sequence

from roost_bots.starters.karteneck import MyBot
from roost_games.karteneck import PASS, PASS_AND_STEAL, Move, View


class Step1(MyBot):
    """Fights only where there is something to win."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        if stake(view) == 0 and PASS_AND_STEAL not in legal:
            return PASS
        return super().karteneck(view, legal)


def stake(view: View) -> int:
    """How many worms the best portion of the round has more than the worst."""
    return view.grill[-1].worms - view.grill[0].worms

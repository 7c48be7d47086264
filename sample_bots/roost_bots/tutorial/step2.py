"""Step 2: a total that equals the top portion of another steals it, so lay the cards that lead there."""

from collections.abc import Sequence

from roost_bots.starters.karteneck import points
from roost_bots.tutorial.step1 import Step1
from roost_games.karteneck import PASS_AND_STEAL, Lay, Move, View


class Step2(Step1):
    """Steals, and prepares thefts."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        if PASS_AND_STEAL in legal:
            return PASS_AND_STEAL
        leading_to_thefts = thefts(view, legal)
        return leading_to_thefts[0] if leading_to_thefts else super().karteneck(view, legal)


def thefts(view: View, legal: Sequence[Move]) -> list[Lay]:
    """The lays after which a theft is possible: the total fits, and there is a worm in the display."""
    tops = [stack[-1].value for seat, stack in enumerate(view.stacks) if stack and seat != view.seat]
    has_worm = any(card.is_worm for card in view.display)
    lays = (move for move in legal if isinstance(move, Lay))
    return [lay for lay in lays if view.total + points(lay) in tops and (has_worm or lay.cards[0].is_worm)]

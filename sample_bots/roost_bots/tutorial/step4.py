"""Step 4: a card that is laid alone is replaced. So wait with small ones, and keep the good ones for the end."""

from collections.abc import Sequence

from roost_bots.tutorial.step2 import thefts
from roost_bots.tutorial.step3 import Step3
from roost_games.karteneck import Card, Lay, Move, View

SMALL = "123"
"""What is laid to wait. Try others."""


class Step4(Step3):
    """Lets the others go first."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        move = super().karteneck(view, legal)
        if not isinstance(move, Lay) or move in thefts(view, legal) or not others_in(view):
            return move
        small = [card for card in view.hand if card.kind in SMALL and is_single(view, card)]
        free = [Lay((card,)) for card in sorted(small) if Lay((card,)) in legal]
        return free[0] if free else move


def others_in(view: View) -> bool:
    """Whether another seat is still in the round."""
    return any(status == "in" for seat, status in enumerate(view.status) if seat != view.seat)


def is_single(view: View, card: Card) -> bool:
    """Whether the hand has one card of this kind."""
    return sum(held.kind == card.kind for held in view.hand) == 1

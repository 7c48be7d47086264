"""MyBot: a bot for Heckmeck am Karteneck. The rules: roost rules karteneck

The idea so far: lay the worms first, because without one the round is lost. Then collect points until there are enough,
and leave. What could be better: look at the others (view.totals), and at what is still to come.
"""

from collections.abc import Sequence

from roost_games.karteneck import PASS, PASS_AND_STEAL, Lay, Move, View
from roost_sdk import Bot

ENOUGH = 24
"""The total with which it leaves the round. Try other numbers."""


class MyBot(Bot):
    """Plays one match. There is a new instance for each, so what you keep in `self` belongs to that match."""

    def karteneck(self, view: View, legal: Sequence[Move]) -> Move:
        """Called for each decision: `view` is all that your seat knows, `legal` is all that you may do."""
        # Stealing costs nothing and hurts another player.
        if PASS_AND_STEAL in legal:
            return PASS_AND_STEAL

        # view.display are the cards in front of you, view.total their points, view.hand your cards.
        has_worm = any(card.is_worm for card in view.display)
        lays = [move for move in legal if isinstance(move, Lay)]
        if not lays or (has_worm and view.total >= ENOUGH):
            return PASS

        # A lay is one or more cards of one kind. Prefer worms, then what adds most.
        return max(lays, key=lambda lay: (lay.cards[0].is_worm, points(lay)))


def points(lay: Lay) -> int:
    """What a lay adds to the total; a worm counts 5."""
    return sum(card.value for card in lay.cards)

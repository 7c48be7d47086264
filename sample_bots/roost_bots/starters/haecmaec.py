"""MyBot: a bot for Häc Mäc. The rules: roost rules haecmaec

The idea so far: never lay a third card of a kind, accuse everyone who does, and close a burger that is worth it. What
could be better: save the doubling top for a large burger, use flies, and slap.
"""

from collections.abc import Sequence

from roost_games.haecmaec import FLY, Close, Move, Play, React, View
from roost_sdk import Bot

WORTH_CLOSING = 7
"""The points from which it takes a burger. Try other numbers."""


class MyBot(Bot):
    """Plays one match. There is a new instance for each, so what you keep in `self` belongs to that match."""

    def haecmaec(self, view: View, legal: Sequence[Move]) -> Move:
        """Called for each decision: `view` is all that your seat knows, `legal` is all that you may do."""
        # Another player has laid a card: is it a third of its kind? With slapping, also: do you want the burger?
        if view.phase == "react":
            return self.react(view, legal)

        closes = [move for move in legal if isinstance(move, Close)]
        if closes and sum(card.value for card in view.burger) >= WORTH_CLOSING:
            return closes[0]

        # Lay the highest ingredient that is not a third of its kind. view.burger is the burger in the middle.
        plays = [move for move in legal if isinstance(move, Play) and move.card != FLY]
        return max(plays, key=lambda play: (not view.is_third(play.card), play.card.value))

    def react(self, view: View, legal: Sequence[Move]) -> Move:
        """Accuse if the latest card is the third of its kind or a later one. Never slap."""
        kinds = [card.kind for card in view.burger]
        third = kinds.count(kinds[-1]) > 2
        calm = [move for move in legal if isinstance(move, React) and move.slap in (None, "no")]
        return next(move for move in calm if bool(move.suspect) == third)

"""The bot that is content with little: it takes the first thing that is sure, however small.

- Karteneck: it leaves the round as soon as it has a worm and ten points.
- Bratwurmeck: it stops at the first total that takes a tile.
- Häc Mäc: it closes every burger as soon as it may, lays no third card of a kind, and accuses no one.

Not failing is worth something, and `random` fails often. With dice it is even a good plan. With cards it is not: the
highest total and the largest burgers go to those who wait.
"""

from collections.abc import Sequence

from roost_bots.thinking.reading import ingredients, points_of, tile_won
from roost_games import bratwurmeck as dice
from roost_games import haecmaec as burgers
from roost_games import karteneck as cards
from roost_sdk import Bot

ENOUGH = 10
"""With this many points and a worm it leaves a round of Karteneck."""


class TimidBot(Bot):
    """Takes the first thing that is sure."""

    def karteneck(self, view: cards.View, legal: Sequence[cards.Move]) -> cards.Move:
        lays = [move for move in legal if isinstance(move, cards.Lay)]
        valid = any(card.is_worm for card in view.display)
        if lays and not (valid and view.total >= ENOUGH):
            return max(lays, key=lambda move: (move.cards[0].is_worm, len(move.cards)))
        return cards.PASS_AND_STEAL if cards.PASS_AND_STEAL in legal else cards.PASS

    def bratwurmeck(self, view: dice.View, legal: Sequence[dice.Take]) -> dice.Take:
        sure = [move for move in legal if tile_won(view, move)]
        rolls = [move for move in legal if move.then == "roll"]
        # Worms first, since without one no total takes a tile.
        return max(sure or rolls or legal, key=lambda move: (move.face == "W", points_of(view, move.face)))

    def haecmaec(self, view: burgers.View, legal: Sequence[burgers.Move]) -> burgers.Move:
        if view.phase == "react":
            return legal[0]  # the first one listed does nothing
        closes = [move for move in legal if isinstance(move, burgers.Close)]
        if closes:
            return closes[0]
        return min(ingredients(legal), key=lambda move: (view.is_third(move.card), move.card.value))

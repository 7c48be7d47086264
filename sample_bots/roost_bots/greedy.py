"""The bot that wants the most, and wants it now.

- Karteneck: it lays its worms, then what adds most to its total, and leaves with 25 points.
- Bratwurmeck: it sets aside the face with the most points, and rolls on until it has 25.
- Häc Mäc: it lays its highest card, closes every burger that brings 6 points, its doubling top first, and calls every
  bluff.

It looks only at its own points: not at the others, and not at what may go wrong.
"""

from collections.abc import Sequence

from roost_bots.thinking.reading import ingredients, points_of, reaction, tile_won
from roost_games import bratwurmeck as dice
from roost_games import haecmaec as burgers
from roost_games import karteneck as cards
from roost_sdk import Bot

ENOUGH = 25
"""With this total it stops, if that is worth anything."""
WORTH_CLOSING = 6
"""The least points that a burger must bring."""


class GreedyBot(Bot):
    """Wants the most points at once."""

    def karteneck(self, view: cards.View, legal: Sequence[cards.Move]) -> cards.Move:
        lays = [move for move in legal if isinstance(move, cards.Lay)]
        valid = any(card.is_worm for card in view.display)
        if lays and not (valid and view.total >= ENOUGH):
            return max(lays, key=lambda move: (move.cards[0].is_worm, sum(card.value for card in move.cards)))
        return cards.PASS_AND_STEAL if cards.PASS_AND_STEAL in legal else cards.PASS

    def bratwurmeck(self, view: dice.View, legal: Sequence[dice.Take]) -> dice.Take:
        good = [move for move in legal if tile_won(view, move)]
        enough = [move for move in good if view.total + points_of(view, move.face) >= ENOUGH]
        rolls = [move for move in legal if move.then == "roll"]
        return max(enough or rolls or good or legal, key=lambda move: points_of(view, move.face))

    def haecmaec(self, view: burgers.View, legal: Sequence[burgers.Move]) -> burgers.Move:
        if view.phase == "react":
            return reaction(view, legal)
        points = sum(card.value for card in view.burger)
        closes = [move for move in legal if isinstance(move, burgers.Close)]
        good = [move for move in closes if points * (2 if move.top == "double" else 1) >= WORTH_CLOSING]
        if good:
            return max(good, key=lambda move: (move.top == "double", move.card.value if move.card else 0))
        return max(ingredients(legal), key=lambda move: (not view.is_third(move.card), move.card.value))

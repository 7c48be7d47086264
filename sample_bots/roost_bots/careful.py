"""The bot that looks around before it acts: at the others, at the risk, and at what will be needed later.

- Karteneck: only the order of totals counts. It leaves with 25 points, but not before it is well ahead of everybody.
- Bratwurmeck: few dice with many points are better than many dice with few, because dice that are left can be rolled.
  It stops when the risk of the next roll, times what would be lost, gets too high.
- Häc Mäc: tops are few, so it saves them for large burgers. It calls every bluff.
"""

from collections.abc import Sequence

from roost_bots.reading import ingredients, points_of, reaction, tile_won
from roost_games import bratwurmeck as dice
from roost_games import haecmaec as burgers
from roost_games import karteneck as cards
from roost_sdk import Bot

ENOUGH = 25
WELL_AHEAD = 8
DIE_WORTH = 2
"""How many points a die that is left to roll is worth."""
FIRST_WORM_WORTH = 3
"""How many points it is worth to have a worm."""
MOST_RISKED = 0.3
"""So many worms it is ready to lose on average with one roll."""
WORTH_CLOSING = 10
WORTH_DOUBLING = 14


class CarefulBot(Bot):
    """Weighs what may go wrong."""

    def karteneck(self, view: cards.View, legal: Sequence[cards.Move]) -> cards.Move:
        if cards.PASS_AND_STEAL in legal:
            return cards.PASS_AND_STEAL
        lays = [move for move in legal if isinstance(move, cards.Lay)]
        valid = any(card.is_worm for card in view.display)
        others = [total for seat, total in enumerate(view.totals) if seat != self.seat]
        if not lays or (valid and view.total >= max(ENOUGH, max(others) + WELL_AHEAD)):
            return cards.PASS
        return max(lays, key=lambda move: (move.cards[0].is_worm, sum(card.value for card in move.cards)))

    def bratwurmeck(self, view: dice.View, legal: Sequence[dice.Take]) -> dice.Take:
        stops = {move: tile.worms * (2 if move.steal else 1) for move in legal if (tile := tile_won(view, move))}
        stop = max(stops, key=lambda move: stops[move], default=None)
        roll = max((move for move in legal if move.then == "roll"), key=lambda move: _promise(view, move), default=None)
        if stop is None or roll is None:
            return stop or roll or legal[-1]
        mine = view.stacks[self.seat]
        lost = stops[stop] + (mine[-1].worms if mine else 0)
        return stop if lost * _risk(view, roll) > MOST_RISKED else roll

    def haecmaec(self, view: burgers.View, legal: Sequence[burgers.Move]) -> burgers.Move:
        if view.phase == "react":
            return reaction(view, legal)
        points = sum(card.value for card in view.burger)
        closes = [move for move in legal if isinstance(move, burgers.Close)]
        if closes and points >= WORTH_CLOSING:
            top = "double" if points >= WORTH_DOUBLING else "normal"
            return max(closes, key=lambda move: (move.top == top, move.card.value if move.card else 0))
        return max(ingredients(legal), key=lambda move: (not view.is_third(move.card), move.card.value))


def _promise(view: dice.View, move: dice.Take) -> int:
    """How good it is to set these dice aside and roll the others."""
    worm = FIRST_WORM_WORTH if move.face == "W" else 0
    return points_of(view, move.face) + worm - DIE_WORTH * view.roll.count(move.face)


def _risk(view: dice.View, move: dice.Take) -> float:
    """The chance that the roll after `move` shows only faces that are set aside."""
    used = len({*view.aside, move.face})
    left = len(view.roll) - view.roll.count(move.face)
    return float((used / 6) ** left)

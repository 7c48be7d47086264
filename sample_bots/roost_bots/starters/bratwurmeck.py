"""MyBot: a bot for Heckmeck am Bratwurmeck. The rules: roost rules bratwurmeck

The idea so far: set aside the face with the most points, worms first, and stop as soon as that takes a tile. What could
be better: roll on while the risk is small, steal, and look at which tile it is.
"""

from collections.abc import Sequence

from roost_games.bratwurmeck import Take, View
from roost_sdk import Bot

ENOUGH = 25
"""The total with which it stops. Try other numbers."""


class MyBot(Bot):
    """Plays one match. There is a new instance for each, so what you keep in `self` belongs to that match."""

    def bratwurmeck(self, view: View, legal: Sequence[Take]) -> Take:
        """Called for each decision: `view` is all that your seat knows, `legal` is all that you may do."""
        # A move takes all dice of a face (move.face), and then stops or rolls the others (move.then).
        good = [move for move in legal if move.then == "stop" and takes_a_tile(view, move)]
        if good:
            best = max(good, key=lambda move: (bool(move.steal), points(view, move)))
            if best.steal or points(view, best) >= ENOUGH:
                return best

        rolls = [move for move in legal if move.then == "roll"]
        return max(rolls or good or legal, key=lambda move: (move.face == "W", points(view, move)))


def points(view: View, move: Take) -> int:
    """The total after a move. view.total are the dice set aside, view.roll those on the table; a worm counts 5."""
    return view.total + view.roll.count(move.face) * (5 if move.face == "W" else int(move.face))


def takes_a_tile(view: View, move: Take) -> bool:
    """Whether stopping with this move takes a tile: that needs a worm, and a tile that is not too high."""
    has_worm = "W" in (*view.aside, move.face)
    return has_worm and (bool(move.steal) or any(tile.value <= points(view, move) for tile in view.grill))

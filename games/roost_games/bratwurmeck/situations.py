"""The rare positions of Bratwurmeck, and ways to play that lead into them."""

from collections.abc import Sequence
from random import Random

from roost_games.bratwurmeck.game import GAME
from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.view import View
from roost_games.situations import Policy, Situation, play_random, prefer


def _roll(rng: Random, view: View, legal: Sequence[Take]) -> Take:
    """Roll as long as possible, and set aside as few dice as possible."""
    rolls = [move for move in legal if move.then == "roll"]
    return min(rolls or legal, key=lambda move: view.roll.count(move.face))


def _stop(rng: Random, view: View, legal: Sequence[Take]) -> Take:
    """Stop at once, with or without a worm: no tile is ever taken, and the match reaches its turn limit."""
    return next(move for move in legal if move.then == "stop")


def _take(rng: Random, view: View, legal: Sequence[Take]) -> Take:
    """Steal if possible, otherwise play as the referee's fallback does: the grill empties."""
    return next((move for move in legal if move.steal), None) or GAME.fallback(view)


POLICIES: tuple[Policy, ...] = (_take, _roll, _stop, prefer(lambda view, move: move.steal), play_random)
SITUATIONS = (
    Situation("a steal is possible", lambda view, legal: any(move.steal for move in legal)),
    Situation("the last tile", lambda view, legal: len(view.grill) == 1),
    Situation("a single die", lambda view, legal: len(view.roll) == 1),
    Situation("five faces used", lambda view, legal: len(set(view.aside)) == 5),
    Situation("only one legal move", lambda view, legal: len(legal) == 1),
    Situation("tiles turned over", lambda view, legal: bool(view.turned)),
    Situation("the last turn before the limit", lambda view, legal: view.turn == view.horizon - 1),
)

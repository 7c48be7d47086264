"""The rare positions of Karteneck, and ways to play that lead into them."""

from collections.abc import Sequence
from random import Random

from roost_games.karteneck.moves import PASS_AND_STEAL, Lay, Move
from roost_games.karteneck.view import View
from roost_games.situations import MOVES_LOOKED_AT, Policy, Situation, play_first, play_last, play_random, prefer


def _one_number_card(rng: Random, view: View, legal: Sequence[Move]) -> Move:
    """Lay a single number card and keep the worms: hands grow, and so does the list of legal moves."""
    few = legal[:MOVES_LOOKED_AT]
    return next((move for move in few if isinstance(move, Lay) and not move.cards[0].is_worm), legal[0])


POLICIES: tuple[Policy, ...] = (
    play_random,
    play_first,
    _one_number_card,
    prefer(lambda view, move: move == PASS_AND_STEAL),
    play_last,
)
SITUATIONS = (
    Situation("after a reshuffle", lambda view, legal: bool(view.trace)),
    Situation("an empty pile", lambda view, legal: view.pile_size == 0),
    Situation("more than 60 legal moves", lambda view, legal: len(legal) > 60),
    Situation("nothing to do but pass", lambda view, legal: len(legal) == 1),
    Situation("a steal is possible", lambda view, legal: PASS_AND_STEAL in legal[:2]),
    Situation("all others are out", lambda view, legal: view.status.count("in") == 1),
    Situation("the last round", lambda view, legal: view.round == view.rounds),
    Situation("the last portion", lambda view, legal: view.supply_size == 0 and len(view.grill) == 1),
)

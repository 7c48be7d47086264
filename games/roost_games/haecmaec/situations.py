"""The rare positions of Häc Mäc, and ways to play that lead into them."""

from collections.abc import Sequence

from roost_games.haecmaec.moves import FLY, NO_SLAP, Close, Move, Play, React
from roost_games.haecmaec.sheet import SLAP
from roost_games.haecmaec.view import View
from roost_games.situations import Policy, Situation, play_random, prefer


def _lays_third(view: View, move: Move) -> bool:
    return isinstance(move, Play) and move.card != FLY and view.is_third(move.card)


def _suspects(view: View, move: Move) -> bool:
    return isinstance(move, React) and bool(move.suspect)


def _slaps(view: View, move: Move) -> bool:
    return isinstance(move, React) and move.slap not in (None, NO_SLAP)


POLICIES: tuple[Policy, ...] = (
    play_random,
    prefer(lambda view, move: isinstance(move, Close)),
    prefer(lambda view, move: move == Play(FLY)),
    prefer(_lays_third),
    prefer(_suspects),
    prefer(_slaps),
    prefer(lambda view, move: isinstance(move, Play)),
)


def _third_was_laid(view: View, legal: Sequence[Move]) -> bool:
    kinds = [card.kind for card in view.burger]
    return view.phase == "react" and kinds.count(kinds[-1]) > 2


def _no_top_is_left(view: View, legal: Sequence[Move]) -> bool:
    seat = view.seat or 0
    return view.phase == "turn" and not view.normal_tops[seat] + view.doubling_tops[seat]


def _asked_to_slap(view: View, legal: Sequence[Move]) -> bool:
    return isinstance(legal[0], React) and legal[0].slap is not None


def _nothing_to_slap_with(view: View, legal: Sequence[Move]) -> bool:
    return len(legal) == 1 and isinstance(legal[0], React) and legal[0].slap == NO_SLAP


SITUATIONS = (
    Situation("a third card was laid", _third_was_laid),
    Situation("an empty pile", lambda view, legal: view.pile == 0),
    Situation("no bottom is left", lambda view, legal: view.bottoms == 0 and view.phase == "turn"),
    Situation("no top is left", _no_top_is_left),
    Situation("a fly in the hand", lambda view, legal: FLY in view.hand),
    Situation("a single ingredient", lambda view, legal: sum(card != FLY for card in view.hand) == 1),
    Situation("fewer than no points", lambda view, legal: view.points(view.seat) < 0),
    Situation("after a fly", lambda view, legal: bool(view.spoiled)),
    Situation("asked to slap", _asked_to_slap, SLAP),
    Situation("nothing to slap with", _nothing_to_slap_with, SLAP),
)

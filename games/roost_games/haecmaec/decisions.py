"""Names for decisions in Häc Mäc: what is laid on which burger, when it is closed, and who is believed."""

from roost_games.decisions import grade
from roost_games.haecmaec.moves import DOUBLE, FLY, NO_SLAP, Close, Move, Play, React
from roost_games.haecmaec.view import View

POINTS = (4, 7, 10)
"""The points of a burger: at tables of many, few get far."""

HIGH = 3


def _kind_of(view: View, move: Move) -> str:
    points = sum(card.value for card in view.burger)
    burger = f"a burger of {grade(points, POINTS)} points"
    if isinstance(move, React):
        return _reaction(view, move, burger)
    if isinstance(move, Close):
        return f"closes {burger}{' with the doubling top' if move.top == DOUBLE else ''}"
    return _play(view, move, burger)


def _play(view: View, move: Play, burger: str) -> str:
    if move.card == FLY:
        return f"spoils {burger}"
    if view.is_third(move.card):
        return "lays a third card of a kind"
    worth = f"a {'high' if move.card.value >= HIGH else 'low'} card"
    return f"adds {worth} to {burger}" if view.burger else f"begins a burger with {worth}"


def _reaction(view: View, move: React, burger: str) -> str:
    third = [card.kind for card in view.burger].count(view.burger[-1].kind) > 2
    if move.suspect:
        return "accuses a third card" if third else "accuses an honest card"
    if move.slap not in (None, NO_SLAP):
        return f"slaps {burger} with {'a fly' if move.slap == 'fly' else f'the {move.slap} top'}"
    if third:
        return "believes in a third card"
    return f"leaves {burger} unslapped" if move.slap == NO_SLAP else "believes an honest card"


KIND_OF = _kind_of

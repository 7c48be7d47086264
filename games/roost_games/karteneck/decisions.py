"""Names for decisions in Karteneck: what is laid or left, at which total, and who is still in the round."""

from roost_games.decisions import grade
from roost_games.karteneck.moves import Lay, Move
from roost_games.karteneck.view import View

TOTALS = (15, 25, 35)


def _kind_of(view: View, move: Move) -> str:
    if isinstance(move, Lay):
        return f"lays {_cards(view, move)} {_when(view)}"
    if move.steal:
        return "steals"
    if not any(card.is_worm for card in view.display):
        return f"leaves without a worm {_when(view)}"
    return f"leaves {_standing(view)} on {grade(view.total, TOTALS)} points {_when(view)}"


def _cards(view: View, lay: Lay) -> str:
    """What is laid, and whether some of its kind are kept."""
    kind = lay.cards[0].kind
    held = sum(card.kind == kind for card in view.hand)
    part = "all" if len(lay.cards) == held else "one of its" if len(lay.cards) == 1 else "some of its"
    return f"{part} {'worms' if kind == 'W' else 'fours or fives' if kind in '45' else 'ones to threes'}"


def _when(view: View) -> str:
    """Who is still in the round, and whether there is anything to win in it."""
    if view.grill[0].worms == view.grill[-1].worms:
        return "for equal portions"
    others = any(status == "in" for seat, status in enumerate(view.status) if seat != view.seat)
    return "while others are in" if others else "when the others are out"


def _standing(view: View) -> str:
    rivals = [
        total
        for seat, (total, status) in enumerate(zip(view.totals, view.status, strict=True))
        if seat != view.seat and status != "invalid"
    ]
    return "in the lead" if view.total > max(rivals, default=0) else "behind"


KIND_OF = _kind_of

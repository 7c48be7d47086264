"""Names for decisions in Bratwurmeck: what is taken with how many dice, and where a turn goes on or ends."""

from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.view import View
from roost_games.decisions import grade

TOTALS = (21, 24, 28, 32)
"""The totals at which a tile has another number of worms, or nearly so."""


def _kind_of(view: View, move: Take) -> str:
    number = view.roll.count(move.face)
    total = view.total + number * (5 if move.face == "W" else int(move.face))
    valid = "W" in (*view.aside, move.face)
    if move.then == "stop":
        return _stop(view, move, total, valid=valid)
    left = len(view.roll) - number
    dice = f"{left} dice" if left > 1 else "1 die"
    if valid and _takes(view, total):
        return f"rolls on with {dice} at {grade(total, TOTALS)}"
    what = "worms" if move.face == "W" else "fours or fives" if move.face in "45" else "ones to threes"
    when = "first" if not view.aside else "before it has a worm" if "W" not in view.aside else "with a worm"
    return f"takes {what} {when}" + (f", with {dice} left" if left < 4 else "")


def _stop(view: View, move: Take, total: int, *, valid: bool) -> str:
    if move.steal is not None:
        return "steals" if move.steal else "does not steal"
    if not (valid and _takes(view, total)):
        return "stops with nothing"
    left = len(view.roll) - view.roll.count(move.face)
    return f"stops at {grade(total, TOTALS)}" + (f" with {grade(left, (1, 3))} dice left" if left else "")


def _takes(view: View, total: int) -> bool:
    """Whether there is a tile for the total, on the grill or on another stack."""
    tops = (stack[-1].value for seat, stack in enumerate(view.stacks) if stack and seat != view.seat)
    return any(tile.value <= total for tile in view.grill) or total in tops


KIND_OF = _kind_of

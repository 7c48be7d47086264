"""Names for decisions, by which many of them can be added up: "rolls on with 3 dice at 24+".

Each game has a module `decisions` beside its rules with a function `KIND_OF`: it names what a seat did, and in what
situation, from its view and its move. Decisions with one name should teach one lesson, so names leave out what matters
little, and a game has some dozens of them, not hundreds.
"""

from collections.abc import Sequence
from typing import Any

from roost_games.registry import part_of


def kind_of(game: str, view: Any, move: Any) -> str:
    """The name of a decision: a verb in the third person and what belongs to it, without a full stop."""
    kind: str = part_of(game, "decisions").KIND_OF(view, move)
    return kind


def grade(number: int, steps: Sequence[int]) -> str:
    """A number as the range that it is in: with steps 6 and 10 `fewer than 6`, `6 to 9` or `10+`."""
    below = [step for step in steps if step <= number]
    above = [step for step in steps if step > number]
    if not below:
        return f"fewer than {steps[0]}"
    if not above:
        return f"{steps[-1]}+"
    last = above[0] - 1
    return f"{below[-1]} to {last}" if last > below[-1] else f"{last}"

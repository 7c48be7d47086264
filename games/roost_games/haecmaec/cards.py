"""A card of the pile: an ingredient or a fly. It is its own replay notation, with kind and value at hand."""

import re
from typing import Final

KIND_FORM = re.compile(r"[a-z]{1,20}")
"""A kind is one lower-case word; a dash in it would make the notation ambiguous."""
HIGHEST_VALUE = 99
_INGREDIENT_FORM = re.compile(r"([a-z]{1,20})-([1-9][0-9]?)")


class Card(str):
    """A card such as `"tomato-3"` or `"fly"`. It hashes and compares as that string, so either may stand for the other.

    `Card(text)` raises `ValueError` if the text is not in this notation.
    """

    __slots__ = ("kind", "value")

    def __init__(self, text: str) -> None:
        ingredient = _INGREDIENT_FORM.fullmatch(text)
        if text != "fly" and (ingredient is None or ingredient[1] == "fly"):
            raise ValueError(f"{text!r} is not a card; cards are written like 'tomato-3' or 'fly'")
        self.kind: Final[str] = ingredient[1] if ingredient else text
        """What it is: `"tomato"`, or `"fly"`."""
        self.value: Final[int] = int(ingredient[2]) if ingredient else 0
        """The points printed on it; 0 for a fly."""


FLY = Card("fly")
FLIES = 3
"""How many flies there are."""

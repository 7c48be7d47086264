"""The component sheet of Häc Mäc, the options with which a host replaces parts of it, and what follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from roost_games.errors import OptionError
from roost_games.game import STANDARD, Component, JsonValue, OptionDoc, Variant
from roost_games.haecmaec.moves import (
    DOUBLE,
    FLIES,
    FLY,
    HIGHEST_VALUE,
    KIND_FORM,
    NORMAL,
    TOPS,
    Card,
    Close,
    Play,
    Top,
)

INGREDIENTS = 85
NORMAL_TOPS = 16
HAND = 4
"""How many cards are dealt to each player."""


class Row(NamedTuple):
    """A line of the ingredient sheet."""

    kind: str
    """What it is: `"tomato"`."""
    value: int
    """The points printed on it."""
    copies: int
    """How many cards there are of this kind and value."""


Rows = tuple[Row, ...]

DEFAULT_ROWS: Rows = tuple(
    Row(kind, value, copies)
    for kind in ("patty", "cheese", "tomato", "lettuce", "onion")
    for value, copies in ((1, 5), (2, 4), (3, 4), (4, 2), (5, 2))
)

COMPONENTS = (
    Component("85 ingredients", "seed"),
    Component(
        "ingredients: five kinds (patty, cheese, tomato, lettuce, onion), each with value 1 five times, "
        "2 and 3 four times, 4 and 5 twice",
        "assumed",
        "ingredients",
    ),
    Component("3 flies", "seed"),
    Component("16 normal tops, 6 doubling tops", "seed"),
    Component("20 bottoms", "seed"),
)

OPTION_DOCS = (
    OptionDoc("slap", "the variant with slapping, for 3 to 6 players: true or false", "false"),
    OptionDoc(
        "ingredients",
        "[[kind, value, count], ...]: 85 cards, each kind and value in one row",
        "five kinds of 17 cards, values 1 to 5",
    ),
)

SLAP = Variant(
    "slap", {"slap": True}, "after each card the others may slap the burger, with a top to take it or a fly to spoil it"
)
VARIANTS = (STANDARD, SLAP)


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match. The constructor takes them as they are; `parse` checks what others wrote."""

    slap: bool = False
    """Whether the variant with slapping is played."""
    ingredients: Rows = DEFAULT_ROWS
    """The ingredient sheet."""

    @classmethod
    def parse(cls, given: Mapping[str, JsonValue]) -> "Options":
        """Options from JSON values. Raises `OptionError` for a value that does not fit the game."""
        slap = given.get("slap", False)
        if not isinstance(slap, bool):
            raise OptionError("option slap is true or false")
        return cls(slap, _parse_rows(given["ingredients"]) if "ingredients" in given else DEFAULT_ROWS)

    def to_json(self) -> dict[str, JsonValue]:
        different: dict[str, JsonValue] = {}
        if self.slap:
            different["slap"] = True
        if self.ingredients != DEFAULT_ROWS:
            different["ingredients"] = [list(row) for row in self.ingredients]
        return different


def _parse_rows(given: JsonValue) -> Rows:
    if not isinstance(given, list | tuple):
        raise OptionError("option ingredients is a list of [kind, value, count]")
    rows = tuple(_parse_row(row) for row in given)
    if len({(row.kind, row.value) for row in rows}) < len(rows):
        raise OptionError("option ingredients has two rows of one kind and value; write one with the copies of both")
    total = sum(row.copies for row in rows)
    if total != INGREDIENTS:
        raise OptionError(f"option ingredients must have {INGREDIENTS} cards in all, not {total}")
    return rows


def _parse_row(given: JsonValue) -> Row:
    if not isinstance(given, list | tuple) or len(given) != 3:
        raise OptionError("each row of option ingredients is [kind, value, count]")
    kind, value, copies = given
    if not isinstance(kind, str) or not KIND_FORM.fullmatch(kind) or kind == FLY:
        raise OptionError("a kind of ingredient is one lower-case word of up to 20 letters, other than 'fly'")
    if type(value) is not int or not 1 <= value <= HIGHEST_VALUE:
        raise OptionError(f"the value of an ingredient is a whole number from 1 to {HIGHEST_VALUE}")
    if type(copies) is not int or not 1 <= copies <= INGREDIENTS:
        raise OptionError(f"the number of copies of an ingredient is a whole number from 1 to {INGREDIENTS}")
    return Row(kind, value, copies)


class Sheet:
    """What follows from an ingredient sheet, computed once: cards by number, and the moves made of them.

    Cards are numbered by their row; the fly comes last. Sorted numbers are therefore in the order of the sheet,
    a hand that holds a fly ends with it, and a hand without an ingredient is empty or begins with it.
    """

    __slots__ = ("cards", "closes", "deck", "fly", "numbers", "plays")

    def __init__(self, rows: Rows) -> None:
        ingredients = tuple(Card(f"{row.kind}-{row.value}") for row in rows)
        self.cards: tuple[Card, ...] = (*ingredients, FLY)
        """By number, each card once."""
        self.fly = len(ingredients)
        """The number of the fly."""
        self.numbers: dict[str, int] = {card: number for number, card in enumerate(self.cards)}
        counts = (*(row.copies for row in rows), FLIES)
        self.deck = tuple(card for card, count in zip(self.cards, counts, strict=True) for _ in range(count))
        """Every card of the pile, in the order of the sheet."""
        self.plays = tuple(Play(card) for card in self.cards)
        """By number of the card."""
        self.closes = {top: tuple(Close(top, card) for card in ingredients) for top in TOPS}
        """By top, then by number of the ingredient."""


LAST_CLOSES: dict[Top, Close] = {NORMAL: Close(NORMAL, None), DOUBLE: Close(DOUBLE, None)}
"""By top, the close when no bottom is left."""


@lru_cache(maxsize=64)
def sheet_of(rows: Rows) -> Sheet:
    """The sheet made of `rows`."""
    return Sheet(rows)

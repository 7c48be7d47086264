"""The cards and moves of Häc Mäc and their notation in replays.

A turn is a `Play` or a `Close`; the reaction to an ingredient is a `React`. All are values: whether you
build a move or choose one of the legal ones makes no difference.
"""

import re
from typing import Final, Literal, NamedTuple

from roost_games.errors import MalformedMove
from roost_games.game import JsonValue

KIND_FORM = re.compile(r"[a-z]{1,20}")
"""A kind is one lower-case word; a dash in it would make the notation ambiguous."""
HIGHEST_VALUE = 99
_INGREDIENT_FORM = re.compile(r"([a-z]{1,20})-([1-9][0-9]?)")


class Card(str):
    """A card such as `"tomato-3"` or `"fly"`. It hashes and compares as that string, so either may replace the other.

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

Top = Literal["normal", "double"]
"""A top half of a bun; the doubling one doubles what is under it."""
SlapMeans = Literal["normal", "double", "fly"]
"""What a player can slap with: one of their tops, or a fly from the hand."""
SlapAnswer = SlapMeans | Literal["no"]
"""Whether to slap, and with what."""

NORMAL: Final = "normal"
DOUBLE: Final = "double"
NO_SLAP: Final = "no"
TOPS: tuple[Top, ...] = (NORMAL, DOUBLE)
SLAP_MEANS: tuple[SlapMeans, ...] = (NORMAL, DOUBLE, "fly")


class Play(NamedTuple):
    """Lay an ingredient on the burger (or on a new bottom, if there is no burger), or spoil the burger with a fly."""

    card: Card
    """The card from the hand."""


class Close(NamedTuple):
    """Close the burger, take it, and begin the next one with an ingredient."""

    top: Top
    """Which of your tops goes onto the burger."""
    card: Card | None
    """The ingredient for the new bottom; `None` if no bottom is left, which ends the match."""


class React(NamedTuple):
    """The answer to an ingredient that another player laid."""

    suspect: bool | None = None
    """Whether to accuse the player of a third card of its kind; `None` where this is not asked (two ingredients)."""
    slap: SlapAnswer | None = None
    """Whether to slap, and with what; `None` where this is not asked (without the option `slap`)."""


Move = Play | Close | React


def encode_move(move: Move) -> dict[str, JsonValue]:
    """`move` as a replay shows it."""
    if isinstance(move, Play):
        return {"play": str(move.card)}
    if isinstance(move, Close):
        begun: dict[str, JsonValue] = {} if move.card is None else {"play": str(move.card)}
        return {"close": move.top, **begun}
    answer: dict[str, JsonValue] = {}
    if move.suspect is not None:
        answer["suspect"] = move.suspect
    if move.slap is not None:
        answer["slap"] = None if move.slap == NO_SLAP else move.slap
    return answer


def decode_move(data: JsonValue) -> Move:
    """The move in a replay's JSON, legal or not. Raises `MalformedMove`."""
    if not isinstance(data, dict):
        raise _malformed(data)
    keys = data.keys()
    if keys == {"play"}:
        return Play(_card(data["play"]))
    if keys == {"close"}:
        return Close(_top(data["close"]), None)
    if keys == {"close", "play"}:
        return Close(_top(data["close"]), _card(data["play"]))
    if keys == {"suspect"}:
        return React(suspect=_suspect(data["suspect"]))
    if keys == {"slap"}:
        return React(slap=_slap(data["slap"]))
    if keys == {"suspect", "slap"}:
        return React(_suspect(data["suspect"]), _slap(data["slap"]))
    raise _malformed(data)


def check_form(move: object) -> None:
    """Raise `MalformedMove` unless `move` is a `Play`, `Close` or `React` with valid fields."""
    if type(move) is Play:
        _card(move.card)
    elif type(move) is Close:
        _top(move.top)
        if move.card is not None:
            _card(move.card)
    elif type(move) is React and move != React():
        if move.suspect is not None:
            _suspect(move.suspect)
        if move.slap is not None and move.slap != NO_SLAP:
            _slap(move.slap)
    else:
        raise _malformed(move)


def _shown(data: object) -> str:
    """`data` in an error message: always short, and nothing nested, since its repr may fail."""
    if isinstance(data, str):
        return repr(data[:60])
    if data is None or isinstance(data, bool):
        return repr(data)
    return f"a value of type {type(data).__name__}"


def _malformed(data: object) -> MalformedMove:
    return MalformedMove(
        f"{_shown(data)} is not a move of haecmaec; one is {{'play': card}}, {{'close': top, 'play': card}} "
        "or a reaction with 'suspect', 'slap' or both"
    )


def _card(text: JsonValue) -> Card:
    try:
        if isinstance(text, str):
            return Card(text)
    except ValueError:
        pass
    raise MalformedMove(f"{_shown(text)} is not a card; cards are written like 'tomato-3' or 'fly'")


def _top(text: JsonValue) -> Top:
    for top in TOPS:
        if text == top:
            return top
    raise MalformedMove(f"{_shown(text)} is not a top; the tops are 'normal' and 'double'")


def _suspect(answer: JsonValue) -> bool:
    if not isinstance(answer, bool):
        raise MalformedMove(f"a suspicion is true or false, not {_shown(answer)}")
    return answer


def _slap(answer: JsonValue) -> SlapAnswer:
    for means in SLAP_MEANS:
        if answer == means:
            return means
    if answer is not None:
        raise MalformedMove(f"a slap is with 'normal', 'double' or 'fly', not with {_shown(answer)}")
    return NO_SLAP

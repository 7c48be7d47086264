"""What is printed on the cards and portions of Karteneck, and the options with which a host corrects it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from roost_games.errors import OptionError
from roost_games.game import Component, JsonValue, OptionDoc

NUMBER_KINDS = 5
CARDS_PER_NUMBER = 17
WORM_CARDS = 25
WORM_VALUE = 5
PORTIONS = 30
PORTIONS_LEFT_OUT = {2: 12, 3: 6, 4: 2}
"""By player count, how many portions are put away unseen."""
HAND_SIZE = 6
MOST_WORMS = 1000
HIGHEST_SIGNPOST = 9999
HIGHEST_PORTION = 9999


class Card(str):
    """A card, written as in replays: "1" to "5", or "W17" for the worm card with signpost 17.

    It compares and hashes as that text, so `card == "3"` and `Card("W4") in view.hand` work.
    """

    __slots__ = ()

    @property
    def is_worm(self) -> bool:
        """Whether this is a worm card."""
        return self[0] == "W"

    @property
    def kind(self) -> str:
        """ "1" to "5", or "W": only cards of one kind are laid together. The number 5 is not a worm."""
        return self[0]

    @property
    def value(self) -> int:
        """What the card adds to a display's total; 5 for a worm."""
        return WORM_VALUE if self[0] == "W" else int(self)

    @property
    def signpost(self) -> int:
        """The number on a worm card's signpost, which breaks ties between displays; 0 on a number card."""
        return int(self[1:]) if self[0] == "W" else 0


class Portion(NamedTuple):
    """A portion of roasted worms."""

    value: int
    """What a display's total must equal to steal it; also its rank on the grill."""
    worms: int
    """What it is worth at the end."""


NUMBER_CARDS = tuple(Card(number) for number in range(1, NUMBER_KINDS + 1))
DEFAULT_SIGNPOSTS = tuple(range(1, WORM_CARDS + 1))
DEFAULT_PORTIONS = (
    *(Portion(0, 0) for _ in range(3)),
    *(Portion(value, 1) for value in range(16, 23)),
    *(Portion(value, 2) for value in range(23, 30)),
    *(Portion(value, 3) for value in range(30, 37)),
    *(Portion(value, 4) for value in range(37, 43)),
)

COMPONENTS = (
    Component("85 number cards: 1 to 5, 17 of each", "seed"),
    Component("25 worm cards of value 5", "seed"),
    Component("signposts on the worm cards: 1 to 25, each once", "assumed", "signposts"),
    Component("30 portions: three of value 0 without worms, and 16 to 42 once each", "public"),
    Component("worms on the portions: 16-22 one, 23-29 two, 30-36 three, 37-42 four", "assumed", "portions"),
)
OPTION_DOCS = (
    OptionDoc("signposts", "the signpost numbers of the 25 worm cards, all different", "1 to 25"),
    OptionDoc("portions", "[value, worms] of the 30 portions; values above 0 once each", "see the component sheet"),
)


@dataclass(frozen=True, slots=True)
class Options:
    """The component sheet that a match is played with."""

    signposts: tuple[int, ...] = DEFAULT_SIGNPOSTS
    """The signposts of the worm cards."""
    portions: tuple[Portion, ...] = DEFAULT_PORTIONS
    """All portions, including those that are left out."""

    def to_json(self) -> dict[str, JsonValue]:
        different: dict[str, JsonValue] = {}
        if self.signposts != DEFAULT_SIGNPOSTS:
            different["signposts"] = list(self.signposts)
        if self.portions != DEFAULT_PORTIONS:
            different["portions"] = [list(portion) for portion in self.portions]
        return different

    def worm_cards(self) -> tuple[Card, ...]:
        """The worm cards in the order of the sheet."""
        return tuple(Card(f"W{signpost}") for signpost in self.signposts)

    def deck(self) -> list[Card]:
        """All cards in the order of the sheet: the 1s, the 2s ... the 5s, the worms."""
        return [card for card in NUMBER_CARDS for _ in range(CARDS_PER_NUMBER)] + list(self.worm_cards())


def options_from(given: Mapping[str, JsonValue]) -> Options:
    """Options from JSON values whose names have been checked. Raises `OptionError`."""
    options = Options()
    signposts = _signposts(given["signposts"]) if "signposts" in given else options.signposts
    portions = _portions(given["portions"]) if "portions" in given else options.portions
    return Options(signposts, portions)


def _is_int(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _signposts(value: JsonValue) -> tuple[int, ...]:
    listed = isinstance(value, Sequence) and all(_is_int(item, 1, HIGHEST_SIGNPOST) for item in value)
    if not (isinstance(value, Sequence) and listed and len(value) == len(set(value)) == WORM_CARDS):
        raise OptionError(f"signposts must be {WORM_CARDS} different whole numbers from 1 to {HIGHEST_SIGNPOST}")
    return tuple(value)


def _portions(value: JsonValue) -> tuple[Portion, ...]:
    if not (isinstance(value, Sequence) and len(value) == PORTIONS and all(map(_is_portion, value))):
        raise OptionError(
            f"portions must be {PORTIONS} pairs [value, worms] of whole numbers, values from 0 to {HIGHEST_PORTION} "
            f"and worms from 0 to {MOST_WORMS}"
        )
    portions = tuple(Portion(*pair) for pair in value)
    values = [portion.value for portion in portions if portion.value]
    if len(set(values)) != len(values):
        raise OptionError("portions: each value above 0 must appear once")
    if len({portion.worms for portion in portions if portion.value == 0}) > 1:
        raise OptionError("portions: all portions of value 0 must have the same number of worms")
    return portions


def _is_portion(pair: object) -> bool:
    return (
        isinstance(pair, Sequence)
        and len(pair) == 2
        and _is_int(pair[0], 0, HIGHEST_PORTION)
        and _is_int(pair[1], 0, MOST_WORMS)
    )

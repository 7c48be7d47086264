"""What is printed on the tiles of Bratwurmeck, and the option with which a host replaces it."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from roost_games.errors import OptionError
from roost_games.game import Component, JsonValue, OptionDoc

PLAYERS = range(2, 8)
TURNS_PER_PLAYER = 100
"""After this many turns per player the match ends with the stacks as they are."""
HIGHEST_TILE = 40
"""Eight dice total 40 at most. A tile above that could never be taken."""
MOST_WORMS = 1000


class Tile(NamedTuple):
    """A tile with a portion of worms."""

    value: int
    """What a total must equal to take exactly this tile; also its rank on the grill."""
    worms: int
    """What it is worth at the end."""


DEFAULT_TILES = tuple(Tile(value, 1 + (value - 21) // 4) for value in range(21, 37))

COMPONENTS = (
    Component("8 dice with the faces 1 to 5 and a worm, which counts 5", "seed"),
    Component("16 tiles", "seed", "tiles"),
    Component("values on the tiles: 21 to 36, each once", "public", "tiles"),
    Component("worms on the tiles: 21-24 one, 25-28 two, 29-32 three, 33-36 four", "public", "tiles"),
    Component("2 to 7 players", "public"),
)
OPTION_DOCS = (OptionDoc("tiles", "[value, worms] of every tile, values once each", "see the component sheet"),)


@dataclass(frozen=True, slots=True)
class Options:
    """The component sheet that a match is played with."""

    tiles: tuple[Tile, ...] = DEFAULT_TILES
    """All tiles, by rising value."""

    def to_json(self) -> dict[str, JsonValue]:
        return {} if self.tiles == DEFAULT_TILES else {"tiles": [list(tile) for tile in self.tiles]}


def options_from(given: Mapping[str, JsonValue]) -> Options:
    """Options from JSON values whose names have been checked. Raises `OptionError`."""
    return Options(_tiles(given["tiles"])) if "tiles" in given else Options()


def _tiles(value: JsonValue) -> tuple[Tile, ...]:
    if not (isinstance(value, list | tuple) and value):
        raise OptionError("tiles must be a list of pairs [value, worms], at least one")
    tiles = sorted(map(_tile, value))
    for lower, higher in pairwise(tiles):
        if lower.value == higher.value:
            raise OptionError(f"tiles: each value must appear once, but {lower.value} appears twice")
    return tuple(tiles)


def _tile(pair: object) -> Tile:
    if isinstance(pair, list | tuple) and len(pair) == 2:
        value, worms = pair
        if _is_int(value, 1, HIGHEST_TILE) and _is_int(worms, 0, MOST_WORMS):
            return Tile(value, worms)
    raise OptionError(
        f"tiles: each must be a pair [value, worms] of whole numbers, the value from 1 to {HIGHEST_TILE} "
        f"(no roll totals more) and the worms from 0 to {MOST_WORMS}"
    )


def _is_int(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high

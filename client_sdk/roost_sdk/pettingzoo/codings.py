"""Finds the coding of a game: by its name, or from any view of a match."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from roost_games import bratwurmeck as bratwurmeck_game
from roost_games import haecmaec as haecmaec_game
from roost_games import karteneck as karteneck_game
from roost_games.errors import UsageError
from roost_games.game import JsonValue
from roost_games.registry import get_game
from roost_sdk.pettingzoo import bratwurmeck, haecmaec, karteneck
from roost_sdk.pettingzoo.coding import AnyCoding


class Entry(NamedTuple):
    """What is known about the coding of a game."""

    make: Callable[[int, Any], AnyCoding]
    """The coding for a player count and the game's options."""
    view: type
    """The type of the game's views."""
    options_of: Callable[[Any], Any]
    """The options of the match that a view is of."""


CODINGS = {
    "karteneck": Entry(karteneck.KarteneckCoding, karteneck_game.View, karteneck.options_of),
    "bratwurmeck": Entry(bratwurmeck.BratwurmeckCoding, bratwurmeck_game.View, bratwurmeck.options_of),
    "haecmaec": Entry(haecmaec.HaecMaecCoding, haecmaec_game.View, haecmaec.options_of),
}
"""By name of the game."""
GAME_OF_VIEW = {entry.view: game for game, entry in CODINGS.items()}


def coding_of(game: str, players: int, options: Mapping[str, JsonValue] | None = None) -> AnyCoding:
    """The coding of a game with a player count and options. Raises `UsageError` if that cannot be played."""
    rules = get_game(game)
    chosen = rules.options(options or {})
    rules.check_players(players, chosen)
    return _coding(game, players, chosen)


def coding_for(view: Any) -> AnyCoding:
    """The coding of the match that `view` is of: the same as in an environment with these players and options."""
    game = GAME_OF_VIEW.get(type(view))
    if game is None:
        raise UsageError(f"a {type(view).__name__} is not a view of a game")
    return _coding(game, view.players, CODINGS[game].options_of(view))


@lru_cache(maxsize=64)
def _coding(game: str, players: int, options: Any) -> AnyCoding:
    return CODINGS[game].make(players, options)

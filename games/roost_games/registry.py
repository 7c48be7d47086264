"""The games that Roost knows, by name."""

from importlib import import_module
from typing import Any

from roost_games.errors import UsageError
from roost_games.game import Game

AnyGame = Game[Any, Any, Any]

GAME_NAMES = ("karteneck", "bratwurmeck", "haecmaec")
"""In the order in which they are listed. Each is a package of `roost_games` whose `GAME` is the game."""


def get_game(name: str) -> AnyGame:
    """The game called `name`. Raises `UsageError`, which lists the names there are."""
    if name not in GAME_NAMES:
        raise UsageError(f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}")
    game: AnyGame = import_module(f"roost_games.{name}").GAME
    return game


def all_games() -> list[AnyGame]:
    """Every game, in the order of `GAME_NAMES`."""
    return [get_game(name) for name in GAME_NAMES]

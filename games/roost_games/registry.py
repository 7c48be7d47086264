"""The games that Roost knows, by name."""

from importlib import import_module
from importlib.resources import files
from types import ModuleType
from typing import Any

from roost_games.errors import UsageError
from roost_games.game import Game

AnyGame = Game[Any, Any, Any]

GAME_NAMES = ("karteneck", "bratwurmeck", "haecmaec")
"""In the order in which they are listed. Each is a package of `roost_games` whose `GAME` is the game."""


def get_game(name: str) -> AnyGame:
    """The game called `name`. Raises `UsageError`, which lists the known names."""
    game: AnyGame = part_of(name).GAME
    return game


def all_games() -> list[AnyGame]:
    """Every game, in the order of `GAME_NAMES`."""
    return [get_game(name) for name in GAME_NAMES]


def rules_of(name: str) -> str:
    """The rules of a game, in Markdown: the `rules.md` beside its code. Raises `UsageError`."""
    return files(part_of(name)).joinpath("rules.md").read_text(encoding="utf-8")


def part_of(name: str, part: str = "", package: str = "roost_games") -> ModuleType:
    """The module that belongs to the game `name`: its package, or `part` of that.

    Other packages keep a game's modules under its name as well: `part_of(name, package="roost_sdk.wire")` is the codec.
    Raises `UsageError` if there is no such game.
    """
    if name not in GAME_NAMES:
        raise UsageError(f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}")
    return import_module(".".join(filter(None, (package, name, part))))

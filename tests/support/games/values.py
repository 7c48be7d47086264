"""The classes that a bot of a game meets (its view, its moves, and everything inside them), and narrated words."""

from dataclasses import is_dataclass
from importlib import import_module
from typing import Any, get_args, get_type_hints

from roost_games.narration import Words


def moves_and_parts(game: str) -> list[type]:
    """The view of a game first, then its moves, then what these are made of."""
    module = import_module(f"roost_games.{game}")
    found: dict[type, None] = {}
    for kind in (module.View, *(get_args(module.Move) or (module.Move,))):
        _add(kind, found)
    return list(found)


def _add(hint: Any, found: dict[type, None]) -> None:
    """Note a class of ours, and those in its fields."""
    for part in get_args(hint):
        _add(part, found)
    if not isinstance(hint, type) or hint in found or not hint.__module__.startswith("roost_games"):
        return
    found[hint] = None
    if is_dataclass(hint) or hasattr(hint, "_fields"):
        for inner in get_type_hints(hint).values():
            _add(inner, found)


def text_of(words: Words) -> str:
    """The words of a narration without their roles."""
    return "".join(span.text for span in words)

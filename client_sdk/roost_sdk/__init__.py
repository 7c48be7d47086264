"""What a bot author imports: `Bot` to write a bot, `run` to play it at an arena, `LocalMatch` to play it right here."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roost_sdk.arena.client import Client
    from roost_sdk.arena.link import LinkLost, Refused
    from roost_sdk.arena.stats import Stats
    from roost_sdk.bot import Bot, OpenDecision
    from roost_sdk.clock import MatchClock
    from roost_sdk.load import LoadedBot, load_bot
    from roost_sdk.local import LocalMatch, rng_of
    from roost_sdk.program import run
    from roost_sdk.troubles.log import Trouble
    from roost_sdk.version import fingerprint
    from roost_sdk.viewing.html import show

__all__ = [
    "Bot",
    "Client",
    "LinkLost",
    "LoadedBot",
    "LocalMatch",
    "MatchClock",
    "OpenDecision",
    "Refused",
    "Stats",
    "Trouble",
    "fingerprint",
    "load_bot",
    "rng_of",
    "run",
    "show",
]

MODULES = {
    "OpenDecision": "bot",
    "Bot": "bot",
    "Client": "arena.client",
    "LinkLost": "arena.link",
    "LoadedBot": "load",
    "LocalMatch": "local",
    "MatchClock": "clock",
    "Refused": "arena.link",
    "Stats": "arena.stats",
    "Trouble": "troubles.log",
    "fingerprint": "version",
    "load_bot": "load",
    "rng_of": "local",
    "run": "program",
    "show": "viewing.html",
}
"""The module of each name. They are imported when first asked for: gRPC alone takes 0.1 seconds."""


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)

"""What a bot author imports: `Bot` to write a bot, `run` to play it at an arena, `LocalMatch` to play it right here."""

from importlib import import_module
from typing import TYPE_CHECKING

from roost_sdk.bot import Bot
from roost_sdk.fingerprint import fingerprint
from roost_sdk.load import LoadedBot, load_bot
from roost_sdk.local import LocalMatch, Trouble, rng_of

if TYPE_CHECKING:
    from roost_sdk.arena.client import Client
    from roost_sdk.arena.link import LinkLost, Refused
    from roost_sdk.arena.stats import Stats
    from roost_sdk.program import run

__all__ = [
    "Bot",
    "Client",
    "LinkLost",
    "LoadedBot",
    "LocalMatch",
    "Refused",
    "Stats",
    "Trouble",
    "fingerprint",
    "load_bot",
    "rng_of",
    "run",
]

ON_DEMAND = {
    "Client": "arena.client",
    "LinkLost": "arena.link",
    "Refused": "arena.link",
    "Stats": "arena.stats",
    "run": "program",
}
"""What needs gRPC, and the module it is in. To import these only when asked for saves local play 0.1 seconds."""


def __getattr__(name: str) -> object:
    if name not in ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{ON_DEMAND[name]}"), name)

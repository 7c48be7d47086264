"""The bots that come with Roost, one lesson each, by the names that the commands know, weakest first.

How they think is in `thinking`, what a new bot begins with in `starters`. Nothing here knows ladders or arenas.
"""

from roost_bots.careful import CarefulBot
from roost_bots.exact import ExactBot
from roost_bots.greedy import GreedyBot
from roost_bots.minimal import Minimal
from roost_bots.random_bot import RandomBot
from roost_bots.strong import StrongBot
from roost_bots.timid import TimidBot
from roost_sdk import Bot

SAMPLES: dict[str, type[Bot]] = {
    "random": RandomBot,
    "minimal": Minimal,
    "timid": TimidBot,
    "greedy": GreedyBot,
    "careful": CarefulBot,
    "exact": ExactBot,
    "strong": StrongBot,
}
QUICK_SAMPLES: dict[str, type[Bot]] = {
    name: bot for name, bot in SAMPLES.items() if not issubclass(bot, ExactBot | Minimal)
}
"""Those that answer at once; without `minimal`, which plays most games as `random` does."""


def playing_on(game: str) -> str:
    """The sample that plays on when decisions are weighed: quick, and as sensible as there is one for `game`."""
    return next(name for name in ("careful", "random") if SAMPLES[name].plays(game))

"""The bots that come with Roost, one lesson each, by the names that the commands know, weakest first.

How they think is in `thinking`, what a new bot begins with in `starters`. Nothing here knows ladders or arenas.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from roost_sdk import Bot

PLACES = {
    "random": ("random_bot", "RandomBot"),
    "minimal": ("minimal", "Minimal"),
    "timid": ("timid", "TimidBot"),
    "greedy": ("greedy", "GreedyBot"),
    "careful": ("careful", "CarefulBot"),
    "exact": ("exact", "ExactBot"),
    "strong": ("strong", "StrongBot"),
}
"""By name, the module and the class of a sample."""


class Samples(Mapping[str, type[Bot]]):
    """The samples by name. Each is imported when it is asked for: some of them search, and import a lot."""

    def __getitem__(self, name: str) -> type[Bot]:
        module, class_name = PLACES[name]
        sample: type[Bot] = getattr(import_module(f"{__name__}.{module}"), class_name)
        return sample

    def __contains__(self, name: object) -> bool:
        return name in PLACES

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


SAMPLES = Samples()
QUICK_SAMPLES = ("random", "timid", "greedy", "careful")
"""Those that answer at once; without `minimal`, which plays most games as `random` does."""


def playing_on(game: str) -> str:
    """The sample that plays on when decisions are weighed: quick, and as sensible as there is one for `game`."""
    return next(name for name in ("careful", "random") if SAMPLES[name].plays(game))


def strongest(game: str) -> str:
    """The sample that others are advised by: the strongest one for `game`."""
    return next(name for name in reversed(list(SAMPLES)) if SAMPLES[name].plays(game))

"""Schedules by name: the one table for local ladders, open arenas and the phases of a competition."""

from collections.abc import Callable
from typing import NamedTuple

from roost_games.errors import UsageError
from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.schedules.cycles import MOST_GROUPS, Gauntlet, RoundRobin
from roost_ladder.schedules.knockout import Knockout
from roost_ladder.schedules.least_played import ROUND, LeastPlayed
from roost_ladder.schedules.schedule import Schedule
from roost_ladder.schedules.sure import Sure
from roost_ladder.schedules.swiss import Swiss
from roost_sdk.load import did_you_mean

SCHEDULES = {
    "sure": "plays where the ranking is least certain, ends when all neighbours are separated",
    "round-robin": "every group of bots meets",
    "gauntlet": "one bot meets every group of others",
    "swiss": "bots with about the same score meet",
    "least-played": "random groups, least played first",
}
"""What each does, in a line."""
OPEN_SCHEDULES = ("least-played", "sure", "round-robin", "swiss")
"""Those for an arena where bots come and go. A gauntlet needs its one bot there."""
REPEATED = {"round-robin", "gauntlet", "swiss"}
OPEN_TURNS = 4
"""How often each bot plays at each kind of table in a round of `least-played` where bots come and go."""


class Terms(NamedTuple):
    """What a schedule may need to know. Each takes what applies to it."""

    seed: bytes = b""
    """Decides what is drawn."""
    times: int | None = None
    """Repetitions, or the blocks of each tie of a knockout; `None`: without end, or one block for each tie."""
    hero: int = 0
    """The bot of a gauntlet."""
    turns: int = ROUND
    """The length of a round of `least-played`."""
    budget: int | None = None
    """The most blocks of `sure`."""
    most_groups: int = MOST_GROUPS
    """A round robin with more groups plays a sample of them."""
    method: Method = LATEST
    """How `sure` weighs matches."""


MAKERS: dict[str, Callable[[Terms], Schedule]] = {
    "sure": lambda terms: Sure(terms.seed, terms.budget, terms.method),
    "round-robin": lambda terms: RoundRobin(terms.seed, terms.times, terms.most_groups),
    "gauntlet": lambda terms: Gauntlet(terms.hero, terms.seed, terms.times),
    "swiss": lambda terms: Swiss(terms.seed, terms.times),
    "least-played": lambda terms: LeastPlayed(terms.seed, terms.turns),
    "knockout": lambda terms: Knockout(terms.seed, terms.times or 1),
}
"""Every schedule of the project. A knockout is for finals only: a ladder has no seeding."""


def check_open(name: str) -> str:
    """The name of a schedule for bots that come and go. Raises `UsageError` for another one."""
    if name not in OPEN_SCHEDULES:
        listed = ", ".join(OPEN_SCHEDULES)
        raise UsageError(f"there is no open schedule {name!r}; they are: {listed}{did_you_mean(name, OPEN_SCHEDULES)}")
    return name


def open_schedule(name: str, seed: bytes) -> Schedule:
    """The schedule of this name for bots that come and go: rounds are short, so that newcomers soon have their turn."""
    return MAKERS[name](Terms(seed, turns=OPEN_TURNS))


def schedule_named(
    name: str, *, seed: bytes = b"", times: int | None = None, hero: int | None = None, method: Method = LATEST
) -> Schedule:
    """The schedule of this name. Raises `UsageError` if there is none, or if it needs something else.

    `times` is how often every group of a round robin or a gauntlet meets; in `swiss`, how many blocks each bot plays at
    each kind of table. Without it these never end, and `least-played` never does. `hero` is the bot of the gauntlet.
    The seed decides what is drawn, and the method how `sure` weighs matches.
    """
    if name not in SCHEDULES:
        listed = ", ".join(SCHEDULES)
        raise UsageError(f"there is no schedule {name!r}; the schedules are: {listed}{did_you_mean(name, SCHEDULES)}")
    _check(name, times, hero)
    return MAKERS[name](Terms(seed, times, hero or 0, method=method))


def _check(name: str, times: int | None, hero: int | None) -> None:
    if times is not None and name not in REPEATED:
        raise UsageError(
            f"{name} does not repeat anything a number of times: limit its blocks, matches or time instead"
        )
    if times is not None and times < 1:
        raise UsageError(f"{name} cannot be played {times} times: give 1 or more")
    if (name == "gauntlet") != (hero is not None):
        needs = "needs the bot that plays against all others" if hero is None else "has no use for --hero; use gauntlet"
        raise UsageError(f"the schedule {name} {needs}")

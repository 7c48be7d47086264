"""Schedules by name, for the command and the arena."""

from roost_games.errors import UsageError
from roost_ladder.schedules.cycles import Gauntlet, RoundRobin
from roost_ladder.schedules.least_played import LeastPlayed
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
REPEATED = {"round-robin", "gauntlet", "swiss"}


def schedule_named(name: str, *, seed: bytes = b"", times: int | None = None, hero: int | None = None) -> Schedule:
    """The schedule of this name. Raises `UsageError` if there is none, or if it needs something else.

    `times` is how often every group of a round robin or a gauntlet meets, and how many blocks everybody plays at each
    kind of table in `swiss`; without it these go on for ever, and so does `least-played` always. `hero` is the bot of
    the gauntlet. The seed decides what is drawn.
    """
    if name not in SCHEDULES:
        listed = ", ".join(SCHEDULES)
        raise UsageError(f"there is no schedule {name!r}: there are {listed}{did_you_mean(name, SCHEDULES)}")
    _check(name, times, hero)
    if name == "gauntlet" and hero is not None:
        return Gauntlet(hero, seed, times)
    made: dict[str, Schedule] = {
        "sure": Sure(seed),
        "round-robin": RoundRobin(seed, times),
        "swiss": Swiss(seed, times),
        "least-played": LeastPlayed(seed),
    }
    return made[name]


def _check(name: str, times: int | None, hero: int | None) -> None:
    if times is not None and name not in REPEATED:
        raise UsageError(
            f"{name} does not repeat anything a number of times: limit its blocks, matches or time instead"
        )
    if times is not None and times < 1:
        raise UsageError(f"{name} cannot be played {times} times: give a number from 1 on")
    if (name == "gauntlet") != (hero is not None):
        needs = "needs the bot that plays against all others" if hero is None else "is not about one bot: use gauntlet"
        raise UsageError(f"the schedule {name} {needs}")

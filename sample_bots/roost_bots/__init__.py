"""Bots that come with Roost, by the names under which `roost play` and `roost submit` know them, weakest first."""

from roost_bots.careful import CarefulBot
from roost_bots.greedy import GreedyBot
from roost_bots.random_bot import RandomBot
from roost_bots.timid import TimidBot
from roost_sdk import Bot

SAMPLES: dict[str, type[Bot]] = {
    "random": RandomBot,
    "timid": TimidBot,
    "greedy": GreedyBot,
    "careful": CarefulBot,
}

"""For training: each game as a PettingZoo environment, and the coding with which a trained policy plays as a bot.

    env = roost_env("karteneck", players=3)

Environments need the extra `rl`. Codings need only numpy, so that a bot with a trained policy starts quickly.
"""

from typing import TYPE_CHECKING

from roost_sdk.pettingzoo.coding import Coding, Field, coding_for, coding_of

if TYPE_CHECKING:
    from roost_sdk.pettingzoo.env import Observation, RoostEnv, roost_env

__all__ = ["Coding", "Field", "Observation", "RoostEnv", "coding_for", "coding_of", "roost_env"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from roost_sdk.pettingzoo import env

    return getattr(env, name)

"""Bots that always do the same: with the same deals they play the same matches, whatever happens in between."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from roost_sdk import Bot

STEADY = ("first", "last", "middle")
"""Bots that answer every question, each by a rule of its own."""
SILENT = "silent"
RESTLESS = "restless"
FLOODER = "flooder"
NAMES = (*STEADY, SILENT, RESTLESS, FLOODER)
"""Everybody who takes part, in the order of their entry."""
VERSION = "1"
THINKING_SECONDS = 0.004
"""Matches should last long enough for faults to hit them."""

Rule = Callable[[Sequence[Any]], Any]
RULES: dict[str, Rule] = {
    "first": lambda legal: legal[0],
    "last": lambda legal: legal[-1],
    "middle": lambda legal: legal[len(legal) // 2],
}


def bot_class(name: str) -> type[Bot]:
    """The bot of this name, as the SDK takes it. All but the steady ones play like the first of them, if at all."""
    rule = RULES.get(name, RULES["first"])

    class Steady(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            await asyncio.sleep(THINKING_SECONDS)
            return rule(legal)

    class Silent(Bot):
        async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            await asyncio.sleep(3600.0)

    return Silent if name == SILENT else Steady

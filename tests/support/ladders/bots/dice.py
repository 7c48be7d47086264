"""Plays at random, with the randomness that it is given."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Dice(Bot):
    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return self.rng.choice(legal)

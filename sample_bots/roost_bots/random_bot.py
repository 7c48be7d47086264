"""The bot without an idea: every legal move is as good as any other.

It plays every game, needs no view, and is the least that a bot must beat. It is also a useful sparring partner for a
test, because sooner or later it plays everything that the rules allow.
"""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class RandomBot(Bot):
    """Chooses among the legal moves, each equally likely."""

    def choose(self, view: object, legal: Sequence[Any]) -> Any:
        return self.rng.choice(legal)

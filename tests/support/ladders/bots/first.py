"""Plays the first legal move: a bot that does nothing wrong."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class First(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[0]

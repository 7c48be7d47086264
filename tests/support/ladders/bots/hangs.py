"""Thinks without end from its third decision on, and holds the interpreter."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Hangs(Bot):
    def start(self) -> None:
        self.decisions = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.decisions += 1
        if self.decisions >= 3:
            sum(range(10**18))
        return legal[0]

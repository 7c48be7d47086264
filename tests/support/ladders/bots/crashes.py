"""Has a mistake that shows only now and then."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Crashes(Bot):
    def start(self) -> None:
        self.decisions = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.decisions += 1
        if self.decisions == 2:
            raise ValueError("no idea")
        return legal[0]

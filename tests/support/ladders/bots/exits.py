"""Ends the process that it plays in, at its second decision."""

import os
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Exits(Bot):
    def start(self) -> None:
        self.decisions = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.decisions += 1
        if self.decisions == 2:
            os._exit(3)
        return legal[0]

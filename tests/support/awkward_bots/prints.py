"""A bot that prints far more than anybody reads."""

import sys
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot

MEGABYTES = 40


class Prints(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        line = "x" * 1023 + "\n"
        for _ in range(MEGABYTES):
            sys.stdout.write(line * 1024)
        return legal[0]

"""A bot that forks many times, and whose children stay."""

import os
import time
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot

CHILDREN = 70


class Forks(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        for _ in range(CHILDREN):
            if os.fork() == 0:
                time.sleep(3600)
        time.sleep(3600)
        return legal[0]

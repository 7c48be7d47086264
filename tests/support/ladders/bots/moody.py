"""Ends its process in some matches: which ones is decided by its randomness."""

import os
from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Moody(Bot):
    """Plays at random until it has had enough."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        if self.rng.random() < 0.02:
            os._exit(5)
        return self.rng.choice(legal)

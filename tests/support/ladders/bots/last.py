"""Plays the last legal move."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Last(Bot):
    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[-1]

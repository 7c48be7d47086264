"""Takes ever more memory."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Hoards(Bot):
    def start(self) -> None:
        self.hoard: list[bytes] = []

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.hoard.append(b"x" * 40_000_000)
        return legal[0]

"""Lets the moves of the others decide what it plays."""

from collections.abc import Sequence
from typing import Any

from roost_sdk import Bot


class Listens(Bot):
    def start(self) -> None:
        self.heard = 0

    def seen(self, seat: int, move: Any) -> None:
        self.heard += seat + len(str(move))

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[self.heard % len(legal)]

"""Answers with what is no move, then with a move that is not allowed."""

from collections.abc import Sequence
from typing import Any

from roost_games.karteneck import PASS_AND_STEAL
from roost_sdk import Bot


class Babbles(Bot):
    def start(self) -> None:
        self.decisions = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.decisions += 1
        if self.decisions == 1:
            return "whatever"
        return PASS_AND_STEAL if PASS_AND_STEAL not in legal and self.decisions == 2 else legal[0]

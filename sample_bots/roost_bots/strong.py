"""The bot that thinks ahead, in each game with the method that fits it.

- Bratwurmeck: everything is public and a turn can be solved exactly (see `exact`). The worth of ending a turn with a
  tile, a theft or nothing depends on what every seat can do next (see `outlook`).
- Karteneck and Häc Mäc: the cards in other hands are unknown, so it searches (see `search`).
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from roost_bots.exact import ExactBot
from roost_bots.thinking import outlook
from roost_bots.thinking.dice_turn import Turn
from roost_bots.thinking.haecmaec_guide import HaecMaecGuide
from roost_bots.thinking.karteneck_guide import KarteneckGuide
from roost_bots.thinking.search import SearchBot
from roost_games.bratwurmeck import View


class StrongBot(SearchBot, ExactBot):
    """Searches where cards are hidden, and calculates where nothing is."""

    guides = MappingProxyType({"karteneck": KarteneckGuide(), "haecmaec": HaecMaecGuide()})

    def start(self) -> None:
        """Compute what every match needs, so that no decision has to wait for it."""
        if self.game == "bratwurmeck":
            outlook.prepare()

    def turn(self, view: View) -> Turn:
        return outlook.turn_of(view, self.seat)

    def karteneck(self, view: Any, legal: Sequence[Any]) -> Any:
        return self.choose(view, legal)

    def haecmaec(self, view: Any, legal: Sequence[Any]) -> Any:
        return self.choose(view, legal)

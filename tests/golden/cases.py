"""Every way to play every registered game: each variant with each of its player counts."""

from collections.abc import Mapping
from typing import NamedTuple

from roost_games.game import STANDARD, Variant
from roost_games.registry import AnyGame, all_games


class Case(NamedTuple):
    """A game, one of its variants, and a player count."""

    game: AnyGame
    variant: Variant
    players: int

    @property
    def name(self) -> str:
        """As the golden file is called: `haecmaec-3` or `haecmaec-slap-3`."""
        variant = "" if self.variant == STANDARD else f"-{self.variant.name}"
        return f"{self.game.name}{variant}-{self.players}"

    @property
    def options(self) -> Mapping[str, object]:
        """The options as a host would give them."""
        return self.variant.options


def all_cases() -> list[Case]:
    """All cases, in the order of the registry."""
    return [Case(game, variant, players) for game in all_games() for variant, players in game.tables()]

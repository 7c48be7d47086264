"""Every way to play every registered game: each player count, by default and with each switch turned on."""

from collections.abc import Iterator
from typing import NamedTuple

from roost_games.errors import OptionError
from roost_games.registry import AnyGame, all_games


class Case(NamedTuple):
    """A game, one option that is switched on (or none), and a player count."""

    game: AnyGame
    switch: str
    players: int

    @property
    def name(self) -> str:
        """As the golden file is called: `haecmaec-3` or `haecmaec-slap-3`."""
        return "-".join(filter(None, (self.game.name, self.switch, str(self.players))))

    @property
    def options(self) -> dict[str, object]:
        """The options as a host would give them."""
        return {self.switch: True} if self.switch else {}


def all_cases() -> list[Case]:
    """All cases, in the order of the registry."""
    return [
        Case(game, switch, players)
        for game in all_games()
        for switch in ("", *switches(game))
        for players in game.players(game.options({switch: True} if switch else {}))
    ]


def switches(game: AnyGame) -> Iterator[str]:
    """The options of `game` that can be switched on."""
    for doc in game.option_docs:
        try:
            game.options({doc.name: True})
        except OptionError:
            continue
        yield doc.name

"""The list of games and the rules of one, for a person."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roost_cli.terminal.console import results
from roost_games.game import STANDARD, Component, Variant
from roost_games.registry import AnyGame, rules_of


class Provenance(NamedTuple):
    """Where a number comes from, in words for a host."""

    word: str
    meaning: str
    style: str


SOURCES = {
    "seed": Provenance("rules", "the game's own rules say so", "green"),
    "public": Provenance("published", "reviews or the official rulebook say so", "green"),
    "assumed": Provenance(
        "assumed",
        "printed only on the components, so this is our guess; replace it if you own the game",
        "yellow",
    ),
}


def print_games(games: Sequence[AnyGame]) -> None:
    """Print all games, one after the other, and what the marks mean."""
    results().print(Group(*(_game(game) for game in games), _legend()))


def print_rules(game: AnyGame) -> None:
    """Print the rules of a game."""
    from rich.markdown import Markdown

    results().print(Markdown(rules_of(game.name)))


def _game(game: AnyGame) -> RenderableType:
    head = Text.assemble((game.name, "bold"), f"  {game.title}, {_players(game, STANDARD)}")
    return Group(head, Padding(Group(game.summary, _sheet(game)), (0, 0, 1, 2), expand=False))


def _sheet(game: AnyGame) -> Table:
    """The components with their sources, then the variants and the options."""
    table = _grid()
    for component in game.components:
        source = SOURCES[component.source]
        table.add_row(Text(source.word, style=source.style), _what(component))
    for variant in game.variants[1:]:
        table.add_row(Text("variant", style="cyan"), f"{variant.name}: {variant.summary}; {_players(game, variant)}")
    for option in game.option_docs:
        summary = f"{option.name}: {option.summary}; default: {option.default}"
        table.add_row(Text("option", style="cyan"), summary)
    return table


def _players(game: AnyGame, variant: Variant) -> str:
    counts = game.players(game.options(variant.options))
    return f"{counts[0]} to {counts[-1]} players"


def _what(component: Component) -> str:
    return f"{component.what} (option {component.option})" if component.option else component.what


def _legend() -> RenderableType:
    table = _grid()
    for source in SOURCES.values():
        table.add_row(Text(source.word, style=source.style), source.meaning)
    hint = "roost play ... --option NAME=VALUE replaces a number; roost rules GAME prints the rules."
    return Group("Where the numbers come from", Padding(table, (0, 0, 1, 2), expand=False), hint)


def _grid() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=max(len(source.word) for source in SOURCES.values()))
    table.add_column()
    return table

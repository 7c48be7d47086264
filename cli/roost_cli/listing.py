"""The list of games as a person reads it and as a program does."""

from collections.abc import Sequence
from importlib.resources import files
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roost_games.game import Component
from roost_games.registry import AnyGame


class Source(NamedTuple):
    """Where a number comes from, in words for a host."""

    word: str
    meaning: str
    style: str


SOURCES = {
    "seed": Source("rules", "the game's own rules say so", "green"),
    "public": Source("published", "reviews or the official rulebook say so", "green"),
    "assumed": Source(
        "assumed",
        "printed only on the components, so this is our guess; replace it if you own the game",
        "yellow",
    ),
}


def rules_text(game: str) -> str:
    """The rules of a game, in Markdown."""
    return files(f"roost_games.{game}").joinpath("rules.md").read_text(encoding="utf-8")


def game_listing(games: Sequence[AnyGame]) -> RenderableType:
    """All games, one after the other, and what the marks mean."""
    return Group(*(_game(game) for game in games), _legend())


def _game(game: AnyGame) -> RenderableType:
    counts = game.players(game.options({}))
    head = Text.assemble((game.name, "bold"), f"  {game.title}, {counts[0]} to {counts[-1]} players")
    return Group(head, Padding(Group(game.summary, _sheet(game)), (0, 0, 1, 2), expand=False))


def _sheet(game: AnyGame) -> Table:
    """The components with their sources, then the options."""
    table = _grid()
    for component in game.components:
        source = SOURCES[component.source]
        table.add_row(Text(source.word, style=source.style), _what(component))
    for option in game.option_docs:
        summary = f"{option.name}: {option.summary}; default: {option.default}"
        table.add_row(Text("option", style="cyan"), summary)
    return table


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


def games_json(games: Sequence[AnyGame]) -> list[dict[str, object]]:
    """All games, for programs."""
    return [_game_json(game) for game in games]


def _game_json(game: AnyGame) -> dict[str, object]:
    counts = game.players(game.options({}))
    return {
        "name": game.name,
        "title": game.title,
        "summary": game.summary,
        "players": {"least": counts[0], "most": counts[-1]},
        "components": [component._asdict() for component in game.components],
        "options": [option._asdict() for option in game.option_docs],
    }

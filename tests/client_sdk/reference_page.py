"""Makes docs/bots/reference.md from the docstrings: `make reference` writes the page."""

import ast
import inspect
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import roost_sdk
from roost_games.game import Game
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import FaultEntry, ForfeitEntry, Result
from roost_sdk import testing
from roost_sdk.arena import journal
from tests.support.games.values import moves_and_parts

PAGE = Path(__file__).parents[2] / "docs/bots/reference.md"
HEAD = """\
# API reference

What a bot author imports, and what the commands call. [Writing a bot in Python](write.md) is the guide to it.

This page is generated from the docstrings. To change it, change them and run `make reference`; a test compares the two.
"""
COMMANDS = {
    "Playing back and checking replays": (
        "roost_games.verify:verify",
        "roost_games.playback:Playback",
        "roost_sdk.replay_files:ReplayFile",
    ),
    "Frames and the viewer, as `roost replay --html` shows it": (
        "roost_sdk.viewing.html:Shown",
        "roost_sdk.viewing.frames:Recorded",
        "roost_sdk.viewing.frames:frames_of",
        "roost_sdk.viewing.live:LiveMatch",
    ),
    "Asking an arena": (
        "roost_sdk.arena.reader:open_arena",
        "roost_sdk.arena.reader:ArenaReader",
        "roost_sdk.arena.reader:follow_challenge",
    ),
    "Checking a bot, as `roost try` does": (
        "roost_ladder.workshop.doctor:examine",
        "roost_ladder.workshop.parts:Opponents",
        "roost_ladder.workshop.doctor:Examination",
        "roost_ladder.workshop.findings:Finding",
    ),
    "Second opinions, as `roost replay --bot` gives them": (
        "roost_ladder.workshop.second_opinion:second_opinion",
        "roost_ladder.workshop.second_opinion:Opinions",
        "roost_ladder.workshop.second_opinion:Opinion",
        "roost_ladder.workshop.weighing:weigh",
        "roost_ladder.workshop.weighing:Weighed",
        "roost_ladder.workshop.guests:bot_to_ask",
    ),
    "What a lost match teaches, as `roost replay --mine` and `roost lessons` tell it": (
        "roost_ladder.workshop.review:costliest",
        "roost_ladder.workshop.review:Judged",
        "roost_ladder.workshop.lessons:Study",
        "roost_ladder.workshop.lessons:Lesson",
        "roost_games.decisions:kind_of",
        "roost_sdk.arena.kept:read_kept",
        "roost_sdk.arena.kept:fetch_record",
    ),
    "Ratings and statistics": (
        "roost_ladder.rating.standings:standings",
        "roost_ladder.rating.standings:Standing",
        "roost_ladder.rating.statistics:Statistics",
        "roost_ladder.suspicions.collusion:find_collusion",
    ),
    "Ladders, comparisons and reports": (
        "roost_ladder.running.local_ladder:run_ladder",
        "roost_ladder.running.local_ladder:LadderOptions",
        "roost_ladder.running.ladder:Ladder",
        "roost_ladder.running.comparison:run_comparison",
        "roost_ladder.running.comparison:CompareOptions",
        "roost_ladder.report.summary:summarise",
        "roost_ladder.report.page:page",
        "roost_ladder.report.plain:as_csv",
        "roost_ladder.report.plain:as_json",
    ),
}
"""What the commands call, by subject: everything that a command does, Python can do too."""


class Field(NamedTuple):
    """A documented attribute."""

    name: str
    type: str
    doc: str


def fields_of(kind: type) -> list[Field]:
    """The annotated attributes of a class as its source has them, with the docstring below each, or none."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    return list(_fields_in(tree.body))


def _fields_in(body: list[ast.stmt]) -> Iterator[Field]:
    for statement, following in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name | ast.Attribute):
            target = statement.target
            name = target.id if isinstance(target, ast.Name) else target.attr
            if not name.startswith("_"):
                yield Field(name, ast.unparse(statement.annotation), _string(following))
        elif isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            yield from (field for field in _fields_in(statement.body) if field.doc)


def _string(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(ast.Constant(str(text))):
            return inspect.cleandoc(text)
    return ""


def methods_of(kind: type) -> Iterator[tuple[str, str, str]]:
    """The public methods and properties of a class: how they are called, what they return, and their docstrings."""
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(value, property):
            yield name, "", inspect.getdoc(value) or ""
        elif isinstance(value, FunctionType | classmethod):
            function = value.__func__ if isinstance(value, classmethod) else value
            doc = inspect.getdoc(function)
            if doc:
                yield name, _signature(function), doc


def _signature(function: Any) -> str:
    """The arguments as the source has them, without `self`, and what is returned."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
    tree.args.args = [argument for argument in tree.args.args if argument.arg not in ("self", "cls")]
    returned = f" -> {ast.unparse(tree.returns)}" if tree.returns and tree.name != "__init__" else ""
    return f"({ast.unparse(tree.args)}){returned}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _described(title: str, thing: Any, level: str) -> Iterator[str]:
    """A class, or a function."""
    yield f"{level} `{title}`\n"
    if not isinstance(thing, type):
        yield f"`{title.rpartition('.')[2]}{_signature(thing)}`\n"
    own = vars(thing).get("__doc__") if isinstance(thing, type) else thing.__doc__
    yield f"{inspect.cleandoc(own or '')}\n"
    if isinstance(thing, type):
        yield from _constructor(thing)
        yield from _members(thing)


def _constructor(kind: type) -> Iterator[str]:
    init = vars(kind).get("__init__")
    if isinstance(init, FunctionType) and init.__doc__:
        yield f"`{kind.__name__}{_signature(init)}`: {_cell(inspect.cleandoc(init.__doc__))}\n"


def _members(kind: type) -> Iterator[str]:
    rows = [f"| `{name}` | `{_cell(type)}` | {_cell(doc)} |" for name, type, doc in fields_of(kind)]
    if rows:
        yield "\n".join(("| Attribute | Type | |", "|---|---|---|", *rows)) + "\n"
    calls = [f"| `{_cell(name + signature)}` | {_cell(doc)} |" for name, signature, doc in methods_of(kind)]
    if calls:
        yield "\n".join(("| Method or property | |", "|---|---|", *calls)) + "\n"


def _found(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)


def page() -> str:
    """The whole page."""
    parts = [HEAD, "## `roost_sdk`\n"]
    for name in roost_sdk.__all__:
        parts += _described(name, getattr(roost_sdk, name), "###")
    parts.append("## `roost_sdk.testing`\n")
    for thing in (testing.play_scripted, testing.ScriptedMatch, testing.ScriptedLink):
        parts += _described(thing.__name__, thing, "###")
    parts.append("## `roost_sdk.arena.journal`\n")
    parts += _described("Journal", journal.Journal, "###")
    parts.append("## How a match ended: `roost_games.replay`\n")
    for each in (Result, FaultEntry, ForfeitEntry):
        parts += _described(each.__name__, each, "###")
    for name in GAME_NAMES:
        parts.append(f"## {get_game(name).title}: `roost_games.{name}`\n")
        for thing in moves_and_parts(name):
            parts += _described(thing.__name__, thing, "###")
    parts.append("## For search: `roost_games.game`\n")
    parts.append(
        "`roost_games.registry.get_game(name)` is the game as an object. With it a bot can list the legal moves of\n"
        "any view, and play on from what it knows: `determinise` makes a complete state that could be the real one.\n"
    )
    parts += _described("Game", Game, "###")
    parts.append("## What the commands call\n")
    parts.append("A command parses its options, makes one of these calls and prints the result.\n")
    for subject, names in COMMANDS.items():
        parts.append(f"### {subject}\n")
        for name in names:
            parts += _described(name.replace(":", "."), _found(name), "####")
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

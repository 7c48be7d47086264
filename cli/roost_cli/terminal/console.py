"""Where output goes, and tables in the house style.

Results go to stdout, everything else to stderr; colours only where they are wanted. Tables drop their least important
columns on a narrow terminal. Nothing that others have written, such as a name, a message or the output of a bot,
controls a terminal: what is not printed by a `HarmlessConsole` passes through `roost_cli.streams`.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TextIO

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from roost_games.wording import CONTROLS, harmless

UNLIMITED = 10_000
MORE_ROOM = "A wider terminal shows more columns."


class HarmlessConsole(Console):
    """A console that spells out what could control a terminal in what it is given to print."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """The parts of what is printed. Those that move the cursor are rich's own."""
        for part in super().render(renderable, options):
            yield part if part.control else part._replace(text=harmless(part.text))


def results() -> Console:
    """A console on stdout. It keeps that stream, even while the output of bots is sent elsewhere."""
    return _console(sys.stdout)


def remarks() -> Console:
    """A console on stderr."""
    return _console(sys.stderr)


def remark(line: str) -> None:
    """Write a line to stderr, above a live screen if there is one."""
    sys.stderr.write(f"{line}\n")


def _console(file: TextIO) -> Console:
    # Rich drops colours for NO_COLOR but keeps bold and dim; without a colour system it writes plain text.
    no_color = os.environ.get("NO_COLOR")
    return HarmlessConsole(file=file, highlight=False, markup=False, color_system=None if no_color else "auto")


def plain_table(*columns: str) -> Table:
    """An empty table in the house style; columns named with a leading `>` are aligned to the right.

    Only a column of faults may need more than one line.
    """
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.startswith(">") else "left"
        table.add_column(column.removeprefix(">"), justify=justify, no_wrap=column != "faults")
    return table


def print_json(data: object) -> None:
    """`data` on stdout, for programs."""
    print_json_text(json.dumps(data, indent=1, ensure_ascii=False))


def print_json_text(text: str) -> None:
    """JSON on stdout. What could control a terminal can only be within strings, and is escaped there."""
    plain = text.replace("\r", " ")
    typer.echo(CONTROLS.sub(lambda found: json.dumps(found[0])[1:-1], plain))


class TextColumn(NamedTuple):
    """A column of a table."""

    head: str
    """With a leading `>` it is aligned to the right."""
    cells: Sequence[str]
    drop: int = 0
    """Where there is no room, the highest goes first; 0 stays."""
    whole: bool = False
    """Whether its cells are never cut, because people copy them."""


def print_fitted(console: Console, columns: Sequence[TextColumn]) -> bool:
    """Print as many of `columns` as there is room for, and return whether these are all.

    Only a terminal has a width. A pipe or a file gets every column, one line per row.
    """
    if console.is_terminal:
        table = fitted_table(console, columns)
        console.print(table)
        return len(table.columns) == len(columns)
    room, console.width = console.width, UNLIMITED
    console.print(_table(columns))
    console.width = room
    return True


def fitted_table(console: Console, columns: Sequence[TextColumn]) -> Table:
    """A table of as many of `columns` as fit a terminal."""
    kept = list(columns)
    while _width(console, kept) > console.width and any(column.drop for column in kept):
        kept.remove(max(kept, key=lambda column: column.drop))
    return _table(kept)


def _table(columns: Sequence[TextColumn]) -> Table:
    table = plain_table(*(column.head for column in columns))
    for column, made in zip(columns, table.columns, strict=True):
        made.min_width = max(map(len, column.cells), default=0) if column.whole else None
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table


def _width(console: Console, columns: Sequence[TextColumn]) -> int:
    """The width of the table if nothing is cut."""
    return _table(columns).__rich_measure__(console, console.options.update(width=UNLIMITED)).maximum


def note_room(console: Console, complete: bool) -> None:
    """Say that there is more, unless the table was printed completely."""
    if not complete:
        console.print(MORE_ROOM, style="dim")

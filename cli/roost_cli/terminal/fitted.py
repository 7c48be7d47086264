"""Tables that have more columns than some terminals have room for: the least important ones go first."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from roost_cli.terminal.console import plain_table

UNLIMITED = 10_000


class Column(NamedTuple):
    """A column of a table."""

    head: str
    """With a leading `>` it is aligned to the right."""
    cells: Sequence[str]
    drop: int = 0
    """The highest goes first where there is no room; 0 stays."""
    whole: bool = False
    """Whether its cells are never cut, because they are to be copied."""


def print_fitted(console: Console, columns: Sequence[Column]) -> bool:
    """Print as many of `columns` as there is room for. Whether these are all.

    Only a terminal has a width. Whoever reads from a pipe or a file gets everything, a line for each row.
    """
    if console.is_terminal:
        table = fitted_table(console, columns)
        console.print(table)
        return len(table.columns) == len(columns)
    room, console.width = console.width, UNLIMITED
    console.print(_table(columns))
    console.width = room
    return True


def fitted_table(console: Console, columns: Sequence[Column]) -> Table:
    """A table of as many of `columns` as there is room for on a terminal."""
    kept = list(columns)
    while _width(console, kept) > console.width and any(column.drop for column in kept):
        kept.remove(max(kept, key=lambda column: column.drop))
    return _table(kept)


def _table(columns: Sequence[Column]) -> Table:
    table = plain_table(*(column.head for column in columns))
    for column, made in zip(columns, table.columns, strict=True):
        made.min_width = max(map(len, column.cells), default=0) if column.whole else None
    for row in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*row)
    return table


def _width(console: Console, columns: Sequence[Column]) -> int:
    """How wide the table is if nothing is cut."""
    return _table(columns).__rich_measure__(console, console.options.update(width=UNLIMITED)).maximum

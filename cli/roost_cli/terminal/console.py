"""Where output goes: results to stdout, everything else to stderr, in colour only where somebody wants it."""

import json
import os
import sys
from typing import Literal, TextIO

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def results() -> Console:
    """A console on stdout. It keeps that stream, even while the output of bots is sent elsewhere."""
    return _console(sys.stdout)


def remarks() -> Console:
    """A console on stderr."""
    return _console(sys.stderr)


def _console(file: TextIO) -> Console:
    # Rich drops colours for NO_COLOR but keeps bold and dim; without a colour system it writes plain text.
    no_color = os.environ.get("NO_COLOR")
    return Console(file=file, highlight=False, markup=False, color_system=None if no_color else "auto")


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
    typer.echo(json.dumps(data, indent=1, ensure_ascii=False))

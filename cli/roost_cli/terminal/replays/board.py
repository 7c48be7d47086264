"""Draws the frames of a match: lines, and the table below them, in the colours of their roles."""

from collections.abc import Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roost_games.narration import Board, Role, Span, Words
from roost_games.narrator import Frame

STYLES: Mapping[Role, str] = {
    "plain": "",
    "seat": "bold",
    "card": "bold",
    "strong": "bold",
    "worm": "bold red",
    "dim": "dim",
    "notice": "bold yellow",
    "fault": "bold red",
}
NUMBERED: Mapping[Role, Sequence[str]] = {
    "seat": ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan"),
    "card": ("red", "yellow", "bright_red", "green", "bright_magenta"),
}


def print_frame(console: Console, frame: Frame) -> None:
    """Print the lines, then the board, if there is one, and an empty line."""
    for line in frame.lines:
        console.print(_indented(styled(line.words), 4) if line.follows else styled(line.words))
    if frame.board is not None:
        console.print(_indented(board_table(frame.board), 2))
        console.print()


def board_table(board: Board) -> RenderableType:
    """The board, with a row for each seat and a mark where one decides."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    for width in (0, 0, *board.widths):
        rows.add_column(no_wrap=True, min_width=width)
    rows.add_column()
    for seat, bot, deciding, cells in board.rows:
        mark, name = Text(">" if deciding else " ", style="bold"), Span(f"{seat} {bot}", "seat", seat)
        rows.add_row(mark, styled((name,)), *map(styled, cells))
    return Group(styled(board.head), rows, *([styled(board.foot)] if board.foot else []))


def styled(words: Words) -> Text:
    """Words in the colours of their roles."""
    return Text.assemble(*((span.text, _style(span)) for span in words))


def _style(span: Span) -> str:
    styles = NUMBERED.get(span.role, ())
    return STYLES[span.role] if span.number is None or not styles else styles[span.number % len(styles)]


def _indented(drawn: RenderableType, columns: int) -> Padding:
    return Padding(drawn, (0, 0, 0, columns), expand=False)

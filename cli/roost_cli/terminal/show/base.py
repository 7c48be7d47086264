"""What the renderer of a game has to say and draw, and the words and colours that all of them share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from roost_games.wording import counted

SEAT_STYLES = ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan")
WORM_STYLE = "bold red"
HIDDEN_STYLE = "dim"
"""For hands: a person at home may see them, the other seats do not."""
SEPARATOR = "  |  "


class Look(NamedTuple):
    """The table at one moment, from all sides."""

    public: Any
    """A spectator's view."""
    seats: tuple[Any, ...]
    """By seat, what it sees itself; empty for a spectator, who may not see that."""


class Show(ABC):
    """The renderer of one game. Everything must be readable without colour."""

    legend: str
    """How to read the drawing, in one line without a full stop."""
    hands: bool = False
    """Whether there are hands to hide."""

    def __init__(self, bots: Sequence[str]) -> None:
        self.bots = bots

    @abstractmethod
    def move(self, seat: int, move: Any, before: Any, after: Any) -> Text | None:
        """What `seat` did, to be read after its name; `None` if the events say it all.

        `before` and `after` are a spectator's views.
        """

    @abstractmethod
    def event(self, event: Any) -> Text | None:
        """What followed, as a sentence; `None` for what needs no words."""

    @abstractmethod
    def table(self, look: Look, before: Look | None) -> RenderableType | None:
        """The table in a few lines; less, or `None`, if that tells all that has changed since `before`."""

    def seen(self, before: Any, after: Any) -> Iterable[object]:
        """The events that a spectator can tell from two views, for those who are not told the game's own."""
        return ()

    def name(self, seat: int) -> Text:
        """The seat in a sentence: `seat 2 (random)`."""
        return Text(f"seat {seat} ({self.bots[seat]})", style=self.style(seat))

    def short(self, seat: int) -> Text:
        """The seat where its bot has been named just before: `seat 2`."""
        return Text(f"seat {seat}", style=self.style(seat))

    def style(self, seat: int) -> str:
        """The colour of a seat."""
        return SEAT_STYLES[seat % len(SEAT_STYLES)]

    def seat_cells(self, seat: int, to_move: Sequence[int]) -> tuple[Text, Text]:
        """The first two cells of a seat's row: a mark if it is to move, and who it is."""
        style = self.style(seat)
        return Text(">" if seat in to_move else " ", style="bold"), Text(f"{seat} {self.bots[seat]}", style=style)


def hand_cell(look: Look, seat: int, shown: Callable[[Iterable[Any]], Text]) -> Text:
    """The hand of a seat, dimmed; for a spectator how many cards it holds."""
    if not look.seats:
        held = look.public.hand_sizes[seat]
        return Text(counted(held, "card"), style=HIDDEN_STYLE)
    return Text.assemble("hand ", shown(look.seats[seat].hand), style=HIDDEN_STYLE)


def seat_rows(*widths: int) -> Table:
    """A table without lines for one row per seat, with columns of at least these widths, so that they seldom jump.

    The last column may need more than one line.
    """
    table = Table.grid(padding=(0, 2, 0, 0))
    for width in widths[:-1]:
        table.add_column(no_wrap=True, min_width=width)
    table.add_column()
    return table


def sentence(*parts: str | Text) -> Text:
    """Words in a row; strings are plain."""
    return Text.assemble(*parts)


def listed(items: Iterable[Text | str], between: str = " ", nothing: str = "-") -> Text:
    """Items beside each other, or `nothing`."""
    parts = [item if isinstance(item, Text) else Text(item) for item in items]
    return Text(between).join(parts) if parts else Text(nothing)


def with_worms(value: int, worms: int) -> Text:
    """A portion or tile: its value and its worms, `31~~~`."""
    return Text.assemble((str(value), "bold"), ("~" * worms if worms < 7 else f"~{worms}", WORM_STYLE))


def worm_word(worms: int) -> str:
    """`1 worm`, `3 worms`."""
    return counted(worms, "worm")

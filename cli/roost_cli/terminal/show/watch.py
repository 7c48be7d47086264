"""Listens to a referee and prints what happens: a frame for each decision, of a few lines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from roost_cli.terminal.show.base import Look, Show
from roost_games.referee import Ended, Faulted, Forfeited, Played


@dataclass(slots=True)
class Frame:
    """What is told about one decision, or about several that were made at the same time."""

    words: list[RenderableType] = field(default_factory=list)
    """Who did what, then what followed."""
    table: RenderableType | None = None
    """The table after it."""

    def print(self, console: Console) -> None:
        """Print the words, the table and an empty line."""
        for line in self.words:
            console.print(line)
        if self.table is not None:
            console.print(Padding(self.table, (0, 0, 0, 2), expand=False))
            console.print()


def show_for(game: str, bots: Sequence[str]) -> Show:
    """The renderer of a game."""
    show: Show = import_module(f"roost_cli.terminal.show.{game}").SHOW(bots)
    return show


class Watched(Protocol):
    """What a watcher looks at: a referee, or a match that is played again from its record."""

    view: Callable[[int | None], Any]
    """`view(seat)`: what that seat knows. `view(None)`: what a spectator may know."""


class Watcher:
    """A listener that a referee is given; then `begin` has to be called before the first move.

    `draw` gets each frame when it is finished, which is when the next one begins or the match ends. A frame has only as
    much of the table as tells what has changed, unless it is to be `whole`.
    """

    def __init__(self, game: str, bots: Sequence[str], draw: Callable[[Frame], None], *, whole: bool = False) -> None:
        self.show = show_for(game, bots)
        self._draw = draw
        self._whole = whole

    def begin(self, match: Watched) -> None:
        """Draw the table after the deal."""
        self._view = match.view
        self._look = self._look_now()
        self._drawn: Look | None = None
        self._deciding = set(self._look.public.to_move)
        note = "; only you see all hands" if self.show.hands else ""
        self._frame = Frame([Text(f"{self.show.legend}{note}.", style="dim")])
        self._finish()

    def listen(self, notice: object) -> None:
        """Hear a notice of the referee or an event of the game."""
        if isinstance(notice, Played | Faulted | Forfeited | Ended) and not self._deciding:
            self._finish()
        match notice:
            case Played():
                self._hear_move(notice)
            case Faulted(seat, kind):
                self._say(seat, f" is at fault: {kind}")
            case Forfeited(seat):
                self._say(seat, " forfeits")
            case Ended():
                if self._frame.words:
                    self._finish()
            case event:
                words = self.show.event(event)
                if words:
                    self._frame.words.append(Padding(words, (0, 0, 0, 4), expand=False))

    def remark(self, words: RenderableType) -> None:
        """Add a line of somebody else's to what is told about the decision that was heard last."""
        self._frame.words.append(Padding(words, (0, 0, 0, 4), expand=False))

    def _hear_move(self, played: Played) -> None:
        before, self._look = self._look, self._look_now()
        self._deciding.discard(played.seat)
        words = self.show.move(played.seat, played.move, before.public, self._look.public)
        if words:
            by = " [fallback]" if played.fallback else ""
            self._frame.words.append(Text.assemble(self.show.name(played.seat), by, " ", words))

    def _say(self, seat: int, words: str) -> None:
        self._frame.words.append(self.show.name(seat).append(words, style="bold red"))

    def _finish(self) -> None:
        """Draw the frame, and begin the next."""
        self._frame.table = self.show.table(self._look, None if self._whole else self._drawn)
        if self._frame.table is not None:
            self._drawn = self._look
        self._draw(self._frame)
        self._frame = Frame()
        self._deciding = set(self._look.public.to_move)

    def _look_now(self) -> Look:
        public = self._view(None)
        return Look(public, tuple(self._view(seat) for seat in range(public.players)))

"""Goes through a recorded match in the terminal, key by key."""

import os
import re
import sys
import termios
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.control import Control

from roost_cli.terminal.show import print_frame
from roost_games.errors import UsageError
from roost_games.narrator import Frame

KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
"""One key: a character, or what a terminal sends for an arrow."""
NEXT = frozenset(("n", "\r", "\n", " ", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"))
BACK = frozenset(("p", "\x7f", "\b", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"))
FIRST = frozenset(("g", "\x1b[H", "\x1b[1~"))
LAST = frozenset(("G", "\x1b[F", "\x1b[4~"))
QUIT = frozenset(("", "q", "\x1b", "\x04"))
KEYS = "n or Enter: on, p: back, g and G: first and last, q: quit"
Typed = Callable[[], str]
"""Waits for keys and returns what was typed, several keys at once if they came at once; nothing at the end of input."""


def check_terminal(console: Console) -> None:
    """Raise `UsageError` if nobody can press keys."""
    if not (console.is_terminal and sys.stdin.isatty()):
        raise UsageError("--step needs a terminal to read keys from; --show prints the match instead")


@contextmanager
def keyboard() -> Iterator[Typed]:
    """The keys of the terminal, one by one as they are pressed, for as long as the block runs."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield lambda: os.read(terminal, 64).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def step_through(console: Console, frames: Sequence[Frame], typed: Typed) -> None:
    """Show one frame after the other, as the keys say. Ctrl-C quits too."""
    at: int | None = 0
    try:
        with console.screen():
            while at is not None:
                _show(console, frames, at)
                at = _follow(typed(), at, len(frames) - 1)
    except KeyboardInterrupt:
        return


def _show(console: Console, frames: Sequence[Frame], at: int) -> None:
    console.control(Control.home(), Control.clear())
    print_frame(console, frames[at])
    console.print(f"{at + 1} of {len(frames)}  {KEYS}", style="dim")


def _follow(typed: str, at: int, last: int) -> int | None:
    """The frame to which the keys lead; `None` if one of them quits."""
    for key in KEY.findall(typed) or [""]:
        if key in QUIT:
            return None
        if key in NEXT:
            at = min(at + 1, last)
        elif key in BACK:
            at = max(at - 1, 0)
        elif key in FIRST or key in LAST:
            at = 0 if key in FIRST else last
    return at

"""Shows how something goes while it goes on: a picture that changes on a terminal, elsewhere a line now and then.

There is one `Screen` for ladders, comparisons, submitted bots, the showcase and every progress bar.
"""

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from roost_cli.streams import HarmlessStream
from roost_cli.terminal.console import remark, remarks

LINE_SECONDS = 10.0
"""The pause between lines where nothing can be redrawn."""
PICTURE_SECONDS = 0.25
"""The pause between pictures on a terminal."""
LARGEST_SHARE = 0.1
"""Drawing never takes a larger part of the time than this."""
BAR_WIDTH = 30
Advance = Callable[[int], None]
"""Says how many more parts are done."""


class Screen:
    """Draws when it is due. What is costly to draw is drawn less often."""

    def __init__(self, console: Console, live: Live | None, seconds: float) -> None:
        self.console = console
        self.is_live = live is not None
        self._live = live
        self._seconds = seconds
        self._due = time.monotonic() + seconds

    def show(self, picture: Callable[[], RenderableType], line: Callable[[], str], *, now: bool = False) -> None:
        """Draw the picture, or print the line, if it is due; with `now` in any case."""
        begun = time.monotonic()
        if begun < self._due and not now:
            return
        if self._live is not None:
            self._live.update(picture(), refresh=True)
        else:
            self.console.print(line(), soft_wrap=True)
        self._due = begun + max(self._seconds, (time.monotonic() - begun) / LARGEST_SHARE)


@contextlib.contextmanager
def screen(
    console: Console, *, seconds: float = PICTURE_SECONDS, line_seconds: float | None = None
) -> Iterator[Screen]:
    """A screen on `console` while the block runs. On a terminal its picture is removed at the end."""
    if not console.is_terminal or console.is_dumb_terminal:
        yield Screen(console, None, LINE_SECONDS if line_seconds is None else line_seconds)
        return
    with Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False) as live, above_picture():
        yield Screen(console, live, seconds)


@contextlib.contextmanager
def answering_ctrl_c(what: str) -> Iterator[None]:
    """Answer the first Ctrl-C at once with what happens next, while the block runs."""
    former = signal.getsignal(signal.SIGINT)

    def answer(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, former)
        remark(what)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, answer)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def above_picture() -> contextlib.AbstractContextManager[object]:
    """Let harmless text only through to what rich shows above a picture: it takes escapes for colours and links."""
    return contextlib.redirect_stderr(HarmlessStream(sys.stderr))


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """Show on stderr how much of something with `total` parts is done, while the block runs."""
    done = 0
    begun = time.monotonic()

    def picture() -> RenderableType:
        passed = time.monotonic() - begun
        left = shown_time(passed / done * (total - done)) if done else "..."
        bar = ProgressBar(total=total, completed=done, width=BAR_WIDTH)
        return in_a_row(what, bar, f"{_percent(done, total)} %", left)

    def advance(parts: int) -> None:
        nonlocal done
        done += parts
        shown.show(picture, lambda: f"{what}: {_percent(done, total)} %")

    with screen(remarks()) as shown:
        yield advance


def _percent(done: int, total: int) -> int:
    return 100 * done // total if total else 100


@contextlib.contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Say on a terminal what is being done now, where nobody knows how much there is to do."""
    console = remarks()
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status("") as shown:
        yield shown.update


def in_a_row(*parts: RenderableType) -> Table:
    """Several things on one line."""
    line = Table.grid(padding=(0, 1, 0, 0))
    for _ in parts:
        line.add_column(no_wrap=True)
    line.add_row(*parts)
    return line


def shown_time(seconds: float) -> str:
    """A duration: `40 s` or `2 min 5 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"

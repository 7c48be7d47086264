"""How far a long run has come: a bar on a terminal, now and then a line elsewhere. Both on stderr."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from roost_cli.terminal.console import remarks

SECONDS_BETWEEN_LINES = 10.0
Advance = Callable[[int], None]
"""Tells that so much more is done."""


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """Show the progress of something that has `total` parts, for as long as the block runs."""
    console = remarks()
    if not console.is_terminal:
        yield _Lines(what, total).advance
        return
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


@contextlib.contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Say on a terminal what is being done now, where nobody knows how much there is to do."""
    console = remarks()
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status("") as shown:
        yield shown.update


class _Lines:
    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._last = time.monotonic()

    def advance(self, done: int) -> None:
        self._done += done
        now = time.monotonic()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            percent = 100 * self._done // self._total if self._total else 100
            sys.stderr.write(f"{self._what}: {percent} %\n")
            sys.stderr.flush()

"""Says that a bot hangs, while it does so, and where in its code it is.

hang = Hang()
while not answered:
    if hang.is_news(seconds):
        tell(hang_line("mybot", seconds, where))
"""

import faulthandler
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import IO, NamedTuple, Protocol

from roost_sdk.tracebacks import authors_line
from roost_sdk.troubles.debugger import is_in_debugger

HANG_SECONDS = 2.0
"""A bot that does not answer for this long is said to hang, unless its clock gives more for a decision."""
HELD_SECONDS = 5.0
"""If C code holds the interpreter for this long, Python itself writes where every thread is."""
LOOK_SECONDS = 0.5
"""How often somebody looks."""
_dumps: list[IO[bytes]] = []
"""Where Python writes; by default to stderr."""


class Hang:
    """Decides when it is said how long something has been going on: after a while, and whenever it is twice as long."""

    def __init__(self) -> None:
        self._next = HANG_SECONDS

    def is_news(self, seconds: float, slow: float = 0.0) -> bool:
        """Whether to say now that it has taken so long; not before it is `slow`, by the clock of the match."""
        if seconds < max(HANG_SECONDS, slow):
            self._next = max(HANG_SECONDS, slow)
        if seconds < self._next:
            return False
        while self._next <= seconds:
            self._next *= 2
        return True


def each_once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Tells each line only the first time: several processes find the same bot at the same place."""
    told: set[str] = set()

    def tell_new(line: str) -> None:
        if line not in told:
            told.add(line)
            tell(line)

    return tell_new


def hang_line(bot: str, seconds: float, where: str) -> str:
    """What the author is told; `where` may be empty."""
    at = f"; it is at {where}" if where else ""
    return f"{bot} has not answered for {seconds:.0f} s{at}"


def where_thread_is(thread: int) -> str:
    """The author's line that a thread of this process is at: the innermost one; empty if it calls no bot."""
    return authors_line(sys._current_frames().get(thread))


def dump_if_held(*, armed: bool) -> None:
    """Have Python write where every thread is, unless this is called again within a few seconds.

    Nobody else could: C code that holds the interpreter keeps all threads from running.
    """
    file = _dumps[-1] if _dumps else sys.__stderr__
    if not armed:
        faulthandler.cancel_dump_traceback_later()
    elif file is not None:
        with suppress(OSError, ValueError):  # Where stderr is no file, there is nobody to read it.
            faulthandler.dump_traceback_later(HELD_SECONDS, repeat=bool(_dumps), file=file)


@contextmanager
def dumps_to(file: IO[bytes]) -> Iterator[None]:
    """While the block runs, have Python write to this file, and as long as the interpreter is held again and again."""
    _dumps.append(file)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        _dumps.remove(file)


class CallsBots(Protocol):
    """What calls bots in a thread of this process, as other threads see it."""

    @property
    def called(self) -> str:
        """The bot that is being called; empty if none is."""

    @property
    def slow_seconds(self) -> float:
        """What takes longer than this is slow."""

    def progress(self) -> object:
        """What changes as long as bots answer."""


class ThreadHang:
    """A thread of this process that calls bots. It hangs if nothing changes."""

    def __init__(self, caller: CallsBots, thread: int) -> None:
        self._caller = caller
        self._thread = thread
        self._hang = Hang()
        self._last: object = None
        self._since = monotonic()

    def look(self) -> str:
        """What to tell now; mostly nothing. To be called often."""
        progress, bot = self._caller.progress(), self._caller.called
        frame = sys._current_frames().get(self._thread)
        if progress != self._last or not bot or is_in_debugger(frame):
            self._last, self._since = progress, monotonic()
        seconds = monotonic() - self._since
        dump_if_held(armed=True)
        if self._hang.is_news(seconds, self._caller.slow_seconds):
            return hang_line(bot, seconds, authors_line(frame))
        return ""


class _Importing(NamedTuple):
    """The import of a bot: nothing can be seen of it but where it is."""

    called: str
    slow_seconds: float = 0.0

    def progress(self) -> object:
        return None


def watched_import(bot: str, tell: Callable[[str], None]) -> AbstractContextManager[None]:
    """Tell if this thread takes long to import a bot, while the block runs."""
    return watched(_Importing(bot), tell)


@contextmanager
def watched(caller: CallsBots, tell: Callable[[str], None]) -> Iterator[None]:
    """Tell if a bot hangs that this thread calls, while the block runs."""
    hang, over = ThreadHang(caller, threading.get_ident()), Event()

    def look() -> None:
        while not over.wait(LOOK_SECONDS):
            if line := hang.look():
                tell(line)

    watcher = Thread(target=look, name="roost hangs", daemon=True)
    dump_if_held(armed=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        dump_if_held(armed=False)

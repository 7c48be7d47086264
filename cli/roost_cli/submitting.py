"""What `roost submit` does: play a bot at an arena, and show how it fares for as long as it is there.

On a terminal there is one line that changes, below whatever the bot has to say. Elsewhere there is a line now and then.
"""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import NamedTuple, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from roost.v1 import arena_pb2
from roost_cli.arena_source import ANSWER_SECONDS, open_remote
from roost_cli.terminal.arena_tables import shown_ranks, shown_rating
from roost_cli.terminal.console import remarks, results
from roost_games.errors import RoostError
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import NOTHING, Credentials
from roost_sdk.arena.journal import Journal
from roost_sdk.program import Submission, play

LIVE_SECONDS = 0.2
"""How often the line on a terminal changes, at the most."""
LINE_SECONDS = 30.0
"""How often there is a line elsewhere."""
FIRST_RATING_SECONDS = 3.0
RATING_SECONDS = 20.0
"""How often the arena is asked for the rating: it has to look at all matches for it."""
LAST_RATING_SECONDS = 3.0
"""How long somebody who has left waits for the rating at most."""
ROOM_FOR_CTRL_C = 3
"""Terminals show `^C` when it is pressed. A line that gets too long by that could not be replaced any more."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def keep_playing(entry: Submission, *, verbose: bool = False) -> None:
    """Play until Ctrl-C, and log every decision if `verbose`.

    Raises `RoostError` if the arena refuses the bot or is not there.
    """
    out = results()
    logging.getLogger("roost_sdk").setLevel(logging.DEBUG if verbose else logging.INFO)
    journal = None if entry.keep is None else Journal(entry.keep, most_mb=entry.keep_mb)
    client = entry.client(lambda stats: display.changed(), journal)
    with Rating(entry.server, entry.credentials) as rating, _screen(remarks()) as screen:
        display = Display(client, entry.server, rating, out, screen)
        # What the bot prints is for its author, like its errors. Standard output is ours.
        with contextlib.redirect_stdout(sys.stderr), journal or contextlib.nullcontext(), _silence_after_interrupt():
            play(client, entry.server, entry.credentials)
    out.print(f"left: {display.line(rating.at_last())}", soft_wrap=True)


@contextlib.contextmanager
def _silence_after_interrupt() -> Iterator[None]:
    """Who presses Ctrl-C twice does not want to read which tasks asyncio had to drop for it."""
    try:
        yield
    except KeyboardInterrupt:
        logging.disable()
        raise


class Screen(NamedTuple):
    """Where a person sees how the bot fares."""

    show: Callable[[str], None]
    """Shows the line."""
    seconds: float
    """How often, at the most."""
    stays: bool
    """Whether lines stay, one below the other, instead of each replacing the former."""


@contextlib.contextmanager
def _screen(console: Console) -> Iterator[Screen]:
    """What stderr is good for. The log is written there, too."""
    if not console.is_terminal or console.is_dumb_terminal:
        _log_to_stderr()
        yield Screen(lambda line: console.print(line, soft_wrap=True), LINE_SECONDS, stays=True)
        return
    with Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False) as live:
        # From here on stderr is the part of the screen above the line.
        _log_to_stderr()
        yield Screen(lambda line: live.update(_cut(line, console), refresh=True), LIVE_SECONDS, stays=False)


def _cut(line: str, console: Console) -> Text:
    text = Text(line)
    text.truncate(console.width - ROOM_FOR_CTRL_C, overflow="ellipsis")
    return text


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.INFO, format=LOG_FORMAT, stream=sys.stderr, force=True)


class Rating:
    """What the arena says about the strength of a bot version, asked now and then in a thread of its own."""

    def __init__(self, server: str, credentials: Credentials = NOTHING) -> None:
        self._server = server
        self._credentials = credentials
        self._over = threading.Event()
        self._version_id: int | None = None
        self.text = ""
        """`rating 1534 ±40, rank 2-3`; empty before that is known."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()

    def follow(self, version_id: int) -> None:
        """Begin to ask about this version."""
        self._version_id = version_id
        threading.Thread(target=self._ask_on, daemon=True).start()

    def at_last(self) -> str:
        """The text as of now; empty if the arena does not say."""
        return "" if self._version_id is None else self._ask(LAST_RATING_SECONDS)

    def _ask_on(self) -> None:
        pause = FIRST_RATING_SECONDS
        while not self._over.wait(pause):
            pause = RATING_SECONDS
            self.text = self._ask(ANSWER_SECONDS) or self.text

    def _ask(self, patience: float) -> str:
        # An arena that is gone for a moment is no news: whoever plays says so already. The connection is made anew for
        # each question, since the arena would close it in the meantime.
        with contextlib.suppress(RoostError), open_remote(self._server, self._credentials, patience=patience) as arena:
            standings = arena.standings(arena_pb2.GetStandingsRequest()).standings
            for row in standings:
                if row.version_id == self._version_id:
                    return f"rating {shown_rating(row)}, rank {shown_ranks(row)} of {len(standings)}"
        return ""


class Display:
    """Keeps a person informed about a client that plays."""

    def __init__(self, client: Client, server: str, rating: Rating, out: Console, screen: Screen) -> None:
        self._client = client
        self._server = server
        self._rating = rating
        self._out = out
        self._screen = screen
        self._registered = self._connected = False
        self._shown = time.monotonic()

    def changed(self) -> None:
        """The client's numbers have changed."""
        stats = self._client.stats
        if stats.connected and not self._registered:
            self._register()
        now = time.monotonic()
        # Where lines stay, the log tells about the connection.
        news = stats.connected != self._connected and not self._screen.stays
        if news or now - self._shown >= self._screen.seconds:
            self._shown, self._connected = now, stats.connected
            line = self.line(self._rating.text)
            self._screen.show(line if stats.connected else f"{line} | not connected")

    def _register(self) -> None:
        """The arena has taken the bot: say under which number."""
        client = self._client
        if client.welcome is None:
            return
        self._registered = self._connected = True
        number = client.welcome.version_id
        self._out.print(
            f"{client.name}, version {client.version}, is number {number} at {self._server}", soft_wrap=True
        )
        self._rating.follow(number)

    def line(self, rating: str) -> str:
        """How the bot fares, in one line."""
        stats = self._client.stats
        faults = ", ".join(f"{count} {kind}" for kind, count in stats.faults.most_common())
        parts = [
            f"{stats.matches} matches, {stats.wins} won, {stats.playing} running",
            rating,
            f"faults: {faults}" if faults else "",
            f"latency {stats.latency_ms:.1f} ms" if stats.connected else "",
        ]
        return " | ".join(part for part in parts if part)

"""How a bot that was submitted is doing, for as long as it plays.

On a terminal there is one line that changes, below whatever the bot prints. Elsewhere there is a line now and then.
"""

import contextlib
import logging
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from roost.v1 import arena_pb2
from roost_cli.terminal import standings as cells
from roost_cli.terminal.console import remarks, results
from roost_cli.terminal.live import Screen, screen
from roost_games.wording import counted
from roost_sdk.arena.client import Client
from roost_sdk.arena.journal import open_journal
from roost_sdk.arena.reader import RatingWatch
from roost_sdk.program import Submission, play

LINE_SECONDS = 30.0
ROOM_FOR_CTRL_C = 3
"""Terminals show `^C` when it is pressed. A line that gets too long by that could no longer be replaced."""
LOG_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def keep_playing(submission: Submission, *, verbose: bool = False) -> None:
    """Play until Ctrl-C, and show how it goes. Raises `RoostError` if the arena refuses the bot or is not there."""
    out = results()
    logging.getLogger("roost_sdk").setLevel(logging.DEBUG if verbose else logging.INFO)
    watch = RatingWatch(submission.server, submission.credentials)
    with watch, screen(remarks(), line_seconds=LINE_SECONDS) as shown:
        # On a terminal stderr is now the part of the screen above the line. The journal keeps what the bot writes,
        # and is opened after this, so that the log is not taken for the bot's words.
        logging.basicConfig(level=logging.INFO, format=LOG_FORMAT, stream=sys.stderr, force=True)
        # What the bot prints is for its author, like its errors. Standard output is ours.
        with (
            contextlib.redirect_stdout(sys.stderr),
            open_journal(submission.keep, submission.keep_mb) as journal,
            _silence_after_interrupt(),
        ):
            client = submission.client(lambda stats: display.changed(), journal)
            display = Display(client, submission.server, watch, out, shown)
            play(client, submission.server, submission.credentials)
    watch.final()
    out.print(f"left: {display.line()}", soft_wrap=True)


@contextlib.contextmanager
def _silence_after_interrupt() -> Iterator[None]:
    """After a second Ctrl-C nobody wants to read which tasks asyncio had to drop."""
    try:
        yield
    except KeyboardInterrupt:
        logging.disable()
        raise


class Display:
    """Keeps a person informed about a client that plays."""

    def __init__(self, client: Client, server: str, watch: RatingWatch, out: Console, shown: Screen) -> None:
        self._client = client
        self._server = server
        self._watch = watch
        self._out = out
        self._screen = shown
        self._registered = self._connected = False

    def changed(self) -> None:
        """The client's numbers have changed."""
        stats = self._client.stats
        if stats.connected and not self._registered:
            self._register()
        # Where lines stay, the log tells about the connection.
        news = stats.connected != self._connected and self._screen.is_live
        self._connected = stats.connected
        self._screen.show(lambda: self._cut(self._line_now()), self._line_now, now=news)

    def _register(self) -> None:
        """The arena has accepted the bot: say under which number."""
        client = self._client
        if client.welcome is None:
            return
        self._registered = self._connected = True
        number = client.welcome.version_id
        self._out.print(
            f"{client.name}, version {client.version}, is number {number} at {self._server}", soft_wrap=True
        )
        self._watch.follow(number)

    def _line_now(self) -> str:
        return self.line() if self._connected else f"{self.line()} | not connected"

    def _cut(self, line: str) -> Text:
        text = Text(line)
        text.truncate(self._screen.console.width - ROOM_FOR_CTRL_C, overflow="ellipsis")
        return text

    def line(self) -> str:
        """How the bot is doing, in one line."""
        stats = self._client.stats
        faults = ", ".join(f"{count} {kind}" for kind, count in stats.faults.most_common())
        parts = [
            f"{counted(stats.matches, 'match')}, {stats.wins} won",
            shown_standing(self._watch.standing, self._watch.bots),
            f"faults: {faults}" if faults else "",
            stats.pace if stats.decisions else "",
            f"latency {stats.latency_ms:.1f} ms" if stats.connected else "",
        ]
        return " | ".join(part for part in parts if part)


def shown_standing(row: arena_pb2.Standing | None, bots: int) -> str:
    """`rating 1534 ±40, rank 2-3 of 7`; empty if it is not known."""
    if row is None:
        return ""
    rating = cells.rating(row.rating, row.rating_low, row.rating_high)
    return f"rating {rating}, rank {cells.ranks(row.rank_low, row.rank_high)} of {bots}"

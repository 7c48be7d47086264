"""Programs that play a bot at an arena: a file with a bot in it, or `python -m roost_sdk BOT`.

    if __name__ == "__main__":
        run(MyBot)

Then `python mybot.py --server HOST:PORT` plays until Ctrl-C. The program writes all its messages to stderr.
"""

import _thread
import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread, Timer, main_thread
from types import FrameType

from roost_games.errors import Exit, RoostError, exit_code
from roost_games.registry import get_game
from roost_games.wording import counted, harmless
from roost_sdk.arena.client import Client
from roost_sdk.arena.connection import DEFAULT_SERVER
from roost_sdk.arena.credentials import KEY_VARIABLE, NOTHING, Credentials, read_credentials
from roost_sdk.arena.drivers import Driver
from roost_sdk.arena.journal import DEFAULT_MB, Journal, open_journal
from roost_sdk.arena.link import OpenLink, grpc_links
from roost_sdk.arena.stats import Stats
from roost_sdk.bot import Bot, wire_name
from roost_sdk.load import LoadedBot, load_bot, short_name
from roost_sdk.local import check_plays
from roost_sdk.troubles.bystander import bystander
from roost_sdk.troubles.hangs import watched_import

REPORT_SECONDS = 30.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
SECONDS_TO_ANSWER = 0.5
"""How long it may take until a first Ctrl-C is answered."""
STOP_SECONDS = 2.0
"""How long a program takes at most to stop after the second Ctrl-C."""
INTERRUPTIONS = 4
"""How often a bot that still thinks is interrupted within that time."""
log = logging.getLogger("roost_sdk")


@dataclass(frozen=True, slots=True)
class Submission:
    """A bot to play at an arena, and its settings."""

    bot: LoadedBot
    server: str = DEFAULT_SERVER
    name: str | None = None
    """What the arena calls it; by default the name of its file."""
    games: tuple[str, ...] = ()
    """The games that it plays; by default all that it can."""
    matches_at_once: int | None = None
    """The most that it plays; by default what its class says."""
    connect_timeout: float | None = None
    """Give up after this many seconds without an arena; by default never."""
    keep: Path | None = None
    """The folder in which its matches are kept, if any."""
    keep_mb: int = DEFAULT_MB
    credentials: Credentials = NOTHING
    challenges: bool = True
    """Whether other owners may ask for unrated matches with it."""
    takes_over: bool = True
    """Whether other versions of the bot leave the arena, after the matches that they play."""

    def client(self, on_change: Callable[[Stats], object], journal: Journal | None = None) -> Client:
        """The client that plays it. Raises `UsageError` if the bot does not play these games or has a wrong name."""
        for game in self.games:
            get_game(game)
            check_plays(self.bot, game)
        return Client(
            self.bot.bot_class,
            name=wire_name(self.bot.name) if self.name is None else self.name,
            games=self.games,
            max_matches=self.matches_at_once,
            connect_timeout=self.connect_timeout,
            on_change=on_change,
            journal=journal,
            challenges=self.challenges,
            takes_over=self.takes_over,
        )


def run(bot_class: type[Bot], arguments: Sequence[str] | None = None) -> None:
    """Be a program that plays `bot_class` at an arena; by default with the arguments from the command line.

    It ends the process: with 0 after Ctrl-C or SIGTERM, when the running matches have been played to the end; with 1 if
    the arena refuses the bot or is not there; with 2 for wrong arguments; with 130 after a second Ctrl-C.
    """
    sys.exit(main(arguments, bot_class))


def main(arguments: Sequence[str] | None = None, bot_class: type[Bot] | None = None) -> int:
    """What `run` does, or without `bot_class` what `python -m roost_sdk` does; returns the exit code."""
    parser = _parser(bot_class)
    given = parser.parse_args(arguments)
    handler = logging.StreamHandler()
    handler.setFormatter(_HarmlessFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    log.setLevel(logging.DEBUG if given.verbose else logging.INFO)
    try:
        _play_submission(_submission(given, bot_class))
    except RoostError as error:
        sys.stderr.write(f"{parser.prog}: {harmless(str(error))}\n")
        return exit_code(error)
    except KeyboardInterrupt:
        sys.stderr.write(f"{parser.prog}: stopped\n")
        return Exit.INTERRUPTED
    return Exit.DONE


class _HarmlessFormatter(logging.Formatter):
    """Spells out what could control a terminal: messages have names, and what an arena says."""

    def format(self, record: logging.LogRecord) -> str:
        """One message, with its traceback if it has one."""
        return harmless(super().format(record))


def _submission(given: argparse.Namespace, bot_class: type[Bot] | None) -> Submission:
    bot = _loaded(given.bot) if bot_class is None else LoadedBot(name_of(bot_class), bot_class)
    return Submission(
        bot,
        given.server,
        given.name,
        tuple(given.games.split(",")) if given.games else (),
        given.matches_at_once,
        given.connect_timeout,
        given.keep,
        given.keep_mb,
        read_credentials(given.key_file, tls=given.tls, tls_ca=given.tls_ca),
        given.challenges,
        given.takes_over,
    )


def _loaded(text: str) -> LoadedBot:
    with watched_import(short_name(text), lambda line: log.warning("%s", line)):
        return load_bot(text, {})


def _play_submission(submission: Submission) -> None:
    with open_journal(submission.keep, submission.keep_mb) as journal:
        client = submission.client(lambda stats: greeting(stats), journal)
        greeting = _Greeting(client, submission.server)
        play(client, submission.server, submission.credentials, report_seconds=REPORT_SECONDS)
    log.info("left: %s", client.stats)


def play(client: Client, server: str, credentials: Credentials = NOTHING, *, report_seconds: float = 0.0) -> None:
    """Let `client` play at the arena at `server` until Ctrl-C or SIGTERM. Must be called in the main thread.

    The bot is called in this thread; the connection has one of its own, and there `client` calls `on_change`. The first
    signal makes the client leave, the second one stops at once with `KeyboardInterrupt`. With `report_seconds` the log
    gets a line about the client's record that often. Raises what `Client.run` raises, and `UsageError` if `server` is
    no address.
    """
    with bystander(client.name) as answered:
        network = ConnectionThread(client, grpc_links(server, credentials), report_seconds, answered)
        _serve(network)


def _serve(network: "ConnectionThread") -> None:
    with _signals(network):
        network.start()
        try:
            network.serve()
        except Abandoned:
            log.warning("the bot was still thinking when its connection was over")
        except KeyboardInterrupt:
            network.stop()
            raise
        network.finish()


def name_of(bot_class: type[Bot]) -> str:
    """What an arena calls a bot unless told otherwise: its file without `.py`."""
    file = getattr(sys.modules.get(bot_class.__module__), "__file__", None)
    name = Path(file).stem if file else bot_class.__name__
    return wire_name(name)


def _parser(bot_class: type[Bot] | None) -> argparse.ArgumentParser:
    """The options of `run`, or if there is no bot yet, those of `python -m roost_sdk`."""
    if bot_class is not None:
        parser = argparse.ArgumentParser(description=f"Plays {bot_class.__name__} at a Roost arena until Ctrl-C.")
    else:
        parser = argparse.ArgumentParser(prog="python -m roost_sdk")
        parser.description = "Plays a bot at a Roost arena until Ctrl-C."
        parser.add_argument(
            "bot", metavar="BOT", help="mybot.py, mybot.py:MyBot, package.module:MyBot, or stdio:PROGRAM"
        )
    _add_connection(parser)
    name = "its file" if bot_class is None else name_of(bot_class)
    at_most = "what its class says" if bot_class is None else bot_class.matches_at_once
    parser.add_argument("--name", metavar="NAME", help=f"the bot's name there (default: {name})")
    parser.add_argument("--games", metavar="GAME,...", help="play only these games (default: all that it can)")
    parser.add_argument(
        "--matches-at-once",
        type=_at_least_one,
        metavar="K",
        help=f"play at most this many matches at the same time (default: {at_most})",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep every match in a file there: what the bot saw, did and logged"
    )
    parser.add_argument(
        "--keep-mb",
        type=_at_least_one,
        default=DEFAULT_MB,
        metavar="MB",
        help="remove the oldest of these files beyond this many megabytes (default: %(default)s)",
    )
    parser.add_argument(
        "--no-challenges",
        dest="challenges",
        action="store_false",
        help="play no unrated matches that other owners ask for",
    )
    parser.add_argument(
        "--beside",
        dest="takes_over",
        action="store_false",
        help="let other versions of this bot that play there go on (default: they finish their matches and leave)",
    )
    parser.add_argument("--verbose", action="store_true", help="log every match and every decision")
    return parser


def _add_connection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", default=DEFAULT_SERVER, metavar="HOST:PORT", help="where the arena is (default: %(default)s)"
    )
    parser.add_argument(
        "--key-file",
        type=Path,
        metavar="FILE",
        help=f"a file with the key that the arena wants (default: {KEY_VARIABLE} in the environment)",
    )
    parser.add_argument("--tls", action="store_true", help="connect with TLS")
    parser.add_argument(
        "--tls-ca", type=Path, metavar="FILE", help="connect with TLS, and trust this certificate in PEM form"
    )
    parser.add_argument(
        "--connect-timeout",
        type=float,
        metavar="SECONDS",
        help="give up after this many seconds without an arena (default: never)",
    )


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"give 1 or more, not {text!r}")
    return int(text)


class _Greeting:
    """Says once, when the arena is reached for the first time, who plays and where to look."""

    def __init__(self, client: Client, server: str) -> None:
        self._client = client
        self._server = server
        self._said = False

    def __call__(self, stats: Stats) -> None:
        client = self._client
        if stats.connected and not self._said and client.welcome is not None:
            self._said = True
            log.info(
                "%s, version %s (number %d), plays at %s; see how it does: roost standings --server %s",
                client.name,
                client.version,
                client.welcome.version_id,
                self._server,
                self._server,
            )


class Abandoned(BaseException):
    """Raised in a bot's method when its connection is over."""


class ConnectionThread(Thread):
    """The thread of a program's connection. The bot has the main thread, where `serve` is called.

    Signals reach this thread as bytes: Python's own handlers wait until the bot lets the main thread take a step.
    """

    def __init__(
        self, client: Client, open_link: OpenLink, report_seconds: float, answered: Callable[[], None]
    ) -> None:
        """`answered` is called when the first signal has been answered."""
        super().__init__(name="roost network", daemon=True)
        self._client = client
        self._open_link = open_link
        self._report_seconds = report_seconds
        self._tell_answered = answered
        self._error: BaseException | None = None
        self._driver: Future[Driver | None] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._last_resort = Timer(STOP_SECONDS, _end_process)
        self._last_resort.daemon = True
        self._serving = False
        self._served = Event()
        self._over = False
        self._numbers, self.wakeup = socket.socketpair()
        """Python writes the number of every signal into `wakeup` as soon as it arrives."""
        for end in (self._numbers, self.wakeup):
            end.setblocking(False)
        self.signals = 0
        """How many times the program was told to stop."""
        self._answered = Event()
        """Whether it has been said what the first signal leads to."""

    def interrupt(self) -> None:
        """Raise if the bot is called although its connection is over; only once, so that it can clean up.

        Before that, let the connection answer the signal: code that this interrupts may hold the interpreter.
        """
        if not self._over:
            self._answered.wait(SECONDS_TO_ANSWER)
        if self._over and self._serving:
            self._serving = False
            raise KeyboardInterrupt if self.signals > 1 else Abandoned

    def run(self) -> None:
        """Stay connected. This is what the thread does."""
        try:
            # The usual loop of Windows does not read from sockets that Python's signals are written to.
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                runner.run(self._play())
        except BaseException as error:
            self._error = error
        if not self._driver.done():
            self._driver.set_result(None)
        if self.signals > 1 or not self._served.wait(STOP_SECONDS):
            self._interrupt_bot()

    def _interrupt_bot(self) -> None:
        # More than once, because a signal that arrives just before the bot begins to wait does not wake it up.
        self._over = True
        for _ in range(INTERRUPTIONS):
            _interrupt_main_thread()
            if self._served.wait(STOP_SECONDS / INTERRUPTIONS):
                return
        _end_process(self._error)

    def serve(self) -> None:
        """Call the bot in this thread until the connection is over."""
        try:
            driver = self._driver.result()
            self._serving = True
            if driver is not None:
                driver.serve()
        finally:
            self._serving = False
            self._served.set()

    def finish(self) -> None:
        """Wait for the end, and raise what ended the connection if it was an error or a second signal."""
        self.join()
        if self.signals > 1:
            raise KeyboardInterrupt
        if self._error is not None:
            raise self._error

    def stop(self) -> None:
        """Stop now, and wait a moment for it."""
        if self._loop is not None:
            with suppress(RuntimeError):  # After the end the loop is closed.
                # The bot may have raised this while it decided. What follows is not part of that match.
                self._loop.call_soon_threadsafe(self._client.stop, context=Context())
        self.join(STOP_SECONDS)

    def close(self) -> None:
        """Hear no more signals."""
        self._last_resort.cancel()
        if not self.is_alive():
            self._numbers.close()
            self.wakeup.close()

    async def _play(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._numbers, self._heed)
        reporter = asyncio.create_task(_report(self._client, self._report_seconds))
        try:
            await self._client.run(self._open_link, self._driver.set_result)
        finally:
            reporter.cancel()
            self._loop.remove_reader(self._numbers)

    def _heed(self) -> None:
        """There were signals: leave at the first, stop at the second."""
        for number in self._numbers.recv(64):
            if number in STOP_SIGNALS:
                self.signals += 1
                if self.signals == 1:
                    self._leave()
                elif self.signals == 2:
                    self._last_resort.start()
                    self._client.stop()

    def _leave(self) -> None:
        playing = self._client.stats.playing
        running = counted(playing, "running match")
        log.info("leaving after %s; press Ctrl-C again to stop at once", running)
        self._answered.set()
        self._tell_answered()
        self._leaving = asyncio.create_task(self._client.leave())


def _interrupt_main_thread() -> None:
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


async def _report(client: Client, seconds: float) -> None:
    told = 0
    while seconds:
        await asyncio.sleep(seconds)
        if client.stats.decisions != told:
            told = client.stats.decisions
            log.info("%s", client.stats)


@contextmanager
def _signals(network: ConnectionThread) -> Iterator[None]:
    """Leave on the first signal, stop on the second one, whatever the bot does meanwhile."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        network.interrupt()

    former = {number: signal.signal(number, interrupt) for number in STOP_SIGNALS}
    former_wakeup = signal.set_wakeup_fd(network.wakeup.fileno())
    try:
        yield
    finally:
        signal.set_wakeup_fd(former_wakeup)
        network.close()
        for number, handler in former.items():
            signal.signal(number, handler)


def _end_process(error: BaseException | None = None) -> None:
    """Stop even though a bot is thinking and cannot be interrupted."""
    sys.stderr.write(f"{Path(sys.argv[0]).name}: {harmless(str(error or 'stopped'))}\n")
    sys.stderr.flush()
    os._exit(exit_code(error) if isinstance(error, RoostError) else Exit.INTERRUPTED)

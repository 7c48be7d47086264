"""Turns a file with a bot into a program that plays at an arena.

    if __name__ == "__main__":
        run(MyBot)

Then `python mybot.py --server HOST:PORT` plays until Ctrl-C. Everything it has to say goes to stderr.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from types import FrameType

from roost_games.errors import RoostError, UsageError
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import KEY_VARIABLE, NOTHING, Credentials, read_credentials
from roost_sdk.arena.journal import DEFAULT_MB, keeping
from roost_sdk.arena.link import OpenLink, grpc_links
from roost_sdk.arena.stats import Stats
from roost_sdk.bot import Bot
from roost_sdk.names import wire_name

DEFAULT_SERVER = "127.0.0.1:50051"
DEFAULT_MATCHES_AT_ONCE = 4
REPORT_SECONDS = 30.0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
STOP_SECONDS = 2.0
"""How long a program takes at the most to stop after the second Ctrl-C."""
log = logging.getLogger("roost_sdk")


def run(bot_class: type[Bot], arguments: Sequence[str] | None = None) -> None:
    """Be a program that plays `bot_class` at an arena; by default with the arguments from the command line.

    It ends the process: with 0 after Ctrl-C or SIGTERM, when the running matches have been played to the end; with 1 if
    the arena refuses the bot or is not there; with 2 for wrong arguments; with 130 after a second Ctrl-C.
    """
    sys.exit(main(bot_class, arguments))


def main(bot_class: type[Bot], arguments: Sequence[str] | None = None) -> int:
    """What `run` does; returns the exit code."""
    parser = _parser(bot_class)
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    log.setLevel(logging.DEBUG if given.verbose else logging.INFO)
    try:
        with keeping(given.keep, given.keep_mb) as keeper:
            client = Client(
                bot_class,
                name=given.name,
                max_matches=given.matches_at_once,
                connect_timeout=given.connect_timeout,
                on_change=lambda stats: greeting(stats),
                keeper=keeper,
            )
            greeting = _Greeting(client, given.server)
            credentials = read_credentials(given.key_file, tls=given.tls, tls_ca=given.tls_ca)
            play(client, given.server, credentials, report_seconds=REPORT_SECONDS)
    except RoostError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return EXIT_USAGE if isinstance(error, UsageError) else EXIT_FAILED
    except KeyboardInterrupt:
        sys.stderr.write(f"{parser.prog}: stopped\n")
        return EXIT_INTERRUPTED
    log.info("left: %s", client.stats)
    return 0


def play(client: Client, server: str, credentials: Credentials = NOTHING, *, report_seconds: float = 0.0) -> None:
    """Let `client` play at the arena at `server` until Ctrl-C or SIGTERM.

    The first of these signals makes the client leave, the second one stops at once with `KeyboardInterrupt`. With
    `report_seconds` the log gets a line about the client's record that often. Raises what `Client.run` raises, and
    `UsageError` if `server` is no address.
    """
    asyncio.run(_play(client, grpc_links(server, credentials), report_seconds))


def name_of(bot_class: type[Bot]) -> str:
    """What an arena calls a bot unless told otherwise: its file without `.py`."""
    file = getattr(sys.modules.get(bot_class.__module__), "__file__", None)
    name = Path(file).stem if file else bot_class.__name__
    return wire_name(name)


def _parser(bot_class: type[Bot]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"Plays {bot_class.__name__} at a Roost arena until Ctrl-C.")
    parser.add_argument(
        "--server", default=DEFAULT_SERVER, metavar="HOST:PORT", help="where the arena is (default: %(default)s)"
    )
    parser.add_argument(
        "--key-file",
        type=Path,
        metavar="FILE",
        help=f"the key that the arena wants; by default {KEY_VARIABLE}, or none",
    )
    parser.add_argument("--tls", action="store_true", help="connect with TLS")
    parser.add_argument(
        "--tls-ca", type=Path, metavar="FILE", help="connect with TLS, and trust this certificate in PEM form"
    )
    parser.add_argument("--name", default=name_of(bot_class), help="the bot's name there (default: %(default)s)")
    parser.add_argument(
        "--matches-at-once",
        type=_at_least_one,
        default=DEFAULT_MATCHES_AT_ONCE,
        metavar="K",
        help="play up to so many matches at the same time (default: %(default)s)",
    )
    parser.add_argument(
        "--connect-timeout",
        type=float,
        metavar="SECONDS",
        help="give up when there is no arena for so long (default: never)",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep every match in a file there: what the bot saw, did and logged"
    )
    parser.add_argument(
        "--keep-mb",
        type=_at_least_one,
        default=DEFAULT_MB,
        metavar="MB",
        help="remove the oldest of these files beyond so many megabytes (default: %(default)s)",
    )
    parser.add_argument("--verbose", action="store_true", help="log every match and every decision")
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
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


async def _play(client: Client, open_link: OpenLink, report_seconds: float) -> None:
    reporter = asyncio.create_task(_report(client, report_seconds)) if report_seconds else None
    try:
        with _leaving_on_signals(client):
            await client.run(open_link)
    finally:
        if reporter is not None:
            reporter.cancel()


async def _report(client: Client, seconds: float) -> None:
    told = 0
    while True:
        await asyncio.sleep(seconds)
        if client.stats.decisions != told:
            told = client.stats.decisions
            log.info("%s", client.stats)


@contextmanager
def _leaving_on_signals(client: Client) -> Iterator[None]:
    """Leave on the first signal; on the second one stop, and raise `KeyboardInterrupt` in the end.

    These are handlers of Python, not of the event loop, since the loop may be held up by a bot that thinks for ever.
    Nothing is raised from within them: that could hit anything, and gRPC swallows it.
    """
    loop = asyncio.get_running_loop()
    leaving: list[asyncio.Task[None]] = []
    signals = 0
    last_resort = Timer(STOP_SECONDS, _end_process)
    last_resort.daemon = True

    def leave() -> None:
        log.info("leaving, %d matches to play to the end; Ctrl-C again to stop at once", client.stats.playing)
        leaving.append(loop.create_task(client.leave()))

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal signals
        signals += 1
        loop.call_soon_threadsafe(leave if signals == 1 else client.stop)
        if signals == 2:
            last_resort.start()

    former = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        last_resort.cancel()
        for number, handler in former.items():
            signal.signal(number, handler)
    if signals > 1:
        raise KeyboardInterrupt


def _end_process() -> None:
    """Stop although a bot is thinking and will not be interrupted."""
    sys.stderr.write(f"{Path(sys.argv[0]).name}: stopped\n")
    sys.stderr.flush()
    os._exit(EXIT_INTERRUPTED)

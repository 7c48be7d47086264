"""Programs that run beside an arena, or beside its records, each in a process of its own: house bots, and the page.

A process that exits is restarted: soon if it had been running for a while, otherwise after pauses that get longer, so
that a program that cannot start costs next to nothing. The arena's log says so, with the last output of the process.
No process outlives the arena, even if the arena is killed.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from socket import socket
from threading import Event, Thread
from typing import NamedTuple

import structlog

import roost_sdk
from roost_games.errors import UsageError
from roost_sdk.bot import wire_name
from roost_sdk.bot_process.answers import BotDescription
from roost_sdk.processes import GuardedProcess, Processes, Restart, Stoppage, Supervisor, python_words, stop
from roost_server.settings import Rules

LOOK_SECONDS = 0.5
"""How often each process is looked at."""
SECONDS_TO_STOP = 5.0
"""How long they may take to exit after the arena: they have nothing left to do."""
PAGE_RESTART = Restart(longest_pause=30.0)
"""Somebody is looking at the page, so it is never away for long."""
PAGE_PRIORITY = ("nice", "-n", "5")
"""Matches have clocks and visitors have not: where processors are few, the page makes way for the arena."""
log = structlog.get_logger()


class Child(NamedTuple):
    """A program to keep running."""

    name: str
    """For messages."""
    words: Sequence[str]
    """Of its command."""
    log_message: str
    """What is logged when it exits and is restarted."""
    log_values: Mapping[str, str] = {}
    """What is logged with that."""
    restart: Restart = Restart()
    pass_fds: tuple[int, ...] = ()
    """The open files that it gets."""


class HouseBot(NamedTuple):
    """A bot that the arena starts and keeps running."""

    name: str
    """What the arena calls it."""
    source: str
    """How any process finds it (see `load_bot`)."""

    def child(self, address: str) -> Child:
        """The program that plays it at the arena at `address`."""
        words = python_words(roost_sdk, self.source, "--server", address, "--name", self.name)
        return Child(self.name, words, "house bot exited and is restarted", {"bot": self.name})


def house_bots(sources: Iterable[tuple[str, BotDescription]], tables: Collection[Rules]) -> list[HouseBot]:
    """Each of these bots once, given with how to find it. Raises `UsageError` for one that fits no table."""
    found: dict[BotDescription, HouseBot] = {}
    for source, bot in sources:
        if not any(_plays(bot, rules) for rules in tables):
            raise UsageError(f"{bot.name} plays at none of the tables that --games and --players allow; leave it out")
        found.setdefault(bot, HouseBot(wire_name(bot.name), source))
    return list(found.values())


def _plays(bot: BotDescription, rules: Rules) -> bool:
    if not bot.games:
        raise UsageError(f"{bot.class_name} plays no game: it has no method choose(self, view, legal)")
    return rules.game in bot.games and (not bot.player_counts or rules.players in bot.player_counts)


class PageBeside(NamedTuple):
    """The page of an arena. The arena listens for it, so that visitors can wait while it is restarted."""

    url: str
    """What people open."""
    listener: socket
    command: Sequence[str]
    """The words that run `roost web`."""
    path_prefix: str = ""
    public_server: str = ""
    """The arena's address for authors, if it is not the one that the arena knows."""
    public_tls: bool = False

    def words(self, address: str, for_authors: str) -> list[str]:
        """The words that serve its socket, by the arena's address for the page and the one for authors."""
        prefix = ("--path-prefix", self.path_prefix) if self.path_prefix else ()
        public = self.public_server or for_authors
        told = ("--public-server", public, *(("--public-tls",) if self.public_tls else ())) if public else ()
        return [*self.command, "--listen", f"fd:{self.listener.fileno()}", *prefix, "--server", address, *told]

    def child(self, address: str, for_authors: str = "") -> Child:
        """The page of the arena at `address`, which authors reach at another one."""
        words = [*PAGE_PRIORITY, *self.words(address, for_authors)]
        given = (self.listener.fileno(),)
        return Child("page", words, "page exited and is restarted", restart=PAGE_RESTART, pass_fds=given)


class Children:
    """The programs beside an arena, watched by a thread."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes
        self._over = Event()
        self._thread: Thread | None = None

    def start(self, children: Sequence[Child]) -> None:
        """Start these, and keep them running. To be called once."""
        supervisors = [self._supervisor(child) for child in children]
        self._thread = Thread(target=self._watch, args=(supervisors,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Start no more processes, and let all shut down cleanly."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        stop(self._processes.running, SECONDS_TO_STOP)

    def _supervisor(self, child: Child) -> Supervisor:
        def start() -> GuardedProcess:
            return self._processes.start(child.name, child.words, pass_fds=child.pass_fds)

        return Supervisor(start, child.restart, lambda stoppage: _log_end(child, stoppage))

    def _watch(self, supervisors: Sequence[Supervisor]) -> None:
        while not self._over.is_set():
            for supervisor in supervisors:
                supervisor.look()
            self._over.wait(LOOK_SECONDS)


def _log_end(child: Child, stoppage: Stoppage) -> None:
    log.warning(
        child.log_message,
        **child.log_values,
        how=stoppage.how,
        last_output=stoppage.last_words,
        restart_in_seconds=stoppage.pause,
    )


@contextmanager
def kept_running() -> Iterator[Children]:
    """Programs, ready to be started. They have exited when the block is left."""
    with Processes() as processes:
        children = Children(processes)
        try:
            yield children
        finally:
            children.stop()

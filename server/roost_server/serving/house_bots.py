"""House bots: they play in an arena while it runs, each in a process of its own.

A process that exits is restarted: soon if it had been running for a while, otherwise after pauses that get longer, so
that a bot that cannot start costs next to nothing. The arena's log says so, with the last output of the process.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import NamedTuple

import structlog

import roost_sdk
from roost_games.errors import UsageError
from roost_sdk import LoadedBot
from roost_sdk.arena.client import games_of
from roost_sdk.bot import wire_name
from roost_sdk.processes import GuardedProcess, Processes, Restart, Stoppage, Supervisor, python_words, stop
from roost_server.settings import Rules

LOOK_SECONDS = 0.5
"""How often each process is looked at."""
SECONDS_TO_STOP = 5.0
"""How long house bots may take to exit after the arena: they have nothing left to play."""
log = structlog.get_logger()


class HouseBot(NamedTuple):
    """A bot that the arena starts and keeps running."""

    name: str
    """What the arena calls it."""
    source: str
    """How any process finds it (see `load_bot`)."""

    def words(self, address: str) -> list[str]:
        """The words of the command that plays it at the arena at `address`."""
        return python_words(roost_sdk, self.source, "--server", address, "--name", self.name)


def house_bots(sources: Iterable[tuple[str, LoadedBot]], tables: Collection[Rules]) -> list[HouseBot]:
    """Each of these bots once, given with how to find it. Raises `UsageError` for one that fits no table."""
    found: dict[LoadedBot, HouseBot] = {}
    for source, bot in sources:
        games_of(bot.bot_class)
        if not any(bot.bot_class.plays(rules.game, rules.players) for rules in tables):
            raise UsageError(f"{bot.name} plays at none of the tables that --games and --players allow; leave it out")
        found.setdefault(bot, HouseBot(wire_name(bot.name), source))
    return list(found.values())


class HouseBots:
    """All of them, watched by a thread."""

    def __init__(self, bots: Sequence[HouseBot], processes: Processes) -> None:
        self._bots = bots
        self._processes = processes
        self._over = Event()
        self._thread: Thread | None = None

    def start(self, address: str) -> None:
        """Let them play at the arena at `address`."""
        supervisors = [self._supervisor(bot, address) for bot in self._bots]
        self._thread = Thread(target=self._watch, args=(supervisors,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Start no more processes, and let all shut down cleanly."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        stop(self._processes.running, SECONDS_TO_STOP)

    def _supervisor(self, bot: HouseBot, address: str) -> Supervisor:
        def start() -> GuardedProcess:
            return self._processes.start(bot.name, bot.words(address))

        return Supervisor(start, Restart(), lambda stoppage: _log_end(bot.name, stoppage))

    def _watch(self, supervisors: Sequence[Supervisor]) -> None:
        while not self._over.is_set():
            for supervisor in supervisors:
                supervisor.look()
            self._over.wait(LOOK_SECONDS)


def _log_end(name: str, stoppage: Stoppage) -> None:
    log.warning(
        "house bot exited and is restarted",
        bot=name,
        how=stoppage.how,
        last_output=stoppage.last_words,
        restart_in_seconds=stoppage.pause,
    )


@contextmanager
def kept_playing(bots: Sequence[HouseBot]) -> Iterator[HouseBots]:
    """House bots, ready to be started. They have exited when the block is left."""
    with Processes() as processes:
        those = HouseBots(bots, processes)
        try:
            yield those
        finally:
            those.stop()

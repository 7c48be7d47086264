"""Bots that play along in an arena of this machine for as long as it runs, each in a process of its own.

A process that ends is started again: soon if it had been running for a while, else after pauses that get longer, so
that a bot that cannot start costs next to nothing. The log of the arena says so, with what the process said last.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import NamedTuple

import structlog

from roost_cli.household import Household, Member
from roost_cli.lookup import find_bots
from roost_games.errors import UsageError
from roost_sdk import LoadedBot
from roost_sdk.arena.client import games_of
from roost_sdk.bot import wire_name
from roost_server.settings import Rules

LOOK_SECONDS = 0.5
"""How often it is looked whether all are there."""
SHORTEST_PAUSE = 1.0
LONGEST_PAUSE = 300.0
STEADY_SECONDS = 60.0
"""A process that was there for so long can start: if it ends, the pause is short again."""
SECONDS_TO_LEAVE = 5.0
"""How long bots may take to end when the arena is over: they have nothing left to play."""
log = structlog.get_logger()


class Resident(NamedTuple):
    """A bot that plays along."""

    name: str
    """What the arena calls it."""
    text: str
    """How `roost submit` finds it."""


def find_residents(texts: Sequence[str], tables: Collection[Rules]) -> list[Resident]:
    """The bots that a host named, each once. Raises `UsageError` for one that is not there, or plays at no table."""
    found: dict[LoadedBot, Resident] = {}
    for text, bot in zip(texts, find_bots(texts), strict=True):
        games_of(bot.bot_class)
        if not any(bot.bot_class.plays(rules.game, rules.players) for rules in tables):
            raise UsageError(f"{bot.name} plays at none of the tables that --games and --players allow; leave it out")
        found.setdefault(bot, Resident(wire_name(bot.name), text))
    return list(found.values())


class Upkeep:
    """Keeps the process of one bot running. To be called now and then, with the time on the monotonic clock."""

    def __init__(self, name: str, start: Callable[[], Member], dismiss: Callable[[Member], None]) -> None:
        self._name = name
        self._start = start
        self._dismiss = dismiss
        self._member: Member | None = None
        self._since = 0.0
        self._due = float("-inf")
        self._pause = SHORTEST_PAUSE

    def look(self, now: float) -> None:
        """Start it if it is time for that; note if it has ended."""
        if self._member is None:
            if now >= self._due:
                self._begin(now)
        elif self._member.ended:
            self._note_end(self._member, now)

    def _begin(self, now: float) -> None:
        self._since = now
        try:
            self._member = self._start()
        except OSError as error:
            self._put_off(now, "not started", str(error))

    def _note_end(self, member: Member, now: float) -> None:
        if now - self._since >= STEADY_SECONDS:
            self._pause = SHORTEST_PAUSE
        self._put_off(now, member.ending, member.last_words())
        self._member = None
        self._dismiss(member)

    def _put_off(self, now: float, how: str, last_words: str) -> None:
        log.warning(
            "a bot that plays along ended, and is started again",
            bot=self._name,
            how=how,
            last_words=last_words,
            in_seconds=self._pause,
        )
        self._due = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)


class Residents:
    """All of them, looked after in a thread."""

    def __init__(self, bots: Sequence[Resident], household: Household) -> None:
        self._bots = bots
        self._household = household
        self._over = Event()
        self._thread: Thread | None = None

    def move_in(self, address: str) -> None:
        """Let them play at the arena at `address`."""
        upkeeps = [self._upkeep(bot, address) for bot in self._bots]
        self._thread = Thread(target=self._look_after, args=(upkeeps,), daemon=True)
        self._thread.start()

    def move_out(self) -> None:
        """Nobody is started any more, and everybody is to end in order."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._household.leave(self._household.members, SECONDS_TO_LEAVE)

    def _upkeep(self, bot: Resident, address: str) -> Upkeep:
        def start() -> Member:
            return self._household.start(bot.name, "submit", bot.text, "--server", address)

        return Upkeep(bot.name, start, self._household.dismiss)

    def _look_after(self, upkeeps: Sequence[Upkeep]) -> None:
        while not self._over.is_set():
            for upkeep in upkeeps:
                upkeep.look(time.monotonic())
            self._over.wait(LOOK_SECONDS)


@contextmanager
def residents(bots: Sequence[Resident]) -> Iterator[Residents]:
    """Bots that can move in, and are gone when the block is left."""
    with Household() as household:
        those = Residents(bots, household)
        try:
            yield those
        finally:
            those.move_out()

"""An arena and bots on this machine, each in a process of its own, for a while."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import roost_sdk
from roost_games.errors import RoostError
from roost_sdk.processes import GuardedProcess, Processes, python_words, stop

GIVE_UP = ("--connect-timeout", "30")
"""How many seconds a bot goes on without its arena."""
SECONDS_TO_STOP = 15.0
"""How long bots and arena may take to finish what is running."""


class Showcase:
    """An arena that runs, and the bots that were sent there."""

    def __init__(self, arena: GuardedProcess, bots: Sequence[GuardedProcess], address: str) -> None:
        self.address = address
        self._arena = arena
        self._bots = bots

    def check(self) -> None:
        """Raise `RoostError` if the arena has ended."""
        if self._arena.ended:
            raise RoostError(f"the arena ended: {self._arena.last_words()}")

    def stop(self) -> list[str]:
        """Let everybody finish what is running, the bots first. Returns a line for each bot that had left before."""
        early = [bot for bot in self._bots if bot.ended]
        stop(self._bots, SECONDS_TO_STOP)
        stop([self._arena], SECONDS_TO_STOP)
        return [f"{bot.name} left early: {bot.last_words()}" for bot in early]


@contextmanager
def showcase(serve: Sequence[str], bots: Iterable[tuple[str, str]]) -> Iterator[Showcase]:
    """Start an arena and bots; nothing is left running when the block is left.

    `serve` are the words of a command that runs an arena and says where in its first line. Each bot is given by its
    name and how any process finds it.
    """
    with Processes() as processes:
        arena = processes.start("arena", serve)
        address = _address_in(arena.first_line())
        started = [processes.start(name, _words(name, source, address)) for name, source in bots]
        yield Showcase(arena, started, address)


def _words(name: str, source: str, address: str) -> list[str]:
    named = ("--name", name) if name != source else ()
    return python_words(roost_sdk, source, "--server", address, *named, *GIVE_UP)


def _address_in(greeting: str) -> str:
    """The address in `listening at 127.0.0.1:50051, recording in roost.db`."""
    return greeting.removeprefix("listening at ").partition(",")[0]

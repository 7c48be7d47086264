"""An arena and bots on this machine, each in a process of its own, for a while."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from socket import socket
from typing import NamedTuple

import roost_sdk
from roost_games.errors import RoostError
from roost_sdk.processes import GuardedProcess, Processes, python_words, stop

GIVE_UP = ("--connect-timeout", "30")
"""How many seconds a bot goes on without its arena."""
LOOK_SECONDS = 0.5
SECONDS_TO_FINISH = 3.0
"""How long running matches may take at the end. Told a second time, the arena voids them."""
SECONDS_TO_STOP = 15.0
"""How long arena and bots may take to stop then."""


class Guest(NamedTuple):
    """A bot to send to the arena."""

    name: str
    source: str
    """How any process finds it."""

    def words(self, address: str) -> list[str]:
        """The words of the command that plays it at the arena at `address`."""
        named = ("--name", self.name) if self.name != self.source else ()
        return python_words(roost_sdk, self.source, "--server", address, *named, *GIVE_UP)


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

    def wait(self) -> None:
        """Wait for an interrupt. Raises `RoostError` if the arena ends before."""
        while True:
            self.check()
            time.sleep(LOOK_SECONDS)

    def stop(self) -> list[str]:
        """End what is running, or void it if that takes long. Returns a line for each bot that had left before."""
        early = [bot for bot in self._bots if bot.ended]
        self._arena.ask_to_stop()
        self._arena.wait_until(time.monotonic() + SECONDS_TO_FINISH)
        stop([self._arena], SECONDS_TO_STOP)
        stop(self._bots, SECONDS_TO_STOP)
        return [f"{bot.name} left early: {bot.last_words()}" for bot in early]


@contextmanager
def showcase(serve: Sequence[str], url: str, page: socket, guests: Iterable[Guest]) -> Iterator[Showcase]:
    """Start an arena with a page, and bots; nothing is left running when the block is left.

    `serve` are the words that run `roost serve`, `url` is the database to record in, and the page has the open socket
    `page`.
    """
    quiet = ("--listen", "127.0.0.1:0", "--web", f"fd:{page.fileno()}", "--log-level", "warning", "--db", url)
    with Processes() as processes:
        arena = processes.start("arena", (*serve, *quiet), pass_fds=(page.fileno(),))
        address = _address_in(arena.first_line())
        started = [processes.start(guest.name, guest.words(address)) for guest in guests]
        yield Showcase(arena, started, address)


def _address_in(greeting: str) -> str:
    """The address in `listening at 127.0.0.1:50051, recording in roost.db`."""
    return greeting.removeprefix("listening at ").partition(",")[0]

"""Tells an author each thing that goes wrong once, with its details, and from then on only how often."""

import time
from collections.abc import Callable
from threading import RLock
from typing import NamedTuple

from roost_games.wording import counted

MOST_TOLD = 5
"""How many different troubles are told in full."""
PAUSE_SECONDS = 10.0
"""At least this long passes between two lines that count the others."""
MOST_MATCHES = 10_000
"""Up to this many matches with the same trouble are told apart; a later one may be counted twice."""


class Trouble(NamedTuple):
    """Something that a bot's author wants to know about."""

    seat: int
    bot: str
    what: str
    """In one line."""
    details: str = ""
    """More lines: where in the bot it happened."""
    times: int = 1
    """How often it happened in a match."""

    def __str__(self) -> str:
        first = f"seat {self.seat} ({self.bot}) {self.what}"
        return f"{first}\n{self.details}" if self.details else first


class _Repeated:
    """A trouble that was told, and what came after."""

    def __init__(self) -> None:
        self.times = 0
        self.matches = 0
        self.untold = 0
        self._known: set[str] = set()

    def add(self, match: str, times: int) -> None:
        self.times += times
        self.untold += times
        if match not in self._known:
            self.matches += 1
            if len(self._known) < MOST_MATCHES:
                self._known.add(match)


class TroubleLog:
    """Where what goes wrong in bots is told, from any thread. Lines go to `remark`."""

    def __init__(
        self,
        remark: Callable[[str], None],
        now: Callable[[], float] = time.monotonic,
        most_told: int = MOST_TOLD,
    ) -> None:
        self._remark = remark
        self._most_told = most_told
        self._now = now
        self._told: dict[tuple[str, str], _Repeated] = {}
        self._others = 0
        self._turn = RLock()
        self._said_at = now()

    def tell(self, trouble: Trouble, match: str = "", text: str = "") -> None:
        """Something went wrong in a match. The first time `text` is told, by default all about it."""
        with self._turn:
            self._tell((trouble.bot, trouble.what), trouble.times, match, text or str(trouble))

    def _tell(self, key: tuple[str, str], times: int, match: str, text: str) -> None:
        known = self._told.get(key)
        if known is None and len(self._told) == self._most_told:
            self._others += times
            return
        if known is None:
            known = self._told[key] = _Repeated()
            self._remark(text)
            known.untold = -1
        known.add(match, times)
        if self._now() >= self._said_at + PAUSE_SECONDS:
            self._say_counts(" so far")

    def close(self) -> None:
        """Say what has not been said yet about repetitions."""
        with self._turn:
            self._say_counts("")
            if self._others:
                self._remark(
                    f"and {self._others} more of other kinds; only the first {self._most_told} kinds are shown"
                )
                self._others = 0

    def _say_counts(self, so_far: str) -> None:
        self._said_at = self._now()
        for (bot, what), known in self._told.items():
            if known.untold:
                known.untold = 0
                self._remark(f"{bot} {what} \u00d7{known.times}{so_far}, in {counted(known.matches, 'match')}")

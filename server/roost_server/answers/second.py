"""The second ranking of the standings, worked out beside the answers: they show the latest that there is.

It takes from some milliseconds to half a minute, so one thread works out one at a time, and for each question at most a
small part of the time.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from roost_ladder.rating.lottery import MOST_BOTS, LotteryScore, clone_proof
from roost_server.answers.ratings import Rated
from roost_server.store.sums.kept import SumsFilter

MOST_KEPT = 64
"""The second rankings of how many questions are kept. The least recently asked for go first."""
REST = 20.0
"""A second ranking is not worked out again before this many times what it took has passed."""


class Second(NamedTuple):
    """The second ranking, as of some ratings."""

    rated: Rated
    scores: list[LotteryScore]
    """The highest first."""
    rested: float
    """When it may be worked out again, by the clock of this process."""


class SecondRankings:
    """Second rankings by question. Threads may share it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._found: OrderedDict[SumsFilter, Second] = OrderedDict()
        self._wanted: OrderedDict[SumsFilter, Rated] = OrderedDict()
        """What is to be worked out, and with which ratings."""
        self._working = False

    def latest(self, wanted: SumsFilter, rated: Rated) -> Second | None:
        """The latest that there is, and see to it that there will be one of these ratings. It never waits.

        `None` if there is none yet. There is never one for more than `MOST_BOTS`.
        """
        if len(rated.record.bots) > MOST_BOTS:
            return None
        with self._lock:
            found = self._found.get(wanted)
            if found is None or (found.rated.record is not rated.record and self._now() >= found.rested):
                self._wanted[wanted] = rated
                self._begin()
            return found

    def _begin(self) -> None:
        if not self._working:
            self._working = True
            # A command must not stay because of it.
            threading.Thread(target=self._work, name="second ranking", daemon=True).start()

    def _work(self) -> None:
        try:
            while (job := self._next()) is not None:
                self._keep(job[0], self._second(job[1]))
        except BaseException:
            self._working = False
            raise

    def _second(self, rated: Rated) -> Second:
        begun = self._now()
        scores = [] if rated.fitted is None else clone_proof(rated.record, rated.fitted)
        ended = self._now()
        return Second(rated, scores, ended + REST * (ended - begun))

    def _next(self) -> tuple[SumsFilter, Rated] | None:
        with self._lock:
            self._working = bool(self._wanted)
            return self._wanted.popitem(last=False) if self._wanted else None

    def _keep(self, wanted: SumsFilter, found: Second) -> None:
        with self._lock:
            self._found[wanted] = found
            self._found.move_to_end(wanted)
            while len(self._found) > MOST_KEPT:
                self._found.popitem(last=False)

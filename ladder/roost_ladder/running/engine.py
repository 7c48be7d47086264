"""Hands matches to an executor as its workers are free, and gives the results back in the order of the plan.

A ladder and a comparison both play through an `Engine`. They are its `Supply`: they say which unit (a block) comes
next, and ask for the results of one unit after the other. Which unit ends first is chance; the order in which results
are given back is not. So the number of workers, and where they are, changes nothing about a result.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from roost_games.errors import RoostError
from roost_ladder.running.fixtures import BotSpec, Fixture, Job, MatchLimits, PlayedMatch

JOB_SECONDS = 0.25
"""About how long a job takes. Shorter ones cost more to hand out, longer ones leave workers idle at the end."""
APART_JOB_SECONDS = 1.0
"""The same if bots have processes of their own: the more matches a job has, the more are played at once."""
LOOK_SECONDS = 0.1
"""How often `look` is called while nothing happens."""
FIRST_GUESS = 0.02
"""How many seconds a match may take before one has been played."""
LEARNING_RATE = 0.1


class Executor(Protocol):
    """Where jobs are played: on this machine (`workers.local_executor`), or on a cluster (`roost_ladder.cluster`)."""

    @property
    def submit(self) -> Callable[[Job], "Future[list[PlayedMatch]]"]:
        """Has a job played."""

    @property
    def workers(self) -> int:
        """How many jobs it plays at the same time. It may change; 0 if there is nobody at the moment."""

    @property
    def job_seconds(self) -> float:
        """About how long a job should take."""


class FixedExecutor(NamedTuple):
    """An executor whose workers stay the same."""

    submit: Callable[[Job], "Future[list[PlayedMatch]]"]
    workers: int
    job_seconds: float = JOB_SECONDS


OpenExecutor = Callable[[Sequence[BotSpec], MatchLimits], AbstractContextManager[Executor]]
"""Opens an executor that plays matches of these bots within these limits."""


class RunStopped(RoostError):
    """The run cannot go on. What was played until then counts."""


class Unit(NamedTuple):
    """Matches that belong together. They are played by one worker."""

    key: str
    fixtures: tuple[Fixture, ...]


class Supply(Protocol):
    """What is to be played."""

    def next_unit(self) -> Unit | None:
        """What to hand out next; `None` if there is nothing at the moment."""

    def most_per_job(self) -> int:
        """How many units a job may have at most."""

    def arrived(self, unit: Unit, played: Sequence[PlayedMatch]) -> None:
        """Is told of results as they come in, in any order."""


class Pace:
    """How long matches take, by game and number of players."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, int], float] = {}

    def of(self, fixtures: Sequence[Fixture]) -> float:
        """How many seconds these matches may take."""
        return sum(self._seconds.get((fixture.game, len(fixture.bots)), FIRST_GUESS) for fixture in fixtures)

    def learn(self, fixtures: Sequence[Fixture], played: Sequence[PlayedMatch]) -> None:
        """Note how long they took."""
        for fixture, match in zip(fixtures, played, strict=True):
            kind = fixture.game, len(fixture.bots)
            took = match.took_ms / 1000
            former = self._seconds.get(kind, took)
            self._seconds[kind] = former + LEARNING_RATE * (took - former)


class Engine:
    """Plays what its supply offers."""

    def __init__(
        self,
        executor: Executor,
        supply: Supply,
        limits: MatchLimits,
        *,
        pace: Pace,
        deadline: float = math.inf,
        grace: float = 0.0,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Nothing is handed out after `deadline` on the monotonic clock, and nothing is awaited `grace` seconds later.

        `look` is called every moment.
        """
        self._executor = executor
        self._supply = supply
        self._limits = limits
        self._pace = pace
        self._deadline = deadline
        self._grace = grace
        self._look = look
        self._running: dict[Future[list[PlayedMatch]], list[Unit]] = {}
        self._done: dict[str, list[PlayedMatch]] = {}

    def result(self, key: str) -> list[PlayedMatch] | None:
        """Wait for a unit; `None` if the time is up before. Raises `UsageError` if a bot cannot be loaded."""
        while key not in self._done:
            self._hand_out()
            if not self._await():
                return None
        return self._done.pop(key)

    def _hand_out(self) -> None:
        """Keep a job ready for each worker beside the one that it plays."""
        while len(self._running) < 2 * max(1, self._executor.workers) and time.monotonic() < self._deadline:
            if not (units := self._next_units()):
                return
            self._submit(units)

    def _next_units(self) -> list[Unit]:
        """Units for a job: as many as take a moment."""
        units: list[Unit] = []
        seconds = 0.0
        most = self._supply.most_per_job()
        enough = self._executor.job_seconds
        while len(units) < most and seconds < enough and (unit := self._supply.next_unit()) is not None:
            units.append(unit)
            seconds += self._pace.of(unit.fixtures)
            if not all(bot.trusted for bot in unit.fixtures[0].bots):
                enough = max(enough, APART_JOB_SECONDS)
        return units

    def _submit(self, units: list[Unit]) -> None:
        fixtures = tuple(fixture for unit in units for fixture in unit.fixtures)
        self._running[self._executor.submit(Job(fixtures, self._limits))] = units

    def _await(self) -> bool:
        """Wait a moment for what is being played. False if that is nothing, or the time is up."""
        if not self._running or time.monotonic() > self._deadline + self._grace:
            return False
        done, _ = wait(self._running, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            self._take(self._running.pop(future), future.result())
        self._look()
        return True

    def _take(self, units: Sequence[Unit], played: list[PlayedMatch]) -> None:
        first = 0
        for unit in units:
            own = played[first : first + len(unit.fixtures)]
            first += len(own)
            self._pace.learn(unit.fixtures, own)
            self._done[unit.key] = own
            self._supply.arrived(unit, own)

"""The engine: what goes into a job, and in which order results come back."""

import time
from collections.abc import Sequence
from concurrent.futures import Future

from roost_games.replay import Result
from roost_ladder.running.engine import Engine, FixedExecutor, Pace, Unit
from roost_ladder.running.fixtures import BotSpec, Fixture, Job, MatchLimits, PlayedMatch

BOT = BotSpec("bot", "1", "somewhere", "Bot")


def unit(key: str, bot: BotSpec = BOT) -> Unit:
    """Two matches that are named after the unit."""
    fixtures = [Fixture(f"{key}{number}", "karteneck", (bot, bot), b"", None) for number in (1, 2)]
    return Unit(key, tuple(fixtures))


class Listed:
    """A supply of these units."""

    def __init__(self, *units: Unit, most: int = 1) -> None:
        self.arrivals: list[str] = []
        self._waiting = list(units)
        self._most = most

    def next_unit(self) -> Unit | None:
        return self._waiting.pop(0) if self._waiting else None

    def most_per_job(self) -> int:
        return self._most

    def arrived(self, unit: Unit, played: Sequence[PlayedMatch]) -> None:
        self.arrivals.append(unit.key)


class LastFirst:
    """Ends the latest of its jobs whenever `look` is called. A match takes this many milliseconds."""

    def __init__(self, ms: int = 10) -> None:
        self.jobs: list[Job] = []
        self._open: list[tuple[Job, Future[list[PlayedMatch]]]] = []
        self._ms = ms

    def submit(self, job: Job) -> "Future[list[PlayedMatch]]":
        self.jobs.append(job)
        self._open.append((job, Future()))
        return self._open[-1][1]

    def look(self) -> None:
        if self._open:
            job, future = self._open.pop()
            future.set_result([self._played(fixture) for fixture in job.fixtures])

    def _played(self, fixture: Fixture) -> PlayedMatch:
        return PlayedMatch(fixture.match, Result((1, 2), (0, 0), "finished"), (), (), 0, self._ms)

    def matches(self) -> list[list[str]]:
        """Of each job."""
        return [[fixture.match for fixture in job.fixtures] for job in self.jobs]


def results(engine: Engine, *keys: str) -> list[list[str]]:
    return [[match.match for match in engine.result(key) or ()] for key in keys]


def test_results_come_back_by_unit_whichever_ends_first() -> None:
    supply, executor = Listed(unit("a"), unit("b"), unit("c")), LastFirst()
    engine = Engine(FixedExecutor(executor.submit, 1), supply, MatchLimits(), pace=Pace(), look=executor.look)
    assert results(engine, "a", "b", "c") == [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]]
    assert supply.arrivals == ["b", "a", "c"], "the supply hears of results as they come in"


def test_every_worker_has_a_job_and_another_one_ready() -> None:
    supply, executor = Listed(*map(unit, "abcdef")), LastFirst()
    engine = Engine(FixedExecutor(executor.submit, 2), supply, MatchLimits(), pace=Pace(), look=executor.look)
    engine._hand_out()
    assert executor.matches() == [["a1", "a2"], ["b1", "b2"], ["c1", "c2"], ["d1", "d2"]]


def test_a_job_has_as_many_units_as_take_a_moment() -> None:
    """A job takes about 0.25 s: before anything is known, matches of 0.02 s are expected, so 7 units of two."""
    trusted = BOT._replace(trusted=True)
    supply, executor = Listed(*[unit(key, trusted) for key in "abcdefghijklm"], most=64), LastFirst(ms=100)
    engine = Engine(FixedExecutor(executor.submit, 1), supply, MatchLimits(), pace=Pace(), look=executor.look)
    assert results(engine, "a") == [["a1", "a2"]]
    assert [len(job.fixtures) for job in executor.jobs] == [14, 12]
    supply._waiting = [unit(key, trusted) for key in "nopq"]
    results(engine, "n")
    assert [len(job.fixtures) for job in executor.jobs[2:]] == [4, 4], "matches of 0.1 s: two units of two"


def test_a_job_is_longer_where_bots_have_processes_of_their_own() -> None:
    """About 1 s: of units with two matches of 0.02 s each, that is 25 or, by a rounding error, 26."""
    supply, executor = Listed(*[unit(str(number)) for number in range(40)], most=64), LastFirst()
    engine = Engine(FixedExecutor(executor.submit, 1), supply, MatchLimits(), pace=Pace())
    engine._hand_out()
    assert len(executor.jobs[0].fixtures) in (50, 52)


def test_nothing_is_handed_out_after_the_deadline_and_nothing_awaited_after_the_grace() -> None:
    supply, executor = Listed(unit("a")), LastFirst()
    over = Engine(FixedExecutor(executor.submit, 1), supply, MatchLimits(), pace=Pace(), deadline=time.monotonic())
    assert over.result("a") is None
    assert executor.jobs == []
    soon = time.monotonic() + 0.05
    never = Engine(FixedExecutor(executor.submit, 1), supply, MatchLimits(), pace=Pace(), deadline=soon, grace=0.05)
    assert never.result("a") is None
    assert len(executor.jobs) == 1

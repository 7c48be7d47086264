"""Ladders on a Dask cluster: the same run as anywhere, whatever happens to workers and to the scheduler.

The processes are real ones: a scheduler and workers on loopback.
"""

import os
import shutil
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import roost_games
from roost_games.errors import UsageError
from roost_games.replay import Decision, Replay
from roost_ladder.blocks import Block
from roost_ladder.cluster import roll
from roost_ladder.cluster.connection import ClusterAddress
from roost_ladder.cluster.executor import BotEndsWorkers, ClusterLost, cluster_executor
from roost_ladder.running.book import FinishedBlock, MemoryBook
from roost_ladder.running.fixtures import BotSpec, Job, PlayedMatch
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.rounds import Budget, RunEnd
from tests.support.ladders.clusters import small_cluster, wait_until
from tests.support.ladders.small_ladders import CALM, STRICT, Watched, bot, fixture, setup, timeless

pytestmark = pytest.mark.long
BOTS = ("dice", "exits", "first", "greedy", "listens")
BLOCKS = Budget(blocks=14)
LONGER = Budget(blocks=40)
Content = list[tuple[Block, list[Replay]]]


class Kept(MemoryBook):
    """A book that keeps everything that a database would."""

    def __init__(self) -> None:
        super().__init__()
        self.content: Content = []

    def add(self, blocks: Sequence[FinishedBlock]) -> None:
        super().add(blocks)
        for block in blocks:
            self.content.append((block.block, [without_times(line) for line in block.played]))


def without_times(played: PlayedMatch) -> Replay:
    replay = played.replay()
    steps = tuple([step._replace(ms=None) if isinstance(step, Decision) else step for step in replay.steps])
    return replace(replay, steps=steps)


def pool_run(given: Setup, budget: Budget) -> tuple[Ladder, Content]:
    book = Kept()
    return Watched(given, budget, book=book, workers=2).ladder, book.content


def cluster_run(
    address: str,
    given: Setup,
    budget: Budget,
    look: Callable[[Ladder], None] = lambda ladder: None,
    told: list[str] | None = None,
    book: Kept | None = None,
) -> tuple[Ladder, Content]:
    book = book or Kept()
    ladder = Ladder(given, book)
    bots = [entrant.spec for entrant in given.entrants]
    tell = (told if told is not None else []).append
    with cluster_executor(ClusterAddress.read(address), bots, given.limits, tell) as executor:
        assert ladder.play(executor, budget, lambda: look(ladder)) is RunEnd.BUDGET
    return ladder, book.content


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_the_same_on_this_machine_and_on_a_cluster(workers: int) -> None:
    here, kept = pool_run(setup(BOTS), BLOCKS)
    there, kept_there = cluster_run(f"local:{workers}", setup(BOTS), BLOCKS)
    assert timeless(there.facts) == timeless(here.facts)
    assert there.benched == here.benched
    assert kept_there == kept
    assert sum(len(matches) for _, matches in kept) == len(here.facts) > 14


def test_limits_hold_on_a_worker(tmp_path: Path) -> None:
    with small_cluster(tmp_path, workers=1) as there:
        job = Job((fixture("first", "hoards"), fixture("hangs", "first"), fixture("exits", "last")), STRICT)
        bots = [bot for each in job.fixtures for bot in each.bots]
        with cluster_executor(ClusterAddress.read(there.address), bots, STRICT) as executor:
            matches = executor.submit(job).result()
    assert [[(stop.seat, stop.why) for stop in match.stops] for match in matches] == [
        [(1, "took more than 150 MB of memory and was stopped")],
        [(0, "did not answer for 2 s and was stopped")],
        [(0, "ended its process (exit code 3)")],
    ]


def once(do: Callable[[], None]) -> Callable[[Ladder], None]:
    """Do something when the first blocks have been counted."""
    left = [do]

    def look(ladder: Ladder) -> None:
        if ladder.facts and left:
            left.pop()()

    return look


def test_a_worker_that_is_killed_is_replaced_by_one_that_joins_late(tmp_path: Path) -> None:
    here, kept = pool_run(setup(BOTS), LONGER)
    with small_cluster(tmp_path, workers=1) as there:

        def change() -> None:
            there.processes[-1].kill()
            there.add_worker()

        ladder, kept_there = cluster_run(there.address, setup(BOTS), LONGER, once(change))
    assert timeless(ladder.facts) == timeless(here.facts)
    assert kept_there == kept


def test_a_worker_that_hangs_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roll, "SILENT_SECONDS", 4.0)
    told: list[str] = []
    here, _ = pool_run(setup(BOTS), LONGER)
    with small_cluster(tmp_path, workers=2) as there:
        stop = once(lambda: there.processes[-1].send_signal(signal.SIGSTOP))
        ladder, _ = cluster_run(there.address, setup(BOTS), LONGER, stop, told)
    assert timeless(ladder.facts) == timeless(here.facts)
    assert any("hangs, so others play its jobs" in line for line in told)


def test_a_run_whose_scheduler_has_gone_ends_and_goes_on_later(tmp_path: Path) -> None:
    here, _ = pool_run(setup(BOTS), LONGER)
    book = Kept()
    with small_cluster(tmp_path, workers=1) as there, pytest.raises(ClusterLost, match=f"{there.address} has gone"):
        cluster_run(there.address, setup(BOTS), LONGER, once(there.scheduler.kill), book=book)
    assert 0 < len(book.content) < 40
    ladder, _ = cluster_run("local:1", setup(BOTS), LONGER, book=book)
    assert timeless(ladder.facts) == timeless(here.facts)


STRIKES = """
import os
import signal
from pathlib import Path

from roost_sdk import Bot


class Strikes(Bot):
    def choose(self, view, legal):
        pid = os.getpid()
        for _ in range({levels}):
            pid = int(Path(f"/proc/{{pid}}/stat").read_text().rpartition(")")[2].split()[1])
        assert b"dask" in Path(f"/proc/{{pid}}/cmdline").read_bytes()
        os.kill(pid, signal.SIGKILL)
        return legal[0]
"""
BOT_TO_WORKER = 4
"""Above a bot's process are its guard, the process that referees, the guard of that, and the worker."""


def test_a_bot_that_ends_its_workers_is_named(tmp_path: Path) -> None:
    file = tmp_path / "strikes.py"
    file.write_text(STRIKES.format(levels=BOT_TO_WORKER))
    strikes = BotSpec("strikes", "", str(file), "Strikes")
    job = Job((fixture("first", "last", "dice"), fixture("first", "last")._replace(bots=(bot("first"), strikes))), CALM)
    bots = [*job.fixtures[0].bots, strikes]
    told: list[str] = []
    with (
        small_cluster(tmp_path, workers=4) as there,
        cluster_executor(ClusterAddress.read(there.address), bots, CALM, told.append) as executor,
    ):
        others = [executor.submit(Job((fixture("first", "last"),), CALM)) for _ in range(4)]
        with pytest.raises(BotEndsWorkers, match=r"^strikes ended the worker that it played on, 3 times"):
            executor.submit(job).result()
        assert [len(future.result()) for future in others] == [1] * 4
        assert sum(worker.poll() is not None for worker in there.processes) == 3
    assert "2 workers were lost in the same job; each of its bots plays by itself, to see why" in told


def altered_code(folder: Path) -> dict[str, str]:
    """An environment in which the games are other ones than here."""
    copy = folder / "other" / "roost_games"
    shutil.copytree(Path(roost_games.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "registry.py").write_text((copy / "registry.py").read_text() + "\n# altered\n")
    return {"PYTHONPATH": str(folder / "other")}


def test_a_machine_with_another_version_is_refused_by_name(tmp_path: Path) -> None:
    with small_cluster(tmp_path) as there:
        there.add_worker(altered_code(tmp_path))
        with (
            pytest.raises(UsageError, match=r"^worker tcp://127.0.0.1:\d+ has another version of roost_games \("),
            cluster_executor(ClusterAddress.read(there.address), [bot("first")], CALM),
        ):
            pass


def test_one_that_joins_late_does_not_play(tmp_path: Path) -> None:
    told: list[str] = []
    job = Job((fixture("first", "last"),), CALM)
    with (
        small_cluster(tmp_path, workers=1) as there,
        cluster_executor(ClusterAddress.read(there.address), job.fixtures[0].bots, CALM, told.append) as executor,
    ):
        there.add_worker(altered_code(tmp_path))
        wait_until(lambda: executor.workers == 2)
        futures = [executor.submit(job) for _ in range(8)]
        assert {len(future.result()) for future in futures} == {1}
        assert executor.workers == 1
    (line,) = [line for line in told if "does not play" in line]
    assert "it has another version of roost_games" in line


def test_the_first_worker_may_join_later(tmp_path: Path) -> None:
    told: list[str] = []
    with small_cluster(tmp_path) as there:

        def tell(line: str) -> None:
            told.append(line)
            there.add_worker()

        with cluster_executor(ClusterAddress.read(there.address), [bot("first")], CALM, tell) as executor:
            assert executor.workers == 1
    assert told == [f"the scheduler at {there.address} has no worker yet; waiting for one"]


def test_what_answers_but_is_no_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with small_cluster(tmp_path, workers=1) as there:
        monkeypatch.setattr("roost_ladder.cluster.connection.CONNECT_SECONDS", 2.0)
        there.scheduler.send_signal(signal.SIGSTOP)
        with (
            pytest.raises(UsageError, match=f"no scheduler answers at {there.address} within 2 s"),
            cluster_executor(ClusterAddress.read(there.address), [bot("first")], CALM),
        ):
            pass


def test_nothing_is_left_on_a_worker_when_the_run_is_over(tmp_path: Path) -> None:
    job = Job((fixture("first", "last"),), CALM)
    with small_cluster(tmp_path, workers=1) as there:
        worker = there.processes[-1].pid
        with cluster_executor(ClusterAddress.read(there.address), job.fixtures[0].bots, CALM) as executor:
            executor.submit(job).result()
            assert children(worker) != []
        wait_until(lambda: children(worker) == [])


def children(process: int) -> list[str]:
    return [
        number
        for task in os.listdir(f"/proc/{process}/task")
        for number in Path(f"/proc/{process}/task/{task}/children").read_text().split()
    ]

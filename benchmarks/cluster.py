"""How fast a ladder plays on a Dask cluster, beside the process pool, and what a job costs the scheduler.

    python -m benchmarks.cluster
    python -m benchmarks.cluster --seconds 3 --rounds 1 --queued 1000

The cluster is a scheduler and workers on this machine, each a process of its own. Pool and cluster play the same blocks
with the same number of workers, and take turns. What is compared is matches a second between the first results and the
last, because starting up is paid once in a ladder of hours. The best of several rounds counts on each side.

The second table is about empty jobs, which are queued all at once, so that it has the scheduler's own time and nothing
else. A scheduler is one Python process on one core: it feeds as many workers as it can hand jobs of a second to.
"""

import argparse
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]
from distributed import Client, as_completed

from roost_bots import SAMPLES
from roost_games.registry import get_game
from roost_ladder.cluster.connection import LOOPBACK, ClusterAddress
from roost_ladder.cluster.executor import JOB_SECONDS, cluster_executor
from roost_ladder.running.book import MemoryBook
from roost_ladder.running.engine import Executor
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_ladder.running.fixtures import STANDARD_LIMITS
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.rounds import Budget
from roost_ladder.running.workers import local_executor
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past

BOTS = ("random", "timid", "greedy", "careful")
GAME, PLAYERS = "karteneck", 4
ROUND = 100_000
"""Blocks of a round. At the end of a short one, workers wait for each other, here and on a cluster."""
TASK_BYTES = 20_000
"""About what a job and its results have together when they travel."""


class SeparateCluster(NamedTuple):
    """A scheduler and workers, each in a process of its own."""

    address: str
    scheduler: psutil.Process


class Always:
    """A schedule that lets all bots play with each other all the time."""

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        """The same pairing, again and again."""
        return [Pairing(field.kinds[0], tuple(field.bots))] * ROUND


@contextmanager
def separate_cluster(workers: int) -> Iterator[SeparateCluster]:
    """A cluster of separate processes, which end with the block."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        words = [sys.executable, "-m", "dask"]
        where = [
            "--host",
            LOOPBACK,
            "--port",
            "0",
            "--dashboard-address",
            f"{LOOPBACK}:0",
            "--scheduler-file",
            str(file),
        ]
        started = [subprocess.Popen([*words, "scheduler", *where], stdout=DEVNULL, stderr=DEVNULL)]
        try:
            each = [
                "--nthreads",
                "1",
                "--dashboard-address",
                f"{LOOPBACK}:0",
                "--no-nanny",
                "--local-directory",
                folder,
            ]
            follow = [*words, "worker", "--scheduler-file", str(file), *each]
            started += [subprocess.Popen(follow, stdout=DEVNULL, stderr=DEVNULL) for _ in range(workers)]
            with Client(scheduler_file=str(file)) as client:  # type: ignore[no-untyped-call]
                client.wait_for_workers(workers)
                yield SeparateCluster(client.scheduler.address, psutil.Process(started[0].pid))
        finally:
            for process in started:
                process.kill()
            for process in started:
                process.wait()


def measured(executor: Executor, entrants: Sequence[Entrant], seconds: float) -> float:
    """Matches a second, from the first results on."""
    kind = Kind(GAME, PLAYERS)
    options = {GAME: get_game(GAME).options({})}
    setup = Setup(tuple(entrants), (kind,), "benchmark", Always(), "always", options, limits=STANDARD_LIMITS)
    ladder = Ladder(setup, MemoryBook())
    marks: list[tuple[float, int]] = []

    def look() -> None:
        if ladder.new_matches and (not marks or ladder.new_matches > marks[-1][1]):
            marks.append((time.monotonic(), ladder.new_matches))

    ladder.play(executor, Budget(seconds=seconds), look)
    (first, before), (last, after) = marks[len(marks) // 4], marks[-1]
    return (after - before) / (last - first)


def pool(workers: int, entrants: Sequence[Entrant], seconds: float) -> float:
    """On worker processes of this one."""
    with local_executor(workers) as executor:
        return measured(executor, entrants, seconds)


def cluster(address: str, entrants: Sequence[Entrant], seconds: float) -> float:
    """On the workers of a cluster."""
    bots = [entrant.spec for entrant in entrants]
    place: AbstractContextManager[Executor] = cluster_executor(ClusterAddress.read(address), bots, STANDARD_LIMITS)
    with place as executor:
        return measured(executor, entrants, seconds)


def efficiency(workers: int, entrants: Sequence[Entrant], seconds: float, rounds: int) -> tuple[float, float]:
    """The best matches a second of the pool and of the cluster."""
    with separate_cluster(workers) as there:
        pairs = [(pool(workers, entrants, seconds), cluster(there.address, entrants, seconds)) for _ in range(rounds)]
    here, on_cluster = zip(*pairs, strict=True)
    return max(here), max(on_cluster)


def nothing(content: bytes) -> bytes:
    """A job without work, with as much to carry as one with matches."""
    return content


def scheduler_cost(queued: int) -> float:
    """Microseconds of the scheduler's processor time for each of this many jobs that wait at the same time."""
    with (
        separate_cluster(1) as there,
        Client(there.address, set_as_default=False) as client,  # type: ignore[no-untyped-call]
    ):
        client.submit(nothing, b"").result()
        (worker,) = client.nthreads()
        before = there.scheduler.cpu_times()
        content = bytes(TASK_BYTES)
        futures = [client.submit(nothing, content, pure=False, workers=[worker]) for _ in range(queued)]
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            future.result()
            future.release()
        after = there.scheduler.cpu_times()
    return float(after.user + after.system - before.user - before.system) / queued * 1e6


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0, help="how long each run plays")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queued", type=int, default=10_000, help="how many jobs wait at the scheduler")
    given = parser.parse_args()
    entrants = find_entrants(BOTS, SAMPLES).bots
    print("| workers | process pool, matches/s | cluster, matches/s | |\n|---:|---:|---:|---:|")
    for workers in (1, 2):
        here, there = efficiency(workers, entrants, given.seconds, given.rounds)
        print(f"| {workers} | {here:,.0f} | {there:,.0f} | {there / here:.0%} |", flush=True)
    cost = scheduler_cost(given.queued)
    cores = math.floor(JOB_SECONDS / cost * 1e6)
    print("\n| jobs queued | scheduler, µs a job | cores that it feeds with jobs of a second |\n|---:|---:|---:|")
    print(f"| {given.queued:,} | {cost:,.0f} | {cores:,} |")


if __name__ == "__main__":
    main()

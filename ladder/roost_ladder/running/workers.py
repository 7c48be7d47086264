"""Plays matches in worker processes, so that no bot can stop a ladder. This is the one place where that is decided.

    with local_executor(workers=4) as executor:
        futures = [executor.submit(Job(fixtures, MatchLimits(clock))) for fixtures in portions]

`play` is a plain function of a `Job` that can be pickled, so it can be submitted to any `concurrent.futures.Executor`:
`local_executor` has a pool of threads, and `dask.distributed.Client(...).get_executor()` would spread the same jobs
over many machines. Wherever it runs, `play` keeps bots in child processes of its own, since only a process can be
stopped: one child for each call that runs at the same time, kept for the next call.

What counts. All bots of a match run in one child, which costs nothing. A child may be lost during a match: a bot did
not answer for longer than its clock allows, ended the process, or took more memory than it may. Then the results so far
count, and this one match is played again from its beginning with every bot in a process of its own; the deal and the
bots' randomness are the same. Now it is certain which bot is to blame. It is stopped: the open decision is its fault,
it forfeits the match, and the others play on (see `running.isolated`). The record says so and can be verified like any
other. The second playing counts even if nothing goes wrong in it.

The last results of a child that ends are lost with it. So matches without a result first go to another child, one at a
time: that shows in which of them the child is lost.
"""

import atexit
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from roost_ladder.running import child
from roost_ladder.running.engine import Executor
from roost_ladder.running.fixtures import Fixture, Job, MatchLimits, PlayedMatch
from roost_ladder.running.isolated import play_isolated
from roost_ladder.running.process import WORKER_PROCESSES, Hung, WorkerLost, WorkerProcess

LOADING_SECONDS = 60.0
"""How long the import of bots may take."""


def play(job: Job) -> list[PlayedMatch]:
    """Play all matches of `job`, in order. There is a result for each, whatever the bots do.

    Raises `UsageError` if a bot cannot be loaded.
    """
    if job.isolated:
        return [play_isolated(fixture, job.limits) for fixture in job.fixtures]
    played: list[PlayedMatch] = []
    at_once = len(job.fixtures)
    while rest := job.fixtures[len(played) :]:
        try:
            for each in _in_one_child(rest, job.limits, at_once):
                played.append(each)  # noqa: PERF402  those before the one that fails count
        except WorkerLost as lost:
            # A child that hangs has sent all its results, unless a bot holds the interpreter. Then an earlier match may
            # be played in isolation too, which does no harm.
            if at_once == 1 or isinstance(lost, Hung):
                played.append(play_isolated(job.fixtures[len(played)], job.limits))
            at_once = 1
    return played


def _in_one_child(fixtures: tuple[Fixture, ...], limits: MatchLimits, at_once: int) -> Iterator[PlayedMatch]:
    """Play `at_once` matches per request. Raises `WorkerLost` when the child is lost."""
    with _borrowed() as process:
        specs = tuple(dict.fromkeys(bot for fixture in fixtures for bot in fixture.bots))
        list(process.ask(child.load, specs, limits, patience=LOADING_SECONDS))
        for first in range(0, len(fixtures), at_once):
            some = fixtures[first : first + at_once]
            yield from process.ask(child.play_fixtures, some, limits, patience=limits.patience)


_idle: list[WorkerProcess] = []
_turn = threading.Lock()


@contextmanager
def _borrowed() -> Iterator[WorkerProcess]:
    """An idle child, or a new one. It is kept for the next call unless something went wrong."""
    with _turn:
        process = _idle.pop() if _idle else None
    process = process or WorkerProcess()
    try:
        yield process
    except BaseException:
        process.stop()
        raise
    with _turn:
        _idle.append(process)


@atexit.register
def close_idle() -> None:
    """End the idle children of this process."""
    with _turn:
        leaving, _idle[:] = _idle[:], []
    for process in leaving:
        process.close()


@contextmanager
def local_executor(workers: int) -> Iterator[Executor]:
    """Plays this many jobs at a time on this machine. Jobs that are not done when the block is left are dropped."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="roost-ladder")
    WORKER_PROCESSES.allow()
    try:
        yield Executor(lambda job: pool.submit(play, job), workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        close_idle()
        WORKER_PROCESSES.kill_all()
        pool.shutdown(wait=True)

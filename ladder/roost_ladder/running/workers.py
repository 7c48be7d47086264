"""Plays matches in worker processes, so that no bot can stop a ladder. This is the one place where that is decided.

    with local_executor(workers=4) as executor:
        futures = [executor.submit(Job(fixtures, MatchLimits(clock))) for fixtures in portions]

`play` is a plain function of a `Job` that can be pickled, so any `concurrent.futures.Executor` takes it. That of
`local_executor` has a pool of threads; `dask.distributed.Client(...).get_executor()` would spread the same jobs over
many machines. Wherever it runs, `play` keeps bots in child processes of its own, since only a process can be stopped.
There is one child for each call that runs at the same time, kept for the next call.

A child referees. Trusted bots play in it, which costs nothing. All others have processes of their own below it. So it
is certain which bot did not answer for longer than its clock allows, ended its process, or took too much memory (see
`running.hall`). It is stopped: the open decision is its fault, it forfeits the match, and the others play on. The
record says so and can be verified like any other. If a child is lost, a trusted bot is to blame, and the run ends.
"""

import atexit
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from roost_games.errors import RoostError
from roost_ladder.running import child
from roost_ladder.running.engine import Executor, FixedExecutor
from roost_ladder.running.fixtures import Job, MatchLimits, PlayedMatch
from roost_ladder.running.process import WORKER_PROCESSES, Hung, WorkerEnded, WorkerLost, WorkerProcess
from roost_sdk.troubles.hangs import each_once

LOADING_SECONDS = 60.0
"""How long the import of bots may take."""


class TrustBetrayed(RoostError):
    """A trusted bot took the process with it."""


def play(job: Job) -> list[PlayedMatch]:
    """Play all matches of `job`, in order. There is a result for each, whatever bots do that are not trusted.

    Raises `UsageError` if a bot cannot be loaded, and `TrustBetrayed` if its process is lost.
    """
    trusted = tuple(dict.fromkeys(bot for fixture in job.fixtures for bot in fixture.bots if bot.trusted))
    with _borrowed() as process:
        try:
            list(process.ask(child.load, trusted, job.limits, patience=LOADING_SECONDS))
            return list(process.ask(child.play_fixtures, job.fixtures, job.limits, patience=job.limits.patience))
        except WorkerLost as lost:
            names = ", ".join(sorted(bot.name for bot in trusted))
            raise TrustBetrayed(
                f"the process with the trusted bots {names} {_how(lost, job.limits)}, and nobody can tell which "
                "of them it was; without --trusted each has a process of its own, and only the one at fault is stopped"
            ) from None


def _how(lost: WorkerLost, limits: MatchLimits) -> str:
    if isinstance(lost, Hung):
        return f"made no progress for {limits.patience:g} s"
    if isinstance(lost, WorkerEnded) and lost.out_of_memory:
        return f"took more than {limits.memory_mb} MB of memory for each"
    return f"ended ({lost})"


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
def local_executor(workers: int, tell: Callable[[str], None] = lambda line: None) -> Iterator[Executor]:
    """Plays this many jobs at a time on this machine. Jobs that are not done when the block is left are dropped.

    `tell` gets a line when a bot hangs, while it does.
    """
    pool = ThreadPoolExecutor(workers, thread_name_prefix="roost-ladder")
    WORKER_PROCESSES.allow()
    WORKER_PROCESSES.tell = each_once(tell)
    try:
        yield FixedExecutor(lambda job: pool.submit(play, job), workers)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        WORKER_PROCESSES.kill_all()
        pool.shutdown(wait=True)
        # Only now: a thread that had just played to the end has kept its child.
        close_idle()

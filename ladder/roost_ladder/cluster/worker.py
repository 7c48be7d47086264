"""What runs on a worker of a cluster. It looks whether everything needed is there, does its work, and replies.

A reply is a value and never an error, because an error of ours might not survive its way back.
"""

import asyncio
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from roost_games.errors import RoostError, UsageError
from roost_ladder.cluster.bot_files import BotFiles, missing_files, settled, settled_text
from roost_ladder.cluster.installation import Installation
from roost_ladder.running.fixtures import Job, PlayedMatch
from roost_ladder.running.process import WORKER_PROCESSES
from roost_ladder.running.workers import close_idle, play

_compared: set[str] = set()
"""Runs for which this worker has what they need."""
_ended: set[str] = set()
"""Runs that are over."""
BOTS = "roost-bots"
"""The folder of a worker below which bots are unpacked."""


PlayJob = Callable[[Path, Job], list[PlayedMatch]]
"""Plays a job with bots whose files are below a folder. It is a function of a module, or a `partial` of one."""


class JobPlayer(NamedTuple):
    """How the workers play jobs. All of it travels."""

    play: PlayJob
    close: Callable[[], None]
    """Ends what `play` has left running on a worker, when the run is over."""
    sources: tuple[str, ...] = ()
    """Of bots that it needs for any job."""


class Assignment(NamedTuple):
    """Something to be done on a worker."""

    do: Callable[..., Any]
    """A function of a module, which is called with the folder of the bots first."""
    given: tuple[Any, ...]
    sources: tuple[str, ...]
    """Of the bots that it needs."""


class WorkerReply(NamedTuple):
    """What a worker says."""

    worker: str
    """Its address."""
    value: Any = None
    missing: tuple[str, ...] = ()
    """The digests of bots that it needs first."""
    differs: str = ""
    """Why it may not play."""
    error: str = ""
    usage: bool = False
    """Whether the error is one of usage."""


def carry_out(needs: tuple[Any, ...], run: str, assignment: bytes, files: tuple[BotFiles, ...] = ()) -> WorkerReply:
    """Do what is asked for, if this worker has what the `run` needs. Bots whose `files` come along are unpacked first.

    Lines about hanging bots are sent under the name of the run.
    """
    from distributed import get_worker

    worker = get_worker()
    if run not in _compared and (difference := difference_from(needs)):
        return WorkerReply(worker.address, differs=difference)
    _compared.add(run)
    folder = Path(worker.local_directory) / BOTS
    for each in files:
        each.unpack(folder)
    what: Assignment = pickle.loads(assignment)  # noqa: S301  from the command, which may run anything here
    WORKER_PROCESSES.tell = lambda line: worker.log_event(run, line)
    try:
        if missing := missing_files(what.sources, folder):
            return WorkerReply(worker.address, missing=missing)
        return WorkerReply(worker.address, what.do(folder, *what.given))
    except RoostError as error:
        return WorkerReply(worker.address, error=str(error), usage=isinstance(error, UsageError))
    finally:
        if run in _ended:
            close_idle()


def difference_from(needs: tuple[Any, ...]) -> str:
    """Why a worker, or the scheduler, may not take part; empty if it may."""
    return Installation(*needs).difference()


def play_job(folder: Path, job: Job) -> list[PlayedMatch]:
    """Play a job as a worker process of this machine would, with bots whose files are below `folder`."""
    return play(settled(job, folder))


def call_for_bot(folder: Path, do: Callable[..., Any], text: str, *given: object) -> Any:
    """Call a function with what `load_bot` finds a bot by here, and what else it is given."""
    return do(settled_text(text, folder), *given)


async def end_run(run: str, close: Callable[[], None]) -> None:
    """End what a run has left running here. A job that is being played will do so itself."""
    _ended.add(run)
    await asyncio.to_thread(close)


async def forget_worker(address: str, dask_scheduler: Any) -> None:
    """On the scheduler: give the tasks of a worker to others, as if it had ended."""
    await dask_scheduler.remove_worker(address, stimulus_id="roost-silent-worker")


IN_PROCESSES = JobPlayer(play_job, close_idle)
"""As on this machine: bots play in processes of their own, below one that referees."""

"""An executor whose workers are those of a Dask cluster.

    with cluster_executor(ClusterAddress.read("local:4"), bots, limits) as executor:
        future = executor.submit(job)

A worker may be killed, hang or run out of memory. Its jobs are given to others, and played again. If a job loses a
second worker, one of its bots may be the reason. So everything else pauses, and each of its bots plays alone, against
itself. The bot that loses a worker then is named. If none does, the job is played once more, alone.

We say which worker gets a job, and not Dask, which would give a lost one to the next worker before we hear of it.

Everything here but `submit` runs in the event loop of Dask's client.
"""

import asyncio
import concurrent.futures
import contextlib
import pickle
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from itertools import count
from typing import Any, TypeVar
from uuid import uuid4

from roost_games.errors import RoostError, UsageError
from roost_ladder.cluster import roll
from roost_ladder.cluster.bot_files import BotFiles, Travellers, sources_of
from roost_ladder.cluster.connection import ClusterAddress, connected
from roost_ladder.cluster.installation import Installation
from roost_ladder.cluster.roll import SharedGate, WorkerRoll
from roost_ladder.cluster.worker import (
    IN_PROCESSES,
    Assignment,
    JobPlayer,
    WorkerReply,
    call_for_bot,
    carry_out,
    difference_from,
    end_run,
    forget_worker,
)
from roost_ladder.running.engine import RunStopped
from roost_ladder.running.fixtures import BotSpec, Job, MatchLimits, PlayedMatch
from roost_sdk.troubles.hangs import each_once

T = TypeVar("T")
MOST_TOLD = 3
"""How many machines are named that cannot take part."""
JOB_SECONDS = 1.0
"""About how long a job takes: the scheduler's work for it is then lost in the noise."""
LOOK_SECONDS = 1.0
"""How often the workers are counted."""
FIRST_WORKER_SECONDS = 60.0
"""How long the first worker may take to join."""
SECONDS_TO_END = 10.0
"""How long workers may take to end what the run has left there."""
MOST_LOST = 2
"""A job that has lost this many workers is looked into."""


class ClusterLost(RunStopped):
    """The scheduler has gone."""


class BotEndsWorkers(RunStopped):
    """A bot takes the worker with it on which it plays."""


class WorkerGone(RoostError):
    """The worker that had this job has left."""

    def __init__(self, *, orderly: bool) -> None:
        super().__init__("a worker has left")
        self.orderly = orderly
        """It had not begun with the job, or was ended by somebody who may do that."""


class JobLost(RoostError):
    """A job has lost several workers."""


class OpenTask:
    """A task that is on the cluster."""

    def __init__(self, worker: str) -> None:
        self.worker = worker
        self.gone = asyncio.Event()
        """Its worker has gone."""
        self.orderly = True
        """The worker had not begun with the task, or was ended by somebody who may do that."""


class ClusterExecutor:
    """Plays jobs on a cluster, and looks after its workers."""

    job_seconds = JOB_SECONDS

    def __init__(
        self,
        client: Any,
        bots: Sequence[BotSpec],
        limits: MatchLimits,
        tell: Callable[[str], None],
        player: JobPlayer,
    ) -> None:
        """`tell` gets lines about workers, and about bots that hang."""
        self._client = client
        self._tell = each_once(tell)
        self._player = player
        self._needs = tuple(Installation.here(bots, sandbox=limits.sandbox))
        self._travellers = Travellers(bots)
        self._run = f"roost-{uuid4()}"
        self._numbers = count(1)
        self._open: dict[str, OpenTask] = {}
        """By the keys that Dask knows."""
        self._roll = WorkerRoll()
        self._gone = asyncio.Event()
        """The scheduler has gone."""
        self._gate = SharedGate()
        self._running: set[Future[Any]] = set()

    @property
    def workers(self) -> int:
        """How many jobs are played at the same time, at the moment."""
        return self._roll.places

    def submit(self, job: Job) -> "Future[list[PlayedMatch]]":
        """Have a job played."""
        return self._in_loop(self._play(self._travellers.sent(job)))

    def call(self, do: Callable[..., T], text: str, *given: object) -> "Future[T]":
        """Have a function of a module called on a worker, with what `load_bot` finds a bot by there."""
        text = self._travellers.sent_text(text)
        return self._in_loop(self._answer(Assignment(call_for_bot, (do, text, *given), (text,))))

    def _in_loop(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        future = asyncio.run_coroutine_threadsafe(work, self._client.loop.asyncio_loop)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return future

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Check all machines, and look after them while the block runs. Raises `UsageError`."""
        try:
            self._in_loop(self._begin()).result()
            self._in_loop(self._watch())
            yield
        finally:
            for future in list(self._running):
                future.cancel()
            with contextlib.suppress(Exception):
                self._in_loop(self._end()).result()

    async def _begin(self) -> None:
        self._client.subscribe_topic("all", self._note_event)
        self._client.subscribe_topic(self._run, lambda event: self._tell(event[1]))
        give_up = time.monotonic() + FIRST_WORKER_SECONDS
        while not await self._count_workers():
            if time.monotonic() > give_up:
                raise UsageError(
                    f"{self._scheduler} has no worker after {FIRST_WORKER_SECONDS:.0f} s; start one with "
                    f"dask worker {self._address} --nthreads 1"
                )
            self._tell(f"{self._scheduler} has no worker yet; waiting for one")
            await asyncio.sleep(LOOK_SECONDS)
        await self._compare()

    async def _end(self) -> None:
        if not self._gone.is_set():
            ended = self._client.run(end_run, self._run, self._player.close, on_error="ignore")
            await asyncio.wait_for(ended, SECONDS_TO_END)
            for topic in ("all", self._run):
                self._client.unsubscribe_topic(topic)

    @property
    def _address(self) -> str:
        return str(self._client.scheduler.address)

    @property
    def _scheduler(self) -> str:
        return f"the scheduler at {self._address}"

    async def _compare(self) -> None:
        """Raise `UsageError` if a machine does not have what is needed."""
        try:
            found = {"the scheduler": await self._client.run_on_scheduler(difference_from, self._needs)}
        except Exception as error:
            found = {"the scheduler": error}
        asked = self._client.run(difference_from, self._needs, on_error="return")
        found |= {
            f"worker {address}": said for address, said in (await asyncio.wait_for(asked, roll.SILENT_SECONDS)).items()
        }
        told = [f"{machine} {_as_difference(said)}" for machine, said in found.items() if said]
        if told:
            raise UsageError("; ".join(told[:MOST_TOLD]))

    async def _watch(self) -> None:
        """Count the workers, and take out those that hang, until the scheduler has gone."""
        with contextlib.suppress(OSError, TimeoutError):
            while True:
                await asyncio.wait_for(self._count_workers(), roll.SILENT_SECONDS)
                for worker in self._roll.silent():
                    self._tell(f"worker {worker} hangs, so others play its jobs")
                    await asyncio.wait_for(self._client.run_on_scheduler(forget_worker, worker), roll.SILENT_SECONDS)
                await asyncio.sleep(LOOK_SECONDS)
        self._gone.set()

    async def _count_workers(self) -> int:
        found = await self._client.scheduler.identity(n_workers=-1)
        self._roll.hear(found["workers"])
        for task in self._open.values():
            if task.worker not in found["workers"]:
                # It had left when it was chosen, or its leaving was not told.
                task.gone.set()
        return self._roll.places

    def _note_event(self, event: tuple[float, dict[str, Any]]) -> None:
        """An event of the scheduler: a worker has left, perhaps because somebody ended it in an orderly way."""
        _, what = event
        if what.get("action") != "remove-worker":
            return
        self._roll.remove(what["worker"])
        for key, task in self._open.items():
            if task.worker == what["worker"]:
                task.orderly = bool(what.get("expected")) or key not in what["processing-tasks"]
                task.gone.set()

    async def _play(self, job: Job) -> list[PlayedMatch]:
        async with self._gate.shared():
            with contextlib.suppress(JobLost):
                return await self._once(job, MOST_LOST)
        async with self._gate.alone():
            return await self._play_alone(job)

    async def _play_alone(self, job: Job) -> list[PlayedMatch]:
        """Find out whether a bot is to blame for lost workers. If not, play the job again."""
        bots = {bot: fixture for fixture in job.fixtures for bot in fixture.bots}
        self._tell(f"{MOST_LOST} workers were lost in the same job; each of its bots plays by itself, to see why")
        for bot, fixture in bots.items():
            mirror = job._replace(fixtures=(fixture._replace(bots=(bot,) * len(fixture.bots)),))
            try:
                await self._once(mirror, 1)
            except JobLost:
                raise BotEndsWorkers(
                    f"{bot.name} ended the worker that it played on, {MOST_LOST + 1} times; "
                    "with --sandbox it cannot reach other processes"
                ) from None
        try:
            return await self._once(job, 1)
        except JobLost:
            names = ", ".join(sorted(bot.name for bot in bots))
            raise BotEndsWorkers(
                f"{MOST_LOST + 1} workers were lost while {names} played together; none of them did that by itself"
            ) from None

    async def _once(self, job: Job, most_lost: int) -> list[PlayedMatch]:
        work = Assignment(self._player.play, (job,), (*self._player.sources, *sources_of(job)))
        played: list[PlayedMatch] = await self._answer(work, most_lost)
        return played

    async def _answer(self, work: Assignment, most_lost: int = MOST_LOST) -> Any:
        """What the work comes to, on a worker that has what it needs. Raises `JobLost` after this many lost workers."""
        data = pickle.dumps(work, pickle.HIGHEST_PROTOCOL)
        files: tuple[BotFiles, ...] = ()
        worker = ""
        while most_lost:
            # Files are for the worker that lacks them.
            worker = worker if files else await self._choose()
            try:
                reply = await self._reply(data, files, worker)
            except WorkerGone as gone:
                most_lost -= not gone.orderly
                files = ()
                continue
            if reply.differs:
                self._refuse(reply)
            elif not reply.missing:
                return _value_of(reply)
            files = tuple(self._travellers.files(reply.missing))
        raise JobLost

    async def _choose(self) -> str:
        """The worker for a job, as soon as there is one. Raises `ClusterLost`."""
        while (worker := self._roll.least_busy()) is None:
            self._check_scheduler()
            self._tell("no worker is left; waiting for one to join")
            await asyncio.sleep(LOOK_SECONDS)
        return worker

    def _check_scheduler(self) -> None:
        if self._gone.is_set():
            raise self._lost()

    def _lost(self) -> ClusterLost:
        return ClusterLost(f"{self._scheduler} has gone")

    def _refuse(self, reply: WorkerReply) -> None:
        self._roll.refuse(reply.worker)
        self._tell(f"worker {reply.worker} does not play: it {reply.differs}")
        if self._roll.all_refused:
            raise UsageError(f"no worker is left that may play; the last one {reply.differs}")

    async def _reply(self, work: bytes, files: tuple[BotFiles, ...], worker: str) -> WorkerReply:
        """What a worker replies. Raises `WorkerGone` or `ClusterLost`."""
        key = f"{self._run}-{next(self._numbers)}"
        task = self._open[key] = OpenTask(worker)
        future = self._client.submit(
            carry_out, self._needs, self._run, work, files, key=key, pure=False, workers=[worker]
        )
        answer = asyncio.ensure_future(_answered(future))
        alarms = [asyncio.ensure_future(event.wait()) for event in (task.gone, self._gone)]
        try:
            with self._roll.busy(worker):
                await asyncio.wait([answer, *alarms], return_when=asyncio.FIRST_COMPLETED)
            if answer.done() and (reply := answer.result()) is not None:
                return reply
            if task.gone.is_set():
                raise WorkerGone(orderly=task.orderly)
            raise self._lost()
        finally:
            del self._open[key]
            for each in (answer, *alarms):
                each.cancel()
            future.release()


async def _answered(future: Any) -> WorkerReply | None:
    """A worker's reply; `None` if nobody will ever reply."""
    try:
        reply: WorkerReply = await future
    except (concurrent.futures.CancelledError, OSError):
        return None
    return reply


def _value_of(reply: WorkerReply) -> Any:
    if reply.error:
        raise (UsageError if reply.usage else RoostError)(f"{reply.error} (on worker {reply.worker})")
    return reply.value


def _as_difference(said: object) -> str:
    """What a machine said when it was asked to compare itself, or could not."""
    if isinstance(said, ModuleNotFoundError):
        return f"does not have Roost with the extra cluster: it has no module {said.name}"
    return str(said) if isinstance(said, str) else f"cannot be compared with this machine: {said!r}"


@contextlib.contextmanager
def cluster_executor(
    address: ClusterAddress,
    bots: Sequence[BotSpec],
    limits: MatchLimits,
    tell: Callable[[str], None] = lambda line: None,
    player: JobPlayer = IN_PROCESSES,
) -> Iterator[ClusterExecutor]:
    """Plays jobs with these bots on a cluster. Raises `UsageError` if there is none, or one of its machines differs."""
    with connected(address) as client:
        executor = ClusterExecutor(client, bots, limits, tell, player)
        with executor.open():
            yield executor

"""The workers of a cluster as a run knows them: who is there, who hangs, and who gets the next job."""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, NamedTuple

SILENT_SECONDS = 30.0
"""A worker, or the scheduler, that has not been heard of for this long hangs. A worker says something every second."""


class WorkerSeen(NamedTuple):
    """A worker, and when it was heard of."""

    threads: int
    seen: float
    """By the scheduler's clock."""
    heard: float
    """By ours."""


class WorkerRoll:
    """All workers of a cluster."""

    def __init__(self) -> None:
        self._workers: dict[str, WorkerSeen] = {}
        self._refused: set[str] = set()
        self._jobs: Counter[str] = Counter()
        """How many of our jobs each worker has."""

    def hear(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Take down what the scheduler knows of each worker."""
        now = time.monotonic()
        before = self._workers
        self._workers = {
            address: WorkerSeen(
                told["nthreads"],
                told["last_seen"],
                before[address].heard if address in before and before[address].seen == told["last_seen"] else now,
            )
            for address, told in workers.items()
        }

    def remove(self, worker: str) -> None:
        """A worker has left."""
        self._workers.pop(worker, None)

    def refuse(self, worker: str) -> None:
        """A worker may not play."""
        self._refused.add(worker)

    def silent(self) -> list[str]:
        """Those that hang."""
        limit = time.monotonic() - SILENT_SECONDS
        return [address for address, worker in self._workers.items() if worker.heard < limit]

    @property
    def places(self) -> int:
        """How many jobs can be played at the same time."""
        return sum(worker.threads for address, worker in self._workers.items() if address not in self._refused)

    @property
    def all_refused(self) -> bool:
        """Whether there are workers, and none of them may play."""
        return bool(self._workers) and self._refused.issuperset(self._workers)

    def least_busy(self) -> str | None:
        """The worker that gets the next job, if there is one."""
        able = [address for address in self._workers if address not in self._refused]
        return min(able, key=lambda address: self._jobs[address] / self._workers[address].threads, default=None)

    @contextlib.contextmanager
    def busy(self, worker: str) -> Iterator[None]:
        """A worker has one more of our jobs while the block runs."""
        self._jobs[worker] += 1
        try:
            yield
        finally:
            self._jobs[worker] -= 1


class SharedGate:
    """Lets many do something at once, or one alone."""

    def __init__(self) -> None:
        self._inside = 0
        self._alone = False
        self._changed = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        """With others."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._alone)
            self._inside += 1
        try:
            yield
        finally:
            async with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """When the others have left."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._alone)
            self._alone = True
            await self._changed.wait_for(lambda: not self._inside)
        try:
            yield
        finally:
            async with self._changed:
                self._alone = False
                self._changed.notify_all()

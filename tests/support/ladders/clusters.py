"""A Dask cluster of separate processes: a scheduler, and workers that come and go."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


class SmallCluster:
    """A scheduler and its workers. They log into `folder`, where the workers also keep their files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self._file)
        wait_until(self._file.exists)
        self.address: str = json.loads(self._file.read_text())["address"]
        self.processes = [self.scheduler]

    def add_worker(self, environment: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, which nobody replaces when it ends."""
        options = ["--nthreads", "1", "--local-directory", str(self._folder), "--no-nanny"]
        worker = self._start("worker", self.address, *options, environment=environment)
        self.processes.append(worker)
        return worker

    def _start(
        self, what: str, *arguments: object, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", what, *map(str, arguments), "--dashboard-address", "127.0.0.1:0"],
                stdout=log,
                stderr=log,
                env={**os.environ, **(environment or {})},
            )


@contextmanager
def small_cluster(folder: Path, workers: int = 0) -> Iterator[SmallCluster]:
    """A cluster whose processes have all ended when the block is left."""
    cluster = SmallCluster(folder)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        # An orderly end would take long where the scheduler has gone.
        for process in cluster.processes:
            process.kill()
        for process in cluster.processes:
            process.wait()


def wait_until(holds: Callable[[], bool]) -> None:
    """Look now and then until something holds."""
    while not holds():
        time.sleep(0.02)

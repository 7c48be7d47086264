"""A child process as its parent sees it: it is asked for things, and stopped when it makes no progress."""

import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from typing import Any, TypeVar

from roost_games.errors import RoostError
from roost_ladder import running
from roost_ladder.running.child import Alive, ChildRemark, Done, RequestFailed
from roost_sdk.guard import OUT_OF_MEMORY
from roost_sdk.processes import ProcessTree, ending_of, python_words

T = TypeVar("T")
MARGIN_SECONDS = 10.0
"""How much longer than its bots a child may be silent: it may have to wait for a process to end."""
SECONDS_TO_END = 2.0
"""How long a child may take to end after its pipe was closed."""


class WorkerLost(RoostError):
    """A child process has ended, or had to be stopped."""


class Hung(WorkerLost):
    """It made no progress and was stopped."""


class WorkerEnded(WorkerLost):
    """It ended by itself. `code` is its exit code, negative for a signal."""

    def __init__(self, code: int) -> None:
        super().__init__(ending_of(code))
        self.code = code

    @property
    def out_of_memory(self) -> bool:
        """Whether it ended because it ran out of memory."""
        return self.code == OUT_OF_MEMORY


class RunCancelled(RoostError):
    """The run that wanted this result has ended."""


class WorkerProcesses:
    """The running children of this process, so that all can be killed at once."""

    def __init__(self) -> None:
        self.cancelled = False
        self.tell: Callable[[str], None] = lambda line: None
        """Shows what they remark while they play: that a bot hangs."""
        self._living: set[WorkerProcess] = set()
        self._turn = threading.Lock()

    def add(self, child: "WorkerProcess") -> None:
        """A child has been started. Raises `RunCancelled` if none may be."""
        with self._turn:
            self._living.add(child)
        if self.cancelled:
            child.stop()
            raise RunCancelled("the run has ended")

    def remove(self, child: "WorkerProcess") -> None:
        """A child has ended."""
        with self._turn:
            self._living.discard(child)

    def kill_all(self) -> None:
        """Kill them all. A thread that waits for one gets `RunCancelled`. None can be started until `allow`."""
        self.cancelled = True
        with self._turn:
            living = list(self._living)
        for child in living:
            child.kill()

    def allow(self) -> None:
        """Let children be started again."""
        self.cancelled = False


WORKER_PROCESSES = WorkerProcesses()


class WorkerProcess:
    """A process that does what it is asked for, one request at a time."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        # What bots print is dropped: it would bury thousands of matches. What they write to stderr is shown.
        self._process = ProcessTree(
            python_words(running, str(theirs.fileno())), pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL
        )
        theirs.close()
        with contextlib.suppress(OSError):
            self._pipe.send(sys.path)
        WORKER_PROCESSES.add(self)

    def ask(self, function: Callable[..., Iterator[T]], *given: object, patience: float) -> Iterator[T]:
        """What `function(*given)` yields there. Raises `WorkerLost` if the process ends or is silent for too long.

        After that the child is of no use. `patience` is in seconds, counted from the last sign of life. Results arrive
        in batches, so the last ones of a child that ends are lost.
        """
        try:
            self._pipe.send((function, given))
            while True:
                for message in self._next(patience):
                    if isinstance(message, Done):
                        return
                    if isinstance(message, RequestFailed):
                        raise message.error
                    if isinstance(message, ChildRemark):
                        WORKER_PROCESSES.tell(message.line)
                    elif not isinstance(message, Alive):
                        yield message
        except (EOFError, OSError):
            code = self._process.code
            if WORKER_PROCESSES.cancelled:
                raise RunCancelled("the run has ended") from None
            raise WorkerEnded(code) from None

    def _next(self, patience: float) -> list[Any]:
        if not self._pipe.poll(patience + MARGIN_SECONDS):
            self.stop()
            raise Hung(f"the process made no progress for {patience:g} s")
        messages: list[Any] = self._pipe.recv()
        return messages

    def kill(self) -> None:
        """End it at once, with all that it has started."""
        self._process.kill()

    def stop(self) -> None:
        """End it at once, and close the pipe to it. Twice is fine."""
        self.kill()
        self._pipe.close()
        WORKER_PROCESSES.remove(self)

    def close(self) -> None:
        """Let it shut down, if it does so at once."""
        self._pipe.close()
        self._process.wait_until(time.monotonic() + SECONDS_TO_END)
        self.stop()

"""Child processes: started, heard, stopped, and started again by one policy.

A `Process` runs in a session of its own, so that a Ctrl-C on the terminal reaches only us, and `kill` ends it with its
process group. A `ProcessTree` has a guard (see `guard`): it ends with everything that it has started, even when we end,
however that happens, and may be limited as a whole. A `GuardedProcess` is one that keeps the end of its output. A
`Supervisor` keeps one running by a `Restart` policy.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from threading import Lock, Thread
from types import ModuleType, TracebackType
from typing import IO, NamedTuple, Self, cast

from roost_games.errors import RoostError, UsageError
from roost_sdk import guard

SECONDS_TO_STOP = 5.0
"""How long a process may take to shut down before it is killed."""
OUR_PREFIXES = ("roost: ", "python -m roost_sdk: ")
"""Our own commands begin the line that says why they end with one of these."""
MOST_KEPT = 1 << 16
"""How many bytes of a process's latest output are kept."""
MOST_WORDS = 500
"""How many characters of a line are quoted."""
SET_DUMPABLE = 4
"""A number of `prctl`."""
SECONDS_TO_READ = 1.0
"""How long reading the rest of a pipe may take once its process has ended. Its own children may hold it open."""


def python_words(module: ModuleType, *arguments: str) -> list[str]:
    """The words of a command that runs a module of ours, as `python -m` does."""
    # With -P a random.py in this folder hides no module of Python, as it would not from `roost` itself.
    return [sys.executable, "-P", "-m", module.__name__, *arguments]


def check_processes() -> None:
    """Raise `UsageError` where programs cannot be limited and ended with all that they start, as on Windows."""
    if not hasattr(os, "killpg"):
        raise UsageError(
            "on this system a bot cannot have a process of its own; roost play --trusted plays bots written in Python "
            "in one process, roost submit plays them at an arena, and in WSL, on Linux and on macOS everything works"
        )


def cores() -> int:
    """How many cores this process may use."""
    # macOS and Windows do not say which ones a process may use.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def hide_memory() -> None:
    """Keep other processes of this user from reading the memory of this one. It holds on Linux."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0)


def ending_of(code: int) -> str:
    """How a process with this exit code ended: `exit code 2` or `signal SIGKILL`."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


class Process:
    """A program in a session of its own.

    The streams are as for `subprocess.Popen`, but the standard input is empty unless given. Raises `OSError` if the
    program cannot be started. In a fork of the process that started it, it only looks ended.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int | None = None,
        stderr: int | None = None,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._parent = os.getpid()
        self._popen = subprocess.Popen(  # noqa: S603  running what the user names is the purpose
            words,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            env=environment,
            pass_fds=pass_fds,
            start_new_session=True,
        )

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._parent != os.getpid() or self._popen.poll() is not None

    @property
    def code(self) -> int:
        """Its exit code, negative for a signal. Waits for the end."""
        return self._popen.wait()

    @property
    def ending(self) -> str:
        """How it ended, in words. Waits for the end."""
        return ending_of(self.code)

    @property
    def stdin(self) -> IO[bytes]:
        """Where to write its input, if that is a pipe."""
        return cast(IO[bytes], self._popen.stdin)

    @property
    def stdout(self) -> BufferedReader:
        """Where to read its output, if that is a pipe."""
        return cast(BufferedReader, self._popen.stdout)

    @property
    def stderr(self) -> BufferedReader:
        """Where to read its log, if that is a pipe."""
        return cast(BufferedReader, self._popen.stderr)

    def wait(self) -> None:
        """Wait for its end."""
        self._popen.wait()

    def wait_until(self, moment: float) -> None:
        """Wait for its end, but not beyond `moment` on the monotonic clock."""
        if self._parent == os.getpid():
            with suppress(subprocess.TimeoutExpired):
                self._popen.wait(max(0.0, moment - time.monotonic()))

    def ask_to_stop(self) -> None:
        """Let it and all that it has started shut down cleanly."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, with all that it has started. Does no harm when it has ended."""
        self._signal(signal.SIGKILL)
        if self._parent == os.getpid():
            self._popen.wait()

    def close_input(self) -> None:
        """End its standard input, if that is a pipe of ours."""
        if self._parent == os.getpid() and self._popen.stdin is not None:
            with suppress(OSError, ValueError):
                self._popen.stdin.close()

    def _signal(self, number: signal.Signals) -> None:
        if self._parent == os.getpid():
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, number)


class Tail:
    """The end of what a process writes. All of it is read as it comes, so that the process never waits for a reader."""

    def __init__(self, stream: BufferedReader) -> None:
        self.first_line: Future[bytes] = Future()
        """Empty if the stream ends without one."""
        self._stream = stream
        self._kept = b""
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with self._stream as stream:
            self._kept = stream.readline(MOST_KEPT)
            self.first_line.set_result(self._kept)
            while some := stream.read1(MOST_KEPT):
                self._kept = (self._kept + some)[-MOST_KEPT:]

    def text(self) -> str:
        """What is kept. To be asked for when the process has ended."""
        self._reader.join(SECONDS_TO_READ)
        return self._kept.decode(errors="replace")

    def last_lines(self) -> list[str]:
        """The lines that are not empty, the last one first. To be asked for when the process has ended."""
        return [line for line in reversed(self.text().split("\n")) if line.strip()]


class TreeLimits(NamedTuple):
    """What a program may use up together with all that it starts. Zero means no limit. They hold on Linux."""

    memory_mb: int = 0
    processes: int = 0
    log_bytes: int = -1
    """If not negative, its output goes to our stderr, but not more than this."""


UNLIMITED = TreeLimits()


class ProcessTree(Process):
    """A program that ends with all that it has started, at the latest when we end, however that happens."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdin: int = subprocess.DEVNULL,
        stdout: int | None = None,
        stderr: int | None = None,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
        seconds_to_stop: float = 0.0,
        limits: TreeLimits = UNLIMITED,
    ) -> None:
        """When we end, it has `seconds_to_stop` to shut down."""
        check_processes()
        theirs, self._life = os.pipe()
        self._turn = Lock()
        megabytes, processes, log = limits
        order = (theirs, seconds_to_stop, megabytes << 20, processes, log)
        try:
            super().__init__(
                [sys.executable, "-I", "-S", guard.__file__, *map(str, order), *words],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                environment=environment,
                pass_fds=[theirs, *pass_fds],
            )
        except OSError:
            os.close(self._life)
            raise
        finally:
            os.close(theirs)

    @property
    def removed(self) -> bool:
        """Whether there is nothing left of it."""
        return self._life < 0

    def kill(self) -> None:
        """End it at once, with all that it has started. Does no harm when it has ended."""
        if self._parent != os.getpid():
            return
        with self._turn:
            life, self._life = self._life, -1
        if life >= 0:
            with suppress(OSError):
                os.write(life, b"!")
            self.wait_until(time.monotonic() + SECONDS_TO_STOP)
            os.close(life)
        # Only a guard that was itself killed or stopped is still there, and then its group is all that can be reached.
        super().kill()


class GuardedProcess(ProcessTree):
    """A program that ends when we end, however that happens, and whose latest output is kept."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
        seconds_to_stop: float = SECONDS_TO_STOP,
    ) -> None:
        self.name = name
        super().__init__(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            environment=environment,
            pass_fds=pass_fds,
            seconds_to_stop=seconds_to_stop,
        )
        self._output = Tail(self.stdout)
        self._log = Tail(self.stderr)

    def first_line(self) -> str:
        """The first line of its output. Raises `RoostError` if it ends without one."""
        line = self._output.first_line.result()
        if not line:
            raise RoostError(f"the {self.name} does not start: {self.last_words()}")
        return line.decode(errors="replace").rstrip("\n")

    def last_words(self) -> str:
        """Why it ended: what our own command said about it, or else the last line of its log, or else of its output."""
        lines = self._log.last_lines() or self._output.last_lines() or ["it said nothing"]
        # Lines of a bot's code may follow what the command itself has to say.
        told = next((line for line in lines if line.startswith(OUR_PREFIXES)), lines[0])
        prefix = next((prefix for prefix in OUR_PREFIXES if told.startswith(prefix)), "")
        return told.removeprefix(prefix)[:MOST_WORDS]


class Processes:
    """Guarded processes that have all ended when the block is left."""

    def __init__(self) -> None:
        self.running: list[GuardedProcess] = []
        """All that have been started and not removed, the latest first."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        while self.running:
            self.running.pop().kill()

    def start(
        self,
        name: str,
        words: Sequence[str],
        environment: Mapping[str, str] | None = None,
        *,
        pass_fds: Sequence[int] = (),
    ) -> GuardedProcess:
        """Start a program, which gets these open files too, and forget those that have been removed."""
        process = GuardedProcess(name, words, environment=environment, pass_fds=pass_fds)
        self.running = [process, *(other for other in self.running if not other.removed)]
        return process


def stop(processes: Iterable[Process], seconds: float = SECONDS_TO_STOP) -> None:
    """Let processes shut down cleanly, all at the same time, and kill those that are still running then."""
    stopping = list(processes)
    for process in stopping:
        process.ask_to_stop()
    moment = time.monotonic() + seconds
    for process in stopping:
        process.wait_until(moment)
        process.kill()


@dataclass(frozen=True, slots=True)
class Restart:
    """When a process that has ended is started again: after pauses that double, up to a limit of starts."""

    first_pause: float = 1.0
    longest_pause: float = 300.0
    steady_seconds: float = 60.0
    """A process that ran this long has proved that it can start: after it the pause is the first one again."""
    most_starts: int | None = None
    """`None` for no limit."""


class Stoppage(NamedTuple):
    """A process under a supervisor ended, or could not be started."""

    how: str
    last_words: str
    pause: float | None
    """The seconds until the next start; `None` if there is none."""


class Supervisor:
    """Keeps one process running by a policy. Someone has to call `look` now and then."""

    def __init__(
        self, start: Callable[[], GuardedProcess], policy: Restart, tell: Callable[[Stoppage], None] = lambda _: None
    ) -> None:
        self.process: GuardedProcess | None = None
        """The running one, or the last one while it has not been noticed that it ended."""
        self._start = start
        self._policy = policy
        self._tell = tell
        self._starts = 0
        self._since = 0.0
        self._due: float | None = float("-inf")
        self._pause = policy.first_pause

    def look(self, now: float | None = None) -> None:
        """Start the process if it is time for that; notice if it has ended. `now` is on the monotonic clock."""
        now = time.monotonic() if now is None else now
        if self.process is not None:
            if self.process.ended:
                self._note_end(self.process, now)
        elif self._due is not None and now >= self._due:
            self._begin(now)

    def _begin(self, now: float) -> None:
        self._since = now
        self._starts += 1
        try:
            self.process = self._start()
        except OSError as error:
            self._put_off(now, "not started", str(error))

    def _note_end(self, process: GuardedProcess, now: float) -> None:
        if now - self._since >= self._policy.steady_seconds:
            self._pause = self._policy.first_pause
        process.kill()
        self.process = None
        self._put_off(now, process.ending, process.last_words())

    def _put_off(self, now: float, how: str, last_words: str) -> None:
        again = self._policy.most_starts is None or self._starts < self._policy.most_starts
        self._due = now + self._pause if again else None
        self._tell(Stoppage(how, last_words, self._pause if again else None))
        self._pause = min(2 * self._pause, self._policy.longest_pause)

"""`python guard.py LIFE SECONDS MEMORY PROCESSES LOG WORD ...` runs a program that ends with all that it has started.

LIFE is the number of an open pipe whose other end the parent holds. Its end means that the parent is gone, however it
ended: the guard asks the program and its group to stop, and kills everything SECONDS later. A byte in it means: now.
MEMORY (in bytes) and PROCESSES limit the program together with all that it has started; 0 means no limit. If LOG is not
negative, the program's output goes to the guard's stderr, up to this many bytes.

On Linux the guard adopts whatever leaves its parent behind, so nothing escapes by becoming a daemon. On other systems
it can only end the process group, and the limits do not hold.

It is started by its path, without the packages installed beside it, so it imports nothing but the standard library.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

CANNOT_START = 127
"""The exit code that shells use for it, too."""
OUT_OF_MEMORY = 79
"""The exit code if the program and what it started took too much memory."""
TOO_MANY_PROCESSES = 80
LOOK_SECONDS = 0.1
"""How often the limits are checked."""
MOST_READ = 1 << 16
MOST_FILES = 1 << 20
"""More than the numbers of files that a process has open."""
SECONDS_TO_PASS_ON = 1.0
"""How long the end of the program's output may take to be passed on."""
SET_CHILD_SUBREAPER, DROP_FROM_BOUNDING_SET, SET_NO_NEW_PRIVILEGES = 36, 24, 38
"""Numbers of `prctl`."""
TRACING = 19
"""The capability to look into other processes."""
DROPPED = b"\n(more of what the bot writes is not shown)\n"


class Order(NamedTuple):
    """What the guard is told."""

    life: int
    seconds: float
    memory: int
    processes: int
    log: int


class Guard:
    """Runs one program."""

    def __init__(self, order: Order, words: list[str]) -> None:
        self._order = order
        self._words = words
        self._verdict: int | None = None
        """How to end if the program is killed: an exit code, or a negative signal."""

    def run(self) -> int:
        """Run the program. Returns its exit code, or does not return if it ended by a signal."""
        # A handler, unlike SIG_IGN, is not inherited by the program. The guard goes on until the program has ended.
        signal.signal(signal.SIGTERM, lambda number, frame: None)
        os.set_inheritable(self._order.life, False)
        _adopt_orphans()
        if self._order.processes:
            _give_up_privileges()
        try:
            program = self._start()
        except OSError as error:
            sys.stderr.write(f"{self._words[0]} cannot be started: {error.strerror}\n")
            return CANNOT_START
        passing_on = self._start_threads(program)
        code = _reap_until(program.pid)
        _end_descendants(_reap)
        if passing_on is not None:
            passing_on.join(SECONDS_TO_PASS_ON)
        # A program that had ended by itself when it was to be killed has its own ending.
        if code == -signal.SIGKILL and self._verdict is not None:
            code = self._verdict
        if code < 0:
            _die_of(-code)
        return code

    def _start(self) -> "subprocess.Popen[bytes]":
        output = subprocess.PIPE if self._order.log >= 0 else None
        # What the guard was started with, such as a socket, is for the program. The guard opens nothing itself.
        program = subprocess.Popen(  # noqa: S603  as asked
            self._words, stdout=output, stderr=subprocess.STDOUT if output else None, close_fds=False
        )
        # What the program was given is its own: others must notice when it closes that.
        kept = sorted({2, self._order.life, program.stdout.fileno() if program.stdout else 2})
        for kept_before, kept_next in zip(kept, [*kept[1:], MOST_FILES], strict=True):
            os.closerange(kept_before + 1, kept_next)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        return program

    def _start_threads(self, program: "subprocess.Popen[bytes]") -> threading.Thread | None:
        """Returns the one that passes on the program's output, if there is one."""
        tasks = [self._end_with_the_parent]
        if self._order.memory or self._order.processes:
            tasks.append(self._watch)
        for task in tasks:
            threading.Thread(target=task, daemon=True).start()
        if program.stdout is None:
            return None
        passing_on = threading.Thread(target=self._pass_on, args=(program.stdout.fileno(),), daemon=True)
        passing_on.start()
        return passing_on

    def _end_with_the_parent(self) -> None:
        if not os.read(self._order.life, 1) and self._order.seconds:
            os.killpg(0, signal.SIGTERM)
            time.sleep(self._order.seconds)
        self._end(-signal.SIGKILL)

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            pids = _descendants(os.getpid())
            if self._order.processes and len(pids) > self._order.processes:
                self._end(TOO_MANY_PROCESSES)
            elif self._order.memory and sum(map(_memory_of, pids)) > self._order.memory:
                self._end(OUT_OF_MEMORY)

    def _end(self, verdict: int) -> None:
        if self._verdict is None:
            self._verdict = verdict
        # The main thread waits for the program, and must be the one that learns how it ended.
        _end_descendants(lambda: time.sleep(LOOK_SECONDS))

    def _pass_on(self, source: int) -> None:
        left = self._order.log
        while some := os.read(source, MOST_READ):
            if left >= 0:
                with contextlib.suppress(OSError):
                    os.write(2, some[:left] + (DROPPED if len(some) > left else b""))
            left -= len(some)


def _adopt_orphans() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _give_up_privileges() -> None:
    """Even as root, the program cannot look into the memory of other processes, nor become another user."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, TRACING, 0, 0, 0)
        ctypes.CDLL(None).prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _reap_until(pid: int) -> int:
    """Wait for the program, and for whatever was adopted and ends before it. The exit code, negative for a signal."""
    while True:
        ended, status = os.wait()
        if ended == pid:
            return os.waitstatus_to_exitcode(status)


def _end_descendants(reap: Callable[[], None]) -> None:
    """Kill everything that was started. It is stopped first, so that it starts nothing new."""
    if not os.path.exists(f"/proc/self/task/{os.getpid()}/children"):
        os.killpg(0, signal.SIGKILL)
    while pids := _descendants(os.getpid()):
        known: set[int] = set()
        while new := set(pids) - known:
            _signal_each(new, signal.SIGSTOP)
            known |= new
            pids = _descendants(os.getpid())
        _signal_each(known, signal.SIGKILL)
        reap()


def _signal_each(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def _reap() -> None:
    """A process that has ended is no longer a descendant once it has been waited for."""
    time.sleep(0.001)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _descendants(pid: int) -> list[int]:
    """The processes below this one, and those that it has adopted."""
    found: list[int] = []
    to_ask = [pid]
    while to_ask:
        children = _children_of(to_ask.pop())
        found += children
        to_ask += children
    return found


def _children_of(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children += map(int, file.read().split())
    return children


def _memory_of(pid: int) -> int:
    """How many bytes it keeps in memory that no file holds."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = file.read().split()
        return (int(pages[1]) - int(pages[2])) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def _die_of(number: int) -> None:
    """End by the same signal, without a second core file."""
    import resource  # not everywhere, and modules are imported here that need no guard

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    numbers = sys.argv[1:6]
    order = Order(int(numbers[0]), float(numbers[1]), *map(int, numbers[2:]))
    sys.exit(Guard(order, sys.argv[6:]).run())

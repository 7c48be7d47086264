"""A program ends with all that it has started, and its limits hold for all of it."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from roost_sdk.guard import OUT_OF_MEMORY, TOO_MANY_PROCESSES
from roost_sdk.processes import ProcessTree, TreeLimits

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        held = open(sys.argv[1], "w")
        time.sleep(600)
    os._exit(0)
os.wait()
"""
"""Leaves a process behind that has a session and no parent of its own. It holds a named pipe open."""


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]


def kills_it(tree: ProcessTree) -> None:
    tree.kill()


def lets_it_end(tree: ProcessTree) -> None:
    tree.wait()
    tree.kill()


@pytest.mark.parametrize(("then", "ends"), [("time.sleep(600)", kills_it), ("pass", lets_it_end)])
def test_a_daemon_ends_with_its_program(pipe: Path, then: str, ends: Callable[[ProcessTree], None]) -> None:
    tree = ProcessTree(python(DAEMON + f"open({str(pipe)!r}, 'w').close()\n{then}", pipe))
    with pipe.open() as reader:
        ends(tree)
        assert reader.read() == "", "the daemon held the pipe until it was killed"


def test_a_daemon_ends_with_the_parent_of_its_program(pipe: Path) -> None:
    starter = f"""
        import os, signal
        from roost_sdk.processes import ProcessTree
        tree = ProcessTree({python(DAEMON + "time.sleep(600)", pipe)!r})
        with open({str(pipe)!r}):
            os.kill(os.getpid(), signal.SIGKILL)
    """
    parent = subprocess.Popen(python(starter))
    with pipe.open() as reader:
        assert parent.wait() == -signal.SIGKILL
        assert reader.read() == ""


HOARDS_IN_CHILDREN = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        held = b"x" * 40_000_000
        time.sleep(600)
time.sleep(600)
"""


def test_memory_is_counted_with_that_of_children() -> None:
    """No single process takes more than 60 MB."""
    tree = ProcessTree(python(HOARDS_IN_CHILDREN), limits=TreeLimits(memory_mb=120))
    assert tree.code == OUT_OF_MEMORY
    tree.kill()


def test_a_fork_bomb_is_stopped(pipe: Path) -> None:
    """Bounded by itself, so that a failure of this test does not harm the machine."""
    bomb = "import os, sys, time; held = open(sys.argv[1], 'w')\nfor _ in range(9): os.fork()\ntime.sleep(600)"
    tree = ProcessTree(python(bomb, pipe), limits=TreeLimits(processes=20))
    with pipe.open() as reader:
        assert tree.code == TOO_MANY_PROCESSES
        assert reader.read() == "", "none of the 512 is left"
    tree.kill()


def test_only_the_beginning_of_a_flood_is_passed_on() -> None:
    flood = "import sys\nsys.stdout.write('line\\n' * 1_000_000); sys.stdout.flush()\nprint('end')"
    starter = f"""
        from roost_sdk.processes import ProcessTree, TreeLimits
        tree = ProcessTree({python(flood)!r}, limits=TreeLimits(log_bytes=1000))
        print(tree.ending)
        tree.kill()
    """
    ended = subprocess.run(python(starter), capture_output=True, check=True)
    assert ended.stdout == b"exit code 0\n", "it was not kept waiting"
    assert ended.stderr.startswith(b"line\nline\n")
    assert ended.stderr.endswith(b"(more of what the bot writes is not shown)\n")
    assert len(ended.stderr) < 1100

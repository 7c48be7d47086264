"""What authors need works without what only POSIX systems have, or a sentence says what does not."""

import subprocess
import sys
from pathlib import Path

import pytest

from roost_games.replay import Replay
from tests.support.commands.roost import ENVIRONMENT

PRELUDE = """
import asyncio, faulthandler, multiprocessing, os, selectors, signal, socket, subprocess, sys, tempfile
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for module, names in {
    faulthandler: ("register",),
    os: ("fork", "forkpty", "getpgid", "getuid", "killpg", "sched_getaffinity", "setsid"),
    signal: ("SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "pthread_kill", "pthread_sigmask", "setitimer"),
    socket: ("MSG_DONTWAIT",),
    selectors: ("PollSelector",),
}.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
"""
"""Takes away what Windows does not have, after Python's own modules have taken what they need of it."""
NO_PROCESS = "on this system a bot cannot have a process of its own; roost play --trusted plays bots"


def run(code: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-c", PRELUDE + code]
    return subprocess.run(words, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)


def roost(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return run(f"from roost_cli.main import run\nsys.exit(run({list(words)!r}))", folder)


@pytest.fixture
def mybot(tmp_path: Path) -> Path:
    (tmp_path / "mybot.py").write_text(
        "from roost_sdk import Bot, run\n"
        "class Mine(Bot):\n"
        "    def choose(self, view, legal):\n"
        "        return legal[-1]\n"
        "if __name__ == '__main__':\n"
        "    run(Mine)\n"
    )
    return tmp_path


def test_a_trusted_bot_is_played_and_recorded(mybot: Path) -> None:
    done = roost(mybot, "play", "karteneck", "mybot.py", "greedy", "--trusted", "--replay", "kept.jsonl", "--seed", "a")
    assert (done.returncode, done.stderr) == (0, "")
    assert Replay.from_line((mybot / "kept.jsonl").read_text()).result.faults == ()


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("play", "karteneck", "mybot.py", "greedy"),
        ("play", "karteneck", "stdio:python mybot.py", "greedy", "--trusted"),
        ("try", "mybot.py"),
        ("ladder", "mybot.py", "greedy"),
    ],
    ids=["play", "stdio", "try", "ladder"],
)
def test_what_needs_processes_says_so_in_a_sentence(words: tuple[str, ...], mybot: Path) -> None:
    done = roost(mybot, *words)
    assert NO_PROCESS in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 2


def test_a_bot_goes_to_an_arena(mybot: Path) -> None:
    """As far as that goes without one: all is imported, and the connection is tried."""
    words = ("--server", "127.0.0.1:1", "--connect-timeout", "0")
    for done in (
        roost(mybot, "submit", "mybot.py", *words),
        run(f"import runpy\nsys.argv = ['', *{list(words)!r}]\nrunpy.run_path('mybot.py', run_name='__main__')", mybot),
    ):
        assert "no arena at 127.0.0.1:1 yet; gave up after 0 s" in done.stderr
        assert "Traceback" not in done.stderr
        assert done.returncode == 1


def test_a_bot_is_tested_without_an_arena(mybot: Path) -> None:
    code = (
        "from mybot import Mine\nfrom roost_sdk.testing import play_scripted\n"
        "assert not play_scripted(Mine, 'haecmaec', players=3).result.faults"
    )
    assert run(code, mybot).stderr == ""

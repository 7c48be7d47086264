"""The command as a process of its own: exit codes, signals, pipes."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands.roost import ENVIRONMENT, INTERRUPTIBLE

AS_MODULE = [sys.executable, "-m", "roost_cli"]


def roost(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [*AS_MODULE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, cwd=cwd, check=False)


@pytest.mark.short(5)
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["play", "karteneck", "random", "random", "--matches", "2"], 0),
        (["play", "kartneck", "random", "random"], 2),
        (["play", "karteneck", "broken.py", "random"], 2),
        (["play", "karteneck", "raises.py", "random"], 0),
        (["verify", "empty.jsonl"], 2),
        (["verify", "truncated.jsonl"], 1),
        (["verify", "missing.jsonl"], 2),
        (["verify", "."], 2),
    ],
)
def test_exit_codes_without_tracebacks(arguments: list[str], code: int, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (\n")
    (tmp_path / "raises.py").write_text(
        "from roost_sdk import Bot\nclass Raises(Bot):\n    def choose(self, view, legal):\n        raise ValueError\n"
    )
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "truncated.jsonl").write_text('{"format": "roost-replay/1", "game": "kart')
    done = roost(*arguments, cwd=tmp_path)
    assert done.returncode == code
    assert "Traceback" not in done.stdout + done.stderr


def test_the_command_is_installed() -> None:
    script = Path(sys.executable).with_name("roost")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("roost ")


def test_ctrl_c_ends_with_a_short_line(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    arguments = ["play", "karteneck", "random", "random", "--matches", "100000000", "--replay", str(record)]
    with subprocess.Popen(
        [*INTERRUPTIBLE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        while process.poll() is None and not (record.exists() and record.stat().st_size):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert err == "stopping; what has been played to its end is reported\nroost: interrupted\n"
    assert "of 100000000 matches" in out


@pytest.mark.parametrize("command", [AS_MODULE, [str(Path(sys.executable).with_name("roost"))]])
def test_ctrl_c_is_quiet_while_the_command_is_being_imported(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    environment = {**ENVIRONMENT, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([*command, "games"], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "roost: interrupted\n")


@pytest.mark.parametrize(
    "arguments", [["play", "bratwurmeck", "random", "random", "random", "--show"], ["rules", "haecmaec"]]
)
def test_a_closed_pipe_is_silent(arguments: list[str]) -> None:
    with subprocess.Popen(
        [*AS_MODULE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""

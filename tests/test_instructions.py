"""The matches whose instructions are counted are the same for every run, and without valgrind a sentence says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import instructions
from benchmarks.recorded_matches import PARTS


def run(*arguments: object) -> str:
    steady = {**os.environ, "PYTHONHASHSEED": "0"}
    program = [sys.executable, str(instructions.PROGRAM), *map(str, arguments)]
    return subprocess.run(program, env=steady, check=True, capture_output=True, text=True).stdout


@pytest.mark.long
def test_every_part_takes_the_same_matches(tmp_path: Path) -> None:
    for name in ("once", "again"):
        run("write", tmp_path / name, "haecmaec", 1)
    once = tmp_path / "once"
    assert once.read_bytes() == (tmp_path / "again").read_bytes()
    asked = run("take", once, "haecmaec")
    # Beside its decisions, a bot says in a match that it is ready, and hears how the match ended.
    assert int(asked) > 20
    assert len(PARTS) == len(set(PARTS))


def test_without_valgrind_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", ["instructions"])
    with pytest.raises(SystemExit, match="apt-get install valgrind"):
        instructions.main()

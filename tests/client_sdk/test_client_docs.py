"""The page for bot authors: its Python blocks run, and what it says of the program is so."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from roost_games.registry import GAME_NAMES
from roost_sdk import load_bot
from roost_sdk.testing import play_scripted

PAGE = Path(__file__).parents[2] / "docs/bots/write.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
PYTHON = [text for language, text in BLOCKS if language == "python"]


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_python_blocks_run(number: int, tmp_path: Path) -> None:
    file = tmp_path / "greedy.py"
    file.write_text(PYTHON[number], encoding="utf-8")
    # The program among them finds no arena there, and must not wait for one.
    arguments = ["--server=127.0.0.1:1", "--connect-timeout=0"]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(file), *arguments], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == ("__main__" in PYTHON[number])


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_first_bot_plays_without_faults(game: str, tmp_path: Path) -> None:
    file = tmp_path / "greedy.py"
    file.write_text(PYTHON[0], encoding="utf-8")
    assert play_scripted(load_bot(str(file), {}).bot_class, game, 3).result.faults == ()


def test_the_usage_is_as_printed(tmp_path: Path) -> None:
    (console,) = [text for language, text in BLOCKS if language == "console"]
    command, _, usage = console.partition("\n")
    assert command == "$ python greedy.py --help"
    file = tmp_path / "greedy.py"
    file.write_text(PYTHON[0], encoding="utf-8")
    printed = subprocess.run(
        [sys.executable, str(file), "--help"], capture_output=True, text=True, check=True, env={"COLUMNS": "80"}
    )
    assert printed.stdout.startswith(usage)

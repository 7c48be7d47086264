"""The page about training: its code runs, the policy learns, and its tables are those of the code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roost_games.registry import GAME_NAMES, get_game
from roost_sdk.pettingzoo import coding_of

PAGE = (Path(__file__).parents[2] / "docs/bots/training.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def run(command: list[str], folder: Path) -> str:
    # More threads than cores make small matrices slower, not faster.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "error"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_the_page_from_top_to_bottom(tmp_path: Path) -> None:
    loop, train, trained = (text for language, text in BLOCKS if language == "python")
    (command,) = (text for language, text in BLOCKS if language == "bash")
    assert {language for language, _ in BLOCKS} == {"python", "bash"}
    for name, text in (("loop.py", loop), ("train.py", train), ("trained.py", trained)):
        assert name == "loop.py" or text.startswith(f"# {name}\n")
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert run([sys.executable, "loop.py"], tmp_path).count("'place'") == 4
    run([sys.executable, "train.py"], tmp_path)
    roost = str(Path(sys.executable).with_name("roost"))
    results = json.loads(run([roost, *command.split()[1:], "--json"], tmp_path))
    policy, _ = results["seats"]
    assert policy["bot"] == "trained"
    assert policy["faults"] == {}
    assert policy["win_share"]["low"] > 0.6, "four matches in five, so the interval begins at 71 %"


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_tables_are_those_of_the_code(game: str) -> None:
    sections = re.findall(r"^## (.*?)$(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    (section,) = (text for heading, text in sections if get_game(game).title.endswith(heading))
    fields = re.findall(r"^\| `(\w+)` \| ([\dn ×]+) \|", section, re.MULTILINE)
    actions = re.findall(r"^\| (\d+)(?: to (\d+))? \|", section, re.MULTILINE)
    for players in (2, 4):
        coding = coding_of(game, players)
        described = [(name, product(size, players)) for name, size in fields]
        assert described == [(field.name, len(field.units)) for field in coding.fields]
        ranges = [range(int(first), int(last or first) + 1) for first, last in actions]
        assert [action for each in ranges for action in each] == [*range(coding.actions)]


def product(size: str, players: int) -> int:
    """What "n × 30" comes to."""
    result = 1
    for factor in size.split(" × "):
        result *= players if factor == "n" else int(factor)
    return result

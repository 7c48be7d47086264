"""The page about training: its code runs, the policy learns, and its tables are those of the code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
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
    loop, train, trained, _ = (text for language, text in BLOCKS if language == "python")
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


@pytest.mark.long
def test_an_exported_policy_plays_with_numpy_alone(tmp_path: Path) -> None:
    """Layers that nobody has trained: it leaves wherever it may, as the largest bias says, and is never at fault."""
    (learned,) = (text for language, text in BLOCKS if text.startswith("# learned.py\n"))
    (tmp_path / "learned.py").write_text(learned, encoding="utf-8")
    coding = coding_of("karteneck", 2)
    sizes = [(64, coding.size), (64, 64), (coding.actions, 64)]
    layers: dict[str, Any] = {f"weights{number}": np.zeros(size, np.float32) for number, size in enumerate(sizes)}
    layers |= {f"bias{number}": np.zeros(size[0], np.float32) for number, size in enumerate(sizes)}
    layers["bias2"][0] = 1.0
    np.savez(tmp_path / "policy.npz", **layers)
    roost = str(Path(sys.executable).with_name("roost"))
    played = [roost, "play", "karteneck", "learned.py", "careful", "--seed", "1", "--replay", "r.jsonl"]
    result = json.loads(run([*played, "--json"], tmp_path))
    assert result["seats"][0]["faults"] == {}
    record = json.loads((tmp_path / "r.jsonl").read_text())
    own = [step["move"] for step in record["steps"] if step.get("seat") == 0]
    assert own
    assert all(move == {"pass": True, "steal": False} for move in own)


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

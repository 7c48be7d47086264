"""`roost new`: in an empty folder, followed by exactly what its README says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roost_bots.starters import check_name, class_name, names_in
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_sdk import load_bot
from tests.support.commands.pages import environment
from tests.support.commands.roost import Roost

SECONDS = 300


def commands_of(readme: Path) -> list[str]:
    (block,) = re.findall(r"^```bash\n(.*?)^```$", readme.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(block).splitlines()


@pytest.mark.long
@pytest.mark.parametrize("game", GAME_NAMES)
def test_what_the_readme_says_works_as_written(
    game: str, tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = roost("new", "clever", "--game", game)
    assert ran.code == 0
    assert "cd clever" in ran.out
    commands = commands_of(tmp_path / "clever" / "README.md")
    assert len(commands) == 3
    # The examination of one of them is enough; it is the slow one.
    for line in commands if game == "karteneck" else commands[:2]:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path / "clever",
            env=environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_new_bot_beats_random_and_plays_its_game_only(
    game: str, tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    roost("new", "clever", "--game", game)
    bot = load_bot("clever/clever.py", {})
    assert bot.bot_class.__name__ == "Clever"
    assert [name for name in GAME_NAMES if bot.bot_class.plays(name)] == [game]
    ran = roost("play", game, "clever/clever.py", "random", "--matches", 60, "--seed", "new")
    share = re.search(r"clever +(\d+\.\d) %", ran.out)
    assert share is not None
    assert float(share[1]) > 60


def test_the_test_fails_if_the_bot_is_broken(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    roost("new", "clever")
    file = tmp_path / "clever" / "clever.py"
    file.write_text(file.read_text().replace("return PASS\n", "return None\n"))
    done = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=file.parent, env=os.environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "malformed" in done.stderr


@pytest.mark.parametrize(
    "name", ["random", "my-bot", "3bot", "class", "roost_bot", "käse", "", "a" * 41, "test", "../x", "json"]
)
def test_names_that_would_not_work_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name)


@pytest.mark.parametrize(
    ("name", "expected"), [("my_bot", "MyBot"), ("clever", "Clever"), ("bot", "MyBot"), ("_x", "X")]
)
def test_class_names(name: str, expected: str) -> None:
    assert class_name(name, {"Bot", "Sequence"}) == expected


def test_a_class_is_not_called_like_what_its_module_uses() -> None:
    source = "from roost_games.karteneck import Lay as Put, Pass\nclass MyBot(Bot): ...\nChoice()\n"
    assert names_in(source) == {"Put", "Pass", "Bot", "Choice"}


def test_nothing_is_overwritten(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clever").mkdir()
    ran = roost("new", "clever")
    assert ran.code == 2
    assert "clever exists; choose another name" in ran.err
    assert list((tmp_path / "clever").iterdir()) == []


def test_an_unknown_game_makes_no_folder(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert roost("new", "clever", "--game", "chess").code == 2
    assert list(tmp_path.iterdir()) == []

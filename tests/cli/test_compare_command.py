"""`roost compare`: verdicts, exit codes, JSON, faults, and what a person gets wrong."""

import json
from pathlib import Path

import pytest

from roost_cli.options import parse_duration
from roost_cli.terminal.comparison import points
from roost_games.errors import UsageError
from tests.support.commands.roost import Outcome, Roost

HEAD = "from roost_sdk import Bot\nclass Mine(Bot):\n    def choose(self, view, legal):\n        "
FIRST = HEAD + "return legal[0]\n"
LAST = HEAD + "return legal[-1]\n"
CRASHES = HEAD + "raise ValueError('boom')\n"
CARDS = ("--game", "karteneck", "--players", "2", "--seed", "x")


def bot_file(folder: Path, name: str, code: str) -> Path:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(code)
    return folder / name


def result(outcome: Outcome) -> dict[str, object]:
    found = json.loads(outcome.out)
    assert isinstance(found, dict)
    return found


def test_a_stronger_bot_is_called_so(roost: Roost) -> None:
    code, out, err = roost("compare", "careful", "random", *CARDS, "--elo1", 200)
    assert (code, err) == (0, "")
    assert "Heckmeck am Karteneck; 2 players; opponents: copies of random" in out
    assert "careful is stronger than random." in out
    assert "Elo difference +" in out
    assert "LLR +" in out
    assert "(-2.94 to 2.94) for 200 points against 0" in out
    assert "Add --seed x to play the same deals again." in out


def test_a_weaker_bot_is_not_stronger_against_others_either(roost: Roost) -> None:
    outcome = roost(
        "compare", "random", "careful", *CARDS, "--elo1", 200, "--against", "timid", "--against", "greedy", "--json"
    )
    found = result(outcome)
    assert outcome.code == 1
    assert found["verdict"] == "not stronger"
    assert found["matches"] == 4 * int(str(found["blocks"]))
    assert [bot["bot"] for bot in found["against"]] == ["timid", "greedy"]  # type: ignore[attr-defined]
    assert found["elo"]["low"] < found["elo"]["estimate"] < 0  # type: ignore[index]


def test_undecided_within_the_blocks_and_the_same_whatever_the_number_of_workers(roost: Roost) -> None:
    outcomes = [
        roost(
            "compare", "careful", "greedy", "--players", "2,3", "--seed", "x", "--blocks", 3, "--json", "--workers", n
        )
        for n in (1, 3)
    ]
    found = result(outcomes[0])
    assert [outcome.code for outcome in outcomes] == [2, 2]
    assert outcomes[0].out == outcomes[1].out
    assert found["verdict"] == "undecided"
    assert (found["blocks"], found["matches"]) == (3, 3 * 3 * (2 + 3))
    assert len(found["tables"]) == 6  # type: ignore[arg-type]


def test_a_bot_against_itself(roost: Roost) -> None:
    code, out, err = roost("compare", "timid", "timid", *CARDS, "--elo1", 200)
    assert code == 1
    assert err == "note: timid (new) and timid (old) have the same code\n"
    assert "timid (new) is not stronger than timid (old)." in out


def test_a_bot_that_crashes_loses_and_its_author_is_told(roost: Roost, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "mine.py", CRASHES)
    code, out, err = roost("compare", file, "random", *CARDS, "--elo1", 200)
    assert code == 1
    assert "mine is not stronger than random." in out
    assert "crashed" in out
    assert err.count("(mine) crashed: ValueError: boom") == 1
    assert "Traceback" not in err


@pytest.mark.long
def test_two_versions_with_the_same_name_and_different_helpers(roost: Roost, tmp_path: Path) -> None:
    for version, pick in (("old", "legal[0]"), ("new", "legal[-1]")):
        bot_file(tmp_path, f"{version}/helper.py", f"def pick(legal):\n    return {pick}\n")
        bot_file(tmp_path, f"{version}/mine.py", f"from helper import pick\n{HEAD}return pick(legal)\n")
    new, old = tmp_path / "new" / "mine.py", tmp_path / "old" / "mine.py"
    apart = roost("compare", new, old, *CARDS, "--trusted", "--blocks", 1, "--workers", 1, "--json")
    assert "so each has a process of its own" in apart.err
    first, last = bot_file(tmp_path, "first.py", FIRST), bot_file(tmp_path, "last.py", LAST)
    alike = roost("compare", last, first, *CARDS, "--blocks", 1, "--json")
    assert [result(outcome)["elo"] for outcome in (apart, alike)] == [result(alike)["elo"]] * 2
    assert result(apart)["new"]["bot"] == str(new)  # type: ignore[index]


def test_nothing_played_is_no_difference_and_not_one_below_zero(roost: Roost) -> None:
    outcome = roost("compare", "careful", "random", *CARDS, "--budget", "0.000001s", "--json")
    assert result(outcome)["blocks"] == 0
    assert '"estimate": 0.0,' in outcome.out


WRONG = {
    "a bot that is none": (["gredy", "random"], "Did you mean 'greedy'?"),
    "a file that is missing": (["nobody.py", "random"], "there is no file nobody.py"),
    "a folder": ([".", "random"], "there is no bot in ."),
    "a game that is none": (["greedy", "random", "--game", "kartneck"], "Did you mean 'karteneck'?"),
    "too many players": (
        ["greedy", "random", "--game", "karteneck", "--players", "5"],
        "by 5; it is for 2 to 4 players",
    ),
    "players of no game": (["greedy", "random", "--players", "9"], "there is no game for 9 players"),
    "players that are no number": (["greedy", "random", "--players", "many"], "numbers such as 2,3,4, not 'many'"),
    "hypotheses the wrong way round": (["greedy", "random", "--elo0", "20"], "--elo0 has to be less than --elo1"),
    "points without end": (
        ["greedy", "random", "--elo1", "inf"],
        "--elo1 is in Elo points from -1000 to 1000",
    ),
    "points beyond measure": (["greedy", "random", "--elo1", "1e308"], "from -1000 to 1000, not 1e+308"),
    "points far below": (["greedy", "random", "--elo0=-inf"], "--elo0 is in Elo points from -1000 to 1000, not -inf"),
    "points that are no number": (["greedy", "random", "--elo1", "nan"], "from -1000 to 1000, not nan"),
    "no errors at all": (["greedy", "random", "--alpha", "0"], "--alpha is a rate of errors"),
    "a budget that is no time": (["greedy", "random", "--budget", "soon"], "like 90s, 5m or 1h30m, not 'soon'"),
    "a program for an arena": (["greedy", "cmd:node bot.js"], "connects to an arena by itself"),
    "a bot too few": (["greedy"], "missing argument 'OLD'; see roost compare --help"),
}


@pytest.mark.parametrize(("arguments", "told"), WRONG.values(), ids=WRONG)
def test_what_a_person_gets_wrong(
    arguments: list[str], told: str, roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = roost("compare", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("roost: ")
    assert told in err


def test_a_folder_of_bots_is_not_one_bot(roost: Roost, tmp_path: Path) -> None:
    for name in ("first.py", "second.py"):
        bot_file(tmp_path, name, FIRST)
    code, out, err = roost("compare", tmp_path, "random")
    assert (code, out) == (2, "")
    assert f"{tmp_path} is not one bot" in err


def test_a_file_with_an_error_is_shown_without_ours(roost: Roost, tmp_path: Path) -> None:
    code, out, err = roost("compare", bot_file(tmp_path, "broken.py", "def choose(:\n"), "random")
    assert (code, out) == (2, "")
    assert "cannot be imported: SyntaxError" in err
    assert "Traceback" not in err


def test_a_bot_that_does_not_play_the_game(roost: Roost, tmp_path: Path) -> None:
    code = (
        "from roost_sdk import Bot\nclass Mine(Bot):\n    def haecmaec(self, view, legal):\n        return legal[0]\n"
    )
    file = bot_file(tmp_path, "mine.py", code)
    assert "mine does not play karteneck" in roost("compare", file, "random", "--game", "karteneck").err


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("1h", 3600), ("1h30m", 5400), ("45", 45), (" 1.5M ", 90)]
)
def test_times(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-5m", "5 minutes", "m", "1m1h", "nan"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError):
        parse_duration(text)


def test_points_have_signs_and_an_end() -> None:
    shown = [points(elo) for elo in (12.4, -0.2, -33.6, 999.9999, -1000.0)]
    assert shown == ["+12", "0", "-34", "over +1000", "below -1000"]

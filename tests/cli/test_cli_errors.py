"""Whatever a person gets wrong: one line that says what would be right, exit code 2, and never a traceback."""

from pathlib import Path

import pytest

from roost_cli import main
from roost_games.errors import ReplayError

WRONG = {
    "a game that is nearly right": (["play", "kartneck", "random", "random"], "Did you mean 'karteneck'?"),
    "a game with umlauts": (["rules", "häcmäc"], "Did you mean 'haecmaec'?"),
    "a game that is nothing": (["rules", "chess"], "the games are: karteneck, bratwurmeck, haecmaec"),
    "a bot that is nearly right": (["play", "karteneck", "randm", "random"], "Did you mean 'random'?"),
    "a bot's file that is missing": (["play", "karteneck", "nobody.py", "random"], "there is no file nobody.py"),
    "too few bots": (["play", "karteneck", "random"], "karteneck cannot be played by 1; it is for 2 to 4 players"),
    "too many bots": (
        ["play", "karteneck", *["random"] * 5],
        "karteneck cannot be played by 5; it is for 2 to 4 players",
    ),
    "too few for an option": (
        ["play", "haecmaec", "random", "random", "--option", "slap=true"],
        "haecmaec cannot be played by 2; it is for 3 to 6 players",
    ),
    "no bots": (["play", "karteneck"], "missing argument 'BOT'; see roost play --help"),
    "no game": (["play"], "missing argument 'GAME'; see roost play --help"),
    "an option that is none": (
        ["play", "karteneck", "random", "random", "--option", "jokers=3"],
        "karteneck has no option 'jokers'; its options are: signposts, portions",
    ),
    "an option's value": (
        ["play", "karteneck", "random", "random", "--option", "signposts=[1,2]"],
        "signposts must be 25 different whole numbers",
    ),
    "an option's value that is text": (
        ["play", "haecmaec", "random", "random", "random", "--option", "slap=yes"],
        "option slap is true or false",
    ),
    "an option's form": (
        ["play", "karteneck", "random", "random", "--option", "slap"],
        "an option is written name=value",
    ),
    "an option twice": (
        ["play", "haecmaec", *["random"] * 3, "--option", "slap=true", "--option", "slap=false"],
        "option 'slap' is given twice",
    ),
    "no matches": (["play", "karteneck", "random", "random", "--matches", "0"], "'--matches'"),
    "matches that are no number": (["play", "karteneck", "random", "random", "--matches", "many"], "'--matches'"),
    "a flag that is none": (["play", "karteneck", "random", "random", "--fast"], "no such option: --fast"),
    "a command that is nearly right": (["gamez"], "Did you mean 'games'?"),
    "people and programs at once": (["play", "karteneck", "random", "random", "--show", "--json"], "choose one"),
    "a replay file in no folder": (
        ["play", "karteneck", "random", "random", "--replay", "nowhere/x.jsonl"],
        "cannot write replays to nowhere/x.jsonl: No such file or directory",
    ),
    "a replay file that is a folder": (
        ["play", "karteneck", "random", "random", "--replay", "."],
        "cannot write replays to .: Is a directory",
    ),
    "a record that is missing": (["verify", "nowhere.jsonl"], "cannot read nowhere.jsonl: No such file"),
    "a record that is a folder": (["verify", "."], ". is not the export of a competition"),
    "no record": (["verify"], "name what to check: roost verify FILE"),
}


@pytest.mark.parametrize(("arguments", "right"), WRONG.values(), ids=WRONG.keys())
def test_one_line_says_what_would_be_right(
    arguments: list[str],
    right: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = main.run(arguments)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert right in captured.err
    assert captured.err.startswith("roost: ")
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == [], "nothing was written"


def test_without_arguments_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == 2
    captured = capsys.readouterr()
    assert "Usage: roost" in captured.out
    assert captured.err == ""


def raising(error: BaseException) -> object:
    def command(*arguments: object, **settings: object) -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (ReplayError("not a replay"), 1, "roost: not a replay\n"),
        (KeyboardInterrupt(), 130, "roost: interrupted\n"),
        (
            ZeroDivisionError("division by zero"),
            70,
            "roost: internal error: ZeroDivisionError: division by zero (set ROOST_TRACEBACK=1 for the traceback)\n",
        ),
    ],
)
def test_other_errors_have_codes_of_their_own(
    error: BaseException, code: int, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(main, "app", raising(error))
    assert main.run(["games"]) == code
    assert capsys.readouterr().err == told


def test_a_mistake_of_ours_can_be_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "app", raising(ZeroDivisionError("oops")))
    monkeypatch.setenv("ROOST_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        main.run(["games"])

"""`roost competition show`: how a competition stands, and the bracket of a knockout."""

import json
from pathlib import Path

import pytest

from roost_cli.terminal.competitions import bracket_lines
from tests.support.commands.roost import Roost
from tests.support.records.export_world import play_and_export


@pytest.fixture
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


def test_the_champion_is_shown(roost: Roost, exported: Path) -> None:
    bracket = json.loads((exported / "bracket.json").read_text())
    code, out, err = roost("competition", "show", "--db", exported.parent / "roost.db")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[-1] == f"champion: {bracket['champion']}"
    assert [line for line in lines if not line.startswith(" ")][-3:-1] == ["round 1", "final"]
    shown = json.loads(roost("competition", "show", "cup", "--db", exported.parent / "roost.db", "--json").out)
    assert shown["name"] == "cup"
    assert shown["bracket"] == bracket


def test_other_finals_have_no_champion(roost: Roost, tmp_path: Path) -> None:
    play_and_export(tmp_path, "swiss")
    code, out, _ = roost("competition", "show", "--db", tmp_path / "roost.db")
    assert code == 0
    assert "champion" not in out


def test_a_competition_that_is_not_there(roost: Roost, exported: Path) -> None:
    code, _, err = roost("competition", "show", "cap", "--db", exported.parent / "roost.db")
    assert (code, err) == (2, "roost: there is no competition 'cap'; the competitions are: cup\n")


def test_a_bracket_on_the_way() -> None:
    first = {"high": "a", "low": None, "score_high": 0.0, "score_low": 0.0, "winner": "a"}
    second = {"high": "b", "low": "c", "score_high": 1.5, "score_low": 0.5, "winner": "b"}
    final = {"high": "a", "low": "b", "score_high": 1.0, "score_low": 1.0, "winner": None}
    assert list(bracket_lines({"champion": None, "rounds": [[first, second], [final]]})) == [
        "round 1",
        "  a has a bye",
        "  b 1.5 : 0.5 c, won by b",
        "final",
        "  a 1 : 1 b so far",
        "no champion yet",
    ]

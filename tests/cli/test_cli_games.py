"""`roost games`, `roost rules` and `roost --version`."""

import json
from importlib.metadata import version

import pytest

from roost_games.registry import GAME_NAMES, all_games
from tests.support.commands.roost import Roost


def words(text: str) -> str:
    return " ".join(text.split())


def test_games_lists_what_a_host_needs(roost: Roost) -> None:
    code, out, err = roost("games")
    assert (code, err) == (0, "")
    for game in all_games():
        assert game.title in out
        for component in game.components:
            assert words(component.what) in words(out)
        for option in game.option_docs:
            assert f"{option.name}: {words(option.summary)}" in words(out)
    assert "haecmaec Häc Mäc, 2 to 6 players" in words(out)
    assert "variant slap: after each card the others may slap the burger" in words(out)
    assert "spoil it; 3 to 6 players" in words(out)
    assert "assumed printed only on the components, so this is our guess" in words(out)


def test_games_for_programs(roost: Roost) -> None:
    games = {game["name"]: game for game in json.loads(roost("games", "--json").out)}
    assert tuple(games) == GAME_NAMES
    assert games["bratwurmeck"]["players"] == {"least": 2, "most": 7}
    assert {row["source"] for game in games.values() for row in game["components"]} == {"seed", "public", "assumed"}
    assert "slap" in [option["name"] for option in games["haecmaec"]["options"]]
    standard, slap = games["haecmaec"]["variants"]
    assert (standard["name"], standard["players"]) == ("standard", {"least": 2, "most": 6})
    assert (slap["name"], slap["options"], slap["players"]) == ("slap", {"slap": True}, {"least": 3, "most": 6})
    assert [variant["name"] for variant in games["karteneck"]["variants"]] == ["standard"]


@pytest.mark.parametrize("game", GAME_NAMES)
def test_rules_are_printed(roost: Roost, game: str) -> None:
    code, out, err = roost("rules", game)
    assert (code, err) == (0, "")
    assert len(out.splitlines()) > 40
    assert all(len(line) <= 80 for line in out.splitlines())


def test_version(roost: Roost) -> None:
    assert roost("--version") == (0, f"roost {version('roost')}\n", "")

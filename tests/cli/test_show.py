"""`--show`: every game and count can be drawn, and it can be read without colour."""

import json

import pytest
from rich.text import Text

from tests.golden.cases import Case, all_cases
from tests.support.commands.roost import Roost


@pytest.mark.short(4)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name)
def test_every_game_and_count_is_drawn(roost: Roost, case: Case) -> None:
    game, players = case.game.name, case.players
    options = [part for name, value in case.options.items() for part in ("--option", f"{name}={json.dumps(value)}")]
    code, out, err = roost("play", game, *["random"] * players, "--seed", "show", "--show", *options)
    assert (code, err) == (0, "")
    assert f"seat {players - 1} (random) " in out
    assert "\x1b" not in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "The match is over" in out


def test_colour_is_for_terminals_and_can_be_declined(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    play = ("play", "karteneck", "random", "random", "--seed", "show", "--show")
    plain = roost(*play).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = roost(*play).out
    assert "\x1b[" in coloured
    assert Text.from_ansi(coloured).plain.split() == plain.split(), "colour adds nothing to read"
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in roost(*play).out

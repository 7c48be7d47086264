"""What commands print where results are held back: nothing that sounds as if nothing had been played."""

import pytest

from roost.v1 import arena_pb2
from roost_cli.terminal.records import print_bots, print_matches
from roost_cli.terminal.standings import print_standings

HELD = "cup: The results of the ladder are held back until the host releases them."


def test_held_standings_are_not_called_unrecorded(capsys: pytest.CaptureFixture[str]) -> None:
    answer = arena_pb2.GetStandingsResponse(competition="cup", phase="ladder", held=HELD)
    print_standings(answer, arena_pb2.GetStandingsRequest(competition="cup", phase="ladder"))
    assert capsys.readouterr().out.splitlines() == ["no matches are shown yet in cup, ladder", HELD]


def test_a_held_list_of_matches_says_only_that(capsys: pytest.CaptureFixture[str]) -> None:
    print_matches(arena_pb2.ListMatchesResponse(held=HELD), arena_pb2.ListMatchesRequest(), "")
    assert capsys.readouterr().out.splitlines() == [HELD]


def test_of_a_silent_bot_one_sees_only_that_it_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    print_bots([arena_pb2.BotVersion(version_id=1, name="anna", version="v1", connected=True)], live=True)
    assert capsys.readouterr().out.splitlines()[2].endswith("connected")

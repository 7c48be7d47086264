"""What the standings of a ladder and those of an arena show alike."""

import pytest

from roost.v1 import arena_pb2
from roost_cli.terminal.standings import (
    StandingsRow,
    above_next,
    mean_place,
    print_standings,
    ranks,
    rating,
    standings_columns,
    standings_json,
)
from roost_ladder.rating.lottery import LotteryScore
from roost_ladder.rating.standings import PlacesAt, Standing
from roost_ladder.rating.statistics import Totals


def test_how_likely_a_bot_is_stronger_than_the_next_one() -> None:
    (column,) = above_next([0.9999, 0.975, 0.5, None], drop=5)
    assert column.head == ">above"
    assert column.cells == ["> 99 %", "98 %", "50 %", "-"]
    assert above_next([None, None], drop=5) == []


def test_ranks_ratings_and_places() -> None:
    assert (ranks(2, 2), ranks(2, 4)) == ("2", "2-4")
    assert rating(1592.3, 1494.3, 1690.3) == "1592 ±98"
    places = [PlacesAt(2, 10, 1.5), PlacesAt(3, 6, 2.0)]
    assert [mean_place(places, size) for size in (2, 3, 4)] == ["1.50", "2.00", "-"]


def printed(
    capsys: pytest.CaptureFixture[str],
    answer: arena_pb2.GetStandingsResponse,
    wanted: arena_pb2.GetStandingsRequest,
) -> str:
    print_standings(answer, wanted)
    return " ".join(capsys.readouterr().out.split())


def test_the_command_names_what_it_shows_and_how_to_ask_for_more(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [arena_pb2.Standing(name="hen", rating=1500, rating_low=1400, rating_high=1600)]
    answer = arena_pb2.GetStandingsResponse(standings=rows, matches=12, competition="cup", phase="finals")
    default, named = arena_pb2.GetStandingsRequest(), arena_pb2.GetStandingsRequest(competition="cup")
    text = printed(capsys, answer, default)
    assert text.startswith("12 matches in cup, finals")
    assert "--competition and --phase show another part, --everything all matches." in text
    assert "--everything" not in printed(capsys, answer, named), "they asked for it"
    both = [standings_json(answer, wanted) for wanted in (default, named)]
    assert [(each["competition"], each["phase"]) for each in both] == [("cup", "finals")] * 2


def test_an_answer_about_everything_names_no_competition(capsys: pytest.CaptureFixture[str]) -> None:
    nothing, wanted = arena_pb2.GetStandingsResponse(), arena_pb2.GetStandingsRequest(game="karteneck")
    assert printed(capsys, nothing, wanted) == "no matches are recorded yet of karteneck"
    assert standings_json(nothing, wanted)["competition"] is None


def test_an_old_arena_shows_what_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = arena_pb2.GetStandingsRequest(competition="cup", phase="ladder")
    assert printed(capsys, arena_pb2.GetStandingsResponse(), wanted).endswith("in cup, ladder")


def in_a_circle(*bots: tuple[str, str, float]) -> arena_pb2.GetStandingsResponse:
    """Bots with their versions, and how often each is ahead of the next."""
    circle = [arena_pb2.InCircle(name=name, version=version, ahead_of_next=share) for name, version, share in bots]
    found = arena_pb2.Circularity(strength=0.21, strength_low=0.15, strength_high=0.27, circle=circle)
    rows = [arena_pb2.Standing(name=name, version=version) for name, version, _ in bots]
    return arena_pb2.GetStandingsResponse(standings=rows, matches=60, circularity=found)


def test_a_circle_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    answer = in_a_circle(("hen", "v1", 0.61), ("[b]fox", "v1", 0.63), ("owl", "v1", 0.6))
    assert printed(capsys, answer, arena_pb2.GetStandingsRequest()).endswith(
        "hen beats [b]fox 61:39, [b]fox beats owl 63:37, owl beats hen 60:40: "
        "no single order fits; cycle strength 0.21 (0.15–0.27)"
    )
    found = standings_json(answer, arena_pb2.GetStandingsRequest())["circularity"]
    assert isinstance(found, dict)
    assert (found["strength"], found["strength_low"], found["strength_high"]) == (0.21, 0.15, 0.27)
    assert found["circle"][0] == {"version_id": 0, "name": "hen", "version": "v1", "ahead_of_next": 0.61}


def test_the_second_ranking_has_a_column_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    answer = in_a_circle(("hen", "v1", 0.61), ("fox", "v1", 0.63), ("owl", "v1", 0.6))
    for number, row in enumerate(answer.standings, 1):
        row.version_id = number
    score = arena_pb2.SecondScore(version_id=2, score=0.5, score_low=0.466, score_high=0.5, rank_low=1, rank_high=3)
    answer.second.state, answer.second.summary = arena_pb2.SECOND_STATE_READY, "the rankings [b]agree"
    answer.second.scores.append(score)
    text = printed(capsys, answer, arena_pb2.GetStandingsRequest())
    assert "clone-proof" in text
    assert "1-3: 50 % (47–50)" in text
    assert text.endswith("the rankings [b]agree")
    found = standings_json(answer, arena_pb2.GetStandingsRequest())
    assert found["second_ranking"] == {"state": "ready", "matches": 0, "summary": "the rankings [b]agree"}
    assert isinstance(found["clone_proof"], list)
    assert (found["clone_proof"][0]["name"], found["clone_proof"][0]["score_low"]) == ("fox", 0.466)


def test_specialists_are_named_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    answer = in_a_circle(("hen", "v1", 0.61), ("[b]fox", "v1", 0.63), ("hen", "v2", 0.6))
    for number, row in enumerate(answer.standings, 1):
        row.version_id = number
    answer.specialists.add(version_id=2, players=4, rank=2, rank_there=3, points=-95, points_low=-135, points_high=-55)
    answer.specialists.add(
        version_id=3, game="karteneck", rank=3, rank_there=1, points=80, points_low=60, points_high=100
    )
    assert printed(capsys, answer, arena_pb2.GetStandingsRequest()).endswith(
        "[b]fox: rank 2 overall, 3 at tables of 4 (95 ±40 points weaker than elsewhere); "
        "hen v2: rank 3 overall, 1 in karteneck (80 ±20 points stronger than elsewhere)"
    )
    found = standings_json(answer, arena_pb2.GetStandingsRequest())["specialists"]
    assert isinstance(found, list)
    assert [(each["name"], each["version"], each["game"], each["players"]) for each in found] == [
        ("[b]fox", "v1", None, 4),
        ("hen", "v2", "karteneck", None),
    ]


def test_versions_of_one_bot_in_a_circle_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    answer = in_a_circle(("hen", "3f9ac07d11aa", 0.61), ("hen", "v2", 0.63), ("owl", "v1", 0.6))
    text = printed(capsys, answer, arena_pb2.GetStandingsRequest())
    assert "hen 3f9ac07d… beats hen v2 61:39, hen v2 beats owl 63:37, owl beats hen 3f9ac07d… 60:40: no" in text


def test_nothing_is_said_where_one_order_may_fit(capsys: pytest.CaptureFixture[str]) -> None:
    answer = arena_pb2.GetStandingsResponse(standings=[arena_pb2.Standing(name="hen")], matches=1)
    assert "order" not in printed(capsys, answer, arena_pb2.GetStandingsRequest())
    assert "circularity" not in standings_json(answer, arena_pb2.GetStandingsRequest())


def test_a_ladder_has_a_column_for_the_second_ranking_where_there_is_one() -> None:
    standing = Standing(1, 1500, 1450, 1550, 1, 3, 80, 40, 40, (PlacesAt(2, 80, 1.5),), None)
    score = LotteryScore(1, 0.5, 0.466, 0.5, 1, 3)
    shown = standings_columns([StandingsRow.of_ladder("hen", standing, Totals(), score)])
    assert [column.cells for column in shown if column.head == ">clone-proof"] == [["1-3: 50 % (47–50)"]]
    without = standings_columns([StandingsRow.of_ladder("hen", standing, Totals())])
    assert ">clone-proof" not in [column.head for column in without]

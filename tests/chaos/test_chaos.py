"""A short competition under chaos, and that the checks after it would notice what they are there for."""

from pathlib import Path

import pytest

from roost_games.chance import seed_of
from roost_games.referee import Referee, Seat
from roost_games.registry import get_game
from roost_games.replay import Replay
from tests.chaos.episode import Episode, run_episode
from tests.chaos.notes import Asked
from tests.chaos.plan import NOT_IN_FINALS, Kind, make_plans
from tests.chaos.strategies import RULES, STEADY
from tests.chaos.views import views_of, wrong_views

SHORT = Episode(seed=3, ladder_seconds=4.0, finals_seconds=5.0, games={"karteneck": (2, 3)})


@pytest.mark.long
def test_a_competition_survives_everything_once(tmp_path: Path) -> None:
    told: list[str] = []
    report = run_episode(SHORT, tmp_path, told.append)
    said = "\n".join([*told, *report.log])
    assert report.wrong == [], said
    assert set(report.faults) == set(Kind), said
    assert report.arena_starts >= 3, said


def test_a_plan_follows_from_its_seed() -> None:
    assert make_plans(5, 10.0, 10.0, 2) == make_plans(5, 10.0, 10.0, 2)
    assert make_plans(5, 10.0, 10.0, 2) != make_plans(6, 10.0, 10.0, 2)
    ladder, finals = make_plans(5, 10.0, 10.0, 2)
    assert {fault.kind for fault in ladder} == set(Kind)
    assert {fault.kind for fault in finals} == set(Kind) - NOT_IN_FINALS


def recorded() -> Replay:
    referee = Referee(get_game("karteneck"), [Seat(name) for name in STEADY], seed_of("leak"), match="m")
    while not referee.over:
        for seat in referee.waiting:
            referee.answer(seat, RULES[STEADY[seat]](referee.legal(seat)))
    return Replay.from_line(referee.replay().to_line())


def asked(replay: Replay, seat: int) -> list[Asked]:
    return [Asked("m", seat, request, view) for (request, whose), view in views_of(replay).items() if whose == seat]


def test_who_sees_its_own_cards_is_not_suspected() -> None:
    replay = recorded()
    for seat, name in enumerate(STEADY):
        own = asked(replay, seat)
        assert len(own) > 5
        assert list(wrong_views(name, own, {"m": replay})) == []


def test_a_view_of_another_seat_or_of_another_deal_is_noticed() -> None:
    replay = recorded()
    first, second = asked(replay, 0)[0], asked(replay, 1)[0]
    assert list(wrong_views(STEADY[0], [first._replace(view=second.view)], {"m": replay}))
    assert list(wrong_views(STEADY[0], [first._replace(request=second.request)], {"m": replay}))
    assert list(wrong_views(STEADY[1], [first], {"m": replay}))
    # Also of a match that nobody recorded.
    assert list(wrong_views(STEADY[0], [first._replace(view=second.view)], {}))

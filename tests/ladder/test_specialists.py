"""Specialists: who is named, by how many points, and who is not although something differs."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.simulations.fields import AT_ONE, AT_OTHER, DUEL, SCALED, Field, played
from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.rating.specialists import Specialist, Specialty, specialists, specialists_line
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.schedule import Kind
from tests.support.records.results import duels

BOTS = range(1, 7)


def round_robin(game: str, ahead: list[int]) -> list[MatchResult]:
    """Each two meet in 40 blocks of two matches. The one that is earlier in the list wins three quarters of them."""
    return [
        each._replace(game=game, block_id=f"{game} {each.block_id}")
        for pair in combinations(ahead, 2)
        for each in duels([2, 1] * 20, bots=pair)
    ]


def found(results: list[MatchResult]) -> list[Specialist]:
    record = gather(results)
    return specialists(record, fit(record))


def test_a_bot_that_is_last_in_one_of_three_games_is_named() -> None:
    order = list(BOTS)
    results = [*round_robin("one", order), *round_robin("two", order), *round_robin("three", [*order[1:], order[0]])]
    first, *others = found(results)
    assert (first.bot, first.part, first.rank_there) == (1, Specialty(game="three"), 6)
    # Over all, it scores (3/4 + 3/4 + 1/4) / 3 = 58 % against each, as bot 3 does: (5/12 + 1/4 + 9/4) / 5.
    assert first.rank in (2, 3)
    assert first.points + first.margin < -300
    assert {each.bot for each in others} <= {1}, "the others are in the same order everywhere"


def test_how_many_points_by_hand() -> None:
    """Four bots. The first wins three quarters of its matches in one game and a quarter in the other.

    All others are even. With an odds ratio of 3 both ways, its strength changes by 2 log 3 beside the bots that are no
    specialists.
    """
    results = [
        each
        for game, won in (("one", [2, 1]), ("two", [0, 1]))
        for pair in combinations(range(1, 5), 2)
        for each in (
            each._replace(game=game, block_id=f"{game} {each.block_id}")
            for each in duels((won if pair[0] == 1 else [1, 1]) * 50, bots=pair)
        )
    ]
    (only,) = found(results)
    assert only.bot == 1
    assert abs(only.points) == pytest.approx(2 * 400 * np.log10(3), rel=0.02)
    assert 20 < only.margin < 120


def test_one_game_at_one_size_has_no_specialists() -> None:
    assert found(round_robin("one", list(BOTS))) == []


def test_where_few_bots_play_both_nobody_is_named() -> None:
    results = [*round_robin("one", [1, 2, 3, 4, 5]), *round_robin("two", [5, 4, 3, 6])]
    assert found(results) == []


def test_it_is_said_where_and_by_how_much() -> None:
    some = [
        Specialist(1, Specialty(players=4), 2, 7, -95.4, 40.2),
        Specialist(2, Specialty(game="karteneck"), 5, 1, 120.0, 60.0),
    ]
    assert specialists_line(some, {1: "ann", 2: "bob"}) == (
        "ann: rank 2 overall, 7 at tables of 4 (95 ±40 points weaker than elsewhere); "
        "bob: rank 5 overall, 1 in karteneck (120 ±60 points stronger than elsewhere)"
    )
    assert specialists_line([], {}) == ""


def named(field: Field, seed: int) -> set[int]:
    return {each.bot for each in found(played(field, LeastPlayed(seed.to_bytes(4)), seed)[0])}


@pytest.mark.short(1)
@pytest.mark.parametrize("field", SCALED, ids=lambda field: field.name)
def test_nobody_is_named_where_all_tables_have_one_order(field: Field) -> None:
    """At 5 %, somebody is named in more than 4 of 20 fields in 1 of 400 such tests."""
    assert sum(bool(named(field._replace(matches=600), seed)) for seed in range(20)) <= 4


def test_specialists_by_size_are_found() -> None:
    """Four of six bots are 80 or 180 points stronger at one size; bots 4 and 5 are as strong at both."""
    field = Field("", {DUEL: AT_ONE, Kind("duel", 4): AT_OTHER}, 2400)
    runs = [named(field, seed) for seed in range(5)]
    assert all({0, 1} <= each for each in runs)
    assert sum(bool(each & {4, 5}) for each in runs) <= 2

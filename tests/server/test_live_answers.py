"""Standings that are kept up to date equal those worked out from all records, whatever was recorded meanwhile."""

from collections.abc import Iterator
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_server.answers.ratings import MOST_REMEMBERED, Ratings, everything
from roost_server.answers.standings import LiveAnswers
from roost_server.store import Store
from tests.support.records.matches import two_competitions
from tests.support.records.random_record import QUESTIONS, RandomRecord, check_answer, worked_out


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


def test_what_is_kept_up_to_date_is_what_the_records_say(store: Store) -> None:
    world, live = RandomRecord(store), LiveAnswers(store)
    compared = 0
    for step in range(150):
        world.happen()
        if step % 6 == 0:
            request = arena_pb2.GetStandingsRequest(**world.rng.choice(QUESTIONS))
            compared += check_answer(live.standings_of(request), worked_out(store, request)) > 1
    assert compared > 10
    for question in QUESTIONS:
        request = arena_pb2.GetStandingsRequest(**question)
        assert check_answer(live.standings_of(request), worked_out(store, request)) > 0


def test_nothing_is_fitted_again_as_long_as_nothing_is_new(store: Store) -> None:
    world, ratings = RandomRecord(store), Ratings(store)
    live = LiveAnswers(store, ratings)
    for _ in range(50):
        world.happen()
    request = arena_pb2.GetStandingsRequest()
    first = live.standings_of(request)
    rated = ratings.rated(everything())
    assert live.standings_of(request) == first
    assert ratings.rated(everything()) is rated
    while ratings.rated(everything()) is rated:
        world.happen()
    assert live.standings_of(request) != first


def test_what_there_is_not_is_refused(store: Store) -> None:
    live = LiveAnswers(store)
    unknown: list[dict[str, Any]] = [
        {"game": "chess"},
        {"competition": "none"},
        {"competition": "all", "phase": "freeze"},
    ]
    for wrong in unknown:
        with pytest.raises(UsageError):
            live.standings_of(arena_pb2.GetStandingsRequest(**wrong))


def test_whatever_is_asked_not_everything_is_remembered(store: Store) -> None:
    ratings = Ratings(store)
    live = LiveAnswers(store, ratings)
    for players in range(2 * MOST_REMEMBERED):
        live.standings_of(arena_pb2.GetStandingsRequest(players=players))
    assert ratings.remembered == MOST_REMEMBERED

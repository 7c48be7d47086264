"""Ratings of the past, against fits of the matches that had ended by then."""

from collections.abc import Iterator, Sequence

import pytest

from roost.v1 import arena_pb2, records_pb2
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from roost_server.accounts.rulings import void_match
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.store import BlockClosed, BlockState, FinishedMatch, NewBlock, Planned, Store
from roost_server.store.results import EVERYTHING, MatchFilter
from roost_server.store.sums import kept
from roost_server.store.sums.history import MOST_MOMENTS, moment_at, superfluous
from tests.support.records.matches import sketch, two_competitions

HOUR = 3_600_000
BEGIN = 1_700_000_000_000
DAYS_3 = 72


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    with two_competitions(database_url) as opened:
        yield opened


def play(store: Store, hour: int, group: Sequence[int] = (1, 2), plan: Planned | None = None) -> list[MatchResult]:
    """A block that ends in this hour. The first bot wins both matches on the first two days, and none later."""
    block_id, places = f"b{hour}-{group[0]}", ((1, 2) if hour < 48 else (2, 1))
    new = NewBlock(block_id, "karteneck", {}, "00" * 32, "cyclic", tuple(group), 1, plan)
    matches = [
        FinishedMatch(sketch(f"{block_id}-{n}", places), block_id, n, tuple(group), at_hour(hour) - 1, at_hour(hour))
        for n in range(2)
    ]
    store.commit([new, *matches, BlockClosed(block_id, BlockState.DONE)])
    return [MatchResult(block_id, "karteneck", tuple(group), places)] * 2


def at_hour(hour: int) -> int:
    return BEGIN + hour * HOUR


def three_days(store: Store) -> list[MatchResult]:
    """A block an hour, kept as it comes. The results by hour, two each."""
    ratings, results = Ratings(store), []
    for hour in range(DAYS_3):
        results += play(store, hour)
        ratings.keep()
    return results


def history(store: Store, version_id: int = 0, **which: object) -> list[records_pb2.RatingMoment]:
    asked = records_pb2.RecordFilter(**which)  # type: ignore[arg-type]
    request = records_pb2.GetRatingHistoryRequest(filter=asked, version_id=version_id)
    return list(LiveAnswers(store).history_of(request).moments)


@pytest.mark.short(1)
def test_every_moment_is_what_the_matches_said_then(store: Store) -> None:
    results = three_days(store)
    moments = history(store)
    assert [moment.at_ms for moment in moments] == [at_hour(hour) for hour in range(DAYS_3)]
    for hour, moment in enumerate(moments):
        assert moment.matches == 2 * (hour + 1)
        then = {each.bot: each for each in standings(results[: moment.matches])}
        assert [each.version_id for each in moment.ratings] == [1, 2]
        for each in moment.ratings:
            right = then[each.version_id]
            given = (each.rating, each.rating_low, each.rating_high)
            assert given == pytest.approx((right.rating, right.low, right.high), abs=1e-4)


@pytest.mark.short(1)
def test_the_trend_is_the_change_in_a_day(store: Store) -> None:
    results = three_days(store)
    before = {each.bot: each.rating for each in standings(results[: 2 * (DAYS_3 - 24)])}
    now = {each.bot: each.rating for each in standings(results)}
    for row in LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest()).standings:
        assert row.trend == pytest.approx(now[row.version_id] - before[row.version_id], abs=1e-4)
        assert row.trend < 0 if row.version_id == 1 else row.trend > 0


@pytest.mark.short(1)
def test_who_was_not_rated_a_day_ago_has_no_trend(store: Store) -> None:
    three_days(store)
    play(store, DAYS_3, (3, 4))
    rows = LiveAnswers(store).standings_of(arena_pb2.GetStandingsRequest()).standings
    assert {row.version_id: row.HasField("trend") for row in rows} == {1: True, 2: True, 3: False, 4: False}


@pytest.mark.short(1)
def test_the_rating_when_a_match_began(store: Store) -> None:
    results = three_days(store)
    then = {each.bot: each.rating for each in standings(results[:20])}
    with store.reading() as reading:
        moment = moment_at(reading, EVERYTHING, at_hour(9) + HOUR // 2)
        assert moment is not None
        assert {each.version_id: each.rating for each in moment.ratings} == pytest.approx(then, abs=1e-4)
        assert moment_at(reading, EVERYTHING, BEGIN - 1) is None
        assert moment_at(reading, MatchFilter(competition_id=1, phase="ladder"), at_hour(9)) is None


def test_what_came_after_the_last_moment_is_there_too(store: Store) -> None:
    ratings = Ratings(store)
    play(store, 0)
    ratings.keep()
    play(store, 1)
    assert [(moment.at_ms, moment.matches) for moment in history(store)] == [(at_hour(0), 2), (at_hour(1), 4)]


def test_histories_of_one_bot_a_game_a_size_and_a_phase(store: Store) -> None:
    ratings = Ratings(store)
    play(store, 0)
    ratings.keep()
    play(store, 1, (3, 4), Planned(1, "ladder", 0))
    ratings.keep()
    assert [len(moment.ratings) for moment in history(store)] == [2, 4]
    assert [[each.version_id for each in moment.ratings] for moment in history(store, version_id=3)] == [[3]]
    assert [moment.matches for moment in history(store, game="karteneck", players=2)] == [2, 4]
    assert [moment.matches for moment in history(store, competition="all", phase="ladder", players=2)] == [2]
    assert history(store, game="haecmaec") == []
    assert history(store, competition="all", phase="finals") == []


def test_an_old_record_gets_its_history_when_it_is_added_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for hour in range(20):
        play(store, hour)
    monkeypatch.setattr(kept, "CHUNK", 4)
    Ratings(store).keep()
    assert [moment.at_ms for moment in history(store)] == [at_hour(hour) for hour in range(1, 20, 2)]


def test_a_history_goes_on_with_what_rulings_have_left(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was known before stays. One of eight matches is void, and two more are played."""
    ratings, results = Ratings(store), []
    for hour in range(4):
        results += play(store, hour, (3, 4))
        ratings.keep()
    void_match(store, "b1-3-0", "", "host")
    monkeypatch.setattr(kept, "CHUNK", 2)
    ratings.keep()
    play(store, 5, (3, 4))
    ratings.keep()
    moments = history(store)
    assert [moment.matches for moment in moments] == [2, 4, 6, 8, 7, 9]
    then = {each.bot: each.rating for each in standings(results[:2] + results[3:])}
    assert {each.version_id: each.rating for each in moments[4].ratings} == pytest.approx(then, abs=1e-4)


@pytest.mark.short(1)
def test_no_more_moments_than_can_be_drawn(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_server.store.sums.history.MOST_MOMENTS", 10)
    three_days(store)
    times = [moment.at_ms for moment in history(store)]
    assert len(times) == 10
    assert times[0] == at_hour(0)
    assert times[-1] == at_hour(DAYS_3 - 1)


def test_the_moment_goes_whose_neighbours_are_closest() -> None:
    assert superfluous([0, 10, 12, 14, 30]) == 2
    assert superfluous([0, 1, 30, 60]) == 1
    assert superfluous([0, 30, 59, 60]) == 2


def test_the_last_day_is_thinned_out_only_if_it_is_most() -> None:
    day = [at_hour(hour) for hour in range(25)]
    weeks_before = [at_hour(-24 * number) for number in range(MOST_MOMENTS - 20, 0, -1)]
    assert superfluous([*weeks_before, *day]) < len(weeks_before)
    assert superfluous([at_hour(-1000), *range(BEGIN, BEGIN + MOST_MOMENTS)]) > 1

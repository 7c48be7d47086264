"""What is counted, against counting by hand."""

from math import log

import pytest

from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.rating.statistics import Curves, Statistics, elo_curves, head_to_head

DUEL = MatchFacts(
    "d",
    "karteneck",
    bots=(7, 3),
    places=(1, 2),
    scores=(40, 10),
    faults=(0, 2),
    forfeited=(False, True),
    decisions=(10, 4),
    thinking_ms=(20.0, 2.0),
)
REMATCH = DUEL._replace(
    bots=(3, 7), places=(1, 1), scores=(20, 20), faults=(1, 0), forfeited=(False, False), thinking_ms=(8.0, 30.0)
)
TRIO = MatchFacts(
    "t",
    "haecmaec",
    bots=(5, 7, 3),
    places=(1, 2, 3),
    scores=(9, 5, 1),
    faults=(0, 0, 0),
    forfeited=(False, False, False),
    decisions=(3, 0, 3),
    thinking_ms=(1.0, 0.0, 2.0),
)
ALL = [DUEL, REMATCH, TRIO]


def test_facts_give_a_result() -> None:
    assert DUEL.result() == MatchResult("d", "karteneck", (7, 3), (1, 2), forfeited=True)
    assert not TRIO.result().forfeited
    assert (DUEL.players, TRIO.players) == (2, 3)


def test_by_bot() -> None:
    third, fifth, seventh = (Statistics(ALL).by(lambda seat: seat.bot)[bot] for bot in (3, 5, 7))
    assert (third.matches, third.wins, third.mean_place) == (3, 1, 2)
    assert (third.faults, third.forfeits, third.decisions, third.thinking_ms) == (3, 1, 17, 12)
    assert third.ms_per_decision == pytest.approx(12 / 17)
    assert dict(third.places) == {1: 1, 2: 1, 3: 1}
    assert (fifth.matches, fifth.mean_score) == (1, 9)
    assert seventh.wins == 2
    assert seventh.mean_score == pytest.approx(65 / 3)


def test_by_seat_game_and_size() -> None:
    statistics = Statistics(ALL)
    seats = statistics.by(lambda seat: (seat.players, seat.seat))
    assert {seat: totals.mean_place for seat, totals in seats.items()} == {
        (2, 0): 1,
        (2, 1): 1.5,
        (3, 0): 1,
        (3, 1): 2,
        (3, 2): 3,
    }
    games = statistics.by(lambda seat: (seat.game, seat.bot))
    assert games["karteneck", 3].scores == {10: 1, 20: 1}
    assert ("karteneck", 5) not in games
    assert statistics.games() == ["haecmaec", "karteneck"]
    assert statistics.sizes() == [2, 3]


def test_nobody_thought() -> None:
    assert Statistics([TRIO]).by(lambda seat: seat.bot)[7].ms_per_decision == 0


def test_quantiles_of_points() -> None:
    """1 to 8 points, once each: two of eight have at most 2."""
    matches = [DUEL._replace(scores=(points, 100)) for points in range(1, 9)]
    totals = Statistics(matches).by(lambda seat: seat.seat)[0]
    assert [totals.score_quantile(share) for share in (0, 0.25, 0.26, 0.5, 0.75, 1)] == [1, 2, 3, 4, 6, 8]


def test_head_to_head() -> None:
    """Bots 3, 5, 7: 3 and 7 met three times, 7 was ahead twice and once they tied."""
    table = head_to_head(gather(match.result() for match in ALL))
    assert table.bots.tolist() == [3, 5, 7]
    assert table.met.tolist() == [[0, 1, 3], [1, 0, 1], [3, 1, 0]]
    assert table.ahead.tolist() == [[0, 0, 0.5], [1, 0, 1], [2.5, 0, 0]]
    assert table.share(2, 0) == pytest.approx(2.5 / 3)
    arranged = table.arranged([7, 3])
    assert arranged.bots.tolist() == [7, 3]
    assert arranged.ahead.tolist() == [[0, 2.5], [0.5, 0]]


def test_who_has_not_met() -> None:
    strangers = [MatchResult("a", "g", (1, 2), (1, 2)), MatchResult("b", "g", (3, 4), (1, 2))]
    assert head_to_head(gather(strangers)).share(0, 2) is None


def test_the_curve_is_classic_elo() -> None:
    """K = 20: a win among equals is 10 points, the second one against 1490 is 20 / (1 + 10 ** (20 / 400))."""
    results = [MatchResult("a", "g", (1, 2), (1, 2)), MatchResult("a", "g", (2, 1), (2, 1))]
    second = 20 / (1 + 10**0.05)
    curves = elo_curves([*results, MatchResult("b", "g", (3, 4), (1, 1))])
    assert curves.after == (1, 2, 3)
    assert curves.ratings[1] == pytest.approx((1510, 1510 + second, 1510 + second))
    assert curves.ratings[3] == (None, None, 1500)


def test_a_long_curve_has_few_points() -> None:
    results = [MatchResult(f"{block}", "g", (1, 2), (1, 2)) for block in range(1000)]
    curves = elo_curves(results, points=50)
    assert len(curves.after) == 50
    assert curves.after[-1] == 1000
    assert list(curves.ratings[1]) == sorted(rating for rating in curves.ratings[1] if rating is not None)
    # A bot that always wins climbs without end: by about log(n K ln(10) / 200) * 400 / 2 ln(10).
    assert curves.ratings[1][-1] == pytest.approx(1500 + 200 / log(10) * log(1000 * 20 * log(10) / 200), rel=0.02)


def test_no_curve() -> None:
    assert elo_curves([]) == Curves((), {})

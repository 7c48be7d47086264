"""The intervals, against published tables and against bots of known strength."""

from random import Random

import pytest

from roost_ladder.rating.estimates import mean_of, share_of, student_t

PUBLISHED_T = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980}


@pytest.mark.parametrize(("freedom", "quantile"), PUBLISHED_T.items())
def test_student_as_in_the_tables(freedom: int, quantile: float) -> None:
    assert student_t(freedom) == pytest.approx(quantile, rel=0.0015)


def test_mean_of_a_small_sample() -> None:
    # Standard deviation sqrt(5/3) over sqrt(4), times 3.182.
    mean, low, high = mean_of([1, 2, 3, 4])
    assert mean == 2.5
    assert low == pytest.approx(2.5 - 2.054, abs=0.02)
    assert high == pytest.approx(2.5 + 2.054, abs=0.02)


def test_matches_that_cannot_tell_give_no_interval() -> None:
    assert mean_of([3]) == (3, None, None)
    assert mean_of([2, 2, 2]) == (2, None, None)


@pytest.mark.parametrize(
    ("won", "matches", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (15, 148, 0.0624, 0.1605)],
)
def test_wilson_as_published(won: int, matches: int, low: float, high: float) -> None:
    """The last row is the example of Newcombe (1998), method 3; the others follow from z²/(n + z²) = 0.2775."""
    estimate = share_of(won, matches)
    assert estimate.low == pytest.approx(low, abs=0.0001)
    assert estimate.high == pytest.approx(high, abs=0.0001)


def test_intervals_hold_the_truth_about_95_times_in_100() -> None:
    rng = Random(11)
    runs, hits_share, hits_mean = 2000, 0, 0
    for _ in range(runs):
        wins = [float(rng.random() < 0.3) for _ in range(60)]
        share = share_of(sum(wins), 60)
        hits_share += (share.low or 0) <= 0.3 <= (share.high or 0)
        scores = mean_of([rng.gauss(5, 2) for _ in range(8)])
        hits_mean += (scores.low or 0) <= 5 <= (scores.high or 0)
    # Both are binomial with a standard deviation of 0.5 % at 95 %; Wilson's coverage at 60 matches is 94 to 97 %.
    assert 0.93 < hits_share / runs < 0.98
    assert 0.93 < hits_mean / runs < 0.97

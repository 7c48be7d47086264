"""Intervals, superiority and rank ranges, against published tables and hand calculation."""

import numpy as np
import pytest

from roost_ladder.rating.certainty import half_widths, likely_above_next, rank_ranges, superiority
from roost_ladder.rating.estimates import normal_score, student_quantiles
from roost_ladder.rating.fit import Fit

T_TABLE = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 7: 2.365, 10: 2.228, 20: 2.086, 30: 2.042, 120: 1.980}
"""Published values that Student's t exceeds in either direction once in 20 times, by degrees of freedom."""
T_TABLE_1_PERCENT = {4: 4.604, 5: 4.032, 10: 3.169, 30: 2.750}
"""The same for once in 100 times."""


def known(strengths: list[float], variances: list[float] | None = None, freedom: float = 1e9) -> Fit:
    """Independent strengths; if not told otherwise, the variance of each difference is 1."""
    variances = variances or [0.5] * len(strengths)
    return Fit(np.array(strengths), np.diag(variances), np.full(len(strengths), freedom))


@pytest.mark.parametrize(("freedom", "quantile"), T_TABLE.items())
def test_student_quantiles(freedom: int, quantile: float) -> None:
    relative = float(student_quantiles(np.array([freedom]))[0]) / quantile
    assert 0.999 <= relative <= {2: 1.041, 3: 1.012}.get(freedom, 1.006)


@pytest.mark.parametrize(("freedom", "quantile"), T_TABLE_1_PERCENT.items())
def test_student_quantile_with_less_doubt(freedom: int, quantile: float) -> None:
    assert student_quantiles(np.array([float(freedom)]), 0.01)[0] == pytest.approx(quantile, rel=0.02)


def test_normal_score_undoes_the_quantile() -> None:
    freedom = np.array([2.0, 5.0, 50.0])
    assert normal_score(student_quantiles(freedom), freedom) == pytest.approx(1.959964)
    assert normal_score(-student_quantiles(freedom), freedom) == pytest.approx(-1.959964)


def test_superiority_is_the_difference_in_standard_errors() -> None:
    score = superiority(known([3, 0], [4, 5]))
    assert score[0] == pytest.approx([0, 1])
    assert score[1] == pytest.approx([-1, 0])


def test_superiority_counts_what_two_bots_share() -> None:
    # The variance of the difference is 1 + 1 - 2 * 0.875 = 0.25.
    shared = Fit(np.array([1.0, 0.0]), np.array([[1, 0.875], [0.875, 1]]), np.full(2, 1e9))
    assert superiority(shared)[0, 1] == pytest.approx(2)


def test_superiority_goes_by_the_bot_that_is_known_less_well() -> None:
    fit = known([2.776, 0])._replace(freedom=np.array([1e9, 4]))
    assert superiority(fit)[0, 1] == pytest.approx(1.96, rel=0.006)


def test_how_likely_the_next_one_is_weaker() -> None:
    """The normal distribution at 1.96, 0 and -1.645; each difference has the variance 1. Bot 3 comes first."""
    fit = known([1.04, 1.04, 2.685, 3.0])
    assert likely_above_next(fit, np.array([3, 0, 1, 2])) == pytest.approx([0.975, 0.5, 0.05], abs=1e-4)
    assert likely_above_next(known([1.0]), np.array([0])) == []


def test_half_widths_from_the_mean() -> None:
    # A bot less the mean of two independent ones has the variance (1 + 3) / 4.
    assert half_widths(known([1, 0], [1, 3]), np.full(2, 0.5)) == pytest.approx(1.96, rel=1e-4)


def test_half_widths_from_a_bot() -> None:
    widths = half_widths(known([1, 0], [1, 3]), np.array([0.0, 1.0]))
    assert widths == pytest.approx([1.96 * 2, 0], rel=1e-4)


def test_two_bots_are_compared_at_95_percent() -> None:
    assert rank_ranges(known([1.95, 0])) == [(1, 2), (1, 2)]
    assert rank_ranges(known([1.97, 0])) == [(1, 1), (2, 2)]


def test_comparisons_share_the_doubt() -> None:
    """Holm's rule: 5 % / 3, 5 % / 2 and 5 % are exceeded at 2.394, 2.241 and 1.960 standard errors."""
    assert rank_ranges(known([0, 2.2, 2.3, 2.5]))[0] == (4, 4)
    assert rank_ranges(known([0, 2.2, 2.23, 2.5]))[0] == (2, 4)
    assert rank_ranges(known([0, 2.2, 2.3, 2.38]))[0] == (1, 4)


def test_ranges_have_room_for_those_above_and_below() -> None:
    assert rank_ranges(known([10, 0.3, 0, -10])) == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_one_bot_has_rank_one() -> None:
    assert rank_ranges(known([0])) == [(1, 1)]

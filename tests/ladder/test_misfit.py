"""How far pairs stray from an order, and what a match then counts for: by hand, and in simulated circles."""

from itertools import combinations

import numpy as np
import pytest

from benchmarks.simulations.fields import DUEL, Field, circle, covered, ladder, misranked, played, steps
from roost_ladder.rating.fit import Fit, Method, fit
from roost_ladder.rating.misfit import UNKNOWN
from roost_ladder.rating.pairs import defying
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.schedules.cycles import RoundRobin
from tests.support.records.results import duels

PAIRS = ((1, 2), (2, 3), (3, 1))


def in_a_circle(*blocks: int) -> list[MatchResult]:
    """Bot 1 beats bot 2, which beats bot 3, which beats bot 1: five of eight each, in blocks of two matches.

    `blocks` is the number of blocks of each pair, a multiple of four: one is won, three are split, and so on.
    """
    return [
        result
        for pair, number in zip(PAIRS, blocks, strict=True)
        for result in duels([2, 1, 1, 1] * (number // 4), bots=pair)
    ]


def fitted(results: list[MatchResult], method: Method = Method.EACH_KIND) -> Fit:
    return fit(gather(results), method=method)


def test_the_misfit_of_an_even_circle_by_hand() -> None:
    """All strengths are 0. Each pair has n matches in B blocks, of which a quarter are won by one match more."""
    blocks = 40
    n = 2 * blocks
    # What independent matches would have, by how the blocks scatter; 2 is added to both sides of this ratio.
    variance = n / 4 * (blocks / 4 + 2) / (n / 4 + 2)
    # The curvature is n / 4 times the one of a triangle, and 1 / 4 for the virtual matches.
    left = 1 - n / 4 * 2 / (3 * n / 4 + 1 / 4)
    surplus = (blocks / 4) ** 2 / variance
    misfit = (surplus - left) / (left * n**2 / 4 / variance)
    found = fitted(in_a_circle(blocks, blocks, blocks)).misfit
    assert found.found == pytest.approx(misfit)
    # Of a share of 5/8, an eighth is beyond a half. Strengths could absorb two of three deviations: (1/8)² = k / 4 / 3.
    assert 0.15 < misfit < 3 * 4 / 64
    assert found.low < misfit < found.high


def test_the_interval_of_the_misfit_holds_what_would_be_no_surprise() -> None:
    """At its ends, the sum of squares is 1.96 standard deviations from its mean."""
    found = fitted(in_a_circle(40, 40, 40)).misfit
    blocks, n = 40, 80
    variance, left = n / 4 * (blocks / 4 + 2) / (n / 4 + 2), 3 - 3 * n / 4 * 2 / (3 * n / 4 + 1 / 4)
    gain = left * n**2 / 4 / variance
    excess = 3 * (blocks / 4) ** 2 / variance - left
    for end in (found.low, found.high):
        assert abs(excess - gain * end) == pytest.approx(1.959964 * np.sqrt(2 * left + 4 * gain * end))


def test_every_opponent_counts_the_same_however_often_two_meet() -> None:
    """All three are equal against the field. The previous fit follows the pairs that meet often."""
    results = in_a_circle(400, 400, 40)
    before, now = (np.ptp(fitted(results, method).strengths) for method in (Method.EACH_MATCH, Method.EACH_KIND))
    # With nearly no third pair, the ends are twice log(5/3) apart; with its tenth part, 18/21 of the circle's sum less.
    assert before == pytest.approx(2 * np.log(5 / 3) * (1 - 3 / 2 / 12 * 2), rel=0.05)
    assert now < before / 5


def test_nothing_changes_where_all_pairs_met_equally_often() -> None:
    results = in_a_circle(40, 40, 40) + [
        result for pair in combinations((1, 2, 3), 2) for result in duels([1] * 20, bots=pair)
    ]
    before, now = (fitted(results, method) for method in (Method.EACH_MATCH, Method.EACH_KIND))
    assert now.misfit.found > 0
    np.testing.assert_allclose(now.strengths, before.strengths, atol=1e-9)
    np.testing.assert_allclose(now.covariance, before.covariance, rtol=1e-6, atol=1e-9)


def test_nothing_changes_where_an_order_explains_everything() -> None:
    """Two wins of three, four of five: odds of 2, 2 and 4, which are those of strengths 0, log 2 and log 4."""
    results = [
        *duels([2, 2, 2] * 80, matches=3, bots=(1, 2)),
        *duels([2, 2, 2] * 8, matches=3, bots=(2, 3)),
        *duels([4, 4, 4] * 8, matches=5, bots=(1, 3)),
    ]
    before, now = (fitted(results, method) for method in (Method.EACH_MATCH, Method.EACH_KIND))
    assert now.misfit.found == 0
    np.testing.assert_array_equal(now.strengths, before.strengths)
    np.testing.assert_array_equal(now.covariance, before.covariance)


def test_pairs_that_count_unequally_add_doubt_by_hand() -> None:
    """Without luck, what is left of the covariance comes from the pair that met less.

    With T and U what the pairs count for, and a circle that adds d to each of them, the slopes of the first and the
    third bot, which the pair U connects, are off by (T - U) d. d² is k / 4 / 3 for each of the three pairs.
    """
    results = in_a_circle(400, 400, 40)
    found = fitted(results)
    k, n = found.misfit.found, np.array([800, 800, 80])
    counted = n / (1 + k * n)
    often, _, seldom = counted * n.sum() / counted.sum()
    slope = np.array([[0, often, seldom], [often, 0, often], [seldom, often, 0]]) / 4
    curvature = np.diag(slope.sum(axis=1) + 1 / 4) - slope
    apart = np.array([1, 0, -1]) @ np.linalg.inv(curvature)
    bias = k / 4 * (often - seldom) ** 2 / 3 * (apart[0] - apart[2]) ** 2
    total = found.covariance[0, 0] + found.covariance[2, 2] - 2 * found.covariance[0, 2]
    luck = sum(
        (number / 4 * share**2 * (apart[one - 1] - apart[other - 1]) ** 2)
        for number, share, (one, other) in zip(n, counted / n * n.sum() / counted.sum(), PAIRS, strict=True)
    )
    assert bias < total < bias + 1.2 * luck


def test_few_blocks_show_nothing() -> None:
    """Of 16 matches between equals, the variance is 4; a pair with fewer is not asked."""
    assert fitted(in_a_circle(8, 8, 8)).misfit != UNKNOWN
    assert fitted(in_a_circle(4, 4, 4)).misfit == UNKNOWN
    assert fitted([*duels([2, 2, 2], bots=(1, 2)), *duels([2, 2, 2], bots=(2, 3))]).misfit == UNKNOWN
    assert fitted(duels([2, 1] * 50)).misfit.found == 0, "two bots are always in order"


# Simulated fields; `python -m benchmarks.fields` has more of them, and more runs.


@pytest.mark.short(1)
@pytest.mark.parametrize("share", [0.6, 0.65])
def test_sure_does_not_separate_equal_bots_that_beat_each_other(share: float) -> None:
    """If it were wrong in 5 % of ladders, more than 3 of 10 would be wrong in 1 of 1,000 such tests."""
    field = Field("", {DUEL: circle(3, share)}, matches=1000)
    found = [ladder(field, Method.EACH_KIND, seed) for seed in range(10)]
    assert sum(each.wrong for each in found) <= 3
    # Of 30 intervals that hold the truth in 95 % of cases, fewer than 25 do in 1 of 300 such tests.
    assert sum(each.covered for each in found) * field.bots >= 25 - 1e-9


@pytest.mark.long
def test_the_fit_of_before_separated_them() -> None:
    field = Field("", {DUEL: circle(3, 0.65)}, matches=3000)
    found = [ladder(field, Method.EACH_MATCH, seed) for seed in range(10)]
    assert sum(each.wrong for each in found) > 3


@pytest.mark.parametrize("field", [Field("", {DUEL: steps(50)}, 600), Field("", {DUEL: circle(6, 0.6)}, 600)])
def test_a_round_robin_is_right(field: Field) -> None:
    """Bounds as above: at most 4 of 20 are wrong, and 107 of 120 intervals hold the truth."""
    runs = [played(field, RoundRobin(seed.to_bytes(4), times=None), seed) for seed in range(20)]
    found = [(fit(gather(results)), truth) for results, truth in runs]
    assert sum(misranked(*each).any() for each in found) <= 4
    assert sum(covered(*each) * field.bots for each in found) >= 107


@pytest.mark.parametrize("gap", [50, 200, 400])
def test_an_order_is_hardly_ever_called_a_circle(gap: float) -> None:
    """At 5 %, more than 6 of 40 are called so in 1 of 300 such tests. With wide gaps, an upset is a rare event."""
    field = Field("", {DUEL: steps(gap)}, 400)
    records = [gather(played(field, RoundRobin(seed.to_bytes(4), times=None), seed)[0]) for seed in range(40)]
    found = [(record, fit(record)) for record in records]
    assert sum(fitted.misfit.low > 0 for _, fitted in found) <= 6
    assert sum(bool(defying(*each)) for each in found) <= 6


def test_who_wins_everything_is_no_circle() -> None:
    """One bot wins all of 100 matches against each of four equal ones. The virtual matches expect it to lose some."""
    even = [each for pair in combinations(range(1, 5), 2) for each in duels([2, 1, 1, 0] * 12, bots=pair)]
    record = gather([*even, *(each for bot in range(1, 5) for each in duels([2] * 50, bots=(0, bot)))])
    found = fit(record)
    assert found.misfit.found == 0
    assert defying(record, found) == []

"""The sequential test, against published results of a chess testing site, hand calculation and brute force."""

from itertools import repeat
from math import exp, log, sqrt

import numpy as np
import pytest

from roost_ladder.rating.sprt import Hypotheses, Sample, Sprt, Verdict, llr_of

TEST = Sprt(alpha=0.05, beta=0.05)
PAIR_RESULTS = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""The mean score of a pair of games, less 1/2."""
FISHTEST = [
    ((-0.25, 1.25), (253, 4282, 17604, 4431, 286), 2.94),
    ((0.25, 1.25), (58, 3302, 33130, 3518, 84), 2.97),
    ((-0.25, 1.25), (491, 7345, 29693, 7670, 465), 2.96),
    ((0.25, 1.25), (53, 2220, 21459, 2445, 47), 2.97),
    ((-1.0, 3.0), (424, 2948, 5832, 3045, 460), 2.94),
    ((0.0, 2.0), (1284, 17437, 55536, 18085, 1292), 2.94),
]
"""Elo bounds, results of pairs and the LLR, as told in Stockfish's pull requests 3209, 3098 and 2493."""


def sample_of(counts: dict[float, int], largest: float = 0.5) -> Sample:
    sample = Sample(largest)
    for difference, count in counts.items():
        for each in repeat(difference, count):
            sample.add(each)
    return sample


def score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400)) - 0.5


@pytest.mark.parametrize(("elo", "pairs", "published"), FISHTEST)
def test_llr_as_published(elo: tuple[float, float], pairs: tuple[int, ...], published: float) -> None:
    """The virtual block and the site's own rounding leave less than the last digit."""
    sample = sample_of(dict(zip(PAIR_RESULTS, pairs, strict=True)))
    assert llr_of(sample, Hypotheses(score(elo[0]), score(elo[1]))) == pytest.approx(published, abs=0.01)


def test_walds_bounds() -> None:
    assert TEST.upper == pytest.approx(log(19))
    assert TEST.lower == pytest.approx(-log(19))
    unequal = Sprt(alpha=0.01, beta=0.2)
    assert exp(unequal.upper) == pytest.approx(80)
    assert exp(unequal.lower) == pytest.approx(20 / 99)


def test_a_verdict_is_given_at_a_bound() -> None:
    verdicts = [TEST.verdict(llr) for llr in (-3, TEST.lower, -2.9, 0, 2.9, TEST.upper, 3)]
    low, high, open_ = Verdict.NOT_STRONGER, Verdict.STRONGER, Verdict.UNDECIDED
    assert verdicts == [low, low, open_, open_, open_, high, high]


def test_llr_of_wins_and_losses_is_the_classic_one() -> None:
    """Blocks that are won or lost as a whole: the likelihoods of a coin. The virtual block is half a win, half a loss.

    With a chance of 0.6 against 0.5: 37 * log(0.6 / 0.5) + 23 * log(0.4 / 0.5), and one half of each.
    """
    sample = sample_of({0.5: 37, -0.5: 23})
    by_hand = 37.5 * log(1.2) + 23.5 * log(0.8)
    assert llr_of(sample, Hypotheses(0.0, 0.1)) == pytest.approx(by_hand, abs=1e-9)


def test_llr_of_three_results_by_brute_force() -> None:
    """The best distribution with a mean is found by trying: one number is free if three results have a given mean."""
    counts = np.array([12.5, 30.0, 20.5])

    def best(mean: float) -> float:
        lost = np.linspace(1e-6, 0.6, 600_001)
        won = lost + 2 * mean
        tied = 1 - won - lost
        possible = (won > 0) & (tied > 0)
        tried = counts @ np.log(np.array([lost, tied, won])[:, possible])
        return float(tried.max())

    sample = sample_of({-0.5: 12, 0.0: 30, 0.5: 20})
    assert llr_of(sample, Hypotheses(0.0, 0.08)) == pytest.approx(best(0.08) - best(0.0), abs=1e-6)


def test_llr_of_many_blocks_is_nearly_that_of_normal_ones() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(0.01, 0.1, 4000).clip(-0.5, 0.5)
    sample = Sample(0.5)
    for difference in differences.tolist():
        sample.add(difference)
    low, high = 0.0, 0.012
    normal = 4000 * (high - low) * (differences.mean() - (low + high) / 2) / differences.var()
    assert llr_of(sample, Hypotheses(low, high)) == pytest.approx(normal, rel=0.03)


def test_nothing_is_known_before_the_first_block() -> None:
    assert llr_of(Sample(0.5), Hypotheses(0.0, 0.1)) == pytest.approx(0, abs=0.03)
    assert TEST.estimate(Sample(0.5), Hypotheses(0.0, 0.1)) == (-0.5, 0.0, 0.5)


def test_the_llr_does_not_depend_on_the_order() -> None:
    sample, reverse = Sample(0.5), Sample(0.5)
    differences = [1 / 3 + 1 / 6 - 1 / 2, 0.25, -1 / 3, 1 / 12, 0.1 + 0.2, 0.3]
    for forward, backward in zip(differences, reversed(differences), strict=True):
        sample.add(forward)
        reverse.add(backward)
    means = Hypotheses(0.0, 0.03)
    assert llr_of(sample, means) == pytest.approx(llr_of(reverse, means), abs=1e-12)
    assert sample.counts == reverse.counts


def blocks_until_sure(difference: float, means: Hypotheses) -> int:
    sample = Sample(0.5)
    while TEST.verdict(llr_of(sample, means)) is Verdict.UNDECIDED:
        sample.add(difference)
    return sample.blocks


def test_ties_alone_are_sure_only_when_a_rare_difference_would_have_shown() -> None:
    """Bots may differ in few blocks, and then fully. For a mean of m these are 2m of all blocks, so n ties have the
    chance (1 - 2m)^n; the test must not believe in the low mean before that is 1/19."""
    means = Hypotheses(0.0, score(20))
    assert blocks_until_sure(0.0, means) >= log(19) / -log(1 - 2 * means.high)


def test_wins_alone_are_sure_no_sooner_than_with_a_coin() -> None:
    """Each block that is won has the likelihood ratio (1/2 + m) / (1/2)."""
    means = Hypotheses(0.0, score(100))
    assert blocks_until_sure(0.5, means) >= log(19) / log(1 + 2 * means.high)
    assert blocks_until_sure(0.5, means) < 1.3 * log(19) / log(1 + 2 * means.high)


def test_a_constant_small_lead_is_not_believed_at_once() -> None:
    """Without any observed variance, three blocks would be enough for a careless test."""
    assert blocks_until_sure(0.25, Hypotheses(0.0, score(20))) > 20


def test_an_estimate_far_from_the_bounds_is_the_plain_one() -> None:
    """With hypotheses so close that the test is nowhere near its end, nothing has been chosen by looking."""
    sample = sample_of({-0.25: 30, 0.0: 40, 0.25: 40})
    means = Hypotheses(0.0, 0.001)
    error = 1.96 * sqrt(sample.variance(sample.mean) / sample.blocks)
    low, middle, high = TEST.estimate(sample, means)
    assert middle == pytest.approx(sample.mean, abs=1e-4)
    assert low == pytest.approx(sample.mean - error, abs=1e-4)
    assert high == pytest.approx(sample.mean + error, abs=1e-4)


def test_an_estimate_at_a_bound_is_less_than_the_mean() -> None:
    """Luck helped to get there."""
    sample = sample_of(dict(zip(PAIR_RESULTS, FISHTEST[4][1], strict=True)))
    low, middle, high = TEST.estimate(sample, Hypotheses(score(-1), score(3)))
    assert low < middle < sample.mean < high


def test_estimates_are_mirror_images() -> None:
    one = TEST.estimate(sample_of({-0.5: 40, 0.0: 100, 0.5: 75}), Hypotheses(0.0, 0.06))
    other = TEST.estimate(sample_of({0.5: 40, 0.0: 100, -0.5: 75}), Hypotheses(-0.06, 0.0))
    assert [-value for value in reversed(other)] == pytest.approx(list(one), abs=1e-9)

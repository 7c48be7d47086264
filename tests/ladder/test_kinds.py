"""Kinds of tables: each counts for every pair as it counts for all, however they were mixed."""

import numpy as np
import pytest

from benchmarks.simulations.fields import FIELDS, ladder
from roost_ladder.rating.fit import Fit, Method, fit
from roost_ladder.rating.results import Kind, MatchResult, gather
from tests.support.records.results import duels

HERE, THERE = Kind("duel", 2), Kind("other", 2)


def played(pair: tuple[int, int], here: int, there: int, strong: bool = False) -> list[MatchResult]:
    """Blocks of two matches of two games. A strong first bot wins five of eight here, and three of eight there."""
    of_four = ([2, 1, 1, 1], [0, 1, 1, 1]) if strong else ([1] * 4, [1] * 4)
    at_home = duels(of_four[0] * (here // 4), bots=pair)
    away = duels(of_four[1] * (there // 4), bots=pair)
    return [*at_home, *(each._replace(game="other", block_id=f"other {each.block_id}") for each in away)]


def fitted(results: list[MatchResult], method: Method = Method.EACH_KIND) -> Fit:
    return fit(gather(results), method=method)


UNEVEN = [*played((1, 2), 400, 40, strong=True), *played((2, 3), 40, 400), *played((1, 3), 220, 220)]
"""Both games have had as much play, but bot 1 has met bot 2 nearly always where it is strong."""


def test_an_unreleased_fit_is_worked_out_as_it_was() -> None:
    """What the version before printed of results like these, with a newcomer."""
    found = fitted([*UNEVEN, *played((1, 4), 8, 0)], Method.EACH_OPPONENT)
    then = [0.10278347304210747, -0.1710678974876004, -0.034121568509341914, 0.10216588471758802]
    np.testing.assert_allclose(found.strengths, then, atol=1e-9)
    errors = [1.0058513748495381, 1.0106482914555113, 1.010457553013698, 1.0272265433660248]
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), errors, atol=1e-9)


def test_kinds_count_for_a_pair_as_they_count_for_all() -> None:
    """Against bot 2, bot 1 wins half of the matches if both games count the same. The previous fit follows the mix."""
    before, now = (np.ptp(fitted(UNEVEN, method).strengths) for method in (Method.EACH_MATCH, Method.EACH_KIND))
    # A share of 1/2 + 1/8 * 360/440 is log(0.602/0.398) = 0.41; beside a third bot, two thirds of it.
    assert before == pytest.approx(0.41 * 2 / 3, rel=0.05)
    assert now < before / 2


def test_what_a_match_counts_for_by_hand() -> None:
    """Both kinds are meant to count 1. A pair with n matches at a kind counts there for n / (1 + k n), scaled."""
    shares = fitted(UNEVEN).shares
    often, seldom, between = shares[HERE][0, 1], shares[THERE][0, 1], shares[HERE][0, 2]
    # 800, 80 and 440 matches: 1 / share is proportional to 1 + k n, so the ratios give the same k twice.
    k = (seldom / often - 1) / (800 - 80 * seldom / often)
    assert between / often == pytest.approx((1 + 800 * k) / (1 + 440 * k))
    assert shares[HERE] @ np.ones(3) == pytest.approx((shares[THERE] @ np.ones(3))[[2, 1, 0]])
    counted = 2 * (800 * often + 80 * seldom + 440 * between)
    assert counted == pytest.approx(2 * (800 + 80 + 440)), "1 on average over all matches"


def test_a_kind_with_little_play_is_meant_to_count_little() -> None:
    """A round robin at each of two kinds: all matches count the same, though one kind has had ten times as much."""
    results = [
        each
        for pair, strong in (((1, 2), True), ((2, 3), True), ((1, 3), False))
        for each in played(pair, 400, 40, strong=strong)
    ]
    found = fitted(results)
    for shares in found.shares.values():
        np.testing.assert_allclose(shares[np.triu_indices(3, 1)], 1)
    np.testing.assert_allclose(found.strengths, fitted(results, Method.EACH_MATCH).strengths, atol=1e-7)


def test_one_order_at_all_kinds_changes_nothing() -> None:
    results = [*played((1, 2), 400, 40), *played((2, 3), 40, 400), *played((1, 3), 220, 220)]
    assert fitted(results).shares == {}


@pytest.mark.long
@pytest.mark.parametrize("name", ["specialists by game", "specialists by size"])
def test_intervals_of_specialists_hold_the_truth(name: str) -> None:
    """If each of 20 runs of six bots had one interval in 20 wrong, more than 14 of 120 would be in 1 of 500 tests."""
    (field,) = [each for each in FIELDS if each.name == name]
    found = [ladder(field._replace(matches=1500), Method.EACH_KIND, seed) for seed in range(20)]
    assert sum(each.covered for each in found) * field.bots >= 106 - 1e-9
    assert sum(each.wrong for each in found) <= 4

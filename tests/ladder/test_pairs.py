"""Pairs of bots: shares and intervals by hand, their coverage by simulation, and pairs that defy the ratings."""

import numpy as np
import pytest

from roost_ladder.rating.estimates import student_t
from roost_ladder.rating.fit import fit
from roost_ladder.rating.pairs import PairRecord, defying_line, pairs, share_of_blocks
from roost_ladder.rating.results import MatchResult, gather
from tests.support.ladders.worlds import World, ladder
from tests.support.records.results import DUEL, TRIO, duels


def cross_table(results: list[MatchResult]) -> dict[tuple[int, int], PairRecord]:
    record = gather(results)
    return {(pair.bot, pair.opponent): pair for pair in pairs(record, fit(record))}


def test_pairs_are_counted_at_tables_of_all_sizes() -> None:
    found = cross_table(TRIO + DUEL)
    assert sorted(found) == [(3, 5), (3, 7), (5, 7)]
    # Bots 3 and 7: a defeat and a tie in the duel, three defeats in the trio.
    assert found[3, 7][2:5] == (5, 2, 0.5 / 5)
    # Bots 5 and 7 in the trio: 5 was ahead twice, 7 once.
    assert found[5, 7][2:5] == (3, 1, 2 / 3)


def test_what_is_expected_is_what_the_ratings_say() -> None:
    """Of two bots, the virtual draws pull three wins of four towards a half; they meet nobody else."""
    record = gather(duels([2, 1]))
    fitted = fit(record)
    (pair,) = pairs(record, fitted)
    assert pair.expected == pytest.approx(1 / (1 + np.exp(fitted.strengths[1] - fitted.strengths[0])))
    assert 0.5 < pair.expected < 0.75


def wilson(share: float, matches: float, quantile: float) -> tuple[float, float]:
    spread = quantile**2 / matches
    centre = (share + spread / 2) / (1 + spread)
    half = (spread * (share * (1 - share) + spread / 4)) ** 0.5 / (1 + spread)
    return centre - half, centre + half


def test_blocks_that_scatter_like_independent_matches_have_wilsons_interval() -> None:
    """Of 400 blocks of two matches a quarter is won, half is split, a quarter is lost, as of coins."""
    (pair,) = cross_table(duels([2] * 100 + [1] * 200 + [0] * 100)).values()
    assert (pair.low, pair.high) == pytest.approx(wilson(0.5, 800, 1.966), abs=1e-4)


def test_blocks_that_are_won_or_lost_as_a_whole_count_once() -> None:
    (pair,) = cross_table(duels([2] * 200 + [0] * 200)).values()
    assert (pair.low, pair.high) == pytest.approx(wilson(0.5, 400, 1.966), abs=1e-3)


def test_duplicate_deals_tell_more() -> None:
    (pair,) = cross_table(duels([1] * 400)).values()
    assert pair.high - pair.low < 0.01


def test_one_block_tells_nearly_nothing() -> None:
    (pair,) = cross_table(duels([2])).values()
    assert pair.low < 0.03
    assert pair.high == pytest.approx(1)
    assert student_t(1) > 12


@pytest.mark.short(2)
@pytest.mark.parametrize("together", [0.0, 0.3])
@pytest.mark.parametrize("chance", [0.5, 0.8, 0.95])
def test_intervals_hold_the_truth(chance: float, together: float) -> None:
    """40 blocks of two matches; `together` is how often the second match is the first one over again."""
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        first, second = rng.random((2, 40)) < chance
        second = np.where(rng.random(40) < together, first, second)
        (pair,) = cross_table(duels((first.astype(int) + second).tolist())).values()
        covered += pair.low <= chance <= pair.high
    assert covered > 0.92 * 400


def test_a_pair_that_defies_the_ratings_is_named() -> None:
    """Bot 3 beats 1 and loses to 2, although 1 beats 2: stone, paper, scissors. Bot 4 loses to everybody."""
    results = [
        *duels([2] * 30, bots=(1, 2)),
        *duels([2] * 30, bots=(3, 1)),
        *duels([2] * 30, bots=(2, 3)),
        *(match for bot in (1, 2, 3) for match in duels([2, 1] * 15, bots=(bot, 4))),
    ]
    defying = {pair for pair, each in cross_table(results).items() if each.defies}
    assert defying == {(1, 2), (1, 3), (2, 3)}


def test_bots_that_follow_the_ratings_defy_nothing() -> None:
    world = World((1.0, 0.5, 0.2, 0.0, -0.4, -1.0), luck=0.4)
    named = 0
    for seed in range(40):
        results = ladder(world, np.random.default_rng(seed), {2: 20, 3: 20})
        named += any(pair.defies for pair in cross_table(results).values())
    assert named <= 5


def test_the_interval_of_shares_by_block_is_that_of_the_pair() -> None:
    """Two bots, three blocks of two matches: one bot wins both, one each, and one and a tie."""
    places = [[(1, 2), (1, 2)], [(1, 2), (2, 1)], [(1, 2), (1, 1)]]
    results = [
        MatchResult(f"b{block}", "karteneck", (3, 7), of_match)
        for block, of_block in enumerate(places)
        for of_match in of_block
    ]
    pair = cross_table(results)[3, 7]
    found = share_of_blocks([[1.0, 1.0], [1.0, 0.0], [1.0, 0.5]])
    assert found == pytest.approx((4.5 / 6, pair.low, pair.high))


def test_it_is_said_which_pairs_defy_the_ladder() -> None:
    found = [PairRecord(1, each, 200, 100, 0.75, 0.7, 0.8, 0.606, True) for each in (2, 3, 4, 5)]
    names = {1: "ann", 2: "bob", 3: "carl", 4: "dora", 5: "emil"}
    assert defying_line([], names) == ""
    assert defying_line(found[:1], names) == "ann defies the ladder against bob: ahead in 75 % instead of 61 %"
    assert defying_line(found, names).endswith("against dora: ahead in 75 % instead of 61 %; and 1 more pair")


def test_a_pair_as_the_opponent_sees_it() -> None:
    pair = PairRecord(1, 2, 200, 100, 0.75, 0.7, 0.8, 0.6, True)
    assert pair.turned() == pytest.approx(PairRecord(2, 1, 200, 100, 0.25, 0.2, 0.3, 0.4, True))

"""Standings against hand calculation. Where an equation has no closed solution, bisection finds it."""

from collections.abc import Callable
from itertools import permutations
from math import exp, factorial, log, log10, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.errors import UsageError
from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import MatchResult, ResultSums, gather
from roost_ladder.rating.standings import PlacesAt, Standing, standings, standings_of
from tests.support.records.results import duels

ELO = 400 / log(10)


def chance(strength: float) -> float:
    return 1 / (1 + exp(-strength))


def root(falling: Callable[[float], float], low: float = -20, high: float = 20) -> float:
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return low


def by_bot(table: list[Standing]) -> dict[int, Standing]:
    return {standing.bot: standing for standing in table}


def gap(results: list[MatchResult]) -> float:
    """By how many points bot 1 is rated above bot 2."""
    table = by_bot(standings(results))
    return table[1].rating - table[2].rating


def virtual_gap(wins: float, matches: float) -> float:
    """The same by hand, for two bots that only played each other.

    Their strengths are d / 2 and -d / 2, and bot 1's slope is 0: wins less expected wins, and the virtual draw.
    """
    return ELO * root(lambda d: wins - matches * chance(d) + 0.5 - chance(d / 2))


def test_three_wins_of_four() -> None:
    assert gap(duels([2, 1])) == pytest.approx(virtual_gap(3, 4))
    assert 164 < virtual_gap(3, 4) < 166, "the virtual draws take 26 points off 191"


def test_without_the_virtual_matches_it_is_the_elo_formula() -> None:
    record = gather(duels([2, 1]))
    tables = record.tables[0]
    million = tables._replace(matches=tables.matches * 1e6, ahead=tables.ahead * 1e6)
    strengths = fit(record._replace(tables=(million,))).strengths
    assert ELO * (strengths[0] - strengths[1]) == pytest.approx(400 * log10(3), abs=1e-3)


@settings(deadline=None)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=12))
def test_two_bots(wins: list[int]) -> None:
    assert gap(duels(wins)) == pytest.approx(virtual_gap(sum(wins), 2 * len(wins)), abs=1e-6)


def test_the_mean_is_1500() -> None:
    table = standings(duels([2, 2, 1]))
    assert [standing.bot for standing in table] == [1, 2]
    assert sum(standing.rating for standing in table) == pytest.approx(3000)


def test_a_tie_is_half_a_win() -> None:
    tied = [MatchResult("b", "duel", (1, 2), (1, 1)), MatchResult("b", "duel", (2, 1), (1, 1))]
    assert gap(tied) == pytest.approx(0, abs=1e-9)
    assert gap([*tied, *duels([1], matches=1)]) == pytest.approx(virtual_gap(2, 3))


def test_interval_of_two_bots_by_hand() -> None:
    """Everything in terms of the difference d. Three blocks won 2:0, 2:0 and 1:1."""
    d = root(lambda d: 5 - 6 * chance(d) + 0.5 - chance(d / 2))
    p, v = chance(d), chance(d / 2)
    information = 6 * p * (1 - p) + v * (1 - v) / 2
    observed = 2 * (2 - 2 * p) ** 2 + (1 - 2 * p) ** 2
    one_more_block = 2 * p * (1 - p)
    virtual = ((0.5 - v) ** 2 + 0.25) / 2
    error = ELO * sqrt(observed + one_more_block + virtual) / information
    t_with_4_degrees = 2.776
    for standing in standings(duels([2, 2, 1])):
        assert standing.high - standing.rating == pytest.approx(standing.rating - standing.low)
        assert standing.high - standing.rating == pytest.approx(t_with_4_degrees * error / 2, rel=0.006)


def test_one_match_of_three_by_hand() -> None:
    """First, second, third: by symmetry the strengths are x, 0 and -x. Each pair weighs 3 / 4."""
    x = root(lambda x: 3 / 4 * ((1 - chance(x)) + (1 - chance(2 * x))) + 0.5 - chance(x))
    table = standings([MatchResult("b", "trio", (1, 2, 3), (1, 2, 3))])
    assert [standing.rating for standing in table] == pytest.approx([1500 + ELO * x, 1500, 1500 - ELO * x])


def test_a_tie_behind_the_winner_by_hand() -> None:
    """The winner's slope gives its strength from the difference d, a loser's slope gives the losers'."""
    table = by_bot(standings([MatchResult("b", "trio", (1, 2, 3), (1, 2, 2))]))
    assert table[2].rating == pytest.approx(table[3].rating)
    d = (table[1].rating - table[2].rating) / ELO
    lost = 3 / 4 * (1 - chance(d))
    winner, loser = (log(odds / (1 - odds)) for odds in (0.5 + 2 * lost, 0.5 - lost))
    assert d == pytest.approx(winner - loser)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_match_counts_for_what_it_tells(players: int) -> None:
    """Every ranking once: the observed variance must be the one that the weighted likelihood claims.

    A pair's curvature is 1 / 4, so over all blocks the curvature for a difference is h = players * w * blocks / 4. It
    equals the observed noise if the weight w is right; the virtual matches add 1 / 4 to both.
    """
    orders = [
        MatchResult(f"{places}", "g", tuple(range(players)), places) for places in permutations(range(1, players + 1))
    ]
    blocks = factorial(players)
    h = players * 3 / (players + 1) * blocks / 4
    covariance = fit(gather(orders)).covariance
    difference = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert difference == pytest.approx(2 * (h + h / blocks + 1 / 4) / (h + 1 / 4) ** 2)


def test_a_bot_that_won_everything_is_finite_and_wide() -> None:
    champion, loser = standings(duels([2] * 10))
    assert champion.rating - loser.rating == pytest.approx(virtual_gap(20, 20))
    assert 600 < champion.rating - loser.rating < 800
    assert champion.high - champion.low > 400
    # 20 of 20 leave it open, at 97.5 %, that the chance to win is only 0.025 ** (1 / 20), which is 277 points.
    half_of_difference = champion.high - champion.rating
    assert champion.rating - loser.rating - 2 * half_of_difference < 400 * log10(1 / (0.025 ** (-1 / 20) - 1))


def test_one_block_says_little() -> None:
    for wins in (0, 1, 2):
        table = standings(duels([wins]))
        assert all(standing.high - standing.low > 800 for standing in table)
        assert all((standing.best_rank, standing.worst_rank) == (1, 2) for standing in table)


def test_a_newcomer_is_wide_among_veterans() -> None:
    """One block, split evenly, shows no variance; that the others have played a lot does not make it sure."""
    table = by_bot(standings(duels([2, 1] * 100) + duels([1], bots=(1, 3))))
    assert table[3].high - table[3].low > 800


def test_blocks_that_are_always_split_make_sure_of_equality() -> None:
    """Bots that swap wins with the seats show no variance at all, but two such blocks are no proof."""
    few, many = (standings(duels([1] * blocks))[0] for blocks in (2, 200))
    assert few.rating == many.rating == pytest.approx(1500)
    assert few.high - few.low > 300
    assert many.high - many.low < 5


def test_equal_bots_are_rated_equal() -> None:
    ring = [MatchResult(f"{a}{b}", "duel", (a, b), (1, 1)) for a in range(5) for b in range(a)]
    table = standings(ring)
    assert [standing.rating for standing in table] == pytest.approx([1500] * 5)
    assert [standing.bot for standing in table] == [0, 1, 2, 3, 4]
    assert len({standing.low for standing in table}) <= 2
    assert all((standing.best_rank, standing.worst_rank) == (1, 5) for standing in table)


def test_groups_that_never_met() -> None:
    """Within a group the order is sure; between the groups nothing is."""
    results = duels([2, 1, 2, 2, 1] * 20) + duels([2, 1, 2, 2, 1] * 20, bots=(3, 4))
    table = by_bot(standings(results))
    assert {bot: (row.best_rank, row.worst_rank) for bot, row in table.items()} == {
        1: (1, 3),
        2: (2, 4),
        3: (1, 3),
        4: (2, 4),
    }
    assert table[1].rating == pytest.approx(table[3].rating)
    assert table[1].high - table[1].low > 500
    covariance = fit(gather(results)).covariance
    within, between = (ELO * sqrt(covariance[0, 0] + covariance[j, j] - 2 * covariance[0, j]) for j in (1, 2))
    assert within < 50
    assert between > 250


def test_anchoring_moves_all_ratings_alike() -> None:
    results = duels([2, 2, 1, 2]) + duels([2, 1, 1, 2], bots=(2, 3))
    free, anchored = by_bot(standings(results)), by_bot(standings(results, anchor=3))
    assert anchored[3][:4] == (3, 1500, 1500, 1500)
    shift = 1500 - free[3].rating
    assert [anchored[bot].rating for bot in (1, 2)] == pytest.approx([free[bot].rating + shift for bot in (1, 2)])
    assert [anchored[bot][4:] for bot in (1, 2, 3)] == [free[bot][4:] for bot in (1, 2, 3)]


def test_the_interval_from_an_anchor_is_that_of_the_difference() -> None:
    results = duels([2, 2, 1])
    free, anchored = standings(results)[0], standings(results, anchor=2)[0]
    assert anchored.high - anchored.low == pytest.approx(2 * (free.high - free.low))


def test_an_anchor_has_to_have_played() -> None:
    with pytest.raises(UsageError, match="bot 9 has not played"):
        standings(duels([2]), anchor=9)
    with pytest.raises(UsageError, match="bot 9 has not played"):
        standings([], anchor=9)


def test_nobody_has_played() -> None:
    assert standings([]) == []


def test_the_record_of_a_bot() -> None:
    trio = [
        MatchResult("t", "trio", (1, 2, 3), (1, 1, 3)),
        MatchResult("t", "trio", (2, 3, 1), (1, 2, 3)),
        MatchResult("t", "trio", (3, 1, 2), (2, 3, 1)),
    ]
    table = by_bot(standings(duels([2, 0, 1]) + trio))
    first, third = table[1], table[3]
    assert (first.matches, first.blocks, first.wins) == (9, 4, 4)
    assert first.places == (PlacesAt(2, 6, 1.5), PlacesAt(3, 3, 7 / 3))
    assert (third.matches, third.blocks, third.wins) == (3, 1, 0)
    assert third.places == (PlacesAt(3, 3, 7 / 3),)


def test_the_order_of_matches_and_seats_changes_nothing() -> None:
    random = Random(3)
    results = [
        MatchResult(f"{block}", "g", tuple(random.sample(range(6), size)), tuple(random.choices(range(1, 4), k=size)))
        for block in range(60)
        for size in [2 + block % 3]
    ]
    results += [result._replace(places=result.places[::-1]) for result in results]
    mixed = [swap_seats(result) if random.random() < 0.5 else result for result in results]
    random.shuffle(mixed)
    assert standings(mixed) == standings(results)


def swap_seats(result: MatchResult) -> MatchResult:
    return result._replace(bots=result.bots[::-1], places=result.places[::-1])


def test_numbers_and_names_of_bots_and_blocks_do_not_matter() -> None:
    results = duels([2, 2, 1]) + duels([1, 2, 0], bots=(2, 3))
    renamed = [
        result._replace(block_id=result.block_id[::-1], bots=tuple(10**12 - bot for bot in result.bots))
        for result in results
    ]
    for one, other in zip(standings(results), standings(renamed), strict=True):
        assert other.bot == 10**12 - one.bot
        assert other[1:4] == pytest.approx(one[1:4])
        assert other[4:-2] == one[4:-2]
        assert other.above_next == pytest.approx(one.above_next)


def test_lopsided_results_converge() -> None:
    """Newton's method alone runs away from these."""
    won = {
        (0, 3): 2,
        (3, 0): 127544,
        (1, 0): 294,
        (1, 3): 280,
        (3, 1): 4703,
        (2, 1): 720003,
        (2, 3): 58,
        (3, 2): 524749,
    }
    pairs = sorted({(min(pair), max(pair)) for pair in won})
    ahead = [[[0, won.get((i, j), 0)], [won.get((j, i), 0), 0]] for i, j in pairs]
    tables = (
        gather(duels([1], bots=(0, 1)))
        .tables[0]
        ._replace(
            groups=np.array(pairs),
            matches=np.sum(ahead, axis=(1, 2)).astype(float),
            ahead=np.array(ahead, float),
            wins=np.zeros((len(pairs), 2)),
            place_sums=np.zeros((len(pairs), 2)),
        )
    )
    strengths = fit(ResultSums(np.arange(4), (tables,))).strengths.tolist()
    for bot, strength in enumerate(strengths):
        slope = 0.5 - chance(strength)
        for (winner, loser), matches in won.items():
            if bot in (winner, loser):
                upset = matches * (1 - chance(strengths[winner] - strengths[loser]))
                slope += upset if bot == winner else -upset
        assert slope == pytest.approx(0, abs=1e-6)


def test_seven_players() -> None:
    """Everybody finishes in the same place in all rotations. Each pair weighs 3 / 8, and all slopes are 0."""
    order = tuple(range(7))
    results = [MatchResult("b", "g", order[r:] + order[:r], tuple(b + 1 for b in order[r:] + order[:r])) for r in order]
    table = standings(results)
    assert [standing.bot for standing in table] == list(order)
    strengths = np.array([(standing.rating - 1500) / ELO for standing in table])
    slopes = [
        3 / 8 * 7 * sum((i < j) - chance(strengths[i] - strengths[j]) for j in order if j != i) + 0.5 - chance(s)
        for i, s in enumerate(strengths)
    ]
    assert slopes == pytest.approx([0] * 7, abs=1e-9)


def test_the_order_of_equal_bots_does_not_depend_on_how_a_machine_rounds() -> None:
    record = gather([MatchResult("a", "karteneck", (1, 2), (1, 2)), MatchResult("b", "karteneck", (1, 2), (2, 1))])
    fitted = fit(record)
    for noise in (-1e-13, 1e-13):
        otherwise = fitted._replace(strengths=fitted.strengths + np.array([0.0, noise]))
        assert [standing.bot for standing in standings_of(record, otherwise)] == [1, 2]

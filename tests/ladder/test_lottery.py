"""The mix that nothing beats, worked out by hand, and the ranking by the score against it."""

from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest

from roost_ladder.rating.fit import fit
from roost_ladder.rating.lottery import LotteryScore, clone_proof, lottery_line, lottery_scores
from roost_ladder.rating.results import Floats, MatchResult, gather
from roost_ladder.rating.standings import standings
from tests.support.records.results import duels

ROCK_PAPER_SCISSORS = ((0.5, 0.3, 0.7), (0.7, 0.5, 0.3), (0.3, 0.7, 0.5))
WEAK = (0.4, 0.35, 0.3)
"""How often a fourth bot is ahead of rock, of paper and of scissors."""


def scores(*rows: tuple[float, ...]) -> list[float]:
    return list(lottery_scores(np.array(rows)))


def four() -> Floats:
    """Rock, paper, scissors and the weak bot."""
    return np.block([[np.array(ROCK_PAPER_SCISSORS), 1 - np.array([WEAK]).T], [np.array([[*WEAK, 0.5]])]])


def test_a_bot_that_beats_all_others_is_the_mix() -> None:
    assert scores((0.5, 0.6, 0.9), (0.4, 0.5, 0.8), (0.1, 0.2, 0.5)) == pytest.approx([0.5, 0.4, 0.1])


def test_rock_paper_and_scissors_are_a_third_each() -> None:
    assert scores(*ROCK_PAPER_SCISSORS) == pytest.approx([0.5] * 3)
    # (0.40 + 0.35 + 0.30) / 3
    assert np.asarray(lottery_scores(four())).tolist() == pytest.approx([0.5, 0.5, 0.5, 0.35])


def test_in_an_uneven_circle_each_has_the_margin_of_the_other_two() -> None:
    """The first beats the second by 80 to 20, this one the third by 60 to 40, and the third the first by 70 to 30.

    The margins are 60, 20 and 40, so the mix has 20, 40 and 60 parts in 120 of the three. A bot that is ahead of them
    in 90, 10 and 10 % of matches scores (20 * 0.9 + 40 * 0.1 + 60 * 0.1) / 120.
    """
    fourth = (0.9, 0.1, 0.1)
    rows = [(0.5, 0.8, 0.3), (0.2, 0.5, 0.6), (0.7, 0.4, 0.5)]
    found = scores(*((*row, 1 - against) for row, against in zip(rows, fourth, strict=True)), (*fourth, 0.5))
    assert found == pytest.approx([0.5, 0.5, 0.5, 28 / 120])


def test_where_several_mixes_are_unbeaten_the_middle_counts() -> None:
    """The first two are even, and each alone is unbeaten: the third scores 10 % against the one, 40 % to the other."""
    assert scores((0.5, 0.5, 0.9), (0.5, 0.5, 0.6), (0.1, 0.4, 0.5)) == pytest.approx([0.5, 0.5, 0.25])


def test_a_bot_that_loses_to_a_part_of_the_mixes_is_not_in_any() -> None:
    """The third is unbeaten alone, or with up to four fifths of the second; the first loses to the third, 90 to 10.

    Against the two ends the first scores 10 % and 0.8 * 60 + 0.2 * 10 = 50 %.
    """
    assert scores((0.5, 0.6, 0.1), (0.4, 0.5, 0.5), (0.9, 0.5, 0.5)) == pytest.approx([0.3, 0.5, 0.5])


def test_if_all_are_even_all_score_a_half() -> None:
    assert scores(*[(0.5,) * 4] * 4) == pytest.approx([0.5] * 4)
    assert scores((0.5,)) == pytest.approx([0.5])


@pytest.mark.parametrize("copied", [0, 1, 2, 3])
def test_ten_copies_of_a_bot_move_nobody(copied: int) -> None:
    of = [0, 1, 2, 3, *[copied] * 10]
    np.testing.assert_allclose(lottery_scores(four()[np.ix_(of, of)]), lottery_scores(four())[of], atol=1e-12)


def test_copies_move_nobody_where_several_mixes_are_unbeaten() -> None:
    even = np.array([[0.5, 0.5, 0.9], [0.5, 0.5, 0.6], [0.1, 0.4, 0.5]])
    of = [0, 1, 2, *[0] * 10]
    np.testing.assert_allclose(lottery_scores(even[np.ix_(of, of)]), lottery_scores(even)[of], atol=1e-12)


def test_nothing_beats_the_mix_of_any_field() -> None:
    rng = np.random.default_rng(1)
    for bots in (2, 3, 7, 12, 20):
        above = np.triu(rng.uniform(-0.5, 0.5, (bots, bots)), 1)
        found = lottery_scores(0.5 + above - above.T)
        assert found.max() == pytest.approx(0.5)


def circle(won: int, split: int) -> list[MatchResult]:
    """Each of 1, 2 and 3 beats the next: blocks of two matches, won as a whole or split."""
    return [each for pair in ((1, 2), (2, 3), (3, 1)) for each in duels([2] * won + [1] * split, bots=pair)]


def against_weak(*wins: int) -> list[MatchResult]:
    """What each of 1, 2 and 3 does to 4 in 20 blocks."""
    return [each for bot, won in enumerate(wins, 1) for each in duels([2] * won + [1] * (20 - won), bots=(bot, 4))]


def ranked(results: list[MatchResult]) -> dict[int, LotteryScore]:
    record = gather(results)
    return {each.bot: each for each in clone_proof(record, fit(record))}


def test_a_played_circle_shares_the_first_ranks() -> None:
    found = ranked([*circle(16, 24), *against_weak(16, 16, 16)])
    assert [found[bot].score for bot in (1, 2, 3)] == pytest.approx([0.5] * 3)
    # 10 % of matches against each; the matches that the strengths add move it towards the middle.
    assert found[4].low < 0.1 < found[4].high
    assert [(found[bot].best_rank, found[bot].worst_rank) for bot in (1, 2, 3, 4)] == [(1, 3)] * 3 + [(4, 4)]
    assert all(0 <= each.low <= each.score <= each.high <= 0.5 + 1e-9 for each in found.values())


def test_the_same_matches_in_another_order_give_the_same_ranking() -> None:
    results = [*circle(16, 24), *against_weak(12, 8, 4)]
    shuffled = Random(1).sample(results, len(results))
    assert shuffled != results
    assert ranked(shuffled) == ranked(results)


def test_larger_fields_have_no_second_ranking() -> None:
    results = [each for pair in pairwise(range(302)) for each in duels([2], bots=pair)]
    record = gather(results)
    assert clone_proof(record, fit(record)) == []


NAMES = {1: "rock", 2: "paper", 3: "scissors", 4: "weak"}


def test_it_is_said_that_the_rankings_agree() -> None:
    results = [*circle(16, 24), *against_weak(16, 16, 16)]
    said = lottery_line(standings(results), list(ranked(results).values()), NAMES)
    assert said == "the clone-proof ranking agrees: it puts no two bots surely in another order"


def test_two_bots_are_named_whose_order_differs() -> None:
    """Six copies of scissors, as bots 5 to 10: rock beats them, and they beat paper, so rock is rated above paper."""
    copies = [3, *range(5, 11)]
    beaten = [(2, 1), *((1, each) for each in copies), *((each, 2) for each in copies)]
    circles = [each for pair in beaten for each in duels([2] * 16 + [1] * 24, bots=pair)]
    even = [each for pair in combinations(copies, 2) for each in duels([1] * 40, bots=pair)]
    results = [*circles, *even, *against_weak(8, 8, 8)]
    names = {**NAMES, **{bot: f"copy {bot}" for bot in copies[1:]}}
    table, second = standings(results), ranked(results)
    assert table[0].bot == 1
    assert table[0].best_rank == table[0].worst_rank == 1
    assert all(second[bot].best_rank == 1 for bot in (1, 2, *copies))
    said = lottery_line(table, list(second.values()), names)
    points = table[0].rating - next(each.rating for each in table if each.bot == 2)
    assert said.startswith(f"rock is rated {points:.0f} points above paper, but scores 50 % against the mix of bots")


def plays(rng: np.random.Generator, shares: Floats, blocks: int) -> list[MatchResult]:
    """A round robin of independent matches, two in a block."""
    return [
        each
        for one, other in combinations(range(len(shares)), 2)
        for each in duels(rng.binomial(2, shares[one, other], blocks).tolist(), bots=(one, other))
    ]


@pytest.mark.long
def test_intervals_and_ranges_hold_the_truth_with_copies() -> None:
    """40 runs with three copies of scissors. With one wrong in 20, more than 6 are in one case of 300.

    If 95 % of intervals hold the truth, and those of a run are all right or all wrong, fewer than 85 % are as rare.
    """
    of = [0, 1, 2, 3, 2, 2, 2]
    truth, shares = lottery_scores(four())[of], four()[np.ix_(of, of)]
    wrong, held = 0, []
    for seed in range(40):
        found = ranked(plays(np.random.default_rng(seed), shares, 20))
        held += [found[bot].low - 1e-6 < truth[bot] < found[bot].high + 1e-6 for bot in range(7)]
        in_mix = all((found[bot].best_rank, found[bot].worst_rank >= 6) == (1, True) for bot in range(7) if bot != 3)
        wrong += not in_mix or found[3].worst_rank < 7
    assert wrong <= 6
    assert np.mean(held) >= 0.85

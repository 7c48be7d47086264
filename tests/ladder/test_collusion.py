"""Collusion: a change calculated by hand, what must not look like one, and simulated fields."""

from itertools import combinations, permutations
from math import sqrt

import numpy as np
import pytest

from benchmarks.simulations.collusion import (
    HEAVY,
    HELPED,
    HELPER,
    LUCKY,
    ROUGH,
    SOME,
    Case,
    false_alarms,
    field,
    found,
    innocent_accused,
    reports,
)
from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions.collusion import Shift, find_collusion

A, B, C, D = 11, 22, 33, 44


def matches(first_block: int, number: int, *order: int, game: str = "karteneck") -> list[MatchResult]:
    """This many blocks of one match each, with this order of places."""
    places = tuple(range(1, len(order) + 1))
    return [MatchResult(f"block {first_block + block}", game, order, places) for block in range(number)]


def by_hand() -> list[MatchResult]:
    """With A at the table B finishes ahead of C in 15 of 20 blocks, with D in 10 of 20."""
    return [
        *(*matches(0, 15, B, C, A), *matches(15, 5, C, B, A)),
        *(*matches(20, 10, B, C, D), *matches(30, 10, C, B, D)),
    ]


def test_a_change_by_hand() -> None:
    """Only C is met with A and without. Its 40 matches have the mean 0.625 and the presence of A the mean 0.5, so
    the sum is 15/2 - 10/2 = 2.5, the weight 40/4 = 10, and the sum of squares 40/39 (25 * 0.375^2 + 15 * 0.625^2)/4.

    The same holds for the pairs (A, C), (D, B) and (D, C), with one sign or the other; so this is what is usual here.
    """
    report = find_collusion(by_hand())
    assert (report.blocks, report.bots, report.pairs, report.judged) == (40, 4, 12, 4)
    raw = 2.5 / sqrt(40 / 39 * (25 * 0.375**2 + 15 * 0.625**2) / 4)
    upper_quartile_of_the_normal_distribution = 1.1503
    assert report.scatter == pytest.approx(raw / upper_quartile_of_the_normal_distribution, rel=1e-4)
    assert report.findings == ()
    shift = report.clearest
    assert shift is not None
    better = (shift.helper, shift.bot) in ((A, B), (D, C))
    assert better or (shift.helper, shift.bot) in ((A, C), (D, B))
    assert abs(shift.change) == pytest.approx(0.25)
    assert (shift.change > 0) == (shift.score > 0) == better
    assert {shift.share_with, shift.share_without} <= {0.75, 0.5, 0.25}
    assert abs(shift.score) == pytest.approx(upper_quartile_of_the_normal_distribution, rel=1e-4)
    published_t = 2.024
    error = sqrt(40 / 39 * (20 * 0.75 * 0.25 + 20 * 0.5 * 0.5) / 4) / 10
    assert shift.high - shift.low == pytest.approx(2 * published_t * error, rel=2e-3)
    assert shift.low + shift.high == pytest.approx(2 * shift.change)
    assert (shift.blocks_with, shift.blocks_without) == (20, 20)
    assert shift.chance == pytest.approx(4 * 0.25, rel=1e-4), "four pairs, and beyond the quartile is a quarter"


def test_tables_of_two_and_bots_numbers_do_not_matter() -> None:
    duels = [MatchResult(f"duel {number}", "karteneck", (A, B), (2, 1)) for number in range(50)]
    assert find_collusion([*duels, *by_hand()]) == find_collusion(by_hand())
    renamed = [result._replace(bots=tuple(100 - bot for bot in result.bots)) for result in by_hand()]
    again = find_collusion(renamed)
    assert again.scatter == pytest.approx(find_collusion(by_hand()).scatter)


def test_other_opponents_are_no_change() -> None:
    """With A at the table B meets C, whom it always beats, and without A it meets D, who always beats it."""
    results = [*matches(0, 40, B, C, A), *matches(40, 40, D, B, 55)]
    assert find_collusion(results).judged == 0


def test_another_game_is_no_change() -> None:
    """B beats C in the game in which A plays, and loses to it in the other one."""
    results = [
        *(*matches(0, 40, B, C, A), *matches(40, 5, B, C, D)),
        *(*matches(45, 5, C, B, A, game="haecmaec"), *matches(50, 40, C, B, D, game="haecmaec")),
    ]
    report = find_collusion(results)
    assert report.findings == ()
    assert report.judged == 0, "within each game nothing ever changes"


def test_few_blocks_convict_nobody() -> None:
    """Ten blocks with A, all won, and ten without A, all lost."""
    report = find_collusion([*matches(0, 10, B, C, A), *matches(10, 10, C, B, D)])
    assert (report.judged, report.findings, report.clearest) == (0, (), None)


def test_rotations_of_a_deal_are_one_observation() -> None:
    """Every block has its match four times, always with the same result: it still tells only once."""
    single = find_collusion(by_hand())
    repeated = find_collusion([result for result in by_hand() for _ in range(4)])
    assert single.clearest is not None
    assert repeated.clearest is not None
    assert repeated.scatter == pytest.approx(single.scatter)
    assert repeated.clearest.high - repeated.clearest.low == pytest.approx(single.clearest.high - single.clearest.low)


def test_where_the_seat_decides_everything_nobody_can_be_judged() -> None:
    """In every order of the seats the first one wins: everybody is ahead of everybody in half of each block."""
    results = [
        MatchResult(f"block {number} {group}", "karteneck", order, (1, 2, 3))
        for number in range(12)
        for group in combinations(range(6), 3)
        for order in permutations(group)
    ]
    report = find_collusion(results)
    assert (report.blocks, report.judged, report.findings) == (240, 0, ())


def test_nothing_played() -> None:
    report = find_collusion([])
    assert (report.blocks, report.bots, report.judged, report.scatter, report.clearest) == (0, 0, 0, 1, None)


def test_what_cannot_be_results_is_refused() -> None:
    with pytest.raises(ValueError, match="different bots"):
        find_collusion([*matches(0, 1, A, B, C), *matches(0, 1, A, B, D)])


@pytest.mark.parametrize(
    "case",
    [
        Case("sparse", 8, {3: 50, 4: 50}, ROUGH),
        Case("some", 8, SOME, ROUGH),
        Case("many bots, far apart", 16, SOME, ROUGH._replace(normal=True), spread=400),
    ],
    ids=lambda case: case.name,
)
def test_honest_fields_are_seldom_accused(case: Case) -> None:
    """At 5 %, more than 7 of 60 fields have a chance of 1 %."""
    assert false_alarms(list(reports(case, 60))) <= 7 / 60


def test_helpers_are_found_and_nobody_else() -> None:
    """200 points of help: 8 bots, each pair in about 48 blocks."""
    some = list(reports(Case("help", 8, SOME, ROUGH, help=200), 40))
    assert np.mean([found(report) for report in some]) > 0.6
    assert sum(innocent_accused(report) for report in some) <= 3, "more than 3 of 40 have a chance of 0.2 % at 1.25 %"


def two_pairs(rng: np.random.Generator) -> list[MatchResult]:
    """Bot 0 helps bot 1 in one half of the blocks, and bot 2 bot 3 in the other half."""
    one, other = (field(Case("help", 10, HEAVY, ROUGH, help=200), rng) for _ in range(2))
    swap = {0: 2, 1: 3, 2: 0, 3: 1}
    return [
        *one,
        *(
            result._replace(block_id=f"other {result.block_id}", bots=tuple(swap.get(bot, bot) for bot in result.bots))
            for result in other
        ),
    ]


def test_two_pairs_are_both_found() -> None:
    report = find_collusion(two_pairs(np.random.default_rng(3)))
    pairs = {frozenset((finding.shift.helper, finding.shift.bot)) for finding in report.findings}
    assert pairs == {frozenset((0, 1)), frozenset((2, 3))}


def test_the_interval_holds_the_true_change() -> None:
    """Among equal bots, 150 points of help are 10^(150/400) to 1 instead of 1 to 1, whatever luck the deals share."""
    truth = 1 / (1 + 10 ** (-150 / 400)) - 1 / 2
    rng = np.random.default_rng(5)
    shifts: list[Shift] = []
    for _ in range(40):
        report = find_collusion(field(Case("equal bots", 6, {3: 200, 4: 200}, LUCKY, spread=0, help=150), rng))
        shifts += [
            shift
            for finding in report.findings
            for shift in (finding.shift, finding.back)
            if shift is not None and (shift.helper, shift.bot) == (HELPER, HELPED)
        ]
    assert len(shifts) > 35, "the help is so large that hardly any field is left out"
    assert np.mean([shift.change for shift in shifts]) == pytest.approx(truth, abs=0.02)
    assert np.mean([shift.low < truth < shift.high for shift in shifts]) > 0.85

"""Separations and the schedule `sure`: against hand calculation, integration by brute force, and simulated worlds.

`python -m benchmarks.simulations.sure` measures more closely how often `sure` is wrong.
"""

from collections import Counter
from itertools import combinations
from math import exp, sqrt

import numpy as np
import pytest

from benchmarks.simulations.fields import DUEL, Field, play, scissors
from benchmarks.simulations.sure import Case, ladder
from roost_ladder.rating.fit import Fit, Method
from roost_ladder.rating.results import gather
from roost_ladder.schedules.schedule import Kind, Participants, Past
from roost_ladder.schedules.separation import USUAL_DIFFERENCE, Known, evidences, known, separations
from roost_ladder.schedules.sure import Sure
from tests.support.ladders.worlds import World, random_groups, results_of, run

PAIRS = Kind("simulated", 2)
TRIOS = Kind("simulated", 3)
FOURS = Kind("simulated", 4)
PLENTY = 1e9
"""Degrees of freedom with which Student's distribution is the normal one."""


def independent(strengths: list[float], variance: float) -> Fit:
    """Strengths known so well that every difference has this variance."""
    return Fit(np.array(strengths), np.eye(len(strengths)) * variance / 2, np.full(len(strengths), PLENTY))


def of(strengths: list[float], variance: float) -> Known:
    return Known(tuple(range(len(strengths))), independent(strengths, variance))


# Evidence and separation


def test_evidence_by_hand() -> None:
    """As much is known as is expected (v t = 1), and the difference is 4 standard errors: sqrt(1/2) exp(16/4)."""
    usual = USUAL_DIFFERENCE
    assert evidences(independent([4 * usual, 0], usual**2))[0, 1] == pytest.approx(exp(4) / sqrt(2))
    assert evidences(independent([0, 0], usual**2))[0, 1] == pytest.approx(1 / sqrt(2))


@pytest.mark.parametrize(("difference", "variance"), [(0.1, 0.05), (0.5, 0.02), (-0.9, 0.1), (0.3, 1.0)])
def test_evidence_is_a_ratio_of_likelihoods(difference: float, variance: float) -> None:
    true, step = np.linspace(-6, 6, 200_001, retstep=True)
    prior = np.exp(-(true**2) / 2 / USUAL_DIFFERENCE**2) / USUAL_DIFFERENCE / sqrt(2 * np.pi)
    if_they_differ = (np.exp(-((difference - true) ** 2) / 2 / variance) * prior).sum() * step
    if_equal = exp(-(difference**2) / 2 / variance)
    found = evidences(independent([difference, 0], variance))
    assert found[0, 1] == pytest.approx(if_they_differ / if_equal, rel=1e-6)
    assert found[1, 0] == pytest.approx(found[0, 1])


def test_equal_bots_hardly_ever_gather_evidence_however_often_one_looks() -> None:
    """300 walks with 60 looks each, from 1 to 10,000 observations of variance 1: 20 is exceeded in at most 5 %."""
    rng = np.random.default_rng(1)
    times = np.unique(np.geomspace(1, 10_000, 60).astype(int))
    steps = rng.normal(size=(300, len(times))) * np.sqrt(np.diff(times, prepend=0))
    means = steps.cumsum(axis=1) / times
    exceeded = [
        any(evidences(independent([mean, 0], 1 / time))[0, 1] > 20 for mean, time in zip(walk, times, strict=True))
        for walk in means
    ]
    looked_once = (np.abs(means) > 1.96 / np.sqrt(times)).any(axis=1)
    assert np.mean(exceeded) <= 0.05
    assert np.mean(looked_once) > 0.25


def test_neighbours_from_top_to_bottom() -> None:
    neighbours = separations(of([0.0, 1.0, -1.0], 0.01))
    assert [(each.upper, each.lower) for each in neighbours] == [(1, 0), (0, 2)]
    assert all(each.superiority > 0.999 for each in neighbours)


def test_superiority_is_that_of_one_look() -> None:
    (only,) = separations(of([1.96, 0.0], 1))
    assert only.superiority == pytest.approx(0.975, abs=1e-4)
    assert not only.separated


def evident(*factors: float) -> Known:
    """Bots of which the neighbours have these evidences, to be solved for the differences: v t is 4."""
    variance = USUAL_DIFFERENCE**2 / 4
    gaps = [sqrt(2 * np.log(factor * sqrt(5)) / 0.8 * variance) for factor in factors]
    return of([0.0, *(-np.cumsum(gaps)).tolist()], variance)


def test_neighbours_share_the_doubt() -> None:
    """Three pairs need 60, 40 and 20."""
    assert [each.separated for each in separations(evident(61, 41, 21))] == [True, True, True]
    assert [each.separated for each in separations(evident(21, 61, 41))] == [True, True, True]
    assert [each.separated for each in separations(evident(61, 39, 39))] == [True, False, False]
    assert [each.separated for each in separations(evident(59, 59, 59))] == [False, False, False]
    assert np.diagonal(evidences(evident(61, 41, 21).fit), 1) == pytest.approx([61, 41, 21])


def test_two_bots_need_one_in_twenty() -> None:
    assert [each.separated for each in separations(evident(20.1))] == [True]
    assert [each.separated for each in separations(evident(19.9))] == [False]


def test_one_bot_has_no_neighbours() -> None:
    assert separations(of([0.0], 1)) == []


def test_who_has_not_played_is_not_separated() -> None:
    world = World((1.0, -1.0))
    rng = np.random.default_rng(2)
    about = known([0, 1, 7], gather(results_of(world, rng, random_groups(world, rng, 2, 200))))
    assert [(each.upper, each.lower, each.separated) for each in separations(about)] == [
        (0, 7, False),
        (7, 1, False),
    ]
    assert about.fit.covariance[2, 2] == 4  # a virtual draw tells 1/4


def test_who_has_left_still_teaches_but_is_no_neighbour() -> None:
    world = World((1.0, 0.0, -1.0))
    rng = np.random.default_rng(3)
    results = results_of(world, rng, random_groups(world, rng, 3, 200))
    (only,) = separations(known([0, 2], gather(results)))
    assert (only.upper, only.lower, only.separated) == (0, 2, True)


# The schedule


def past_of(world: World, blocks: int) -> Past:
    rng = np.random.default_rng(4)
    return Past(results=results_of(world, rng, random_groups(world, rng, 2, blocks)))


def test_it_plays_where_the_ranking_is_least_certain() -> None:
    world = World((3.0, 1.0, 0.05, -0.05, -2.0))
    pairings = Sure().next_round(Participants(tuple(range(5)), (PAIRS,)), past_of(world, 400))
    pairs = Counter(tuple(sorted(pairing.group)) for pairing in pairings)
    assert pairs.most_common(1)[0][0] == (2, 3)
    assert pairs[2, 3] > 0.7 * pairs.total()


def test_close_neighbours_sit_at_large_tables() -> None:
    world = World((2.05, 2.02, 1.98, 1.95, -1.95, -1.98, -2.02, -2.05))
    pairings = Sure().next_round(Participants(tuple(range(8)), (FOURS,)), past_of(world, 800))
    groups = Counter(tuple(sorted(pairing.group)) for pairing in pairings)
    assert groups[0, 1, 2, 3] + groups[4, 5, 6, 7] > 0.8 * groups.total()


def test_a_newcomer_plays_most() -> None:
    past = past_of(World((0.6, 0.2, -0.2, -0.6)), 200)
    pairings = Sure().next_round(Participants((0, 1, 2, 3, 4), (PAIRS,)), past)
    assert np.mean([4 in pairing.group for pairing in pairings]) > 0.8


def test_at_first_everybody_plays() -> None:
    pairings = Sure().next_round(Participants(tuple(range(12)), (TRIOS,)), Past())
    counts = Counter(bot for pairing in pairings for bot in pairing.group)
    assert min(counts[bot] for bot in range(12)) >= 2
    assert max(counts.values()) <= 6


def test_kinds_of_tables_get_the_same_number_of_blocks() -> None:
    field = Participants(tuple(range(6)), (PAIRS, TRIOS, FOURS))
    for past in run(Sure(), field, World((0.0,) * 6), np.random.default_rng(5), 500):
        blocks = past.tally.blocks
        assert max(blocks.values()) - min(blocks[kind] for kind in field.kinds) <= 3


def test_a_budget_ends_it() -> None:
    field = Participants((1, 2, 3), (Kind("karteneck", 2),))
    schedule, past = Sure(b"s", budget=40), Past()
    while pairings := schedule.next_round(field, past):
        for pairing in pairings:
            past.give(pairing)
    assert past.given == 40


def test_rounds_grow() -> None:
    field = Participants((0, 1), (PAIRS,))
    totals = [past.given for past in run(Sure(), field, World((0.0, 0.0)), np.random.default_rng(6), 4000)]
    rounds = np.diff([0, *totals])
    assert rounds[0] == 16
    assert all(rounds[1:] >= np.array(totals[:-1]) // 8)
    assert all(rounds[1:] <= np.maximum(16, np.array(totals[:-1]) // 8 * 1.2))


@pytest.mark.parametrize("kinds", [(PAIRS,), (TRIOS, FOURS)])
def test_it_ends_with_the_right_order(kinds: tuple[Kind, ...]) -> None:
    strengths = (1.5, 0.5, -0.5, -1.5)
    field = Participants((0, 1, 2, 3), kinds)
    *_, past = run(Sure(), field, World(strengths, luck=0.3), np.random.default_rng(7), 20_000)
    assert past.ended < 2000
    assert not Sure().next_round(field, past)
    neighbours = separations(known(field.bots, past.record()))
    assert [(each.upper, each.lower, each.separated) for each in neighbours] == [
        (0, 1, True),
        (1, 2, True),
        (2, 3, True),
    ]


def test_who_plays_nothing_does_not_keep_it_from_its_end() -> None:
    past = past_of(World((2.0, -2.0)), 300)
    assert Sure().next_round(Participants((0, 1, 2), (PAIRS,)), past)
    assert not Sure().next_round(Participants((0, 1, 2), (PAIRS,), plays={2: frozenset()}), past)


def test_equal_bots_do_not_keep_others_from_being_separated() -> None:
    field = Participants(tuple(range(4)), (PAIRS,))
    world = World((1.0, 0.0, 0.0, -1.0))
    for past in run(Sure(b"e"), field, world, np.random.default_rng(8), 3000):
        neighbours = separations(known(field.bots, past.record()))
    assert [each.separated for each in neighbours] == [True, False, True]


@pytest.mark.long
def test_equal_bots_are_hardly_ever_called_different() -> None:
    """Of 60 ladders with two pairs of equal bots, 3 may be wrong at some time, and chance may add some more.

    Looking as often at plain 95 % intervals would be wrong in a large part of them.
    """
    case = Case("", (0.5, 0.5, -0.5, -0.5), (2, 3), luck=0.3, style=0.3, seat=0.3, grid=0.3, matches=400)
    ladders = [ladder(case, seed) for seed in range(60)]
    assert sum(each.wrong for each in ladders) <= 7
    assert sum(each.wrong_at_once for each in ladders) > 7


def test_every_two_bots_meet_however_clear_their_order_is() -> None:
    """A pair has a third of the blocks of the average one, or 16. The previous schedule left some at 0 or 1."""
    field = Field("", {DUEL: scissors(6)}, 1500)
    for method, least in ((Method.EACH_KIND, 4), (Method.EACH_MATCH, 0)):
        *_, past = play(field, Sure(bytes(4), None, method), seed=0)
        met = [past.tally.met[one][other] for one, other in combinations(range(field.bots), 2)]
        assert 45 * 15 < sum(met) < 45 * 20
        # What has been played since the last round began may have raised the average.
        assert least <= min(met) <= (8 if least else 1)

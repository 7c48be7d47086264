"""Ladders in simulated worlds of known strength: are ratings, intervals and ranks right?

`python -m benchmarks.simulations.ladders` measures the same more closely and for more worlds.
"""

from math import log
from statistics import fmean

import numpy as np
import pytest

from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from tests.support.ladders.worlds import World, ladder, random_groups, results_of

ELO = 400 / log(10)
STRENGTHS = (1.0, 0.6, 0.2, -0.2, -0.6, -1.0)
BLOCKS = {2: 14, 3: 12, 4: 8}
"""16 for each bot, on average."""


def ratings_of(results: list[MatchResult]) -> list[float]:
    return [standing.rating for standing in sorted(standings(results))]


def true_ratings(world: World) -> list[float]:
    return [1500 + ELO * (strength - fmean(world.strengths)) for strength in world.strengths]


def long_run(world: World) -> list[float]:
    return ratings_of(ladder(world, np.random.default_rng(2), {size: 300 * blocks for size, blocks in BLOCKS.items()}))


def coverage(world: World, truth: list[float], ladders: int) -> float:
    """How often the 95 % interval of a bot has the truth in it."""
    rng = np.random.default_rng(1)
    tables = [sorted(standings(ladder(world, rng, BLOCKS))) for _ in range(ladders)]
    return float(np.mean([row.low < truth[row.bot] < row.high for table in tables for row in table]))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("world", [World(STRENGTHS, luck=0.6), World(STRENGTHS, style=0.6)])
def test_strengths_are_recovered_at_every_table_size(world: World, players: int) -> None:
    results = ladder(world, np.random.default_rng(3), {players: 5000})
    assert ratings_of(results) == pytest.approx(true_ratings(world), abs=12)


def test_strengths_are_recovered_across_table_sizes() -> None:
    assert long_run(World(STRENGTHS, luck=0.3, style=0.3)) == pytest.approx(true_ratings(World(STRENGTHS)), abs=10)


def test_seats_and_ties_only_narrow_the_scale_a_little() -> None:
    found = np.array(long_run(World(STRENGTHS, luck=0.3, seat=0.5, grid=0.5)))
    shrinkage = (found - 1500) / (np.array(true_ratings(World(STRENGTHS))) - 1500)
    assert shrinkage.min() > 0.85
    assert shrinkage.max() < 1.03


@pytest.mark.short(1)
@pytest.mark.parametrize("world", [World(STRENGTHS), World(STRENGTHS, luck=0.6), World(STRENGTHS, style=0.6)])
def test_intervals_cover_the_truth(world: World) -> None:
    assert 0.93 <= coverage(world, true_ratings(world), ladders=200) <= 0.98


def test_intervals_cover_the_truth_with_seat_advantages_and_ties() -> None:
    world = World(STRENGTHS, luck=0.3, style=0.2, seat=0.5, grid=0.5)
    assert 0.93 <= coverage(world, long_run(world), ladders=200) <= 0.98


def test_a_newcomer_among_veterans_is_covered() -> None:
    """Bot 5 has played 8 blocks, the others about 50 each. All ratings are seen from bot 0."""
    world = World(STRENGTHS, luck=0.3, style=0.3)
    veterans = World(STRENGTHS[:5], *world[1:])
    rng = np.random.default_rng(4)
    truth = 1500 + ELO * (STRENGTHS[5] - STRENGTHS[0])
    covered = []
    for _ in range(200):
        guests = random_groups(veterans, rng, 2, 8)
        results = results_of(world, rng, np.column_stack([guests, np.full(8, 5)]))
        results += results_of(veterans, rng, random_groups(veterans, rng, 3, 80), first_block=8)
        (newcomer,) = [row for row in standings(results, anchor=0) if row.bot == 5]
        covered.append(newcomer.low < truth < newcomer.high)
    assert 0.92 <= np.mean(covered) <= 0.995


def test_matches_of_a_deal_are_not_independent() -> None:
    """If some deals suit some bots, intervals that take every match for itself are too narrow."""
    world = World(STRENGTHS, style=0.9)
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(100):
        results = ladder(world, rng, {4: 24})
        apart = [result._replace(block_id=f"{number}") for number, result in enumerate(results)]
        covered += [row.low < true_ratings(world)[row.bot] < row.high for row in standings(apart)]
    assert np.mean(covered) < 0.85


def test_rotating_the_seats_of_a_deal_narrows_intervals() -> None:
    """Where luck comes with the seat, the rotations of a deal tell more than as many deals."""
    lucky = World(STRENGTHS, luck=0.9)
    by_luck = {
        world.luck: np.mean([row.high - row.low for row in standings(ladder(world, np.random.default_rng(6), {4: 60}))])
        for world in (lucky, World(STRENGTHS))
    }
    assert by_luck[0.9] < 0.75 * by_luck[0.0]


@pytest.mark.parametrize(("bots", "blocks"), [(2, 12), (6, 48)])
def test_equal_bots_are_not_told_apart(bots: int, blocks: int) -> None:
    """A bot's range is right if it has all ranks; at most 5 % may be wrong, and 300 bots leave it some noise."""
    world = World((0.0,) * bots, luck=0.3, style=0.2)
    rng = np.random.default_rng(7)
    tables = [standings(ladder(world, rng, {2: blocks})) for _ in range(300 // bots)]
    wrong = [(row.best_rank, row.worst_rank) != (1, bots) for table in tables for row in table]
    assert np.mean(wrong) <= 0.07


def test_different_bots_are_told_apart_in_the_end() -> None:
    rows = standings(ladder(World(STRENGTHS, luck=0.3), np.random.default_rng(8), {3: 1500}))
    assert [row.bot for row in rows] == [0, 1, 2, 3, 4, 5]
    assert [(row.best_rank, row.worst_rank) for row in rows] == [(rank, rank) for rank in range(1, 7)]


def test_rank_ranges_hold_the_true_rank() -> None:
    world = World(STRENGTHS, luck=0.3, style=0.2)
    rng = np.random.default_rng(9)
    right = [
        row.best_rank <= row.bot + 1 <= row.worst_rank
        for _ in range(60)
        for row in standings(ladder(world, rng, BLOCKS))
    ]
    assert np.mean(right) >= 0.95

"""Prints what decision 4 rests on: how well rival models order the bots, and how often intervals and ranks are right.

    python -m benchmarks.simulations.ladders [LADDERS] [models] [intervals] [ranks]

Every figure is a mean over LADDERS simulated ladders (400 by default). All three tables if none is named.
"""

import sys
from collections.abc import Callable, Mapping
from itertools import combinations
from unittest.mock import patch

import numpy as np

from roost_ladder.rating import fit as fit_module
from roost_ladder.rating.certainty import half_widths, rank_ranges, superiority
from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import Floats, MatchResult, Tables, gather
from tests.support.ladders.worlds import World, ladder, random_groups, results_of

STEPS = tuple(np.linspace(1.2, -1.2, 8).tolist())
WORLDS = {
    "independent matches": World(STEPS),
    "luck shared by seat": World(STEPS, luck=0.6),
    "deals that suit a bot": World(STEPS, style=0.6),
    "both, seats, ties": World(STEPS, luck=0.3, style=0.3, seat=0.4, grid=0.4),
    "the same, normal fortunes": World(STEPS, luck=0.3, style=0.3, seat=0.4, grid=0.4, normal=True),
}
MIXED = {2: 16, 3: 12, 4: 8}
LONG = 500
"""How many times as many blocks a very long run has."""


def out(*cells: str) -> None:
    """Print a row."""
    sys.stdout.write("".join(f"{cell:>15}" if column else f"{cell:30}" for column, cell in enumerate(cells)) + "\n")


def times(blocks: Mapping[int, int], factor: float) -> dict[int, int]:
    """As many blocks for each table size, times `factor`."""
    return {players: round(number * factor) for players, number in blocks.items()}


# Models


def pairs_weighted(weight: Callable[[int], float]) -> Callable[[list[MatchResult]], Floats]:
    """A fit to pairs in which each table size has its weight."""

    def model(results: list[MatchResult]) -> Floats:
        def of_tables(tables: Tables) -> float:
            return weight(tables.players)

        with patch.object(fit_module, "weight", of_tables):
            return fit(gather(results)).strengths

    return model


def plackett_luce(results: list[MatchResult]) -> Floats:
    """The full likelihood of rankings; those who tie are taken one after the other in Efron's way. With our prior."""
    bots = 1 + max(bot for result in results for bot in result.bots)
    by_players: dict[int, list[MatchResult]] = {}
    for result in results:
        by_players.setdefault(len(result.bots), []).append(result)
    rankings = [ranked(some) for some in by_players.values()]
    strengths = np.zeros(bots)
    for _ in range(30):
        virtual = 1 / (1 + np.exp(-strengths))
        slope, curvature = 0.5 - virtual, np.diag(virtual * (1 - virtual))
        for members, stages in rankings:
            shares = stages * np.exp(strengths)[members][:, None, :]
            shares /= shares.sum(axis=2, keepdims=True)
            np.add.at(slope, members, 1 - shares.sum(axis=1))
            np.add.at(curvature, (members, members), shares.sum(axis=1))
            products = np.einsum("msi,msj->mij", shares, shares)
            np.subtract.at(curvature, (members[:, :, None], members[:, None, :]), products)
        strengths += np.clip(np.linalg.solve(curvature, slope), -1, 1)
    return strengths


def ranked(results: list[MatchResult]) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.intp]], Floats]:
    """Members best first, and by match, stage and member how much of the member is still to be placed."""
    places = np.array([result.places for result in results])
    order = np.argsort(places, axis=1, kind="stable")
    members = np.take_along_axis(np.array([result.bots for result in results]), order, axis=1)
    places = np.take_along_axis(places, order, axis=1)
    equal = places[:, :, None] == places[:, None, :]
    position = np.arange(places.shape[1])[None, :] - equal.argmax(axis=2)
    placed = equal * (position / equal.sum(axis=2))[:, :, None]
    return members, (places[:, None, :] >= places[:, :, None]) - placed


MODELS: dict[str, Callable[[list[MatchResult]], Floats]] = {
    "pairs, 3/(n+1)": pairs_weighted(lambda players: 3 / (players + 1)),
    "pairs, 1": pairs_weighted(lambda players: 1),
    "pairs, 1/(n-1)": pairs_weighted(lambda players: 1 / (players - 1)),
    "Plackett-Luce": plackett_luce,
}


def compare_models(ladders: int) -> None:
    """The error of ratings in percent of their spread, and Kendall's tau with the true order."""
    out("error %, tau", *MODELS)
    for name, world in WORLDS.items():
        rng = np.random.default_rng(4)
        long_run = ladder(world, rng, times(MIXED, LONG))
        truths = {model: centred(method(long_run)) for model, method in MODELS.items()}
        cells: dict[str, list[tuple[float, float]]] = {model: [] for model in MODELS}
        for _ in range(ladders):
            results = ladder(world, rng, MIXED)
            for model, method in MODELS.items():
                found = centred(method(results))
                error = np.square(found - truths[model]).mean() / truths[model].var()
                cells[model].append((float(error), tau(found, np.array(world.strengths))))
        means = {model: np.mean(values, axis=0) for model, values in cells.items()}
        out(name, *(f"{100 * np.sqrt(error):.1f}  {order:.3f}" for error, order in means.values()))


def centred(strengths: Floats) -> Floats:
    """Strengths with a mean of 0."""
    mean: float = strengths.mean()
    return strengths - mean


def tau(found: Floats, truth: Floats) -> float:
    """Kendall's tau."""
    pairs = combinations(range(len(truth)), 2)
    return float(np.mean([np.sign((found[i] - found[j]) * (truth[i] - truth[j])) for i, j in pairs]))


# Intervals


def interval_coverage(ladders: int) -> None:
    """How often the truth lies within the 95 % interval, by the number of blocks that a bot has played."""
    factors = (0.25, 0.5, 1, 2, 5)
    per_bot = sum(players * number for players, number in MIXED.items()) / len(STEPS)
    out("\ncoverage; blocks per bot:", *(f"{per_bot * factor:.0f}" for factor in factors))
    for name, world in WORLDS.items():
        out(name, *(f"{coverage(world, times(MIXED, factor), ladders):.3f}" for factor in factors))


def coverage(world: World, blocks: Mapping[int, int], ladders: int) -> float:
    """How often a 95 % interval holds the true strength."""
    rng = np.random.default_rng(5)
    bots = len(world.strengths)
    truth = centred(fit(gather(ladder(world, rng, times(MIXED, LONG)))).strengths)
    within: list[float] = []
    while len(within) < ladders:
        record = gather(ladder(world, rng, blocks))
        if len(record.bots) == bots:
            found = fit(record)
            margin = half_widths(found, np.full(bots, 1 / bots))
            within.append(float((np.abs(centred(found.strengths) - truth) < margin).mean()))
    return float(np.mean(within))


# Ranks


def rank_coverage(ladders: int) -> None:
    """How often a bot's range is right, and how many ranks it has, by three rules.

    Ours; each pair at 95 % on its own; and whether the intervals of two bots overlap.
    """
    out("\nranges of ranks: right, width", "ours", "pairs at 95 %", "no overlap")
    for bots in (2, 8, 20, 50):
        for step in (0.0, 0.02, 0.1, 0.3):
            cells = rank_cells(bots, step, max(20, 2 * ladders // bots))
            out(f"{bots} bots, {step * 400 / np.log(10):.0f} Elo apart", *cells)


def rank_cells(bots: int, step: float, ladders: int) -> list[str]:
    """How often ranges of ranks are right, and how wide they are."""
    rng = np.random.default_rng(6)
    world = World(tuple((step * np.arange(bots)[::-1]).tolist()), luck=0.3, style=0.1)
    players = min(bots, 3)
    ours, pairwise, apart = [], [], []
    for _ in range(ladders):
        found = fit(gather(results_of(world, rng, random_groups(world, rng, players, 40 * bots // players))))
        ranges = np.array(rank_ranges(found))
        ours.append(right_and_width(ranges[:, 0], ranges[:, 1], step))
        score = superiority(found)
        above, below = (score < -1.96).sum(axis=1), (score > 1.96).sum(axis=1)
        pairwise.append(right_and_width(1 + above, bots - below, step))
        margin = half_widths(found, np.full(bots, 1 / bots))
        gap = (found.strengths[:, None] - found.strengths) / (margin[:, None] + margin)
        apart.append(right_and_width(1 + (gap < -1).sum(axis=1), bots - (gap > 1).sum(axis=1), step))
    return ["{:.3f}  {:.1f}".format(*np.mean(cells, axis=0)) for cells in (ours, pairwise, apart)]


def right_and_width(
    best: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    worst: np.ndarray[tuple[int, ...], np.dtype[np.intp]],
    step: float,
) -> tuple[float, float]:
    """The part of the ranges that hold the true rank, and their mean width."""
    bots = len(best)
    rank = np.arange(1, bots + 1)
    right = (best <= rank) & (rank <= worst) if step else (best == 1) & (worst == bots)
    return float(right.mean()), float((worst - best + 1).mean())


TABLES = {"models": compare_models, "intervals": interval_coverage, "ranks": rank_coverage}


def main() -> None:
    """Print the tables that are asked for."""
    given = sys.argv[1:]
    ladders = next((int(word) for word in given if word.isdigit()), 400)
    for name in [word for word in given if not word.isdigit()] or TABLES:
        TABLES[name](ladders)


if __name__ == "__main__":
    main()

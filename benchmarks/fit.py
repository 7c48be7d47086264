"""How long ratings take: Roost's fit beside choix and a straightforward scipy fit, on the same simulated ladders.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.fit [--no-rankings]

A ladder has a third of its matches at tables of 2, 3 and 4 each, in blocks with rotated seats, and no ties, since choix
has none. Roost's rows give standings with intervals and ranges of ranks. The others give strengths only:

- choix, pairs: `ilsr_pairwise_dense` on the table of who beat whom, which is counted with numpy here;
- choix, rankings: `ilsr_rankings` on a list of rankings (the Plackett-Luce model);
- scipy: `minimize` (L-BFGS-B) on the logistic loss of all pairs, vectorised, with its gradient.

All have a prior that keeps strengths finite. The error is the root mean square against the strengths simulated. CPU
time is on all cores together; with one thread for numpy it depends less on what else the machine does.
Needs `pip install choix scipy` in the environment that runs it; without them, it shows Roost alone.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from time import perf_counter, process_time
from types import ModuleType
from typing import Any

import numpy as np

from roost_ladder.rating.results import Columns, Floats, Indices, Kind, MatchResult
from roost_ladder.rating.standings import LiveStandings, Standing, standings

SIZES = ((50, 100_000), (1000, 1_000_000))
LATEST = 300
"""How many matches have ended since the last standings, in the warm row."""


@dataclass
class Ladder:
    """A simulated ladder."""

    bots: int
    strengths: Floats
    tables: list[Columns]

    @property
    def matches(self) -> int:
        """How many it has."""
        return sum(len(table.bots) for table in self.tables)

    def rankings(self) -> Iterator[Indices]:
        """By table size: bots by match, the winner first."""
        for table in self.tables:
            yield np.take_along_axis(table.bots, np.argsort(table.places, axis=1), axis=1)

    def pairs(self) -> tuple[Indices, Indices]:
        """Winners and losers of all pairs of all matches."""
        found = [
            (ranking[:, one], ranking[:, other])
            for ranking in self.rankings()
            for one, other in combinations(range(ranking.shape[1]), 2)
        ]
        return np.concatenate([winners for winners, _ in found]), np.concatenate([losers for _, losers in found])


def simulated(bots: int, matches: int) -> Ladder:
    """Performances are strengths and Gumbel fortunes: the odds between two bots are exp(difference) to 1."""
    rng = np.random.default_rng(bots)
    strengths = rng.normal(0, 0.7, bots)
    tables, first_block = [], 0
    for players in (2, 3, 4):
        blocks = round(matches / 3 / players)
        rotated = (np.arange(players)[:, None] + np.arange(players)) % players
        seated = groups(rng, bots, players, blocks)[:, rotated].reshape(-1, players)
        performance = strengths[seated] + rng.gumbel(size=seated.shape)
        places = 1 + np.argsort(np.argsort(-performance, axis=1), axis=1)
        tables.append(
            Columns(
                Kind("", players),
                np.repeat(np.arange(first_block, first_block + blocks), players).tolist(),
                seated,
                places,
            )
        )
        first_block += blocks
    return Ladder(bots, strengths, tables)


def groups(rng: np.random.Generator, bots: int, players: int, blocks: int) -> Indices:
    """Different bots, at random: those drawn twice at a table are drawn again."""
    drawn = rng.integers(0, bots, (blocks, players))
    while (twice := (np.diff(np.sort(drawn, axis=1), axis=1) == 0).any(axis=1)).any():
        drawn[twice] = rng.integers(0, bots, (int(twice.sum()), players))
    return drawn


def timed(label: str, work: Callable[[], Floats | None], truth: Floats) -> None:
    """Print how long it took, and how far from the truth the strengths are, if it gives some."""
    cpu, clock = process_time(), perf_counter()
    found = work()
    cpu, clock = process_time() - cpu, perf_counter() - clock
    error = "" if found is None else f"{np.sqrt(np.mean((found - found.mean() - truth + truth.mean()) ** 2)):.3f}"
    print(f"{label:46}{cpu:10.2f} s{clock:10.2f} s{error:>10}")


def ours(ladder: Ladder) -> None:
    """Roost's rows: cold, in two steps and in one, and warm."""
    live = LiveStandings()
    results = list(objects(ladder))
    earlier, latest = results[:-LATEST], results[-LATEST:]
    timed("Roost, gathering results", lambda: live.add(earlier), ladder.strengths)
    timed("Roost, standings, first time", lambda: strengths_in(live.standings()), ladder.strengths)
    live.add(latest)
    timed(f"Roost, again {LATEST} matches later", lambda: strengths_in(live.standings()), ladder.strengths)
    timed("Roost, all of it at once", lambda: strengths_in(standings(results)), ladder.strengths)


def strengths_in(table: list[Standing]) -> Floats:
    """By bot, in natural logarithms of odds."""
    return np.array([row.rating * np.log(10) / 400 for row in sorted(table)])


def objects(ladder: Ladder) -> Iterator[MatchResult]:
    """The same matches, an object each."""
    for table in ladder.tables:
        for block, bots, places in zip(table.blocks, table.bots.tolist(), table.places.tolist(), strict=True):
            yield MatchResult(f"block {block}", "simulated", tuple(bots), tuple(places))


def rivals(ladder: Ladder, with_rankings: bool) -> None:
    """The rows of choix and scipy, if they are installed."""
    choix, optimize = installed("choix"), installed("scipy.optimize")
    if choix:
        timed("choix, pairs", lambda: choix_pairs(choix, ladder), ladder.strengths)
    if choix and with_rankings:
        rankings = [row for ranking in ladder.rankings() for row in ranking.tolist()]
        timed("choix, rankings", lambda: choix.ilsr_rankings(ladder.bots, rankings, alpha=1e-3), ladder.strengths)
    if optimize:
        timed("scipy, pairs", lambda: scipy_pairs(optimize, ladder), ladder.strengths)


def installed(name: str) -> ModuleType | Any:
    """A module, or nothing."""
    try:
        return import_module(name)
    except ModuleNotFoundError:
        print(f"{name} is not installed")
        return None


def choix_pairs(choix: Any, ladder: Ladder) -> Floats:
    """The table of who beat whom, then choix."""
    winners, losers = ladder.pairs()
    beaten = np.bincount(winners * ladder.bots + losers, minlength=ladder.bots**2)
    strengths: Floats = choix.ilsr_pairwise_dense(beaten.reshape(ladder.bots, -1).astype(float), alpha=1e-3)
    return strengths


def scipy_pairs(optimize: Any, ladder: Ladder) -> Floats:
    """The logistic loss of all pairs with a weak normal prior."""
    winners, losers = ladder.pairs()

    def loss(strengths: Floats) -> tuple[float, Floats]:
        lead = strengths[winners] - strengths[losers]
        upset = 1 / (1 + np.exp(lead))
        slope = np.bincount(losers, upset, ladder.bots) - np.bincount(winners, upset, ladder.bots)
        return float(np.logaddexp(0, -lead).sum() + strengths @ strengths / 8), slope + strengths / 4

    strengths: Floats = optimize.minimize(loss, np.zeros(ladder.bots), jac=True, method="L-BFGS-B").x
    return strengths


def main() -> None:
    """Both ladders, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--no-rankings", action="store_true", help="leave out choix on rankings, which takes minutes")
    arguments = parser.parse_args()
    for bots, matches in SIZES:
        ladder = simulated(bots, matches)
        print(f"\n{f'{bots:,} bots, {ladder.matches:,} matches':46}{'CPU':>12}{'clock':>12}{'error':>10}")
        ours(ladder)
        rivals(ladder, with_rankings=not arguments.no_rankings)


if __name__ == "__main__":
    main()

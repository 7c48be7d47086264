"""Prints how long the second ranking takes, with its intervals, and the exact scores that may decide a competition.

    python -m benchmarks.second_ranking [BOTS ...]

Fields of 20, 100 and 300 bots by default, at tables of two. Every pair has met in five blocks of two matches. Bots have
an order, or pairs stray from it by as much, or all are equal: then half of them are in the mix that nothing beats, the
worst case there is. *one mix* is a programme in rounded numbers, *exact* the same in whole ones.
"""

import sys
from itertools import combinations
from time import perf_counter

import numpy as np

from roost_ladder.rating.fit import fit, weight
from roost_ladder.rating.lottery import clone_proof, lottery_scores
from roost_ladder.rating.results import MatchResult, gather
from roost_server.competition.ranking import PARTS
from roost_server.competition.unbeaten import unbeaten_margins

KINDS = {"order": (1.0, 0.0), "circles": (1.0, 1.0), "equal": (0.0, 0.0)}
"""How much bots differ, and how much pairs stray from that."""


def played(bots: int, differ: float, stray: float) -> list[MatchResult]:
    """The results of a round robin."""
    rng = np.random.default_rng(1)
    strengths = differ * rng.normal(size=bots)
    results = []
    for one, other in combinations(range(bots), 2):
        chance = 1 / (1 + np.exp(strengths[other] - strengths[one] - stray * rng.normal()))
        for block, won in enumerate(rng.random((5, 2)) < chance):
            results += [
                MatchResult(f"{one} {other} {block}", "duel", (one, other), (1, 2) if each else (2, 1)) for each in won
            ]
    return results


def main(sizes: list[int]) -> None:
    """Print a row for each field."""
    sys.stdout.write(
        "| Bots | Field | In the mix | One mix ms | Exact ms | With intervals s |\n|---|---|---|---|---|---|\n"
    )
    for bots in sizes:
        for kind, (differ, stray) in KINDS.items():
            record = gather(played(bots, differ, stray))
            fitted, ahead = fit(record), record.ahead(weight)
            expected = np.tanh((fitted.strengths[:, None] - fitted.strengths) / 2)
            margins = np.rint(PARTS * (ahead - ahead.T + expected) / (ahead + ahead.T + 1)).astype(np.intp)
            times = [perf_counter()]
            lottery_scores(0.5 + margins / (2 * PARTS))
            times.append(perf_counter())
            mixed = sum(not each for each in unbeaten_margins(margins))
            times.append(perf_counter())
            clone_proof(record, fitted)
            times.append(perf_counter())
            one, exact, intervals = np.diff(times)
            sys.stdout.write(f"| {bots} | {kind} | {mixed} | {1e3 * one:.1f} | {1e3 * exact:.0f} | {intervals:.1f} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main([int(each) for each in sys.argv[1:]] or [20, 100, 300])

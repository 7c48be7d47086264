"""Results of matches, made by hand and at random, and whether two records say the same."""

from collections.abc import Iterable
from random import Random

import numpy as np

from roost_ladder.rating.results import MatchResult, ResultSums, Tables

DUEL = [
    MatchResult("d", "karteneck", (7, 3), (1, 2)),
    MatchResult("d", "karteneck", (3, 7), (1, 1)),
]

TRIO = [
    MatchResult("t", "haecmaec", (5, 7, 3), (1, 2, 3)),
    MatchResult("t", "haecmaec", (7, 3, 5), (1, 2, 2)),
    MatchResult("t", "haecmaec", (3, 5, 7), (3, 1, 2)),
]


def many(seed: int) -> list[MatchResult]:
    """Blocks of 2 to 4 bots, two matches each, in random order."""
    random = Random(seed)
    results = [
        MatchResult(
            f"{seed} {block}", "g", tuple(random.sample(range(6), size)), tuple(random.choices((1, 2, 3), k=size))
        )
        for block in range(60)
        for size in [2 + block % 3]
    ]
    results += [result._replace(places=result.places[::-1]) for result in results]
    random.shuffle(results)
    return results


def assert_same(one: ResultSums, other: ResultSums) -> None:
    """The same blocks, in whatever order."""
    np.testing.assert_array_equal(one.bots, other.bots)
    for left, right in zip(one.tables, other.tables, strict=True):
        assert left.players == right.players
        assert sorted(rows(left)) == sorted(rows(right))


def rows(tables: Tables) -> list[list[float]]:
    columns = (tables.groups, tables.matches, tables.ahead, tables.wins, tables.place_sums)
    return [[float(value) for part in block for value in np.ravel(part)] for block in zip(*columns, strict=True)]


def duels(wins_by_block: Iterable[int], matches: int = 2, bots: tuple[int, int] = (1, 2)) -> list[MatchResult]:
    """Blocks of two bots: how many of its matches the first bot won in each."""
    return [
        MatchResult(f"{bots} {block}", "duel", bots, (1, 2) if match < wins else (2, 1))
        for block, wins in enumerate(wins_by_block)
        for match in range(matches)
    ]

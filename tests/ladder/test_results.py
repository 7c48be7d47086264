"""Gathering results into arrays, against counting by hand."""

from random import Random

import numpy as np
import pytest

from roost_ladder.results import MatchResult, gather

DUEL = [
    MatchResult("d", "karteneck", (7, 3), (1, 2)),
    MatchResult("d", "karteneck", (3, 7), (1, 1)),
]
TRIO = [
    MatchResult("t", "haecmaec", (5, 7, 3), (1, 2, 3)),
    MatchResult("t", "haecmaec", (7, 3, 5), (1, 2, 2)),
    MatchResult("t", "haecmaec", (3, 5, 7), (3, 1, 2)),
]


def test_bots_are_sorted_and_named_by_index() -> None:
    record = gather(TRIO + DUEL)
    assert record.bots.tolist() == [3, 5, 7]
    assert [tables.players for tables in record.tables] == [2, 3]
    assert record.tables[0].groups.tolist() == [[0, 2]]
    assert record.tables[1].groups.tolist() == [[0, 1, 2]]


def test_pairs_are_counted_by_block() -> None:
    duels, trios = gather(TRIO + DUEL).tables
    # Bot 3 lost once to bot 7 and tied once.
    assert duels.ahead.tolist() == [[[0, 0.5], [1.5, 0]]]
    # Bots 3, 5, 7: 3 tied with 5 once and was behind in all else; 5 was ahead of 7 twice.
    assert trios.ahead.tolist() == [[[0, 0.5, 0], [2.5, 0, 2], [3, 1, 0]]]
    assert duels.matches.tolist() == [2]
    assert trios.matches.tolist() == [3]


def test_records_of_the_bots() -> None:
    duels, trios = gather(TRIO + DUEL).tables
    assert duels.seats.tolist() == [2, 0, 2]
    assert duels.wins.tolist() == [1, 0, 2]
    assert trios.wins.tolist() == [0, 2, 1]
    assert duels.place_sums.tolist() == [3, 0, 2]
    assert trios.place_sums.tolist() == [8, 4, 5]
    assert gather(TRIO + DUEL).blocks().tolist() == [2, 1, 2]


def test_blocks_of_one_group_stay_apart() -> None:
    duels = gather([*DUEL, MatchResult("e", "karteneck", (3, 7), (1, 2))]).tables[0]
    assert duels.groups.tolist() == [[0, 1], [0, 1]]
    assert duels.matches.tolist() == [2, 1]
    assert duels.ahead[:, 0, 1].tolist() == [0.5, 1]


def test_the_order_of_results_does_not_matter() -> None:
    results = [result._replace(block_id=f"{result.block_id}{copy}") for copy in range(5) for result in TRIO + DUEL]
    shuffled = list(results)
    Random(1).shuffle(shuffled)
    for one, other in zip(gather(results).tables, gather(shuffled).tables, strict=True):
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right)


def test_nothing_played() -> None:
    record = gather([])
    assert record.bots.tolist() == []
    assert record.tables == ()


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([MatchResult("b", "g", (1,), (1,))], "at least two bots"),
        ([MatchResult("b", "g", (1, 2, 1), (1, 2, 3))], "all different"),
        ([MatchResult("b", "g", (1, 2), (1, 2, 3))], "as many places as bots"),
        ([MatchResult("b", "g", (1, 2), (1, 2)), MatchResult("b", "g", (1, 3), (1, 2))], "different bots"),
        ([MatchResult("b", "g", (1, 2), (1, 2)), MatchResult("b", "g", (1, 2, 3), (1, 2, 3))], "numbers of players"),
    ],
)
def test_what_cannot_be_a_result_is_refused(results: list[MatchResult], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gather(results)

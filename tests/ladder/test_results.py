"""Gathering results into arrays, against counting by hand."""

from random import Random

import pytest

from roost_ladder.rating.results import GrowingSums, MatchResult, gather
from tests.support.records.results import DUEL, TRIO, assert_same, many


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
    record = gather(TRIO + DUEL)
    duels, trios = record.tables
    assert duels.by_bot(duels.wins, 3).tolist() == [1, 0, 2]
    assert trios.by_bot(trios.wins, 3).tolist() == [0, 2, 1]
    assert duels.by_bot(duels.place_sums, 3).tolist() == [3, 0, 2]
    assert trios.by_bot(trios.place_sums, 3).tolist() == [8, 4, 5]
    assert record.blocks().tolist() == [2, 1, 2]


def test_who_finished_ahead_of_whom() -> None:
    """Bots 3, 5, 7; a match of three weighs half here."""
    ahead = gather(TRIO + DUEL).ahead(lambda tables: 1 if tables.players == 2 else 0.5)
    assert ahead.tolist() == [[0, 0.25, 0.5], [1.25, 0, 1], [3, 0.5, 0]]


def test_blocks_of_one_group_stay_apart() -> None:
    duels = gather([*DUEL, MatchResult("e", "karteneck", (3, 7), (1, 2))]).tables[0]
    assert duels.groups.tolist() == [[0, 1], [0, 1]]
    assert duels.matches.tolist() == [2, 1]
    assert duels.ahead[:, 0, 1].tolist() == [0.5, 1]


def test_the_order_of_results_does_not_matter() -> None:
    shuffled = many(1)
    Random(2).shuffle(shuffled)
    assert_same(gather(many(1)), gather(shuffled))


def test_results_may_come_one_by_one() -> None:
    gathering = GrowingSums()
    for result in many(1):
        gathering.add([result])
    assert_same(gathering.record(), gather(many(1)))


def test_a_record_does_not_change_when_more_is_added() -> None:
    gathering = GrowingSums()
    gathering.add(many(1))
    before = gathering.record()
    gathering.add([*many(2), many(1)[0]])
    assert_same(before, gather(many(1)))


def test_a_voided_block_is_forgotten() -> None:
    gathering = GrowingSums()
    gathering.add(TRIO + DUEL)
    gathering.drop("t")
    gathering.drop("unheard of")
    assert_same(gathering.record(), gather(DUEL))
    gathering.add(TRIO)
    assert_same(gathering.record(), gather(TRIO + DUEL))


def test_nothing_played() -> None:
    record = gather([])
    assert record.bots.tolist() == []
    assert record.tables == ()


def test_a_block_keeps_its_size_when_more_is_added() -> None:
    gathering = GrowingSums()
    gathering.add(DUEL)
    with pytest.raises(ValueError, match="numbers of players"):
        gathering.add([TRIO[0]._replace(block_id="d")])


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

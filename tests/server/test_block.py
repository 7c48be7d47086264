"""A block from its plan to its end: what counts of it, and what becomes of it."""

from typing import Any

import pytest

from roost_ladder.blocks import Block, Deals
from roost_server.play.block import OpenBlock
from roost_server.settings import Settings, tables_of
from roost_server.store import BlockState
from tests.support.records.matches import sketch

(RULES,) = tables_of(("karteneck",), (2,))
WON_BY_FIRST = sketch("m", (1, 2)).result
VOIDED = WON_BY_FIRST._replace(termination="voided", places=(), scores=())


def duel(deals: Deals = Deals.OWN, **fields: Any) -> OpenBlock:
    """Bots 7 and 8, once in each order of seats."""
    return OpenBlock(Block("b", "karteneck", (7, 8), bytes(32), deals=deals), RULES, Settings(), [0, 1], **fields)


def test_a_block_is_done_when_every_rotation_is_recorded() -> None:
    block = duel()
    assert [block.start_match(), block.start_match()] == [0, 1]
    assert not block.is_over
    block.record("m0", 0, WON_BY_FIRST)
    assert not block.is_over
    assert block.ends_with(1, WON_BY_FIRST)
    block.record("m1", 1, WON_BY_FIRST)
    assert block.is_over
    assert block.state is BlockState.DONE
    assert block.ended == ["m0", "m1"]
    # The seats are swapped, so each bot was first once.
    assert [result.bots for result in block.results] == [(7, 8), (8, 7)]
    assert [result.places for result in block.results] == [(1, 2), (1, 2)]


def test_a_voided_match_is_played_again_on_the_next_take() -> None:
    block = duel()
    rotation = block.start_match()
    first = block.seed_of(rotation)
    block.match_voided()
    assert not block.ends_with(rotation, VOIDED)
    block.record("m0", rotation, VOIDED)
    assert (block.to_play, block.ended, block.results) == ([1, 0], ["m0"], [])
    assert block.seed_of(0) != first
    for number in (1, 0):
        assert block.ends_with(block.start_match(), WON_BY_FIRST) is (number == 0)
        block.record(f"n{number}", number, WON_BY_FIRST)
    assert block.state is BlockState.DONE
    assert [result.bots for result in block.results] == [(8, 7), (7, 8)]


def test_a_block_is_not_voided_without_end() -> None:
    block = duel()
    voidable = []
    for number in range(5):
        voidable.append(block.voidable)
        block.record(f"m{number}", block.start_match(), VOIDED)
    assert voidable == [True, True, True, False, False]


def test_a_voided_match_voids_a_block_with_a_shared_deal() -> None:
    block = duel(Deals.DUPLICATE)
    rotation = block.start_match()
    block.match_voided()
    assert block.to_play == []
    assert not block.ends_with(rotation, VOIDED)
    block.record("m0", rotation, VOIDED)
    assert block.is_over
    assert block.state is BlockState.VOIDED
    assert (block.ended, block.results) == (["m0"], [])


def test_a_block_that_was_cut_short_is_voided_with_its_last_match() -> None:
    block = duel()
    rotation = block.start_match()
    block.cut_short()
    block.record("m0", rotation, VOIDED)
    assert block.is_over
    assert block.state is BlockState.VOIDED


@pytest.mark.parametrize(("played", "state"), [(0, BlockState.VOIDED), (1, BlockState.DONE)])
def test_a_block_that_is_cut_short_counts_if_something_was_played(played: int, state: BlockState) -> None:
    block = duel()
    for _ in range(played):
        block.record("m", block.start_match(), WON_BY_FIRST)
    block.cut_short()
    assert block.is_over
    assert block.state is state


def test_a_running_match_of_a_block_that_is_cut_short_still_counts() -> None:
    block = duel()
    rotation = block.start_match()
    block.cut_short()
    assert not block.is_over
    block.record("m", rotation, WON_BY_FIRST)
    assert block.is_over
    assert block.state is BlockState.DONE


def test_what_the_store_is_told_of_a_block() -> None:
    told = duel(created_ms=5).as_new()
    assert (told.id, told.game, told.version_ids) == ("b", "karteneck", (7, 8))
    assert (told.seed, told.rotation, told.created_ms) == ("00" * 32, "cyclic", 5)

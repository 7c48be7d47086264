"""A block from its plan to its end: what counts of it, and what becomes of it."""

from typing import Any

import pytest

from roost_ladder.blocks import Block
from roost_server.play.block import OpenBlock
from roost_server.settings import Settings, tables_of
from roost_server.store import BlockState
from tests.support.records.matches import sketch

(RULES,) = tables_of(("karteneck",), (2,))
WON_BY_FIRST = sketch("m", (1, 2)).result
VOIDED = WON_BY_FIRST._replace(termination="voided", places=(), scores=())


def duel(**fields: Any) -> OpenBlock:
    """Bots 7 and 8, once in each order of seats."""
    return OpenBlock(Block("b", "karteneck", (7, 8), bytes(32)), RULES, Settings(), [0, 1], **fields)


def test_a_block_is_done_when_every_rotation_is_recorded() -> None:
    block = duel()
    assert [block.start_match(), block.start_match()] == [0, 1]
    assert not block.is_over
    block.record("m0", 0, WON_BY_FIRST)
    assert not block.is_over
    assert block.ends_with(1)
    block.record("m1", 1, WON_BY_FIRST)
    assert block.is_over
    assert block.state is BlockState.DONE
    assert block.ended == ["m0", "m1"]
    # The seats are swapped, so each bot was first once.
    assert [result.bots for result in block.results] == [(7, 8), (8, 7)]
    assert [result.places for result in block.results] == [(1, 2), (1, 2)]


def test_a_voided_match_voids_its_block_and_does_not_count() -> None:
    block = duel()
    rotation = block.start_match()
    block.void()
    assert block.to_play == []
    assert not block.ends_with(rotation)
    block.record("m0", rotation, VOIDED)
    assert block.is_over
    assert block.state is BlockState.VOIDED
    assert (block.ended, block.results) == (["m0"], [])


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

"""Blocks: who sits where, and which seed."""

import hashlib

import pytest

from roost_ladder.blocks import Block, seed_of_block


@pytest.mark.parametrize("group", [(4, 9), (7, 1, 3), (5, 2, 8, 6), (1, 2, 3, 4, 5, 6, 7)])
def test_every_bot_sits_once_in_every_seat(group: tuple[int, ...]) -> None:
    block = Block("b", "karteneck", group, b"")
    seatings = [block.seating(rotation) for rotation in range(block.rotations)]
    assert seatings[0] == group
    assert all(sorted(seating) == sorted(group) for seating in seatings)
    assert all(sorted(bots_in_seat) == sorted(group) for bots_in_seat in zip(*seatings, strict=True))


def test_rotations_keep_the_neighbours() -> None:
    block = Block("b", "karteneck", (1, 2, 3), b"")
    assert [block.seating(rotation) for rotation in range(3)] == [(1, 2, 3), (2, 3, 1), (3, 1, 2)]


def test_the_seed_is_a_hash_of_the_run_and_the_block() -> None:
    expected = hashlib.sha256(b"roost-block/1:0aff:karteneck/3").digest()
    assert seed_of_block(b"\x0a\xff", "karteneck/3") == expected
    assert len(expected) == 32


def test_seeds_differ_between_blocks_and_between_runs() -> None:
    pairs = [(b"a", "b"), (b"a", "c"), (b"b", "b"), (b"a:b", "c"), (b"a", "b:c"), (b"", "a:b"), (b"", "b")]
    assert len({seed_of_block(master, block) for master, block in pairs}) == len(pairs)

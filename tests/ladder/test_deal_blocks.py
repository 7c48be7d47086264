"""Blocks: who sits where, and which seed."""

import hashlib
from collections import Counter
from itertools import permutations

import pytest

from roost_ladder.blocks import Block, Deals, Rotation, seed_of_block, seed_of_match

GROUPS = [(4, 9), (7, 1, 3), (5, 2, 8, 6)]


def seatings(block: Block) -> list[tuple[int, ...]]:
    return [block.seating(rotation) for rotation in range(block.rotations)]


@pytest.mark.parametrize("group", [*GROUPS, (1, 2, 3, 4, 5, 6, 7)])
def test_every_bot_sits_once_in_every_seat(group: tuple[int, ...]) -> None:
    seated = seatings(Block("b", "karteneck", group, b""))
    assert seated[0] == group
    assert all(sorted(seating) == sorted(group) for seating in seated)
    assert all(sorted(bots_in_seat) == sorted(group) for bots_in_seat in zip(*seated, strict=True))


def test_rotations_keep_the_neighbours() -> None:
    assert seatings(Block("b", "karteneck", (1, 2, 3), b"")) == [(1, 2, 3), (2, 3, 1), (3, 1, 2)]


@pytest.mark.parametrize("group", GROUPS)
def test_full_rotation_is_every_order_once(group: tuple[int, ...]) -> None:
    seated = seatings(Block("b", "karteneck", group, b"", Rotation.FULL))
    assert len(seated) == {2: 2, 3: 6, 4: 24}[len(group)]
    assert seated[0] == group
    assert set(seated) == set(permutations(group))


@pytest.mark.parametrize("group", GROUPS)
def test_parts_of_a_full_rotation_are_fair(group: tuple[int, ...]) -> None:
    """After every few matches, as many as there are bots, everybody has been equally often in every seat."""
    seated = seatings(Block("b", "karteneck", group, b"", Rotation.FULL))
    for part in range(len(group), len(seated) + 1, len(group)):
        counts = Counter((seat, bot) for seating in seated[:part] for seat, bot in enumerate(seating))
        assert set(counts.values()) == {part // len(group)}
        assert len(counts) == len(group) ** 2


def test_the_seed_is_a_hash_of_the_run_and_the_block() -> None:
    expected = hashlib.sha256(b"roost-block/1:0aff:karteneck/3").digest()
    assert seed_of_block(b"\x0a\xff", "karteneck/3") == expected
    assert len(expected) == 32


def test_seeds_differ_between_blocks_and_between_runs() -> None:
    pairs = [(b"a", "b"), (b"a", "c"), (b"b", "b"), (b"a:b", "c"), (b"a", "b:c"), (b"", "a:b"), (b"", "b")]
    assert len({seed_of_block(master, block) for master, block in pairs}) == len(pairs)


@pytest.mark.parametrize(
    ("rotation", "take", "expected"),
    [
        (0, 0, "0c6f3ad926dca4de93c24227e7a1da090b507a0c83913507f69cd35b3c3bb18a"),
        (1, 0, "c7edcb4e976a204d7ce79589ba9a472182e57c3b08c39d8aff65ad1b6faef5ea"),
        (1, 1, "3e4ebb76052bb2568f63d0a613b9418cec7fae6826178f623da1031f2ccb47d0"),
    ],
)
def test_every_match_and_every_take_of_it_has_a_seed_of_its_own(rotation: int, take: int, expected: str) -> None:
    """Computed with OpenSSL; docs/formats/chance.md lists the same."""
    of_block = seed_of_block(bytes(range(32)), "spring-finals-4")
    assert of_block.hex() == "e93a82a43d35b33a5c620fc16a11e05ff72b096073df33c9f071a69d5eee9eb3"
    assert seed_of_match(of_block, rotation, take).hex() == expected
    assert Block("spring-finals-4", "karteneck", (1, 2), of_block).seed_of(rotation, take).hex() == expected


def test_a_duplicate_deal_is_that_of_the_block() -> None:
    block = Block("b", "karteneck", (1, 2), b"\x0a", deals=Deals.DUPLICATE)
    assert {block.seed_of(rotation, take) for rotation in (0, 1) for take in (0, 1)} == {b"\x0a"}


def test_the_seed_of_a_block_in_another_epoch() -> None:
    """As docs/formats/chance.md has it, worked out with OpenSSL."""
    of_block = seed_of_block(bytes(range(32)), "spring-finals-4", 1_795_000_000_000)
    assert of_block.hex() == "14434e6d41d440fbc8b44903829206a0cf4655668479485a82c5c5f5dfe7a52b"

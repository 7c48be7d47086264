"""Deal blocks: one deal, one group of bots, every bot once in every seat.

The block is the unit of luck. Whatever a deal gives to seat 2 it gives to every bot of the group once, so within a
block luck largely cancels out, and statistics treat the block as one observation.
"""

import hashlib
from typing import NamedTuple


class Block(NamedTuple):
    """A deal and the bots that play it, under cyclic rotations of the seats."""

    block_id: str
    game: str
    group: tuple[int, ...]
    """The bots, by any number that identifies them, in the order in which they sit in the first match."""
    seed: bytes
    """The seed of every match of the block."""

    @property
    def rotations(self) -> int:
        """How many matches the block has."""
        return len(self.group)

    def seating(self, rotation: int) -> tuple[int, ...]:
        """Who sits where in match number `rotation`, from 0, by seat."""
        return self.group[rotation:] + self.group[:rotation]


def seed_of_block(master: bytes, block_id: str) -> bytes:
    """The seed of a block: SHA-256 of the run's master seed, in hexadecimal, and the block's identity.

    It depends on nothing else, so a run is the same whoever plays its blocks and in whatever order.
    """
    return hashlib.sha256(f"roost-block/1:{master.hex()}:{block_id}".encode()).digest()

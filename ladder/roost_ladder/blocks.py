"""Deal blocks: one deal, one group of bots, every bot equally often in every seat.

The block is the unit of luck. Whatever a deal gives to seat 2 it gives to every bot of the group equally often, so
within a block luck largely cancels out, and statistics treat the block as one observation.
"""

import hashlib
from enum import StrEnum
from itertools import islice, permutations
from math import factorial
from typing import NamedTuple


class Rotation(StrEnum):
    """The orders in which the bots of a block sit."""

    CYCLIC = "cyclic"
    """Every bot moves on by one seat: as many matches as bots. Neighbours stay neighbours."""
    FULL = "full"
    """All orders: 2, 6 or 24 matches for 2, 3 or 4 bots."""

    def matches(self, bots: int) -> int:
        """How many matches a block of this many bots has."""
        return factorial(bots) if self is Rotation.FULL else bots


class Block(NamedTuple):
    """A deal and the bots that play it, under rotations of the seats."""

    block_id: str
    game: str
    group: tuple[int, ...]
    """The bots, by any number that identifies them, in the order in which they sit in the first match."""
    seed: bytes
    """The seed of every match of the block."""
    rotation: Rotation = Rotation.CYCLIC

    @property
    def rotations(self) -> int:
        """How many matches the block has."""
        return self.rotation.matches(len(self.group))

    def seating(self, rotation: int) -> tuple[int, ...]:
        """Who sits where in match number `rotation`, from 0, by seat.

        A full block is a series of cyclic ones, and is fair after each of them.
        """
        order, moves = divmod(rotation, len(self.group))
        circle = self.group
        if order:
            first, *others = circle
            circle = (first, *next(islice(permutations(others), order, None)))
        return circle[moves:] + circle[:moves]


def seed_of_block(master: bytes, block_id: str) -> bytes:
    """The seed of a block: SHA-256 of the run's master seed, in hexadecimal, and the block's identity.

    It depends on nothing else, so a run is the same wherever and in whatever order its blocks are played.
    """
    return hashlib.sha256(f"roost-block/1:{master.hex()}:{block_id}".encode()).digest()

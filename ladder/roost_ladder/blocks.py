"""Blocks: one group of bots, every bot equally often in every seat.

The block is the unit of planning and of statistics, which treat it as one observation. Its matches have deals of their
own, so that no bot gains by remembering. Where all bots can be trusted they may share one deal instead: whatever it
gives to seat 2 it then gives to every bot of the group equally often.
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


class Deals(StrEnum):
    """Whether the matches of a block share a deal."""

    OWN = "own"
    """Every match has a deal of its own: nothing that a bot remembers helps it in another match."""
    DUPLICATE = "duplicate"
    """All matches have the same deal, under rotated seats. A process that remembers its matches gains by it."""


class Block(NamedTuple):
    """A group of bots that play each other under rotations of the seats, and the seed from which their deals follow."""

    block_id: str
    game: str
    group: tuple[int, ...]
    """The bots, by any number that identifies them, in the order in which they sit in the first match."""
    seed: bytes
    """The seed of the block. See `seed_of` for those of its matches."""
    rotation: Rotation = Rotation.CYCLIC
    deals: Deals = Deals.OWN

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

    def seed_of(self, rotation: int, take: int = 0) -> bytes:
        """The seed of match number `rotation`. `take` counts, from 0, how often the match was begun before.

        A duplicate deal stays the same: there the whole block is dealt again.
        """
        return self.seed if self.deals is Deals.DUPLICATE else seed_of_match(self.seed, rotation, take)


def seed_of_block(master: bytes, block_id: str, epoch: int = 0) -> bytes:
    """The seed of a block: SHA-256 of the run's master seed, in hexadecimal, and the block's identity.

    It depends on nothing else, so a run is the same wherever and in whatever order its blocks are played. Only records
    that were restored from a copy have another `epoch`, so that no block is dealt cards again that were dealt before.
    """
    text = f"roost-block/2:{master.hex()}:{epoch}:{block_id}" if epoch else f"roost-block/1:{master.hex()}:{block_id}"
    return hashlib.sha256(text.encode()).digest()


def seed_of_match(block_seed: bytes, rotation: int, take: int = 0) -> bytes:
    """The seed of a match with a deal of its own: SHA-256 of its block's seed, in hexadecimal, and two numbers.

    It tells nothing about the seeds of the other matches, so it can be revealed as soon as the match is over.
    """
    return hashlib.sha256(f"roost-match/1:{block_seed.hex()}:{rotation}:{take}".encode()).digest()

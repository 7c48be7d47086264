"""Checks that every match on record has the deal that follows from its block.

docs/formats/chance.md describes how. A match that was voided, or that an arena was playing when it stopped, is begun
again with another deal: its next take. Voided matches are on record; what a stopped arena was playing is not, so a
block says how often it was resumed.
"""

from collections import Counter
from typing import NamedTuple

from roost_ladder.blocks import Deals, seed_of_match


class BlockDeals(NamedTuple):
    """What is on record about the deals of a block."""

    id: str
    seed: str
    """In hex."""
    deals: str
    """A value of `Deals`."""
    resumed: int
    """How often an arena resumed it after a stop."""


class DealCheck:
    """Goes through matches in the order in which they ended."""

    def __init__(self) -> None:
        self._voided: Counter[tuple[str, int]] = Counter()
        """How often the match of a block with this rotation was voided so far."""
        self._next_take: Counter[tuple[str, int]] = Counter()
        """Its first take that has not been played, where there may be another one."""

    def follows(self, block: BlockDeals, rotation: int, seed: str | None, *, voided: bool) -> bool:
        """Whether the next match of `block` has the right seed."""
        if block.deals == Deals.DUPLICATE:
            return seed == block.seed
        place = block.id, rotation
        possible = range(self._next_take[place], self._voided[place] + block.resumed + 1)
        of_block = bytes.fromhex(block.seed)
        found = [take for take in possible if seed_of_match(of_block, rotation, take).hex() == seed]
        if voided or block.resumed:
            self._voided[place] += voided
            self._next_take[place] = found[0] + 1 if found else self._next_take[place]
        return bool(found)

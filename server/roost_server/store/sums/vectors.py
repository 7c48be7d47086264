"""Results as vectors of whole numbers: of a match, of a block, of all blocks of a group.

A match has its scores (1, then for each pair 2, 1 or 0: the first finished ahead, tied, or behind) and five numbers for
each bot. A block's vector is the sum of its matches'. A group's vector begins with the number of its blocks, and has
the products of the scores of each block besides. docs/formats/database.md describes it.
"""

from functools import cache

import numpy as np

from roost_ladder.rating.groups import AT_ONCE, GroupSums, GroupTables, pairs_of
from roost_ladder.rating.results import Floats, Indices, Kind, Numbers

STORED = "<i8"
"""How a number is stored: 64 bits, little-endian."""
MEMBER_SUMS = 5
"""Of each bot: wins, places, faults, decisions and microseconds of thinking."""


class Layout:
    """Where the numbers of groups with this many players are."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.pairs = pairs_of(players)
        self.scores = 1 + len(self.pairs)
        """How many scores there are."""
        self.block_width = self.scores + MEMBER_SUMS * players
        self.one, self.other = np.triu_indices(self.scores)
        self.mirrored = _mirrored(self.scores)
        self.first_product = 1 + self.scores
        self.first_member = self.first_product + len(self.one)
        self.width = self.first_member + MEMBER_SUMS * players

    def of_matches(self, places: Numbers, faults: Numbers, decisions: Numbers, thinking_us: Numbers) -> Numbers:
        """The vectors of matches. All are by match and bot, the bots in ascending order."""
        one, other = np.array(self.pairs).T
        return np.column_stack(
            [
                np.ones(len(places), np.int64),
                1 + np.sign(places[:, other] - places[:, one]),
                places == 1,
                places,
                faults,
                decisions,
                thinking_us,
            ]
        )

    def of_blocks(self, blocks: Numbers) -> Numbers:
        """The vectors of groups that have played one block each, from the vectors of these blocks."""
        scores = blocks[:, : self.scores]
        products = scores[:, self.one] * scores[:, self.other]
        return np.column_stack([np.ones(len(blocks), np.int64), scores, products, blocks[:, self.scores :]])

    def members(self, vectors: Numbers) -> Numbers:
        """By group, kind of sum and bot: wins, places, faults, decisions, microseconds."""
        return vectors[:, self.first_member :].reshape(-1, MEMBER_SUMS, self.players)

    def group_sums(self, game: str, groups: Numbers, vectors: Numbers) -> GroupSums:
        """What ratings need of these groups, from the matches of a game. Each group occurs once."""
        bots, members = members_of(groups)
        halves = np.where(np.arange(self.scores) == 0, 1.0, 0.5)
        scores = vectors[:, 1 : self.first_product].astype(float) * halves
        by_member = self.members(vectors)
        tables = GroupTables(
            Kind(game, self.players),
            members,
            vectors[:, 0].astype(float),
            scores,
            self._products(vectors, halves),
            by_member[:, 0].astype(float),
            by_member[:, 1].astype(float),
        )
        return GroupSums(bots, (tables,))

    def _products(self, vectors: Numbers, halves: Floats) -> Floats:
        """By group, score and score. For some groups at a time: much memory at once takes more time."""
        made: Floats = np.empty((len(vectors), self.scores, self.scores))
        upper, scale = vectors[:, self.first_product : self.first_member], np.outer(halves, halves)
        for first in range(0, len(vectors), AT_ONCE):
            some = slice(first, first + AT_ONCE)
            made[some] = upper[some][:, self.mirrored] * scale
        return made


def members_of(groups: Numbers) -> tuple[Numbers, Indices]:
    """The bots of all groups, ascending, and by group and member its place among them.

    Bots are numbered from 1, so counting takes less time than sorting.
    """
    played = np.bincount(groups.ravel()) > 0
    return np.flatnonzero(played), (np.cumsum(played) - 1)[groups]


def _mirrored(size: int) -> Indices:
    """By row and column of a symmetric matrix: the place in its upper triangle."""
    places = np.zeros((size, size), np.intp)
    upper = np.triu_indices(size)
    places[upper] = np.arange(len(upper[0]))
    return np.maximum(places, places.T)


@cache
def layout_for(players: int) -> Layout:
    """The layout for this table size."""
    return Layout(players)

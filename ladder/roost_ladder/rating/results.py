"""Results of matches, and the same gathered by block into arrays: all that ratings need to know.

What is gathered does not depend on the order of the results, except that blocks are in the order of their first match.
Within a block only whole and half numbers are added, which is exact.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Numbers = NDArray[np.int64]


class MatchResult(NamedTuple):
    """A finished match that counts."""

    block_id: str
    """Matches with the same deal and the same group of bots have the same block."""
    game: str
    bots: tuple[int, ...]
    """By seat: any numbers that identify the bots."""
    places: tuple[int, ...]
    """By seat: 1 is the best, ties share a place."""
    forfeited: bool = False
    """Whether some bot forfeited it."""


class Kind(NamedTuple):
    """A kind of table."""

    game: str
    players: int

    def size_first(self) -> tuple[int, str]:
        """What kinds are sorted by."""
        return self.players, self.game


class Columns(NamedTuple):
    """Many matches at one kind of table, without an object for each of them."""

    kind: Kind
    blocks: Sequence[Hashable]
    """By match: what identifies the block."""
    bots: Numbers
    """By match and seat."""
    places: NDArray[np.int64] | Floats
    """By match and seat."""


class Tables(NamedTuple):
    """All blocks at one kind of table. A bot is named by its index in `ResultSums.bots`."""

    kind: Kind
    groups: Indices
    """By block: its members, ascending."""
    matches: Floats
    """By block: how many matches it has."""
    ahead: Floats
    """By block, member and member: how often the first finished ahead of the second; a tie is half."""
    wins: Floats
    """By block and member: first places, shared ones too."""
    place_sums: Floats
    """By block and member: the sum of its places."""

    @property
    def players(self) -> int:
        """How many sit at such a table."""
        return self.kind.players

    def by_bot(self, by_member: Floats, bots: int) -> Floats:
        """Add up what blocks hold for each member. `bots` is the number of all bots."""
        return _sums(self.groups, by_member, bots)

    def by_pair(self, by_members: Floats, bots: int) -> Floats:
        """Add up what blocks hold for each pair of members, into one matrix over all bots."""
        pairs: Indices = self.groups[:, :, None] * bots + self.groups[:, None, :]
        return _sums(pairs, by_members, bots * bots).reshape(bots, bots)


def _sums(where: Indices, values: Floats, cells: int) -> Floats:
    return np.bincount(where.ravel(), weights=values.ravel(), minlength=cells).astype(float, copy=False)


class ResultSums(NamedTuple):
    """All results, added up by block."""

    bots: Numbers
    """The numbers that identify the bots, ascending."""
    tables: tuple[Tables, ...]
    """By kind: by rising number of players, then by the name of the game."""

    def blocks(self) -> Floats:
        """By bot: how many blocks it has played."""
        members = [tables.groups.ravel() for tables in self.tables]
        return np.bincount(np.concatenate(members), minlength=len(self.bots)).astype(float)

    def ahead(self, weight: Callable[[Tables], float]) -> Floats:
        """By bot and bot: how often the first finished ahead of the second, each match by the weight of its tables."""
        total = np.zeros((len(self.bots), len(self.bots)))
        for tables in self.tables:
            total += weight(tables) * tables.by_pair(tables.ahead, len(self.bots))
        return total


def gather(results: Iterable[MatchResult]) -> ResultSums:
    """These results, added up. Raises `ValueError` if they cannot be results of matches in blocks."""
    gathering = GrowingSums()
    gathering.add(results)
    return gathering.record()


class GrowingSums:
    """Sums that grow: results are added as they come in, each at the same small cost.

    It keeps sums by block, never single matches: about 25 bytes for a match, and some 200 for the name of a block as
    long as that is not settled. After a `ValueError` it must not be used.
    """

    def __init__(self) -> None:
        self._sums: dict[Kind, _Sums] = {}

    def add(self, results: Iterable[MatchResult]) -> None:
        """Count these too. Raises `ValueError` if they cannot be results of matches in blocks."""
        by_kind: dict[Kind, list[MatchResult]] = {}
        for result in results:
            by_kind.setdefault(Kind(result.game, len(result.bots)), []).append(result)
        for kind, some in by_kind.items():
            self._add(_columns(kind, some))

    def _add(self, columns: Columns) -> None:
        if any(sums.has_some_of(columns.blocks) for kind, sums in self._sums.items() if kind != columns.kind):
            raise ValueError("matches of one block have different games or numbers of players")
        self._sums.setdefault(columns.kind, _Sums(columns.kind.players)).add(columns)

    def drop(self, block_id: Hashable) -> None:
        """Forget what was added for this block, which has been voided. An unknown block does no harm."""
        for sums in self._sums.values():
            sums.drop(block_id)

    def settle(self, but: Collection[Hashable] = ()) -> None:
        """Forget the names of all blocks but these: the others will neither grow nor be dropped."""
        for sums in self._sums.values():
            sums.settle(but)

    def record(self) -> ResultSums:
        """All that has been added so far. It does not change later."""
        kept = [(kind, self._sums[kind].kept()) for kind in sorted(self._sums, key=Kind.size_first)]
        bots = np.unique(np.concatenate([np.empty(0, np.int64), *(groups.ravel() for _, (groups, *_) in kept)]))
        return ResultSums(
            bots,
            tuple(Tables(kind, np.searchsorted(bots, groups), *sums) for kind, (groups, *sums) in kept if len(groups)),
        )


def _columns(kind: Kind, results: Sequence[MatchResult]) -> Columns:
    if any(len(result.places) != len(result.bots) for result in results):
        raise ValueError("a match needs as many places as bots")
    return Columns(
        kind,
        [result.block_id for result in results],
        np.array([result.bots for result in results], np.int64),
        np.array([result.places for result in results], np.int64),
    )


class _Sums:
    """What `Tables` has, with bots by their own numbers, and with room for more blocks."""

    def __init__(self, players: int) -> None:
        self._rows: dict[Hashable, int] = {}
        """The row of each block that is not settled."""
        self._blocks = 0
        self._players = players
        self._pairs = tuple(combinations(range(players), 2))
        # Halves are exact in these up to eight million, and an arena that plays for days has millions of blocks.
        self._groups = np.empty((0, players), np.int64)
        self._matches = np.empty(0, np.float32)
        self._ahead = np.empty((0, len(self._pairs)), np.float32)
        """By block and pair: how often the first finished ahead of the second. The rest is the other way round."""
        self._wins = np.empty((0, players), np.float32)
        self._place_sums = np.empty((0, players), np.float32)

    def has_some_of(self, blocks: Sequence[Hashable]) -> bool:
        """Whether one of these blocks has been added here."""
        return not self._rows.keys().isdisjoint(blocks)

    def drop(self, block_id: Hashable) -> None:
        """Forget a block."""
        if block_id in self._rows:
            for sums in (self._matches, self._ahead, self._wins, self._place_sums):
                sums[self._rows[block_id]] = 0

    def settle(self, but: Collection[Hashable]) -> None:
        """Forget the names of all blocks but these."""
        self._rows = {block: self._rows[block] for block in but if block in self._rows}

    def kept(self) -> tuple[Numbers, Floats, Floats, Floats, Floats]:
        """The blocks that have matches: groups, matches, ahead, wins, sums of places."""
        some = np.flatnonzero(self._matches[: self._blocks])
        matches, wins, place_sums = (sums[some].astype(float) for sums in (self._matches, self._wins, self._place_sums))
        return self._groups[some], matches, self._both_ways(some, matches), wins, place_sums

    def _both_ways(self, some: Indices, matches: Floats) -> Floats:
        ahead = np.zeros((len(some), self._players, self._players))
        for cell, (one, other) in enumerate(self._pairs):
            ahead[:, one, other] = self._ahead[some, cell]
            ahead[:, other, one] = matches - ahead[:, one, other]
        return ahead

    def add(self, columns: Columns) -> None:
        """Count these matches."""
        order = np.argsort(columns.bots, axis=1)
        members = np.take_along_axis(columns.bots, order, axis=1)
        places = np.take_along_axis(columns.places, order, axis=1)
        if self._players < 2 or (members[:, 1:] == members[:, :-1]).any():
            raise ValueError("a match needs at least two bots, all different")
        rows = self._rows_of(columns.blocks, members)
        _add(self._matches, rows, 0, np.ones(len(rows)))
        for member in range(self._players):
            _add(self._wins, rows, member, places[:, member] == 1)
            _add(self._place_sums, rows, member, places[:, member])
        for cell, (one, other) in enumerate(self._pairs):
            margin = np.sign(places[:, other] - places[:, one])
            _add(self._ahead, rows, cell, (1 + margin) / 2)

    def _rows_of(self, blocks: Sequence[Hashable], members: Numbers) -> Indices:
        known = self._blocks
        rows = np.array([self._row_of(block) for block in blocks], np.intp)
        self._make_room()
        new = rows >= known
        self._groups[rows[new]] = members[new]
        if (self._groups[rows] != members).any():
            raise ValueError("matches of one block have different bots")
        return rows

    def _row_of(self, block: Hashable) -> int:
        row = self._rows.setdefault(block, self._blocks)
        self._blocks += row == self._blocks
        return row

    def _make_room(self) -> None:
        """A quarter more than is needed, so that adding one by one stays cheap."""
        if self._blocks > len(self._matches):
            room = self._blocks + self._blocks // 4
            for sums in (self._groups, self._matches, self._ahead, self._wins, self._place_sums):
                # In place, without a second copy for a moment. Nobody else has a view of them: `kept` makes copies.
                sums.resize((room, *sums.shape[1:]), refcheck=False)


def _add(sums: NDArray[np.float32], rows: Indices, cell: int, values: NDArray[np.generic]) -> None:
    """Adds to one cell of each row. Flat indices and floats are what numpy does this fast for."""
    np.add.at(sums.reshape(-1), rows * (sums.size // len(sums)) + cell, values.astype(np.float32))

"""The sums of blocks that are done, in memory: a cell for each group of bots, and which cells have changed."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.results import Numbers
from roost_server.store.sums.blocks import Blocks, Origin
from roost_server.store.sums.vectors import layout_for


class Forfeits(StrEnum):
    """What the blocks of a cell have to do with forfeits.

    Sums in which forfeited matches count are made of the first two, sums in which they do not of the first and last.
    """

    NONE = "none"
    """No match of these blocks was forfeited."""
    COUNTED = "counted"
    """Some were, and they are in the sums."""
    IGNORED = "ignored"
    """Some were, and they are left out."""


class CellKind(NamedTuple):
    """What cells are about, but for their groups."""

    origin: Origin
    players: int
    forfeits: Forfeits


class Cell(NamedTuple):
    """A row of the table `block_sums`."""

    id: int
    kind: CellKind
    group: tuple[int, ...]
    vector: Numbers


class Cells:
    """The cells of one kind."""

    def __init__(self, kind: CellKind) -> None:
        layout = layout_for(kind.players)
        self.kind = kind
        self.changed: dict[int, None] = {}
        """The rows that are not in the database as they are here."""
        self._used = 0
        self._ids = np.empty(0, np.int64)
        self._groups = np.empty((0, kind.players), np.int64)
        self._vectors = np.empty((0, layout.width), np.int64)
        self._row_of: dict[tuple[int, ...], int] | None = None

    @property
    def groups(self) -> Numbers:
        """By cell: its bots, ascending."""
        return self._groups[: self._used]

    @property
    def vectors(self) -> Numbers:
        """By cell: its sums."""
        return self._vectors[: self._used]

    def fill(self, ids: Numbers, groups: Numbers, vectors: Numbers) -> None:
        """Take over the cells that are in the database."""
        self._used, self._ids, self._groups, self._vectors = len(ids), ids, groups, vectors

    def add(self, groups: Numbers, vectors: Numbers) -> None:
        """Add blocks: by block its bots and its vector as of a group."""
        rows = [self._row(group) for group in map(tuple, groups.tolist())]
        self._make_room()
        self._groups[rows] = groups
        np.add.at(self._vectors, rows, vectors)
        self.changed.update(dict.fromkeys(rows))

    def _row(self, group: tuple[int, ...]) -> int:
        if self._row_of is None:
            self._row_of = {known: row for row, known in enumerate(map(tuple, self.groups.tolist()))}
        row = self._row_of.setdefault(group, self._used)
        self._used += row == self._used
        return row

    def _make_room(self) -> None:
        if self._used > len(self._ids):
            room = self._used + self._used // 4
            for name in ("_ids", "_groups", "_vectors"):
                old = getattr(self, name)
                new = np.zeros((room, *old.shape[1:]), np.int64)
                new[: len(old)] = old
                setattr(self, name, new)

    def new_rows(self) -> list[int]:
        """The changed rows that have no number in the database yet."""
        return [row for row in self.changed if not self._ids[row]]

    def number(self, row: int, id: int) -> None:
        """Give a row its number in the database."""
        self._ids[row] = id

    def cells(self, rows: Sequence[int]) -> Iterator[Cell]:
        """The cells in these rows."""
        for row in rows:
            group = tuple(self._groups[row].tolist())
            yield Cell(int(self._ids[row]), self.kind, group, self._vectors[row].copy())


def parts(blocks: Blocks) -> Iterator[tuple[CellKind, Numbers, Numbers]]:
    """The blocks by the kind of cell that they belong to: their groups, and their vectors as of groups."""
    layout = layout_for(blocks.players)
    forfeited = blocks.vectors[:, 0] != blocks.unforfeited[:, 0]
    versions = (
        (Forfeits.NONE, blocks.vectors, ~forfeited),
        (Forfeits.COUNTED, blocks.vectors, forfeited),
        (Forfeits.IGNORED, blocks.unforfeited, forfeited & (blocks.unforfeited[:, 0] > 0)),
    )
    numbers: dict[Origin, int] = {}
    origin_of = np.array([numbers.setdefault(origin, len(numbers)) for origin in blocks.origins], np.intp)
    for origin, number in numbers.items():
        for forfeits, vectors, chosen in versions:
            rows = np.flatnonzero(chosen & (origin_of == number))
            if len(rows):
                kind = CellKind(origin, blocks.players, forfeits)
                yield kind, blocks.groups[rows], layout.of_blocks(vectors[rows])

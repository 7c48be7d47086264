"""Sums that are kept up to date: loaded from the database, brought up to the latest match, and saved.

The database says how far the kept sums go: through which match, and which blocks of earlier matches were open then.
Readers load them and read the matches that are newer. What an arena saves is one transaction, so after a kill
the next one continues from there. See decision 15.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, Self

import numpy as np
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.rating.groups import GroupSums, added_up
from roost_ladder.rating.results import Indices, Numbers
from roost_server.store.errors import StoreError
from roost_server.store.measures.holds import Held
from roost_server.store.models import BLOCK_SUMS, MATCH, SUMS_OPEN_BLOCK, SUMS_PROGRESS, BlockState
from roost_server.store.results import MatchFilter, Rule, closed_blocks, last_end, released_blocks
from roost_server.store.store import Reading
from roost_server.store.sums.blocks import Blocks, Origin, blocks_between, blocks_named, continued, joined, tuples
from roost_server.store.sums.cells import Cell, CellKind, Cells, Forfeits, parts
from roost_server.store.sums.vectors import STORED, layout_for, members_of

CHUNK = 20_000
"""How many matches are read at a time."""
CHANGE = update(BLOCK_SUMS).where(BLOCK_SUMS.c.id == bindparam("cell")).values(vector=bindparam("sums"))
COUNTED = (Forfeits.NONE, Forfeits.COUNTED)
IGNORED = (Forfeits.NONE, Forfeits.IGNORED)


class SumsFilter(NamedTuple):
    """Which blocks are meant."""

    matches: MatchFilter
    rule: Rule
    forfeits: bool
    """Whether forfeited matches count."""
    method: Method = LATEST
    """How they are weighed."""

    def has(self, kind: CellKind) -> bool:
        """Whether blocks of this kind are meant, whatever was forfeited."""
        origin, wanted = kind.origin, self.matches
        columns = (origin.game, kind.players, origin.competition_id, origin.phase)
        return all(some is None or some == own for some, own in zip(wanted[:4], columns, strict=True))

    def has_all(self, kind: CellKind) -> bool:
        """The same, and nothing of their phase is held back."""
        origin = kind.origin
        held = any(each[:2] == (origin.competition_id, origin.phase) for each in self.matches.held)
        return not held and self.has(kind)


class Conduct(NamedTuple):
    """What a bot did, in all matches that are meant."""

    matches: int = 0
    wins: int = 0
    """First places, shared ones too."""
    faults: int = 0
    decisions: int = 0
    thinking_us: int = 0


class Unsaved(NamedTuple):
    """What has changed since sums were saved last."""

    saves: int
    """How often they had been saved."""
    through: int
    open_blocks: list[str]
    new: list[Cell]
    changed: list[Cell]


class Sums:
    """The sums of all blocks, as of the last match that was read. It is not safe to share between threads."""

    def __init__(self) -> None:
        self.through = 0
        """The number of the last match that was read."""
        self.ended_ms = 0
        """When it ended."""
        self.revision = 0
        """Changes with everything that is new."""
        self._cells: dict[CellKind, Cells] = {}
        self._open: dict[str, Blocks] = {}
        """Blocks that were open when they were read, one each."""
        self.resets = 0
        """How often the sums in the database had been dropped."""
        self._struck: dict[int, set[int]] = {}
        """By competition, the versions whose matches do not count there."""
        self._nameless: frozenset[int] = frozenset()
        """The competitions that hide names."""
        self._released: tuple[Held, int, list[Blocks]] = ((), 0, [])
        """The released blocks of phases that are partly held back, as of a revision."""
        self._seen: tuple[Held, int, int] = ((), 0, 0)
        """What was held back at the match of a number, and when the last one before it ended that was not."""
        self._saves = 0
        self._saved_revision = 0
        self._last_id = 0

    @classmethod
    def load(cls, reading: Reading) -> Self:
        """What is kept in the database."""
        sums = cls()
        progress = select(*SUMS_PROGRESS.c["through", "saves", "resets"])
        sums.through, sums._saves, sums.resets = reading.execute(progress).one()
        sums.ended_ms = reading.scalar(select(MATCH.c.ended_ms).where(MATCH.c.number == sums.through)) or 0
        sums._cells = {cells.kind: cells for cells in _kept_cells(reading)}
        sums._last_id = reading.scalar(select(func.max(BLOCK_SUMS.c.id))) or 0
        for blocks in blocks_named(reading, reading.scalars(select(SUMS_OPEN_BLOCK.c.block_id)).all(), sums.through):
            sums._hold(blocks)
        return sums

    def catch_up(self, reading: Reading) -> None:
        """Read what is new."""
        while self.advance(reading):
            pass

    def advance(self, reading: Reading) -> bool:
        """Read some of what is new. Returns whether there is more."""
        last = reading.scalar(select(func.max(MATCH.c.number))) or 0
        end = min(self.through + CHUNK, last)
        if end > self.through:
            for blocks in blocks_between(reading, self.through, end):
                self._take(blocks, continued(reading, blocks.ids, end) if end < last else ())
            self.ended_ms = reading.scalar(select(MATCH.c.ended_ms).where(MATCH.c.number == end)) or 0
            self.through = end
            self.revision += 1
        self._settle(reading, continued(reading, list(self._open), end) if end < last else ())
        return end < last

    def _take(self, new: Blocks, continued: Collection[str]) -> None:
        """Add the blocks that are done, and hold those that are open or have more matches."""
        for row, block_id in enumerate(new.ids):
            if block_id in self._open:
                held = self._open.pop(block_id)
                new.vectors[row] += held.vectors[0]
                new.unforfeited[row] += held.unforfeited[0]
        over = [id not in continued and state != BlockState.OPEN for id, state in zip(new.ids, new.states, strict=True)]
        self._add(new.picked([row for row, each in enumerate(over) if each and new.states[row] == BlockState.DONE]))
        self._hold(new.picked([row for row, each in enumerate(over) if not each]))

    def _hold(self, blocks: Blocks) -> None:
        self._open.update({id: blocks.picked([row]) for row, id in enumerate(blocks.ids)})

    def _settle(self, reading: Reading, continued: Collection[str]) -> None:
        """Add the held blocks that are done by now, and forget those that are voided."""
        for block_id, state in closed_blocks(reading, list(self._open)):
            if block_id not in continued:
                block = self._open.pop(block_id)
                self.revision += 1
                if state == BlockState.DONE:
                    self._add(block)

    def _add(self, blocks: Blocks) -> None:
        for kind, groups, vectors in parts(blocks):
            self._cells.setdefault(kind, Cells(kind)).add(groups, vectors)

    def strike(self, versions: dict[int, set[int]]) -> None:
        """From now on leave out the matches of these versions, by competition."""
        if versions != self._struck:
            self._struck = versions
            self.revision += 1

    def hide(self, nameless: frozenset[int]) -> None:
        """From now on leave out the open blocks of these competitions: they would say who plays whom."""
        if nameless != self._nameless:
            self._nameless = nameless
            self.revision += 1

    def read_released(self, reading: Reading, held: Held) -> None:
        """Read what may be seen of phases that are held back in part. Sums are asked for with the same `held` then."""
        if self._released[:2] != (held, self.revision):
            ids = [id for each in held for id in released_blocks(reading, each)]
            self._released = held, self.revision, list(blocks_named(reading, ids, self.through))
        known, through, ended_ms = self._seen
        after, ended_ms = (through, ended_ms) if known == held else (0, 0)
        self._seen = held, self.through, last_end(reading, held, after, self.through) or ended_ms

    def seen_ms(self, held: Held) -> int:
        """When the last match ended that is not held back."""
        return self._seen[2] if held else self.ended_ms

    def kinds(self) -> set[tuple[Origin, int]]:
        """Where blocks that count have been played, and at which table sizes."""
        held = ((block.origins[0], block.players) for block in self._open.values())
        return {(kind.origin, kind.players) for kind in self._cells}.union(held)

    def selected(self, wanted: SumsFilter) -> GroupSums:
        """The sums of the blocks that are meant."""
        forfeits = COUNTED if wanted.forfeits else IGNORED
        return added_up(
            layout_for(kind.players).group_sums(kind.origin.game, groups, vectors)
            for kind, groups, vectors in self._parts(wanted, forfeits)
        )

    def conduct(self, wanted: SumsFilter) -> dict[int, Conduct]:
        """By bot. Matches that do not count because somebody forfeited them are in it too."""
        found: dict[int, Conduct] = {}
        for kind, groups, vectors in self._parts(wanted, COUNTED):
            bots, members = members_of(groups)
            wins, _, *behaviour = layout_for(kind.players).members(vectors).transpose(1, 0, 2)
            totals = [_by_bot(members, each, len(bots)) for each in (vectors[:, 1:2], wins, *behaviour)]
            for bot, *some in zip(bots.tolist(), *totals, strict=True):
                found[bot] = Conduct._make(map(sum, zip(some, found.get(bot, Conduct()), strict=True)))
        return found

    def _parts(self, wanted: SumsFilter, forfeits: Collection[Forfeits]) -> "Iterator[Part]":
        for kind, cells in self._cells.items():
            if kind.forfeits in forfeits and wanted.has_all(kind):
                yield from self._not_struck(kind, cells.groups, cells.vectors)
        if wanted.rule is Rule.SO_FAR:
            for part in _parts_of(self._open.values()):
                if part[0].origin.competition_id in self._nameless:
                    continue
                if part[0].forfeits in forfeits and wanted.has_all(part[0]):
                    yield from self._not_struck(*part)
        for part in _parts_of(self._released[2]) if wanted.matches.held else ():
            if part[0].forfeits in forfeits and wanted.has(part[0]):
                yield from self._not_struck(*part)

    def _not_struck(self, kind: CellKind, groups: Any, vectors: Any) -> "Iterator[Part]":
        """A part without what is struck; nothing if all of it is."""
        struck = self._struck.get(kind.origin.competition_id or 0)
        if struck:
            kept = ~np.isin(groups, list(struck)).any(axis=1)
            groups, vectors = groups[kept], vectors[kept]
        if len(groups):
            yield kind, groups, vectors

    def matches(self, wanted: SumsFilter) -> int:
        """How many matches count that are meant."""
        forfeits = COUNTED if wanted.forfeits else IGNORED
        return sum(int(vectors[:, 1].sum()) for _, _, vectors in self._parts(wanted, forfeits))

    def take_unsaved(self) -> Unsaved | None:
        """What has to be saved; `None` if nothing has changed. If that fails, these sums must not be used again."""
        if self.revision == self._saved_revision:
            return None
        last = self._last_id
        changed = [cell for cells in self._cells.values() for cell in self._take_changed(cells)]
        what = Unsaved(
            self._saves,
            self.through,
            list(self._open),
            [cell for cell in changed if cell.id > last],
            [cell for cell in changed if cell.id <= last],
        )
        self._saves, self._saved_revision = self._saves + 1, self.revision
        return what

    def _take_changed(self, cells: Cells) -> Iterator[Cell]:
        for row in cells.new_rows():
            self._last_id += 1
            cells.number(row, self._last_id)
        yield from cells.cells(list(cells.changed))
        cells.changed.clear()


def _by_bot(members: Indices, sums: Numbers, bots: int) -> list[int]:
    """Whole numbers by group and member, added up by bot."""
    weights = np.broadcast_to(sums, members.shape).ravel()
    return [int(total) for total in np.bincount(members.ravel(), weights, bots)]  # exact below 2^53


Part = tuple[CellKind, Any, Any]
"""A kind of cells, and the groups and vectors of some of them."""


def _parts_of(blocks: Iterable[Blocks]) -> Iterator[Part]:
    for each in joined(blocks):
        yield from parts(each)


def kept_through(reading: Reading) -> int:
    """The number of the last match that is in the sums that the database keeps."""
    return int(reading.execute(select(SUMS_PROGRESS.c.through)).scalar_one())


def resets_of(reading: Reading) -> int:
    """How often the sums that the database keeps have been dropped."""
    return int(reading.execute(select(SUMS_PROGRESS.c.resets)).scalar_one())


def save(connection: Connection, what: Unsaved) -> None:
    """Write what has changed. Raises `StoreError` if somebody else has saved in the meantime."""
    mine = SUMS_PROGRESS.c.saves == what.saves
    new = {"through": what.through, "saves": what.saves + 1}
    if not connection.execute(update(SUMS_PROGRESS).where(mine).values(**new)).rowcount:
        raise StoreError("the sums of the matches have been saved by somebody else")
    connection.execute(delete(SUMS_OPEN_BLOCK))
    if what.open_blocks:
        connection.execute(insert(SUMS_OPEN_BLOCK), [{"block_id": id} for id in what.open_blocks])
    if what.new:
        connection.execute(insert(BLOCK_SUMS), [_row_of(cell) for cell in what.new])
    if what.changed:
        connection.execute(CHANGE, [{"cell": cell.id, "sums": _bytes_of(cell)} for cell in what.changed])


def _kept_cells(reading: Reading) -> Iterator[Cells]:
    """All cells in the database. There may be many, so the database is not asked to sort them."""
    columns = ("competition_id", "phase", "game", "players", "forfeits", "id", "bots", "vector")
    by_kind: defaultdict[tuple[Any, ...], list[tuple[Any, ...]]] = defaultdict(list)
    for kind, run in groupby(tuples(reading, select(*BLOCK_SUMS.c[columns])), itemgetter(slice(5))):
        by_kind[kind].extend(run)
    for (*origin, players, forfeits), rows in by_kind.items():
        yield _loaded(CellKind(Origin(*origin), players, Forfeits(forfeits)), rows)


def _loaded(kind: CellKind, rows: Sequence[tuple[Any, ...]]) -> Cells:
    """The cells of one kind, by group, as fits need them."""
    ids, bots, vectors = ([row[at] for row in rows] for at in (-3, -2, -1))
    groups = np.fromstring(",".join(bots), np.int64, sep=",").reshape(len(ids), -1)
    order = np.lexsort(groups.T[::-1])
    numbers = np.frombuffer(bytearray().join([vectors[row] for row in order.tolist()]), STORED)
    cells = Cells(kind)
    cells.fill(
        np.array(ids, np.int64)[order], groups[order], numbers.astype(np.int64, copy=False).reshape(len(ids), -1)
    )
    return cells


def _row_of(cell: Cell) -> dict[str, object]:
    return {
        "id": cell.id,
        **cell.kind.origin._asdict(),
        "players": cell.kind.players,
        "forfeits": cell.kind.forfeits.value,
        "bots": ",".join(map(str, cell.group)),
        "vector": _bytes_of(cell),
    }


def _bytes_of(cell: Cell) -> bytes:
    return cell.vector.astype(STORED).tobytes()

"""Blocks on record, as vectors: the matches of each that count, added up."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Select, case, or_, select

from roost_games.replay import VOIDED
from roost_ladder.rating.results import Floats, Indices, Numbers
from roost_server.store.measures.rulings import voided_by_ruling
from roost_server.store.models import BLOCK, MATCH, MATCH_SEAT, BlockState
from roost_server.store.results import IDS_PER_QUERY, UNRATED
from roost_server.store.store import Reading
from roost_server.store.sums.vectors import layout_for

COUNTED = case((or_(UNRATED, voided_by_ruling()), VOIDED), else_=MATCH.c.termination)
"""How a match ended, for the purpose of ratings."""
MATCHES = select(
    *MATCH.c["block_id", "players"], COUNTED, *BLOCK.c["competition_id", "phase", "game", "state"]
).join_from(MATCH, BLOCK)
SEATS = select(*MATCH_SEAT.c["version_id", "place", "forfeited", "faults", "decisions", "thinking_ms"])
SEATS = SEATS.order_by(*MATCH_SEAT.c["match_number", "seat"])
STATES = {state.value: state for state in BlockState}


class Origin(NamedTuple):
    """Where a block was played. The first two are `None` outside competitions."""

    competition_id: int | None
    phase: str | None
    game: str


class Blocks(NamedTuple):
    """Some blocks with one number of players. A block is here once."""

    players: int
    ids: list[str]
    origins: list[Origin]
    states: list[BlockState]
    groups: Numbers
    """By block: its bots, ascending."""
    vectors: Numbers
    """By block: all its matches."""
    unforfeited: Numbers
    """By block: its matches that nobody forfeited."""

    def picked(self, rows: Sequence[int]) -> "Blocks":
        """The blocks in these rows."""
        return Blocks(
            self.players,
            [self.ids[row] for row in rows],
            [self.origins[row] for row in rows],
            [self.states[row] for row in rows],
            self.groups[rows],
            self.vectors[rows],
            self.unforfeited[rows],
        )


def blocks_between(reading: Reading, after: int, last: int) -> Iterator[Blocks]:
    """The blocks of the matches with the numbers after `after` to `last`, by table size; only these matches of them."""
    matches = MATCHES.where(MATCH.c.number > after, MATCH.c.number <= last)
    seats = SEATS.where(MATCH_SEAT.c.match_number > after, MATCH_SEAT.c.match_number <= last)
    return _read(reading, matches, seats)


def blocks_named(reading: Reading, ids: Sequence[str], last: int) -> Iterator[Blocks]:
    """These blocks, by table size; only their matches up to the number `last`."""
    for first in range(0, len(ids), IDS_PER_QUERY):
        wanted = MATCH.c.block_id.in_(ids[first : first + IDS_PER_QUERY]) & (MATCH.c.number <= last)
        yield from _read(reading, MATCHES.where(wanted), SEATS.join_from(MATCH_SEAT, MATCH).where(wanted))


def continued(reading: Reading, ids: Sequence[str], last: int) -> set[str]:
    """Those of the blocks that have matches after the number `last`."""
    found: set[str] = set()
    for first in range(0, len(ids), IDS_PER_QUERY):
        some = MATCH.c.block_id.in_(ids[first : first + IDS_PER_QUERY])
        found.update(reading.scalars(select(MATCH.c.block_id).where(some, MATCH.c.number > last)))
    return found


def joined(blocks: Iterable[Blocks]) -> Iterator[Blocks]:
    """The same blocks, one `Blocks` for each table size."""
    by_size: dict[int, list[Blocks]] = {}
    for each in blocks:
        by_size.setdefault(each.players, []).append(each)
    for players, some in by_size.items():
        yield Blocks(
            players,
            [id for each in some for id in each.ids],
            [origin for each in some for origin in each.origins],
            [state for each in some for state in each.states],
            np.concatenate([each.groups for each in some]),
            np.concatenate([each.vectors for each in some]),
            np.concatenate([each.unforfeited for each in some]),
        )


def _read(reading: Reading, matches: Select[Any], seats: Select[Any]) -> Iterator[Blocks]:
    columns = list(zip(*tuples(reading, matches.order_by(MATCH.c.number)), strict=True))
    if not columns:
        return
    block_ids, players_of, terminations, *about = columns
    players = np.array(players_of)
    first_seat = np.cumsum(players) - players
    by_seat = [np.array(column, float) for column in zip(*tuples(reading, seats), strict=True)]
    counted = np.array([termination != VOIDED for termination in terminations])
    for size in np.unique(players[counted]).tolist():
        chosen = np.flatnonzero(counted & (players == size))
        at = first_seat[chosen, None] + np.arange(size)
        yield _added_up(size, chosen, block_ids, about, [column[at] for column in by_seat])


def tuples(reading: Reading, query: Select[Any]) -> list[tuple[Any, ...]]:
    """The rows as the driver gives them. SQLAlchemy's take four times as long, and millions may be read."""
    cursor: Any = reading.execute(query).cursor
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _added_up(
    players: int, matches: Indices, block_ids: Sequence[str], about: Sequence[Sequence[Any]], seats: list[Floats]
) -> Blocks:
    """`seats` is of these matches; `block_ids`, and `about` the blocks, is of all matches that were read."""
    bots, places, forfeited, faults, decisions, thinking_ms = seats
    order = np.argsort(bots, axis=1)
    sums = (places, faults, decisions, np.rint(thinking_ms * 1000))
    by_bot = [np.take_along_axis(each, order, axis=1).astype(np.int64) for each in sums]
    vectors = layout_for(players).of_matches(*by_bot)
    number: dict[str, int] = {}
    block_of = np.array([number.setdefault(block_ids[row], len(number)) for row in matches.tolist()])
    by_block = np.argsort(block_of, kind="stable")
    starts = np.flatnonzero(np.diff(block_of[by_block], prepend=-1))
    first = by_block[starts]
    competitions, phases, games, states = ([column[row] for row in matches[first].tolist()] for column in about)
    kept = np.where(forfeited.sum(axis=1, keepdims=True) > 0, 0, vectors)
    return Blocks(
        players,
        list(number),
        list(map(Origin, competitions, phases, games)),
        [STATES[state] for state in states],
        np.take_along_axis(bots, order, axis=1)[first].astype(np.int64),
        np.add.reduceat(vectors[by_block], starts, axis=0),
        np.add.reduceat(kept[by_block], starts, axis=0),
    )

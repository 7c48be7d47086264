"""Results of matches, and the same gathered by block into arrays: all that ratings need to know.

What is gathered does not depend on the order of the results. Within a block only whole and half numbers are added,
which is exact, and blocks are sorted by their ids.
"""

from collections.abc import Iterable, Sequence
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


class Tables(NamedTuple):
    """All matches with one number of players. A bot is named by its index in `Record.bots`."""

    players: int
    groups: Indices
    """By block: who plays it, ascending."""
    matches: Floats
    """By block: how many matches it has."""
    ahead: Floats
    """By block, member and member: how often the first finished ahead of the second; a tie is half."""
    seats: Floats
    """By bot: how often it played at these tables."""
    wins: Floats
    """By bot: first places, shared ones too."""
    place_sums: Floats
    """By bot: the sum of its places."""


class Record(NamedTuple):
    """Everything that has been played."""

    bots: Numbers
    """The numbers that identify the bots, ascending."""
    tables: tuple[Tables, ...]
    """By number of players, ascending."""

    def blocks(self) -> Floats:
        """By bot: how many blocks it has played."""
        members = [tables.groups.ravel() for tables in self.tables]
        return np.bincount(np.concatenate(members), minlength=len(self.bots)).astype(float)


def gather(results: Iterable[MatchResult]) -> Record:
    """The record of these results. Raises `ValueError` if they cannot be results of matches in blocks."""
    by_players: dict[int, list[MatchResult]] = {}
    for result in results:
        by_players.setdefault(len(result.bots), []).append(result)
    seated = {players: np.array([result.bots for result in some], np.int64) for players, some in by_players.items()}
    bots = np.unique(np.concatenate([np.empty(0, np.int64), *(some.ravel() for some in seated.values())]))
    tables = tuple(_tables(bots, seated[players], by_players[players]) for players in sorted(by_players))
    _check_blocks(by_players.values(), sum(len(some.groups) for some in tables))
    return Record(bots, tables)


def _check_blocks(results: Iterable[Sequence[MatchResult]], counted: int) -> None:
    if counted != len({result.block_id for some in results for result in some}):
        raise ValueError("matches of one block have different numbers of players")


def _tables(bots: Numbers, seated: Numbers, results: Sequence[MatchResult]) -> Tables:
    by_seat = np.searchsorted(bots, seated)
    order = np.argsort(by_seat, axis=1)
    members = np.take_along_axis(by_seat, order, axis=1)
    places = np.take_along_axis(_places(results), order, axis=1)
    block = _block_numbers(results)
    groups = _groups(members, block)
    return Tables(
        groups.shape[1],
        groups,
        np.bincount(block).astype(float),
        _ahead(places, block, len(groups)),
        seats=_by_bot(bots, members, np.ones(places.shape)),
        wins=_by_bot(bots, members, (places == 1).astype(float)),
        place_sums=_by_bot(bots, members, places),
    )


def _by_bot(bots: Numbers, members: Indices, values: Floats) -> Floats:
    return np.bincount(members.ravel(), weights=values.ravel(), minlength=len(bots)).astype(float)


def _places(results: Sequence[MatchResult]) -> Floats:
    if any(len(result.places) != len(result.bots) for result in results):
        raise ValueError("a match needs as many places as bots")
    return np.array([result.places for result in results], float)


def _block_numbers(results: Sequence[MatchResult]) -> Indices:
    ids = [result.block_id for result in results]
    number = {block_id: position for position, block_id in enumerate(sorted(set(ids)))}
    return np.array([number[block_id] for block_id in ids], np.intp)


def _groups(members: Indices, block: Indices) -> Indices:
    if members.shape[1] < 2 or (members[:, 1:] == members[:, :-1]).any():
        raise ValueError("a match needs at least two bots, all different")
    first_match = np.unique(block, return_index=True)[1]
    groups = members[first_match]
    if (members != groups[block]).any():
        raise ValueError("matches of one block have different bots")
    return groups


def _ahead(places: Floats, block: Indices, blocks: int) -> Floats:
    players = places.shape[1]
    ahead = np.zeros((blocks, players, players))
    for one, other in combinations(range(players), 2):
        margin = np.sign(places[:, other] - places[:, one])
        ahead[:, one, other] = np.bincount(block, weights=(1 + margin) / 2)
        ahead[:, other, one] = np.bincount(block, weights=(1 - margin) / 2)
    return ahead

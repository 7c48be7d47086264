"""Standings: every bot's rating with its interval, its possible ranks and its record.

Ratings are on the Elo scale: a bot that is 400 points stronger finishes ahead ten times as often as behind. They are
fitted to all results at once, so the order in which matches were played does not matter.
"""

from collections.abc import Iterable
from math import log
from typing import NamedTuple

import numpy as np

from roost_games.errors import UsageError
from roost_ladder.certainty import RankRange, half_widths, rank_ranges
from roost_ladder.fit import fit
from roost_ladder.results import Floats, MatchResult, Record, gather

__all__ = ["MEAN_RATING", "MatchResult", "PlacesAt", "Standing", "standings"]

MEAN_RATING = 1500.0
ELO = 400 / log(10)
"""Points for a factor of e in the odds."""


class PlacesAt(NamedTuple):
    """What a bot did at tables of one size."""

    players: int
    matches: int
    mean_place: float


class Standing(NamedTuple):
    """What the results say about one bot."""

    bot: int
    rating: float
    low: float
    """The lower end of the 95 % interval of the rating."""
    high: float
    best_rank: int
    """The ranks that the results allow, at 95 %: from this one ..."""
    worst_rank: int
    """... to this one."""
    matches: int
    blocks: int
    wins: int
    """First places, shared ones too."""
    places: tuple[PlacesAt, ...]
    """By table size, ascending; only sizes at which it has played."""


def standings(results: Iterable[MatchResult], *, anchor: int | None = None) -> list[Standing]:
    """The bots of these results, the strongest first. For a game or a table size of its own, pass only its results.

    The mean of all ratings is 1500, or the rating of the bot `anchor`, which then has no interval. Voided matches must
    not be among the results. Raises `UsageError` if the anchor has not played, and `ValueError` if the results cannot
    be results of matches in blocks.
    """
    record = gather(results)
    zero = _zero(record, anchor)
    if not len(record.bots):
        return []
    fitted = fit(record)
    ratings = MEAN_RATING + ELO * (fitted.strengths - zero @ fitted.strengths)
    table = _table(record, ratings, ELO * half_widths(fitted, zero), rank_ranges(fitted))
    return sorted(table, key=lambda standing: -standing.rating)


def _zero(record: Record, anchor: int | None) -> Floats:
    """The weights of the mean that is called 1500."""
    if anchor is None:
        return np.full(len(record.bots), 1 / max(len(record.bots), 1))
    if anchor not in record.bots:
        raise UsageError(f"bot {anchor} has not played, so ratings cannot be anchored at it")
    return np.equal(record.bots, anchor).astype(float)


def _table(record: Record, ratings: Floats, margins: Floats, ranks: list[RankRange]) -> list[Standing]:
    matches = sum(tables.seats for tables in record.tables)
    wins = sum(tables.wins for tables in record.tables)
    columns = (record.bots, ratings, ratings - margins, ratings + margins, matches, record.blocks(), wins)
    return [
        Standing(int(bot), rating, low, high, *ranks[row], int(played), int(blocks), int(won), _places(record, row))
        for row, (bot, rating, low, high, played, blocks, won) in enumerate(
            zip(*(np.asarray(column).tolist() for column in columns), strict=True)
        )
    ]


def _places(record: Record, row: int) -> tuple[PlacesAt, ...]:
    return tuple(
        PlacesAt(tables.players, int(tables.seats[row]), float(tables.place_sums[row] / tables.seats[row]))
        for tables in record.tables
        if tables.seats[row]
    )

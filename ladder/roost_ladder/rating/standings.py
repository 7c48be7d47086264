"""Standings: every bot's rating with its interval, its possible ranks and its record.

Ratings are on the Elo scale: a bot that is 400 points stronger finishes ahead ten times as often as behind. If not told
otherwise they are fitted to all results at once, so the order in which matches were played does not matter.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from roost_games.errors import UsageError
from roost_ladder.rating.certainty import half_widths, likely_above_next, rank_ranges
from roost_ladder.rating.fit import Fit
from roost_ladder.rating.raters import Rater, rate_by_fit
from roost_ladder.rating.results import Floats, MatchResult, Record, gather
from roost_ladder.rating.scale import ELO, MEAN_RATING

__all__ = ["MEAN_RATING", "MatchResult", "PlacesAt", "Standing", "check_anchor", "standings", "standings_of"]

TIED = 6
"""Ratings that agree to so many decimals are in the order of the bots' numbers, not in one that rounding makes up."""


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
    above_next: float | None
    """How likely it is that this bot is stronger than the next one in the table; `None` for the last one."""


def standings(
    results: Iterable[MatchResult], *, anchor: int | None = None, rater: Rater = rate_by_fit, forfeits: bool = True
) -> list[Standing]:
    """The bots of these results, the strongest first. For a game or a table size of its own, see `views`.

    The mean of all ratings is 1500, or the rating of the bot `anchor`, which then has no interval. Voided matches must
    not be among the results; matches that somebody forfeited count like any other, or with `forfeits=False` not at all.
    Raises `UsageError` if the anchor has not played, and `ValueError` if the results cannot be results of matches in
    blocks.
    """
    counted = [result for result in results if forfeits or not result.forfeited]
    record = gather(counted)
    check_anchor(record, anchor)
    return standings_of(record, rater(record, counted), anchor) if counted else []


def check_anchor(record: Record, anchor: int | None) -> None:
    """Raise `UsageError` if the anchor is a bot that has not played."""
    if anchor is not None and anchor not in record.bots:
        raise UsageError(f"bot {anchor} has not played, so ratings cannot be anchored at it")


def standings_of(record: Record, fitted: Fit, anchor: int | None = None) -> list[Standing]:
    """The bots of a record that is not empty, the strongest first. The anchor must have played."""
    bots = len(record.bots)
    zero = np.full(bots, 1 / bots) if anchor is None else np.equal(record.bots, anchor).astype(float)
    ratings = MEAN_RATING + ELO * (fitted.strengths - zero @ fitted.strengths)
    margins = ELO * half_widths(fitted, zero)
    strongest_first = np.argsort(-ratings.round(TIED), kind="stable")
    above_next = [*likely_above_next(fitted, strongest_first), None]
    ranks = rank_ranges(fitted)
    played = _Played(record)
    return [
        Standing(
            bot=int(record.bots[row]),
            rating=float(ratings[row]),
            low=float(ratings[row] - margins[row]),
            high=float(ratings[row] + margins[row]),
            best_rank=ranks[row].best,
            worst_rank=ranks[row].worst,
            matches=int(played.matches[row]),
            blocks=int(played.blocks[row]),
            wins=int(played.wins[row]),
            places=tuple(played.places(row)),
            above_next=above,
        )
        for row, above in zip(strongest_first.tolist(), above_next, strict=True)
    ]


class _Played:
    """What every bot has done, added up over its blocks."""

    def __init__(self, record: Record) -> None:
        bots = len(record.bots)
        self.blocks = record.blocks()
        self._by_size = [
            (
                tables.players,
                tables.by_bot(np.broadcast_to(tables.matches[:, None], tables.groups.shape), bots),
                tables.by_bot(tables.place_sums, bots),
            )
            for tables in record.tables
        ]
        self.matches: Floats = np.sum([matches for _, matches, _ in self._by_size], axis=0)
        self.wins: Floats = np.sum([tables.by_bot(tables.wins, bots) for tables in record.tables], axis=0)

    def places(self, row: int) -> Iterator[PlacesAt]:
        """Of one bot, by table size."""
        for players, matches, place_sums in self._by_size:
            if matches[row]:
                yield PlacesAt(players, int(matches[row]), float(place_sums[row] / matches[row]))

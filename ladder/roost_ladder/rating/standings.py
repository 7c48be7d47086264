"""Standings: every bot's rating with its interval, its possible ranks and its record.

Ratings are on the Elo scale: a bot that is 400 points stronger finishes ahead ten times as often as behind. By default
they are fitted to all results at once, so the order in which matches were played does not matter.

`standings` looks at all results, `views` also at each game and each table size, and `LiveStandings` at results that are
still coming in.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from roost_games.errors import UsageError
from roost_ladder.rating.certainty import half_widths, likely_above_next, rank_ranges
from roost_ladder.rating.elo import ELO, MEAN_RATING, Elo
from roost_ladder.rating.fit import LATEST, Fit, Method, fit
from roost_ladder.rating.groups import GroupSums, Record, grouped
from roost_ladder.rating.results import Floats, GrowingSums, MatchResult, ResultSums, gather

TIED = 6
"""Ratings that agree to this many decimals are ordered by the bots' numbers, not by rounding errors."""
LITTLE = 0.5
"""Bots that count for less than this part of an opponent are named below a table."""
MOST_NAMED = 3
ALL_KNOWN = 1e9
"""Degrees of freedom of a variance that is taken as it is."""


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
    in_field: float = 1.0
    """How much of an opponent it is in the field, and of a bot in the mean: less than 1 if it has played little."""


class Rater(Protocol):
    """A way to rate."""

    def __call__(self, record: ResultSums, results: Sequence[MatchResult]) -> Fit:
        """How strong the bots of `record` are, in its order.

        `results` are the matches of the record in the order in which they were played. There is at least one.
        """


def rate_by_fit(record: ResultSums, results: Sequence[MatchResult], method: Method = LATEST) -> Fit:
    """The rater `fit`, for which the order does not matter."""
    return fit(record, method=method)


def rate_by_elo(record: ResultSums, results: Iterable[MatchResult]) -> Fit:
    """The rater `elo`."""
    elo = Elo()
    for result in results:
        elo.add(result)
    bots = record.bots.tolist()
    return Fit(
        np.array([(elo.rating(bot) - MEAN_RATING) / ELO for bot in bots]),
        np.diag([(elo.deviation(bot) / ELO) ** 2 for bot in bots]),
        np.full(len(bots), ALL_KNOWN),
    )


RATERS: Mapping[str, Rater] = {"fit": rate_by_fit, "elo": rate_by_elo}


def find_rater(name: str, method: Method = LATEST) -> Rater:
    """The rater of this name; `method` is for the fit. Raises `UsageError` if there is none."""
    if name not in RATERS:
        raise UsageError(f"there is no rating {name!r}; the ratings are: {', '.join(RATERS)}")
    return partial(rate_by_fit, method=method) if name == "fit" else RATERS[name]


def standings(
    results: Iterable[MatchResult], *, anchor: int | None = None, rater: Rater = rate_by_fit, forfeits: bool = True
) -> list[Standing]:
    """The bots of these results, the strongest first. For a single game or table size, see `views`.

    The mean of all ratings is 1500, or the rating of the bot `anchor`, which then has no interval. Voided matches must
    not be among the results; forfeited matches count like any other, or with `forfeits=False` not at all.
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
    zero = fitted.middle if anchor is None else np.equal(record.bots, anchor).astype(float)
    ratings = MEAN_RATING + ELO * (fitted.strengths - zero @ fitted.strengths)
    margins = ELO * half_widths(fitted, zero)
    strongest_first = np.argsort(-ratings.round(TIED), kind="stable")
    above_next = [*likely_above_next(fitted, strongest_first), None]
    ranks = rank_ranges(fitted)
    played, in_field = _Records(grouped(record)), fitted.middle / fitted.middle.max()
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
            in_field=float(in_field[row]),
        )
        for row, above in zip(strongest_first.tolist(), above_next, strict=True)
    ]


def newcomers(standings: Iterable[Standing]) -> list[Standing]:
    """The bots that have played so little that they hardly count in the field, those with the most first."""
    return sorted((each for each in standings if each.in_field < LITTLE), key=lambda each: -each.in_field)


def newcomers_line(standings: Iterable[Standing], names: Mapping[int, str]) -> str:
    """Which bots hardly count in the field, in a line; empty if there are none. `names` are text or markup."""
    new = newcomers(standings)
    if not new:
        return ""
    named = [f"{names[each.bot]} ({100 * each.in_field:.0f} %)" for each in new[:MOST_NAMED]]
    if more := len(new) - len(named):
        named.append(f"{more} more")
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    have = "has" if len(new) == 1 else "have"
    return f"{listed} {have} played little yet, and until then a bot counts only in part in the field of the others"


class _Records:
    """What every bot has done, added up over its groups."""

    def __init__(self, record: GroupSums) -> None:
        self.blocks = record.blocks()
        sizes = sorted({tables.players for tables in record.tables})
        of_size = [record._replace(tables=tuple(each for each in record.tables if each.players == n)) for n in sizes]
        self._by_size = [
            (
                players,
                some.by_bot(lambda tables: tables.matches[:, None]),
                some.by_bot(lambda tables: tables.place_sums),
            )
            for players, some in zip(sizes, of_size, strict=True)
        ]
        self.matches: Floats = np.sum([matches for _, matches, _ in self._by_size], axis=0)
        self.wins = record.by_bot(lambda tables: tables.wins)

    def places(self, row: int) -> Iterator[PlacesAt]:
        """Of one bot, by table size."""
        for players, matches, place_sums in self._by_size:
            if matches[row]:
                yield PlacesAt(players, int(matches[row]), float(place_sums[row] / matches[row]))


class StandingsView(NamedTuple):
    """Standings over some of the matches."""

    game: str | None
    """`None` for all games."""
    players: int | None
    """`None` for all table sizes."""
    standings: list[Standing]


def views(
    results: Iterable[MatchResult], *, anchor: int | None = None, rater: Rater = rate_by_fit, forfeits: bool = True
) -> list[StandingsView]:
    """One fit over everything, then one for each game and one for each table size, where there are several.

    Where the anchor has not played, the mean is 1500.
    """
    counted = [result for result in results if forfeits or not result.forfeited]
    games = sorted({result.game for result in counted})
    sizes = sorted({len(result.bots) for result in counted})
    kinds: list[tuple[str | None, int | None]] = [(None, None)]
    kinds += [(game, None) for game in games if len(games) > 1]
    kinds += [(None, size) for size in sizes if len(sizes) > 1]
    return [StandingsView(game, players, _part(counted, game, players, anchor, rater)) for game, players in kinds]


def _part(
    results: list[MatchResult], game: str | None, players: int | None, anchor: int | None, rater: Rater
) -> list[Standing]:
    part = [result for result in results if game in (None, result.game) and players in (None, len(result.bots))]
    played = any(anchor in result.bots for result in part)
    return standings(part, anchor=anchor if played else None, rater=rater)


class LiveStandings:
    """Standings that are asked for again and again while matches end.

    Results are added up as they come, and each fit starts from the one before. So ratings may differ in the ninth digit
    from those of `standings`, which always starts from nothing.
    """

    def __init__(self) -> None:
        self._gathering = GrowingSums()
        self._strengths: dict[int, float] = {}

    def add(self, results: Iterable[MatchResult]) -> None:
        """These matches have ended. Raises `ValueError` if they cannot be results of matches in blocks."""
        self._gathering.add(results)

    def drop(self, block_id: Hashable) -> None:
        """This block has been voided: its matches no longer count."""
        self._gathering.drop(block_id)

    def settle(self, but: Collection[Hashable] = ()) -> None:
        """All blocks but these are final: none of them will grow or be dropped. So less has to be remembered."""
        self._gathering.settle(but)

    def standings(self, *, anchor: int | None = None) -> list[Standing]:
        """The standings now. Raises `UsageError` if the anchor has not played."""
        record = grouped(self._gathering.record())
        check_anchor(record, anchor)
        if not len(record.bots):
            return []
        bots = record.bots.tolist()
        fitted = fit(record, np.array([self._strengths.get(bot, 0.0) for bot in bots]))
        self._strengths = dict(zip(bots, fitted.strengths.tolist(), strict=True))
        return standings_of(record, fitted, anchor)

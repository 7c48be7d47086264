"""Views: one set of standings over everything, and others over one game or one table size."""

from collections.abc import Iterable
from typing import NamedTuple

from roost_ladder.rating.raters import Rater, rate_by_fit
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import Standing, standings


class View(NamedTuple):
    """Standings over some of the matches."""

    game: str | None
    """`None` for all games."""
    players: int | None
    """`None` for all table sizes."""
    standings: list[Standing]


def views(
    results: Iterable[MatchResult], *, anchor: int | None = None, rater: Rater = rate_by_fit, forfeits: bool = True
) -> list[View]:
    """One fit over everything, then one for each game and one for each table size, where there are several.

    Where the anchor has not played, the mean is 1500.
    """
    counted = [result for result in results if forfeits or not result.forfeited]
    games = sorted({result.game for result in counted})
    sizes = sorted({len(result.bots) for result in counted})
    kinds: list[tuple[str | None, int | None]] = [(None, None)]
    kinds += [(game, None) for game in games if len(games) > 1]
    kinds += [(None, size) for size in sizes if len(sizes) > 1]
    return [_view(counted, game, players, anchor, rater) for game, players in kinds]


def _view(results: list[MatchResult], game: str | None, players: int | None, anchor: int | None, rater: Rater) -> View:
    seen = [result for result in results if game in (None, result.game) and players in (None, len(result.bots))]
    played = any(anchor in result.bots for result in seen)
    return View(game, players, standings(seen, anchor=anchor if played else None, rater=rater))

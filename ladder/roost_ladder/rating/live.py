"""Standings while matches are being played."""

from collections.abc import Collection, Hashable, Iterable

import numpy as np

from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import Columns, Gathering, MatchResult
from roost_ladder.rating.standings import Standing, check_anchor, standings_of


class LiveStandings:
    """Standings that are asked for again and again while matches end.

    Results are added up as they come, and each fit starts from the one before. So ratings may differ in the ninth digit
    from those of `standings`, which always starts anew.
    """

    def __init__(self) -> None:
        self._gathering = Gathering()
        self._strengths: dict[int, float] = {}

    def add(self, results: Iterable[MatchResult]) -> None:
        """These matches have ended. Raises `ValueError` if they cannot be results of matches in blocks."""
        self._gathering.add(results)

    def add_columns(self, columns: Columns) -> None:
        """The same for many matches at once."""
        self._gathering.add_columns(columns)

    def drop(self, block_id: Hashable) -> None:
        """This block has been voided: its matches do not count any more."""
        self._gathering.drop(block_id)

    def settle(self, but: Collection[Hashable] = ()) -> None:
        """Nothing more will be added to any block but these, and no other be dropped: so less has to be remembered."""
        self._gathering.settle(but)

    def standings(self, *, anchor: int | None = None) -> list[Standing]:
        """The standings now. Raises `UsageError` if the anchor has not played."""
        record = self._gathering.record()
        check_anchor(record, anchor)
        if not len(record.bots):
            return []
        bots = record.bots.tolist()
        fitted = fit(record, np.array([self._strengths.get(bot, 0.0) for bot in bots]))
        self._strengths = dict(zip(bots, fitted.strengths.tolist(), strict=True))
        return standings_of(record, fitted, anchor)

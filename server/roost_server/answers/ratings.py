"""Ratings of the matches on record: fitted when they are asked for, remembered as long as nothing is new, and kept.

`Ratings` begins with the sums that the database keeps, and reads each newer match once. An arena also lets it `keep`
them: it saves the sums, and now and then the ratings, for histories.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.fit import Fit, fit
from roost_ladder.rating.groups import GroupSums
from roost_ladder.rating.results import Floats
from roost_ladder.rating.standings import Standing, standings_of
from roost_server.competition import ledger
from roost_server.store import Store
from roost_server.store.measures.holds import Held, held_now, hiding_names
from roost_server.store.measures.rulings import struck_versions
from roost_server.store.results import EVERYTHING, MatchFilter, Rule
from roost_server.store.sqlite import FILE
from roost_server.store.store import Reading
from roost_server.store.sums import history
from roost_server.store.sums.history import RatedMoment, RatingThen
from roost_server.store.sums.kept import Conduct, Sums, SumsFilter, kept_through, resets_of, save

MOST_REMEMBERED = 64
"""How many ratings are remembered. The least recently asked for go first."""
FAR_BEHIND = 20_000
"""A reader that is this many matches behind the sums that the database keeps loads these again."""
GROWTH = 1.02
"""The history gets new ratings when the matches that count have grown by this factor, …"""
HOUR_MS = 3_600_000
"""… or when this time has passed, or a ruling has struck some."""


class Rated(NamedTuple):
    """The ratings that some matches give."""

    revision: int
    """Of the sums that they were made of."""
    at_ms: int
    """When the last match on record ended that may be seen."""
    matches: int
    """How many count."""
    record: GroupSums
    fitted: Fit | None
    """`None` if no match counts."""
    standings: list[Standing]
    """The strongest first."""
    conduct: Mapping[int, Conduct]
    """By bot version."""

    def moment(self) -> RatedMoment:
        """The ratings alone."""
        ratings = (RatingThen(each.bot, each.rating, each.low, each.high) for each in self.standings)
        return RatedMoment(self.at_ms, self.matches, tuple(sorted(ratings)))


def everything(matches: MatchFilter = EVERYTHING) -> SumsFilter:
    """These matches outside of competitions' rules: all that count so far."""
    return SumsFilter(matches, Rule.SO_FAR, forfeits=True)


def of_phase(matches: MatchFilter, competition: ledger.Competition) -> SumsFilter:
    """These matches by the rules of their competition."""
    forfeits = competition.file.faults.forfeits == "count"
    return SumsFilter(matches, Rule.FINAL, forfeits, competition.method)


class Ratings:
    """The ratings of a store. Threads may share it; they take turns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._turn = threading.Lock()
        self._keeping = threading.Lock()
        self._sums: Sums | None = None
        self._file: object = None
        """Which file the sums are of."""
        self._remembered: OrderedDict[SumsFilter, Rated] = OrderedDict()
        self._latest: dict[MatchFilter, tuple[int, int]] | None = None
        """By history: when its last moment was kept, and how many matches counted then."""
        self._competitions: dict[int, ledger.Competition | None] = {}

    @property
    def remembered(self) -> int:
        """How many ratings are remembered."""
        return len(self._remembered)

    def rated(self, wanted: SumsFilter) -> Rated:
        """The ratings that these matches give now."""
        with self._turn, self._current() as (sums, reading):
            sums.catch_up(reading)
            sums.read_released(reading, wanted.matches.held)
            return self._rated(sums, wanted)

    def conduct(self, held: Held = ()) -> dict[int, Conduct]:
        """By bot version: what it did in all matches that count so far. Versions without any are not in it."""
        with self._turn, self._current() as (sums, reading):
            sums.catch_up(reading)
            sums.read_released(reading, held)
            return sums.conduct(everything(MatchFilter(held=held)))

    @contextmanager
    def _current(self) -> Iterator[tuple[Sums, Reading]]:
        """The sums, to be brought up to date. If that fails half-way, they are loaded again the next time."""
        with self._store.reading() as reading:
            sums, self._sums = self._sums, None
            file = reading.info.get(FILE)
            if sums is None or file != self._file or _is_old(sums, reading):
                sums, self._file = Sums.load(reading), file
                self._remembered.clear()
            sums.strike(struck_versions(reading))
            sums.hide(hiding_names(reading))
            yield sums, reading
            self._sums = sums

    def _rated(self, sums: Sums, wanted: SumsFilter) -> Rated:
        before = self._remembered.pop(wanted, None)
        found = before if before is not None and before.revision == sums.revision else _rate(sums, wanted, before)
        self._remembered[wanted] = found
        while len(self._remembered) > MOST_REMEMBERED:
            self._remembered.popitem(last=False)
        return found

    def keep(self, tell: Callable[[int], None] = lambda through: None) -> None:
        """Save the sums of all matches on record, and ratings for the history. Raises `StoreError` if that fails.

        `tell` is called with the number of the last match that has been added up, several times if there are many.
        """
        with self._keeping:
            while self._keep_some():
                tell(self._sums.through if self._sums else 0)

    def _keep_some(self) -> bool:
        with self._turn, self._current() as (sums, reading):
            more = sums.advance(reading)
            unsaved = sums.take_unsaved()
            due = self._due(sums, reading, more)
            moments = [(scope.matches.scope, self._rated(sums, scope).moment()) for scope in due]
        try:
            with self._store.writing() as connection:
                if unsaved is not None:
                    save(connection, unsaved)
                for scope, moment in moments:
                    history.add(connection, scope, moment)
        except BaseException:
            with self._turn:
                self._sums = self._latest = None
            raise
        return more

    def _due(self, sums: Sums, reading: Reading, more: bool) -> list[SumsFilter]:
        """The histories that need a moment now. If there are `more` matches to read, fewer may count than before."""
        latest = history.latest(reading) if self._latest is None else self._latest
        held = held_now(reading)
        sums.read_released(reading, held)
        due = []
        for scope in self._scopes(sums, held):
            matches, (at_ms, before) = sums.matches(scope), latest.get(scope.matches.scope, (0, 0))
            grown = matches >= max(before * GROWTH, before + 1)
            struck = 0 < matches < before and not more
            if grown or struck or (matches > before and sums.ended_ms >= at_ms + HOUR_MS):
                latest[scope.matches.scope] = (sums.ended_ms, matches)
                due.append(scope)
        self._latest = latest
        return due

    def _scopes(self, sums: Sums, held: Held) -> list[SumsFilter]:
        """Every question that has an answer: all, by game, by table size, by both; in each phase of a competition.

        What is held back is in the history of its phase, which nobody is shown before all of it is released. It is in
        no other history before.
        """
        found: dict[SumsFilter, None] = {}
        for (competition_id, phase, own_game), players in sums.kinds():
            for game, size in product((None, own_game), (None, players)):
                found[everything(MatchFilter(game, size, held=held))] = None
                if competition_id is not None and (competition := self._competition(competition_id)) is not None:
                    found[of_phase(MatchFilter(game, size, competition_id, phase), competition)] = None
        return list(found)

    def _competition(self, id: int) -> ledger.Competition | None:
        """The competition of this number; `None` if it is the run of a ladder."""
        if id not in self._competitions:
            every = [ledger.find(self._store, name) for name in ledger.names(self._store)]
            self._competitions = {id: None, **{each.id: each for each in every}}
        return self._competitions[id]


def _is_old(sums: Sums, reading: Reading) -> bool:
    """Whether it is better to load the sums again."""
    return sums.resets != resets_of(reading) or sums.through + FAR_BEHIND < kept_through(reading)


def _rate(sums: Sums, wanted: SumsFilter, before: Rated | None) -> Rated:
    """`before` are older ratings of the same matches: then the fit takes less time."""
    record = sums.selected(wanted)
    fitted = fit(record, _start(record, before), wanted.method) if len(record.bots) else None
    table = [] if fitted is None else standings_of(record, fitted)
    matches = sum(int(tables.matches.sum()) for tables in record.tables)
    at_ms = sums.seen_ms(wanted.matches.held)
    return Rated(sums.revision, at_ms, matches, record, fitted, table, sums.conduct(wanted))


def _start(record: GroupSums, before: Rated | None) -> Floats | None:
    if before is None or before.fitted is None:
        return None
    known = dict(zip(before.record.bots.tolist(), before.fitted.strengths.tolist(), strict=True))
    return np.array([known.get(bot, 0.0) for bot in record.bots.tolist()])

"""Standings: which matches are asked for, and what follows from them, as rows and as messages of `roost.v1`.

Every answer takes the same path: the `filter_of` a request, `standings` for that filter, the `message_of` these rows.
`LiveAnswers` remembers how far it has read, for callers that ask a running arena again and again: each match is read
once, not once for every answer. Its ratings may differ in the ninth digit from those of a first answer.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from roost.v1 import arena_pb2
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import LiveStandings, Standing
from roost_server.answers.competitions import phase_asked_for
from roost_server.answers.matches import check_game
from roost_server.competition.ledger import find
from roost_server.store import BlockState, Store, queries, results
from roost_server.store.results import MatchFilter, Rule
from roost_server.store.store import Reading

MOST_KEPT = 32
"""How many standings are kept up to date. The least recently asked for go first."""
CHUNK = 20_000


class StandingsFilter(NamedTuple):
    """Which standings are asked for."""

    matches: MatchFilter = results.EVERYTHING
    rule: Rule = Rule.SO_FAR
    forfeits: bool = True
    """Whether forfeited matches count."""


EVERYTHING = StandingsFilter()


class StandingRow(NamedTuple):
    """A line of the standings."""

    standing: Standing
    name: str
    version: str
    faults: int
    """Outside competitions those of all its matches, even if the ratings are of some."""


class StandingsTable(NamedTuple):
    """Standings, the strongest first, and how many matches they are made of."""

    matches: int
    rows: list[StandingRow]


class Position:
    """The standings that answer one question, as of the last match that was read."""

    def __init__(self, wanted: StandingsFilter) -> None:
        self.matches = 0
        self.faults: Counter[int] = Counter()
        """By bot version."""
        self._wanted = wanted
        self._standings = LiveStandings()
        self._undecided: dict[str, list[MatchFacts]] = {}
        """The matches of blocks that were open when they were read, by block."""
        self._last = 0

    def standings(self) -> list[Standing]:
        """The standings now, the strongest first."""
        return self._standings.standings()

    def catch_up(self, reading: Reading) -> None:
        """Read what is new since the last time."""
        self._settle(reading)
        new = results.recorded(reading, self._wanted.matches, after=self._last)
        while some := list(islice(new, CHUNK)):
            self._last = some[-1].number
            for each in some:
                if each.facts is not None and each.block_state == BlockState.OPEN:
                    self._undecided.setdefault(each.block_id, []).append(each.facts)
            self._count([each.facts for each in some if each.facts and each.counts(self._wanted.rule)])
        self._standings.settle(self._undecided)

    def _settle(self, reading: Reading) -> None:
        """Count the matches of blocks that are done now, and subtract those of voided ones."""
        for block_id, state in results.closed_blocks(reading, list(self._undecided)):
            matches = self._undecided.pop(block_id)
            if state == BlockState.DONE and self._wanted.rule is Rule.FINAL:
                self._count(matches)
            elif state == BlockState.VOIDED and self._wanted.rule is Rule.SO_FAR:
                self._standings.drop(block_id)
                self.matches -= len(self._rated(matches))
                self._add_faults(matches, -1)

    def _count(self, matches: Sequence[MatchFacts]) -> None:
        rated = self._rated(matches)
        self._standings.add(rated)
        self.matches += len(rated)
        self._add_faults(matches, 1)

    def _add_faults(self, matches: Sequence[MatchFacts], sign: int) -> None:
        for match in matches:
            if any(match.faults):
                for bot, faults in zip(match.bots, match.faults, strict=True):
                    self.faults[bot] += sign * faults

    def _rated(self, matches: Sequence[MatchFacts]) -> list[MatchResult]:
        """The results of the matches that ratings are made of."""
        results = [match.result() for match in matches]
        return results if self._wanted.forfeits else [result for result in results if not result.forfeited]


def filter_of(store: Store, request: arena_pb2.GetStandingsRequest) -> StandingsFilter:
    """Which standings a request asks for. Raises `UsageError` if there is no such game, competition or phase."""
    check_game(request.game)
    matches = MatchFilter(request.game or None, request.players or None)
    if not request.competition:
        return StandingsFilter(matches)
    competition = find(store, request.competition)
    phase = phase_asked_for(competition.file, competition.phase, request.phase)
    of_phase = matches._replace(competition_id=competition.id, phase=phase)
    return StandingsFilter(of_phase, Rule.FINAL, forfeits=competition.file.faults.forfeits == "count")


def standings(store: Store, wanted: StandingsFilter, remembered: "Positions | None" = None) -> StandingsTable:
    """The standings, from all records, or from those since the remembered positions."""
    with store.reading() as reading:
        if remembered is None:
            position = Position(wanted)
            position.catch_up(reading)
        else:
            position = remembered.caught_up(wanted, reading)
        faults = _faults(reading, wanted, position, remembered)
    names = {version.id: version for version in queries.versions(store)}
    rows = [
        StandingRow(each, names[each.bot].name, names[each.bot].version, faults[each.bot])
        for each in position.standings()
    ]
    return StandingsTable(position.matches, rows)


def _faults(
    reading: Reading, wanted: StandingsFilter, position: Position, remembered: "Positions | None"
) -> Mapping[int, int]:
    """The faults by bot version: in a competition those of the wanted matches, otherwise those of all matches."""
    if wanted.rule is Rule.FINAL or wanted == EVERYTHING:
        return position.faults
    if remembered is not None:
        return remembered.caught_up(EVERYTHING, reading).faults
    return {version_id: tally.faults for version_id, tally in results.tallies(reading).items()}


class Positions:
    """The positions of the latest questions."""

    def __init__(self) -> None:
        self._by_filter: OrderedDict[StandingsFilter, Position] = OrderedDict()

    def __len__(self) -> int:
        return len(self._by_filter)

    def caught_up(self, wanted: StandingsFilter, reading: Reading) -> Position:
        """The position for a question, after it has read what is new."""
        # Removed meanwhile: if reading fails half-way, the next answer starts from scratch.
        position = self._by_filter.pop(wanted, None) or Position(wanted)
        position.catch_up(reading)
        self._by_filter[wanted] = position
        while len(self._by_filter) > MOST_KEPT:
            self._by_filter.popitem(last=False)
        return position


def message_of(table: StandingsTable) -> arena_pb2.GetStandingsResponse:
    """Standings on the wire."""
    return arena_pb2.GetStandingsResponse(matches=table.matches, standings=map(_row_message, table.rows))


def _row_message(row: StandingRow) -> arena_pb2.Standing:
    each = row.standing
    return arena_pb2.Standing(
        version_id=each.bot,
        name=row.name,
        version=row.version,
        rating=each.rating,
        rating_low=each.low,
        rating_high=each.high,
        above_next=each.above_next,
        rank_low=each.best_rank,
        rank_high=each.worst_rank,
        matches=each.matches,
        blocks=each.blocks,
        wins=each.wins,
        faults=row.faults,
        places=[arena_pb2.PlacesAt(**at._asdict()) for at in each.places],
    )


def standings_of(store: Store, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
    """Answer a request from the records alone."""
    return message_of(standings(store, filter_of(store, request)))


class LiveAnswers:
    """Answers from a store that are kept up to date. Threads may share it; they take turns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._positions = Positions()
        self._turn = threading.Lock()

    def standings_of(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        """Answer a request. Raises `UsageError` if there is no such game, competition or phase."""
        wanted = filter_of(self._store, request)
        with self._turn:
            return message_of(standings(self._store, wanted, self._positions))

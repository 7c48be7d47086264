"""Standings for those who ask a running arena again and again: each match is read once, not once for every answer.

They say what `answers.standings_of` says, which works everything out anew from the records, but for the ninth digit of
ratings. What was asked first takes as long as there.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from roost.v1 import arena_pb2
from roost_games.replay import VOIDED
from roost_ladder.rating.live import LiveStandings
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import standings
from roost_server.answers import competitions as of_competitions
from roost_server.answers.matches import check_game
from roost_server.competition.ledger import find
from roost_server.store import BlockState, Store, queries
from roost_server.store.models import BLOCK, MATCH, MATCH_SEAT

MOST_KEPT = 32
"""So many standings are kept up to date; the ones that nobody has asked for longest go first."""
CHUNK = 20_000
IDS_PER_QUERY = 500


class Question(NamedTuple):
    """Which standings are asked for."""

    game: str = ""
    """Empty: of all games."""
    players: int = 0
    """0: at all tables."""
    competition_id: int | None = None
    phase: str = ""
    forfeits: bool = True
    """Whether matches that somebody forfeited count."""

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        """What is true of the matches and blocks that are meant."""
        if self.game:
            yield MATCH.c.game == self.game
        if self.players:
            yield MATCH.c.players == self.players
        if self.competition_id is not None:
            # Not by the index on it: that would go through all blocks of the competition to find the few new matches.
            yield func.coalesce(BLOCK.c.competition_id, 0) == self.competition_id
            yield BLOCK.c.phase == self.phase


EVERYTHING = Question()


class Ended(NamedTuple):
    """A match that may count."""

    number: int
    state: BlockState
    """Of its block, when it was read."""
    result: MatchResult
    faults: tuple[int, ...]
    """By seat."""


class Kept:
    """The standings that answer one question, as of the last match that was read.

    Of a competition a match counts when its block is done. Otherwise it counts at once, until its block is voided.
    """

    def __init__(self, question: Question) -> None:
        self.live = LiveStandings()
        self.matches = 0
        self.faults: Counter[int] = Counter()
        self._question = question
        self._waits = question.competition_id is not None
        self._undecided: dict[str, list[Ended]] = {}
        """By block, the matches of those that were open when they were read."""
        self._last = 0

    def catch_up(self, connection: Connection) -> None:
        """Take in what has happened since the last time."""
        self._settle(connection)
        ended = _ended_after(connection, self._last, self._question)
        while some := list(islice(ended, CHUNK)):
            self._last = some[-1].number
            for each in some:
                if each.state == BlockState.OPEN:
                    self._undecided.setdefault(each.result.block_id, []).append(each)
            at_once = (BlockState.DONE,) if self._waits else (BlockState.DONE, BlockState.OPEN)
            self._count([each for each in some if each.state in at_once])
        self.live.settle(self._undecided)

    def _settle(self, connection: Connection) -> None:
        """Some blocks that were open are not any more."""
        for block_id, state in _closed(connection, list(self._undecided)):
            matches = self._undecided.pop(block_id)
            if state == BlockState.DONE and self._waits:
                self._count(matches)
            elif state == BlockState.VOIDED and not self._waits:
                self.live.drop(block_id)
                self._note(matches, -1)

    def _count(self, matches: Iterable[Ended]) -> None:
        counting = [each for each in matches if self._question.forfeits or not each.result.forfeited]
        self.live.add(each.result for each in counting)
        self._note(matches, 1)

    def _note(self, matches: Iterable[Ended], sign: int) -> None:
        for each in matches:
            self.matches += sign * (self._question.forfeits or not each.result.forfeited)
            for bot, faults in zip(each.result.bots, each.faults, strict=True):
                if faults:
                    self.faults[bot] += sign * faults


class LiveAnswers:
    """Answers from a store, kept up to date. Threads may share it; they take turns."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[Question, Kept] = OrderedDict()
        self._turn = threading.Lock()

    def standings_of(self, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
        """Who is how strong. Raises `UsageError` if there is no such game, competition or phase."""
        check_game(request.game)
        question = self._question(request)
        with self._turn:
            kept = self._caught_up(question)
            # An arena without competitions shows the faults of all matches beside the ratings of some.
            faults = kept.faults if question.competition_id is not None else self._caught_up(EVERYTHING).faults
            return self._answer(kept, faults)

    def _question(self, request: arena_pb2.GetStandingsRequest) -> Question:
        if not request.competition:
            return Question(request.game, request.players)
        competition = find(self._store, request.competition)
        phase = of_competitions.phase_asked_for(competition.file, competition.phase, request.phase)
        forfeits = competition.file.faults.forfeits == "count"
        return Question(request.game, request.players, competition.id, phase, forfeits)

    def _caught_up(self, question: Question) -> Kept:
        kept = self._kept.pop(question, None) or Kept(question)
        with self._store.reading() as connection:
            kept.catch_up(connection)
        # If that has failed half-way it is not kept, and the next one to ask begins anew.
        self._kept[question] = kept
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept

    def _answer(self, kept: Kept, faults: Counter[int]) -> arena_pb2.GetStandingsResponse:
        names = {version.id: version for version in queries.versions(self._store)}
        return arena_pb2.GetStandingsResponse(
            matches=kept.matches,
            standings=[
                of_competitions.standing_message(each, names[each.bot].name, names[each.bot].version, faults[each.bot])
                for each in kept.live.standings()
            ],
        )


def _ended_after(connection: Connection, last: int, question: Question) -> Iterator[Ended]:
    query = (
        select(
            *MATCH.c["number", "block_id", "game"],
            BLOCK.c.state,
            *MATCH_SEAT.c["version_id", "place", "forfeited", "faults"],
        )
        .join_from(MATCH, BLOCK)
        .join(MATCH_SEAT)
        .where(MATCH.c.number > last, MATCH.c.termination != VOIDED, *question.conditions())
        .order_by(MATCH.c.number, MATCH_SEAT.c.seat)
    )
    with connection.execution_options(yield_per=CHUNK).execute(query) as rows:
        for (number, block_id, game, state), seats in groupby(rows, itemgetter(0, 1, 2, 3)):
            bots, places, forfeited, faults = zip(*(seat[4:] for seat in seats), strict=True)
            yield Ended(number, BlockState(state), MatchResult(block_id, game, bots, places, any(forfeited)), faults)


def _closed(connection: Connection, block_ids: list[str]) -> Iterator[tuple[str, BlockState]]:
    """Those of the blocks that are done or voided by now."""
    for first in range(0, len(block_ids), IDS_PER_QUERY):
        some = block_ids[first : first + IDS_PER_QUERY]
        query = select(*BLOCK.c["id", "state"]).where(BLOCK.c.id.in_(some), BLOCK.c.state != BlockState.OPEN)
        for block_id, state in connection.execute(query).all():
            yield block_id, BlockState(state)


def standings_of(store: Store, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
    """Ratings over all matches that count, or those of one game, player count or competition."""
    check_game(request.game)
    if request.competition:
        return of_competitions.standings_of(store, request)
    rows = list(queries.results(store, game=request.game or None, players=request.players or None))
    results = [MatchResult(row.block_id, row.game, row.version_ids, _places(row)) for row in rows]
    names = {bot.id: bot for bot in queries.bots(store)}
    answer = arena_pb2.GetStandingsResponse(matches=len(rows))
    for each in standings(results):
        bot = names[each.bot]
        answer.standings.append(of_competitions.standing_message(each, bot.name, bot.version, bot.faults))
    return answer


def _places(row: queries.ResultRow) -> tuple[int, ...]:
    return tuple(place for place in row.places if place is not None)

"""Standings, pairs and histories of ratings: which matches are asked for, and what follows, as messages of `roost.v1`.

Every answer takes the same path: the `filter_of` a request, the ratings for that filter, rows, and a message.
"""

from typing import NamedTuple, Protocol

from roost.v1 import arena_pb2, records_pb2
from roost_games.errors import UsageError
from roost_ladder.rating.circles import Circularity, circularity
from roost_ladder.rating.fit import Method
from roost_ladder.rating.lottery import AGREES, MOST_BOTS, TOO_MANY_BOTS, LotteryScore, lottery_line
from roost_ladder.rating.misfit import UNKNOWN
from roost_ladder.rating.pairs import PairRecord, pairs
from roost_ladder.rating.specialists import Specialist, specialists
from roost_ladder.rating.standings import Standing
from roost_server.answers.competitions import phase_asked_for
from roost_server.answers.held import held_in_words
from roost_server.answers.matches import check_game, check_phase
from roost_server.answers.ratings import GROWTH, Rated, Ratings, everything, of_phase
from roost_server.answers.second import Second, SecondRankings
from roost_server.competition.finals import table_names
from roost_server.competition.ledger import current, find
from roost_server.store import Store, queries
from roost_server.store.measures.holds import EVERYTHING_SEEN, Held, Veil
from roost_server.store.results import MatchFilter
from roost_server.store.sums import history
from roost_server.store.sums.history import DAY_MS, RatedMoment, RatingThen
from roost_server.store.sums.kept import Conduct, SumsFilter


class AsksForMatches(Protocol):
    """A request, or a part of one, that says which matches are meant. What is empty or 0 does not matter."""

    @property
    def game(self) -> str:
        """A game."""

    @property
    def players(self) -> int:
        """A table size."""

    @property
    def competition(self) -> str:
        """The name of a competition."""

    @property
    def phase(self) -> str:
        """A phase of it; by default the one that is being played, or was played last."""


class StandingRow(NamedTuple):
    """A line of the standings."""

    standing: Standing
    name: str
    version: str
    conduct: Conduct
    """In the matches that are asked for, even in those that do not count because they were forfeited."""
    trend: float | None
    """How much the rating has changed in the 24 hours before the last match; `None` if it was not rated then."""


class StandingsTable(NamedTuple):
    """Standings, the strongest first, and how many matches they are made of."""

    matches: int
    rows: list[StandingRow]
    circularity: Circularity | None
    """`None` if one order may fit the results."""
    specialists: list[Specialist]
    """The clearest first."""


def filter_of(store: Store, asked: AsksForMatches, held: Held = ()) -> SumsFilter:
    """Which matches are asked for, without those that are held back.

    Raises `UsageError` if there is no such game, competition or phase.
    """
    check_game(asked.game)
    check_phase(asked.phase, asked.competition)
    matches = MatchFilter(asked.game or None, asked.players or None, held=held)
    if not asked.competition:
        return everything(matches)
    competition = find(store, asked.competition)
    phase = phase_asked_for(competition.file, competition.phase, asked.phase)
    return of_phase(matches._replace(competition_id=competition.id, phase=phase), competition)


def with_competition(store: Store, asked: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsRequest:
    """The request, about the current competition if it names none. Raises `UsageError` if it contradicts itself."""
    if asked.everything and asked.competition:
        raise UsageError(f"either everything or the competition {asked.competition!r} can be asked for, not both")
    if asked.everything or asked.competition or asked.phase:
        return asked
    named = arena_pb2.GetStandingsRequest(competition=current(store))
    named.MergeFrom(asked)
    return named


class LiveAnswers:
    """Answers from a store that are kept up to date. Threads may share it."""

    def __init__(self, store: Store, ratings: Ratings | None = None) -> None:
        self._store = store
        self._ratings = Ratings(store) if ratings is None else ratings
        self._tables: dict[SumsFilter, tuple[Rated, StandingsTable]] = {}
        """What was asked for lately, with the ratings that it was made of."""
        self._second = SecondRankings()
        self._specialists: dict[SumsFilter, tuple[int, list[Specialist]]] = {}
        """What was asked for lately, with the number of matches that they were found in."""

    def standings_of(
        self, request: arena_pb2.GetStandingsRequest, veil: Veil = EVERYTHING_SEEN
    ) -> arena_pb2.GetStandingsResponse:
        """Answer a request. Raises `UsageError` if there is no such game, competition or phase."""
        asked = with_competition(self._store, request)
        wanted = filter_of(self._store, asked, veil.held)
        rated, table = self._rated_table(wanted)
        answer = message_of(table)
        if (second := self._second_of(wanted, rated, table)) is not None:
            answer.second.CopyFrom(second)
        answer.competition, answer.phase = asked.competition, wanted.matches.phase or ""
        answer.held = held_in_words(self._store, veil, asked.competition, answer.phase)
        return answer

    def _second_of(self, wanted: SumsFilter, rated: Rated, table: StandingsTable) -> arena_pb2.SecondRanking | None:
        """The second ranking, or why there is none; `None` if that is not known."""
        if rated.fitted is None or rated.fitted.misfit == UNKNOWN:
            return None
        if table.circularity is None:
            return arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_AGREES, summary=AGREES)
        if len(rated.standings) > MOST_BOTS:
            return arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_TOO_MANY_BOTS, summary=TOO_MANY_BOTS)
        found = self._second.latest(wanted, rated)
        if found is None:
            return arena_pb2.SecondRanking(state=arena_pb2.SECOND_STATE_BEING_WORKED_OUT, summary=BEING_WORKED_OUT)
        return _second_message(found, table)

    def _rated_table(self, wanted: SumsFilter) -> tuple[Rated, StandingsTable]:
        """The standings, and the ratings that they are made of."""
        rated = self._ratings.rated(wanted)
        found = self._tables.get(wanted)
        if found is None or found[0] is not rated:
            if len(self._tables) > MOST_TABLES:
                self._tables.clear()
                self._specialists.clear()
            table = _table(self._store, rated, wanted.matches, self._specialists_of(wanted, rated))
            found = self._tables[wanted] = rated, table
        return found

    def _specialists_of(self, wanted: SumsFilter, rated: Rated) -> list[Specialist]:
        """As long as little is new, those that were found before: it takes two fits for each game and size."""
        if rated.fitted is None or len(rated.standings) > MOST_COMPARED or wanted.method is Method.EACH_MATCH:
            return []
        matches, found = self._specialists.get(wanted, (0, []))
        if not matches <= rated.matches < GROWTH * matches:
            found = specialists(rated.record, rated.fitted, wanted.method)
            self._specialists[wanted] = rated.matches, found
        return [each for each in found if each.bot in rated.record.bots]

    def cross_table_of(
        self, request: records_pb2.GetCrossTableRequest, veil: Veil = EVERYTHING_SEEN
    ) -> records_pb2.GetCrossTableResponse:
        """Answer a request. Raises `UsageError` if there is no such game, competition or phase."""
        rated = self._ratings.rated(filter_of(self._store, request.filter, veil.held))
        found = [] if rated.fitted is None else pairs(rated.record, rated.fitted)
        wanted = [pair for pair in found if request.version_id in (0, pair.bot, pair.opponent)]
        return records_pb2.GetCrossTableResponse(pairs=map(_pair_message, wanted))

    def history_of(
        self, request: records_pb2.GetRatingHistoryRequest, veil: Veil = EVERYTHING_SEEN
    ) -> records_pb2.GetRatingHistoryResponse:
        """Answer a request: the kept ratings, and those of now."""
        wanted = filter_of(self._store, request.filter, veil.held)
        now = self._ratings.rated(wanted)
        with self._store.reading() as reading:
            before = [] if _is_hidden(wanted.matches) else history.moments(reading, wanted.matches.scope)
        kept = [moment for moment in before if moment.at_ms <= now.at_ms]
        if now.matches and (not kept or kept[-1].matches != now.matches):
            kept.append(now.moment())
        moments = [_moment_message(moment, request.version_id) for moment in kept]
        return records_pb2.GetRatingHistoryResponse(moments=[moment for moment in moments if moment.ratings])


MOST_COMPARED = 100
"""Specialists are not looked for among more bots: for these it takes a tenth of a second."""
MOST_TABLES = 64
"""How many tables are remembered."""
BEING_WORKED_OUT = "the clone-proof ranking is being worked out; ask again in a moment"


def _table(store: Store, rated: Rated, scope: MatchFilter, special: list[Specialist]) -> StandingsTable:
    names = {version.id: version for version in queries.versions(store)}
    with store.reading() as reading:
        hidden = _is_hidden(scope)
        before = None if hidden else history.moment_at(reading, scope.scope, rated.at_ms - DAY_MS)
    then = {each.version_id: each.rating for each in before.ratings} if before else {}
    rows = [
        StandingRow(
            each,
            names[each.bot].name,
            names[each.bot].version,
            rated.conduct[each.bot],
            each.rating - then[each.bot] if each.bot in then else None,
        )
        for each in rated.standings
    ]
    circles = None if rated.fitted is None else circularity(rated.record, rated.fitted)
    return StandingsTable(rated.matches, rows, circles, special)


def _is_hidden(asked: MatchFilter) -> bool:
    """Whether the history of a phase has ratings from results that are held back."""
    return any(each[:2] == (asked.competition_id, asked.phase) for each in asked.held)


def message_of(table: StandingsTable) -> arena_pb2.GetStandingsResponse:
    """Standings on the wire."""
    return arena_pb2.GetStandingsResponse(
        matches=table.matches,
        standings=map(_row_message, table.rows),
        circularity=None if table.circularity is None else _circularity_message(table.circularity, table.rows),
        specialists=map(_specialist_message, table.specialists),
    )


def _second_message(found: Second, table: StandingsTable) -> arena_pb2.SecondRanking:
    """Without bots that are no longer in the table."""
    names = table_names((row.standing.bot, row.name, row.version) for row in table.rows)
    scores = [each for each in found.scores if each.bot in names]
    line = lottery_line([each for each in found.rated.standings if each.bot in names], scores, names)
    older = "" if found.rated.matches == table.matches else f" (after {found.rated.matches:,} matches)"
    return arena_pb2.SecondRanking(
        state=arena_pb2.SECOND_STATE_READY,
        matches=found.rated.matches,
        scores=map(_score_message, scores),
        summary=line + older,
    )


def _score_message(each: LotteryScore) -> arena_pb2.SecondScore:
    return arena_pb2.SecondScore(
        version_id=each.bot,
        score=each.score,
        score_low=each.low,
        score_high=each.high,
        rank_low=each.best_rank,
        rank_high=each.worst_rank,
    )


def _circularity_message(found: Circularity, rows: list[StandingRow]) -> arena_pb2.Circularity:
    bots = {row.standing.bot: row for row in rows}
    return arena_pb2.Circularity(
        strength=found.strength,
        strength_low=found.low,
        strength_high=found.high,
        circle=[
            arena_pb2.InCircle(version_id=bot, name=bots[bot].name, version=bots[bot].version, ahead_of_next=share)
            for bot, share in found.circle
        ],
    )


def _specialist_message(each: Specialist) -> arena_pb2.Specialist:
    return arena_pb2.Specialist(
        version_id=each.bot,
        game=each.part.game or "",
        players=each.part.players or 0,
        rank=each.rank,
        rank_there=each.rank_there,
        points=each.points,
        points_low=each.points - each.margin,
        points_high=each.points + each.margin,
    )


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
        faults=row.conduct.faults,
        places=[arena_pb2.PlacesAt(**at._asdict()) for at in each.places],
        trend=row.trend,
        decisions=row.conduct.decisions,
        thinking_ms=round(row.conduct.thinking_us / 1000),
    )


def _pair_message(pair: PairRecord) -> records_pb2.Pair:
    return records_pb2.Pair(
        version_id=pair.bot,
        opponent_version_id=pair.opponent,
        matches=pair.matches,
        blocks=pair.blocks,
        share=pair.share,
        share_low=pair.low,
        share_high=pair.high,
        expected=pair.expected,
        defies=pair.defies,
    )


def _moment_message(moment: RatedMoment, version_id: int) -> records_pb2.RatingMoment:
    ratings = [_rating_message(each) for each in moment.ratings if version_id in (0, each.version_id)]
    return records_pb2.RatingMoment(at_ms=moment.at_ms, matches=moment.matches, ratings=ratings)


def _rating_message(each: RatingThen) -> records_pb2.RatingThen:
    return records_pb2.RatingThen(
        version_id=each.version_id, rating=each.rating, rating_low=each.low, rating_high=each.high
    )


def standings_of(store: Store, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
    """Answer a single request."""
    return LiveAnswers(store).standings_of(request)

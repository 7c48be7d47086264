"""What is said about the records: answers as messages of `roost.v1`, from a store alone.

The service adds who is connected, and the command shows them straight from a database without an arena.
"""

from roost.v1 import arena_pb2, play_pb2
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_ladder.rating.standings import MatchResult, standings
from roost_sdk.wire.results import TERMINATIONS
from roost_server.answers import competitions as of_competitions
from roost_server.competition.ledger import find
from roost_server.store import Store, queries
from roost_server.store.backgrounds import backgrounds

MOST_MATCHES = 1000
DEFAULT_MATCHES = 50


def bots(store: Store) -> arena_pb2.ListBotsResponse:
    """Every bot version on record."""
    records = queries.bots(store)
    # Read after them: a bot may come in between, and what is known of one too many does no harm.
    known = backgrounds(store)
    return arena_pb2.ListBotsResponse(
        bots=[
            arena_pb2.BotVersion(
                version_id=bot.id,
                name=bot.name,
                version=bot.version,
                matches=bot.matches,
                wins=bot.wins,
                faults=bot.faults,
                first_seen_ms=bot.first_seen_ms,
                **known[bot.id]._asdict(),
            )
            for bot in records
        ]
    )


def standings_of(store: Store, request: arena_pb2.GetStandingsRequest) -> arena_pb2.GetStandingsResponse:
    """Who is how strong, over all matches that count or those of one game or player count."""
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


def matches(store: Store, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
    """A page of recorded matches, the newest first."""
    check_game(request.game)
    page = queries.matches(
        store,
        page_size(request),
        before=request.before_match_id or None,
        game=request.game or None,
        bot=request.bot or None,
        competition_id=find(store, request.competition).id if request.competition else None,
    )
    return arena_pb2.ListMatchesResponse(matches=[_summary(match) for match in page])


def page_size(request: arena_pb2.ListMatchesRequest) -> int:
    """How many matches are asked for."""
    return min(request.limit or DEFAULT_MATCHES, MOST_MATCHES)


def replay(store: Store, request: arena_pb2.GetReplayRequest) -> arena_pb2.GetReplayResponse:
    """A recorded match, whole."""
    return arena_pb2.GetReplayResponse(replay=queries.replay(store, request.match_id))


def _summary(match: queries.MatchSummary) -> arena_pb2.MatchSummary:
    seats = match.seats
    return arena_pb2.MatchSummary(
        match_id=match.id,
        game=match.game,
        players=match.players,
        bots=[seat.bot for seat in seats],
        result=play_pb2.Result(
            places=[seat.place for seat in seats if seat.place is not None],
            scores=[seat.score for seat in seats if seat.score is not None],
            termination=TERMINATIONS[match.termination],
            forfeits=[number for number, seat in enumerate(seats) if seat.forfeited],
        ),
        fault_counts=[seat.faults for seat in seats],
        started_ms=match.started_ms,
        ended_ms=match.ended_ms,
    )


def _places(row: queries.ResultRow) -> tuple[int, ...]:
    return tuple(place for place in row.places if place is not None)


def check_game(name: str) -> None:
    """Raise `UsageError` unless `name` is a game, or empty for all of them."""
    if name and name not in GAME_NAMES:
        raise UsageError(f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}")

"""Recorded matches and their replays, as messages of `roost.v1`, from a store alone."""

from roost.v1 import arena_pb2, play_pb2
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_sdk.wire.results import TERMINATIONS
from roost_server.competition.ledger import id_of
from roost_server.store import Store, queries

MOST_MATCHES = 1000
DEFAULT_MATCHES = 50


def matches(store: Store, request: arena_pb2.ListMatchesRequest) -> arena_pb2.ListMatchesResponse:
    """A page of recorded matches, the newest first."""
    check_game(request.game)
    page = queries.matches(
        store,
        page_size(request),
        before=request.before_match_id or None,
        game=request.game or None,
        bot=request.bot or None,
        competition_id=id_of(store, request.competition) if request.competition else None,
    )
    return arena_pb2.ListMatchesResponse(matches=[_summary(match) for match in page])


def page_size(request: arena_pb2.ListMatchesRequest) -> int:
    """How many matches the request asks for."""
    return min(request.limit or DEFAULT_MATCHES, MOST_MATCHES)


def replay(store: Store, request: arena_pb2.GetReplayRequest) -> arena_pb2.GetReplayResponse:
    """The replay of a recorded match."""
    return arena_pb2.GetReplayResponse(replay=queries.replay(store, request.match_id))


def _summary(match: queries.MatchOnPage) -> arena_pb2.MatchSummary:
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


def check_game(name: str) -> None:
    """Raise `UsageError` unless `name` is a game, or empty for all of them."""
    if name and name not in GAME_NAMES:
        raise UsageError(f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}")

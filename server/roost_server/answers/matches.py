"""Recorded matches and their replays, as messages of `roost.v1`, from a store alone."""

from collections.abc import Sequence

from roost.v1 import arena_pb2, play_pb2
from roost_games.chance import commitment_of
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_sdk.wire.results import TERMINATIONS
from roost_server.answers.held import held_in_words
from roost_server.competition.ledger import id_of
from roost_server.errors import DealInPlayError, NotFoundError
from roost_server.store import Store, queries
from roost_server.store.lookups import matches as lookups
from roost_server.store.lookups.matches import MatchOnPage, MatchQuery, RotationOnRecord, SeatOutcome
from roost_server.store.measures.holds import EVERYTHING_SEEN, Veil
from roost_server.store.results import MatchFilter
from roost_server.store.sums.history import moment_at

MOST_MATCHES = 1000
DEFAULT_MATCHES = 50
LAST_MS, LAST_NUMBER = 2**63 - 1, 2**31 - 1
"""The largest numbers that a database takes, for times and for others."""
OUTCOMES = {
    arena_pb2.OUTCOME_WON: SeatOutcome.WON,
    arena_pb2.OUTCOME_NOT_WON: SeatOutcome.NOT_WON,
    arena_pb2.OUTCOME_LAST: SeatOutcome.LAST,
    arena_pb2.OUTCOME_FORFEITED: SeatOutcome.FORFEITED,
    arena_pb2.OUTCOME_VOIDED: SeatOutcome.VOIDED,
}


def matches(
    store: Store, request: arena_pb2.ListMatchesRequest, veil: Veil = EVERYTHING_SEEN
) -> arena_pb2.ListMatchesResponse:
    """A page of recorded matches, the newest first. None is running in records."""
    check_filters(request)
    held = held_in_words(store, veil, request.competition, request.phase)
    if request.running:
        return arena_pb2.ListMatchesResponse(held=held)
    wanted = _query(store, request)._replace(veil=veil)
    page = lookups.matches(store, wanted, page_size(request), before=request.before_match_id or None)
    return arena_pb2.ListMatchesResponse(matches=[_summary(each) for each in page], held=held)


def check_filters(request: arena_pb2.ListMatchesRequest) -> None:
    """Raise `UsageError` for filters that do not fit together, or name something that does not exist."""
    check_game(request.game)
    check_phase(request.phase, request.competition)
    if request.outcome and request.outcome not in OUTCOMES:
        raise UsageError(f"there is no outcome {request.outcome}")
    if request.outcome and not (request.bot or request.version_id):
        raise UsageError("an outcome is one for a bot; name the bot too")
    if request.running and (request.outcome or request.with_faults or request.since_ms or request.until_ms):
        raise UsageError("a running match has no outcome, faults or end yet; leave these filters out")


def page_size(request: arena_pb2.ListMatchesRequest) -> int:
    """How many matches the request asks for."""
    return min(request.limit or DEFAULT_MATCHES, MOST_MATCHES)


def _query(store: Store, request: arena_pb2.ListMatchesRequest) -> MatchQuery:
    return MatchQuery(
        game=request.game or None,
        players=min(request.players, LAST_NUMBER) or None,
        competition_id=id_of(store, request.competition) if request.competition else None,
        phase=request.phase or None,
        bot=request.bot or None,
        opponent=request.opponent or None,
        version_id=min(request.version_id, LAST_NUMBER) or None,
        outcome=OUTCOMES.get(request.outcome),
        with_faults=request.with_faults,
        since_ms=min(request.since_ms, LAST_MS) or None,
        until_ms=min(request.until_ms, LAST_MS) or None,
    )


def match(store: Store, request: arena_pb2.GetMatchRequest, veil: Veil = EVERYTHING_SEEN) -> arena_pb2.GetMatchResponse:
    """A recorded match. Raises `NotFoundError`, `HeldBackError`, or `NamesHiddenError`."""
    return match_in_block(store, request, veil)[0]


def match_in_block(
    store: Store, request: arena_pb2.GetMatchRequest, veil: Veil = EVERYTHING_SEEN
) -> tuple[arena_pb2.GetMatchResponse, tuple[str, Sequence[RotationOnRecord]]]:
    """The same, with its block and the matches of that on record, to which a running arena adds."""
    try:
        found, details = lookups.match(store, request.match_id, veil)
    except UsageError as error:
        raise NotFoundError(str(error)) from None
    answer = arena_pb2.GetMatchResponse(
        match=_summary(found),
        replay_ready=not details.in_play,
        block=[each.match_id for each in details.block],
        commitment=bytes.fromhex(commitment_of(bytes.fromhex(details.seed))),
    )
    add_ratings(store, answer, veil)
    return answer, (found.block_id, details.block)


def add_ratings(store: Store, answer: arena_pb2.GetMatchResponse, veil: Veil = EVERYTHING_SEEN) -> None:
    """Add the ratings that were kept last before the match began; none if its bots are not named.

    Where results are held back, even owners of the bots do not learn how strong the others were.
    """
    match = answer.match
    scope = MatchFilter()
    if match.competition:
        scope = MatchFilter(competition_id=id_of(store, match.competition), phase=match.phase)
    if veil.holds_back(scope.competition_id, scope.phase):
        return
    with store.reading() as reading:
        moment = moment_at(reading, scope, match.started_ms)
    then = {each.version_id: each.rating for each in moment.ratings} if moment else {}
    answer.ratings.extend(then.get(version_id, 0.0) for version_id in match.version_ids)


def replay(
    store: Store, request: arena_pb2.GetReplayRequest, veil: Veil = EVERYTHING_SEEN
) -> arena_pb2.GetReplayResponse:
    """The replay of a recorded match. Raises `NotFoundError`, or the `NotYetError` that says why it is not shown."""
    try:
        lookups.check_seen(store, request.match_id, veil)
        document = queries.replay(store, request.match_id)
    except UsageError as error:
        raise NotFoundError(str(error)) from None
    if lookups.in_play(store, request.match_id):
        raise DealInPlayError(request.match_id)
    return arena_pb2.GetReplayResponse(replay=document)


def _summary(match: MatchOnPage) -> arena_pb2.MatchSummary:
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
        version_ids=[seat.version_id for seat in seats],
        versions=[seat.version for seat in seats],
        competition=match.competition or "",
        phase=(match.phase or "") if match.competition else "",
        decisions=[seat.decisions for seat in seats],
        thinking_ms=[round(seat.thinking_ms) for seat in seats],
        challenge=match.challenge,
    )


def check_phase(phase: str, competition: str) -> None:
    """Raise `UsageError` for a phase of no competition."""
    if phase and not competition:
        raise UsageError("a phase is one of a competition; name the competition too")


def check_game(name: str) -> None:
    """Raise `UsageError` unless `name` is a game, or empty for all of them."""
    if name and name not in GAME_NAMES:
        raise UsageError(f"there is no game {name!r}; the games are: {', '.join(GAME_NAMES)}")

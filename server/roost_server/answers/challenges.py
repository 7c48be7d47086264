"""A challenge and its result, as a message of `roost.v1`, from a store alone."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from roost.v1 import records_pb2
from roost_games.wording import counted
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.pairs import share_of_blocks
from roost_server.errors import NotFoundError
from roost_server.store import BlockState, Purpose, Store
from roost_server.store.lookups.challenges import AskedBlock, blocks_of
from roost_server.store.results import MatchFilter, Rule, recorded


def challenge(store: Store, request: records_pb2.GetChallengeRequest) -> records_pb2.GetChallengeResponse:
    """The progress and the result of a challenge. Raises `NotFoundError`."""
    return challenge_on_record(store, request)[0]


def challenge_on_record(
    store: Store, request: records_pb2.GetChallengeRequest
) -> tuple[records_pb2.GetChallengeResponse, Sequence[int]]:
    """The same, with the versions that play it, to which a running arena adds what they are doing."""
    with store.reading() as reading:
        blocks = blocks_of(reading, request.challenge_id)
        if not blocks:
            raise NotFoundError(f"there is no challenge {request.challenge_id!r} on record")
        wanted = [MatchFilter(block_id=block.id, purpose=Purpose.CHALLENGE) for block in blocks]
        on_record = [match for each in wanted for match in recorded(reading, each)]
    counting = [match for match in on_record if match.facts is not None and match.counts(Rule.SO_FAR)]
    answer = _message(request.challenge_id, blocks)
    answer.played = len(counting)
    answer.match_ids.extend(match.id for match in sorted(counting, key=attrgetter("number")))
    _add_result(answer, [match.facts for match in counting if match.facts is not None], blocks[0].version_ids[0])
    if answer.over and answer.played < answer.matches:
        missing = counted(answer.matches - answer.played, "match")
        answer.remark = f"{missing} not played: a bot left, or had no room for an hour"
    return answer, blocks[0].version_ids


def _message(challenge_id: str, blocks: Sequence[AskedBlock]) -> records_pb2.GetChallengeResponse:
    first = blocks[0]
    return records_pb2.GetChallengeResponse(
        challenge_id=challenge_id,
        game=first.game,
        bots=first.names,
        versions=first.versions,
        asked_ms=first.created_ms,
        matches=sum(block.players for block in blocks),
        over=all(block.state is not BlockState.OPEN for block in blocks),
    )


def _add_result(answer: records_pb2.GetChallengeResponse, played: Sequence[MatchFacts], version_id: int) -> None:
    by_block = [[match.score_of(version_id) for match in of_block] for _, of_block in groupby(played, _block_of)]
    if by_block:
        answer.share, answer.share_low, answer.share_high = share_of_blocks(by_block)


def _block_of(match: MatchFacts) -> str:
    return match.block_id

"""Blocks that a former run of the arena left open: what is to be played of them, or what has become of them."""

import json

from roost_games.registry import get_game
from roost_games.replay import VOIDED
from roost_ladder.blocks import Block, Rotation
from roost_ladder.rating.results import MatchResult
from roost_server.play.contest import Contest, OpenBlock
from roost_server.settings import Rules
from roost_server.store import BlockState, Store, queries
from roost_server.store.results import MatchFilter, Rule, facts


def taken_up(store: Store, left: queries.UnfinishedBlock, contest: Contest) -> OpenBlock | None:
    """The block as it goes on in its contest; `None` if it is over, and all that was missing was to say so."""
    block = Block(left.id, left.game, left.version_ids, bytes.fromhex(left.seed), Rotation(left.rotation))
    played = {match.rotation for match in left.recorded}
    to_play = [rotation for rotation in range(block.rotations) if rotation not in played]
    if not to_play or _voided(left):
        return None
    return OpenBlock(
        block,
        Rules(left.game, left.players, get_game(left.game).options(json.loads(left.options))),
        contest,
        to_play,
        left.plan,
        on_record=True,
        ended=[match.id for match in left.recorded],
        results=_results(store, left.id),
        created_ms=left.created_ms,
    )


def state_without_more(left: queries.UnfinishedBlock) -> BlockState:
    """What a block is of which no more is played."""
    return BlockState.VOIDED if _voided(left) or not left.recorded else BlockState.DONE


def _voided(left: queries.UnfinishedBlock) -> bool:
    return any(match.termination == VOIDED for match in left.recorded)


def _results(store: Store, block_id: str) -> list[MatchResult]:
    with store.reading() as connection:
        return [match.result() for match in facts(connection, MatchFilter(block_id=block_id), Rule.SO_FAR)]

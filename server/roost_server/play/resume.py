"""Resumes the blocks that an earlier run of the arena left open, or closes them."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable

import structlog

from roost_games.registry import get_game
from roost_games.replay import VOIDED
from roost_ladder.blocks import Block, Deals, Rotation
from roost_ladder.rating.results import MatchResult
from roost_server.play.block import OpenBlock
from roost_server.play.director import Contests
from roost_server.play.recorder import Recorder
from roost_server.play.seating import TableSeating
from roost_server.settings import Rules, Settings
from roost_server.store import BlockState, Store, queries
from roost_server.store.copies.epochs import go_on
from roost_server.store.results import MatchFilter, Rule, facts

log = structlog.get_logger()


async def begin_epoch(store: Store) -> None:
    """Begin another epoch if these records are a copy, so that no deal is played again."""
    begun = await asyncio.to_thread(go_on, store)
    if begun is not None:
        log.warning("these records are a copy; all deals are new", epoch=begun.began_ms, cause=begun.cause)


async def resume_blocks(store: Store, contests: Contests, recorder: Recorder, seating: TableSeating) -> None:
    """Play on in every open block whose contest is still played; close the others."""
    await recorder.resume_blocks()
    for left in await asyncio.to_thread(queries.unfinished_blocks, store):
        contest = contests.contest_of(left.plan, left.purpose)
        block = await asyncio.to_thread(resumed, store, left, contest.settings_for) if contest else None
        if contest is not None and block is not None:
            contest.resume(block)
            if block.shares_deal:
                seating.keep_secret(block.ended)
        else:
            await recorder.close_as(left.id, final_state(left))


def resumed(store: Store, left: queries.UnfinishedBlock, settings_for: Callable[[Rules], Settings]) -> OpenBlock | None:
    """The block as it goes on in its contest; `None` if it is over, and only the record of that is missing."""
    seed, rotation, deals = bytes.fromhex(left.seed), Rotation(left.rotation), Deals(left.deals)
    block = Block(left.id, left.game, left.version_ids, seed, rotation, deals)
    played = {match.rotation for match in left.recorded if match.termination != VOIDED}
    to_play = [rotation for rotation in range(block.rotations) if rotation not in played]
    if not to_play or (block.deals is Deals.DUPLICATE and _voids(left)):
        return None
    rules = Rules(left.game, left.players, get_game(left.game).options(json.loads(left.options)))
    return OpenBlock(
        block,
        rules,
        settings_for(rules),
        to_play,
        left.plan,
        left.resumed,
        _voids(left),
        on_record=True,
        ended=[match.id for match in left.recorded],
        results=_results(store, MatchFilter(block_id=left.id, purpose=left.purpose)),
        created_ms=left.created_ms,
        purpose=left.purpose,
    )


def final_state(left: queries.UnfinishedBlock) -> BlockState:
    """What becomes of a block if no more of it is played."""
    voids = _voids(left).total()
    nothing_counts = voids == len(left.recorded) or (voids and left.deals == Deals.DUPLICATE)
    return BlockState.VOIDED if nothing_counts else BlockState.DONE


def _voids(left: queries.UnfinishedBlock) -> Counter[int]:
    """By rotation, how many of its matches were voided."""
    return Counter(match.rotation for match in left.recorded if match.termination == VOIDED)


def _results(store: Store, of_block: MatchFilter) -> list[MatchResult]:
    with store.reading() as connection:
        return [match.result() for match in facts(connection, of_block, Rule.SO_FAR, struck_before=0)]

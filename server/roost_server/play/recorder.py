"""Puts what the arena plans and plays on the disk, however long the disk may take."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import structlog

from roost_server.metrics import Metrics
from roost_server.play.contest import OpenBlock
from roost_server.store import BlockState, FinishedMatch, GroupWriter, NewBlock, RecordRefused, Store, StoreError

RETRY_SECONDS = 1.0
log = structlog.get_logger()


class Recorder:
    """Writes until it is written: a full disk delays the news, it does not lose them.

    After `hurry` it gives up at the first failure, and raises it.
    """

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._writer = GroupWriter(store)
        self._metrics = metrics
        self.hurried = False

    async def plan(self, open_blocks: Sequence[OpenBlock]) -> None:
        """Record blocks before they are played."""
        await self._until_written(partial(self._write_plan, open_blocks), "plan")
        for open_block in open_blocks:
            open_block.on_record = True

    async def match(self, open_block: OpenBlock, finished: FinishedMatch, *, last: bool) -> None:
        """Record a match, its block if that is not on record, and if it is the last one that the block is done."""
        writing = partial(self._write_match, open_block, finished, last=last)
        await self._until_written(writing, finished.replay.match or "")
        open_block.on_record = True

    async def close(self, open_block: OpenBlock) -> None:
        """Record what became of a block."""
        state = BlockState.VOIDED if open_block.voided else BlockState.DONE
        await self.close_as(open_block.block.block_id, state)

    async def close_as(self, block_id: str, state: BlockState) -> None:
        """Record that a block is done or voided."""
        await self._until_written(partial(self._writer.close_block, block_id, state), block_id)

    async def aclose(self) -> None:
        """Write what is queued, and take nothing more."""
        await self._writer.aclose()

    async def _write_plan(self, open_blocks: Sequence[OpenBlock]) -> None:
        # In one commit, whole or not at all: after a crash half a round could not be told from another plan.
        await asyncio.to_thread(self._store.commit, [_new_block(each) for each in open_blocks])

    async def _write_match(self, open_block: OpenBlock, finished: FinishedMatch, *, last: bool) -> None:
        writes = [self._writer.save(finished)]
        if not open_block.on_record:
            writes.insert(0, self._writer.open_block(_new_block(open_block)))
        if last:
            writes.append(self._writer.close_block(open_block.block.block_id, BlockState.DONE))
        await asyncio.gather(*writes)

    async def _until_written(self, write: Callable[[], Awaitable[None]], what: str) -> None:
        while True:
            try:
                return await write()
            except StoreError as error:
                if isinstance(error, RecordRefused) or self.hurried:
                    raise
                self._metrics.commit_failed()
                log.warning("cannot record", what=what, error=str(error))
                await asyncio.sleep(RETRY_SECONDS)


def _new_block(open_block: OpenBlock) -> NewBlock:
    block = open_block.block
    return NewBlock(
        block.block_id,
        block.game,
        open_block.rules.options.to_json(),
        seed=block.seed.hex(),
        rotation=block.rotation.value,
        version_ids=block.group,
        created_ms=open_block.created_ms,
        plan=open_block.plan,
    )

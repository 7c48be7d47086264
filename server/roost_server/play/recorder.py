"""What follows a match: it is recorded, then told, and its deal is revealed. A block that is over is closed.

A deal that the matches of a block share is revealed when the block is closed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

import structlog

from roost.v1 import play_pb2
from roost_games.replay import VOIDED, Result
from roost_server.clocks import epoch_ms
from roost_server.metrics import Metrics
from roost_server.play.block import OpenBlock
from roost_server.play.contest import Contest
from roost_server.play.matchmaker import Matchmaker
from roost_server.play.quarantine import Quarantine
from roost_server.play.seating import RunningMatch, TableSeating, make_room
from roost_server.play.unrated.challenges import ChallengeContest
from roost_server.store import BlockState, FinishedMatch, GroupWriter, RecordRefused, Store, StoreError

RETRY_SECONDS = 1.0
log = structlog.get_logger()


class Tasks:
    """Work in the background that a shutdown waits for, because it ends on the disk."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Begin it. What goes wrong is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self.running.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self.running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            what = "not recorded" if isinstance(error, StoreError) else "internal error"
            log.error(what, error=str(error), exc_info=error)

    async def all_done(self) -> None:
        """Wait for everything, including what is begun meanwhile."""
        while self.running:
            await asyncio.gather(*self.running, return_exceptions=True)


class Recorder:
    """Writes to the store, and tries again until that succeeds: a full disk delays news, it does not lose them.

    When `hurried` it gives up at the first failure, and raises it.
    """

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self._store = store
        self._writer = GroupWriter(store)
        self.metrics = metrics
        self.hurried = False

    async def plan(self, blocks: Sequence[OpenBlock]) -> None:
        """Record blocks before they are played."""
        await self._until_written(partial(self._write_plan, blocks), "plan")
        for block in blocks:
            block.put_on_record()

    async def match(self, block: OpenBlock, finished: FinishedMatch, *, last: bool) -> None:
        """Record a match, its block if that is not on record, and after the last match that the block is done."""
        await self._until_written(partial(self._write_match, block, finished, last=last), finished.replay.match or "")
        block.put_on_record()

    async def close(self, block: OpenBlock) -> None:
        """Record what became of a block."""
        await self.close_as(block.id, block.state)

    async def close_as(self, block_id: str, state: BlockState) -> None:
        """Record that a block is done or voided."""
        await self._until_written(partial(self._writer.close_block, block_id, state), block_id)

    async def resume_blocks(self) -> None:
        """Record that the open blocks are resumed."""
        await self._until_written(self._write_resumed, "resumed blocks")

    async def aclose(self) -> None:
        """Write what is queued, and take nothing more."""
        await self._writer.aclose()

    async def _write_plan(self, blocks: Sequence[OpenBlock]) -> None:
        # In one commit, whole or not at all: after a crash half a round could not be told from another plan.
        await asyncio.to_thread(self._store.commit, [block.as_new() for block in blocks])

    async def _write_resumed(self) -> None:
        await asyncio.to_thread(self._store.resume_blocks)

    async def _write_match(self, block: OpenBlock, finished: FinishedMatch, *, last: bool) -> None:
        writes = [self._writer.save(finished)]
        if not block.on_record:
            writes.insert(0, self._writer.open_block(block.as_new()))
        if last:
            writes.append(self._writer.close_block(block.id, BlockState.DONE))
        await asyncio.gather(*writes)

    async def _until_written(self, write: Callable[[], Awaitable[None]], what: str) -> None:
        while True:
            try:
                return await write()
            except StoreError as error:
                if isinstance(error, RecordRefused) or self.hurried:
                    raise
                self.metrics.commit_failed()
                log.warning("cannot record", what=what, error=str(error))
                await asyncio.sleep(RETRY_SECONDS)


class Bookkeeping:
    """Sees blocks from the plan to their end. `on_change` is called when there may be something new to play."""

    def __init__(
        self, recorder: Recorder, seating: TableSeating, matchmaker: Matchmaker, quarantine: Quarantine, tasks: Tasks
    ) -> None:
        self.on_change: Callable[[], None] = lambda: None
        self.on_closed: Callable[[OpenBlock], None] = lambda _: None
        """Called with every block whose end is on record."""
        self._recorder = recorder
        self._seating = seating
        self._matchmaker = matchmaker
        self._quarantine = quarantine
        self._tasks = tasks
        self._now = asyncio.get_running_loop().time

    async def plan(self, contest: Contest) -> None:
        """Have a contest plan a round. The blocks of a competition are on record before the first of them begins."""
        planned = await contest.plan([session for session in self._seating.lobby.sessions if session.plays_on])
        if any(block.plan for block in planned):
            await self._recorder.plan(planned)
        contest.add(planned)
        if contest not in self._matchmaker.contests:
            # Its phase has ended meanwhile.
            await self.retire(contest)
        elif planned:
            self.on_change()

    async def retire(self, contest: Contest | None) -> None:
        """A phase is over. What has been begun in it is played to its end; what was only planned is not played."""
        for block in contest.retire() if contest else ():
            block.cut_short()
            await self.close_block(block)
        self.on_change()

    def match_over(self, match: RunningMatch) -> None:
        """A match is over. The next one need not wait for the disk; only the news of this one has to."""
        self._tasks.spawn(self._record(match))
        result = match.table.referee.result
        if result is not None and result.termination == VOIDED:
            # At once, or another match of a shared deal would be started for nothing.
            match.block.match_voided()
            _log_void(match, result)
        make_room(match.table)
        self._matchmaker.match_over(match.block, match.rotation, match.table.taken_ms)
        self.on_change()

    async def _record(self, match: RunningMatch) -> None:
        """Put the match on the disk, and only then tell anybody how it ended."""
        block, table, over = match.block, match.table, self._now()
        finished = _finished(match)
        last = block.ends_with(match.rotation, finished.replay.result)
        await self._recorder.match(block, finished, last=last)
        self._recorder.metrics.match_recorded(
            finished.replay, self._now() - over, named=not block.settings.results_held
        )
        result = finished.replay.result
        log.debug("match ended", match=table.match_id, game=table.rules.game, termination=result.termination)
        self._seating.remove(match, result)
        if not block.shares_deal:
            self._reveal(block, {table.match_id: table.seed})
        self._quarantine.note_match(match, finished)
        self.on_change()
        if self._matchmaker.recorded(block, table.match_id, match.rotation, result):
            if last:
                self._closed(block)
            else:
                await self.close_block(block)

    def drop_blocks(self, contest: Contest, version_id: int) -> None:
        """A bot is here and no longer takes part in a contest: what was only planned with it is not played."""
        for block in contest.drop(version_id):
            block.cut_short()
            if block.on_record:
                self._tasks.spawn(self.close_block(block))

    def drop_overdue(self, challenges: ChallengeContest) -> None:
        """What has waited for too long is not played."""
        for block in challenges.overdue():
            block.cut_short()
            self._tasks.spawn(self.close_block(block))

    def bot_gone(self, version_id: int) -> None:
        """A bot will not come back: what was begun with it ends with the matches that have been played."""
        for block in self._matchmaker.give_up(version_id):
            if block.on_record:
                self._tasks.spawn(self.close_block(block))
        self.on_change()

    async def close_block(self, block: OpenBlock) -> None:
        """Record what became of a block."""
        await self._recorder.close(block)
        self._closed(block)

    def _closed(self, block: OpenBlock) -> None:
        """A deal that its matches shared is no longer secret."""
        if block.shares_deal:
            self._reveal(block, dict.fromkeys(block.ended, block.block.seed))
        self.on_closed(block)
        # A contest in rounds may have waited for this.
        self.on_change()

    def _reveal(self, block: OpenBlock, seeds: Mapping[str, bytes]) -> None:
        """Matches of a block are over, and nobody else plays their deals."""
        self._seating.reveal(seeds)
        reveals = [play_pb2.Reveal(match_id=match_id, seed=seed) for match_id, seed in seeds.items()]
        for version_id in block.group if reveals else ():
            session = self._seating.lobby.session_of(version_id)
            if session is not None:
                session.tell_reveals(reveals)


def _log_void(match: RunningMatch, result: Result) -> None:
    chairs = match.table.chairs
    asked = [chairs[seat].seat.bot for seat in result.asked]
    log.warning("match voided", match=match.table.match_id, block=match.block.id, reason=result.reason, asked=asked)


def _finished(match: RunningMatch) -> FinishedMatch:
    return FinishedMatch(
        match.table.referee.replay(),
        block_id=match.block.id,
        rotation=match.rotation,
        version_ids=match.block.block.seating(match.rotation),
        started_ms=match.table.started_ms,
        ended_ms=epoch_ms(),
    )

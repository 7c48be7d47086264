"""The arena: sessions in the lobby, matches at tables, results in the store. It knows nothing of gRPC."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any

import structlog

from roost.v1 import play_pb2
from roost_games.referee import Seat
from roost_games.registry import get_game
from roost_games.replay import VOIDED, Result
from roost_ladder.blocks import Block
from roost_sdk.wire import result_to_wire
from roost_server.clocks import Pulse, epoch_ms
from roost_server.errors import ClosingError, NotFoundError, NotYetError
from roost_server.lobby import Lobby, check_hello
from roost_server.matchmaker import Matchmaker, OpenBlock
from roost_server.session import Session
from roost_server.settings import Settings
from roost_server.store import (
    BlockState,
    FinishedMatch,
    GroupWriter,
    NewBlock,
    RecordRefused,
    Store,
    StoreError,
    queries,
)
from roost_server.table import Table

SWEEP_EVERY_BEATS = 8
RETRY_SECONDS = 1.0
SHUTDOWN = "the arena shut down"
log = structlog.get_logger()


class Arena:
    """Everything that an arena does, in one event loop. `start` it before use, `stop` it in the end."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.settings = settings
        self.store = store
        self.tables: dict[str, Table] = {}
        self._loop = asyncio.get_running_loop()
        self.lobby = Lobby(settings, self._loop.time)
        self.lobby.on_gone = self._gone
        self._writer = GroupWriter(store)
        self._pulse = Pulse()
        self._matchmaker = Matchmaker(settings.tables, self._seat)
        self._blocks: dict[str, tuple[OpenBlock, int]] = {}
        self._started_ms: dict[str, int] = {}
        self._ends: dict[str, asyncio.Future[Result]] = {}
        self._withheld: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._play_soon: asyncio.Handle | None = None
        self._beats = 0
        self._last_ping = 0.0
        self._hurried = False
        self.closing = False

    async def start(self) -> None:
        """Take up where the records end, and begin to keep time."""
        for left in await asyncio.to_thread(queries.open_blocks, self.store):
            await self._take_up(left)
        self._pulse.every_beat(self._beat)
        self._pulse.start()

    async def _take_up(self, left: queries.OpenBlock) -> None:
        """Go on with a block that a former run left open, or close it if all that was missing was to say so."""
        block = Block(left.id, left.game, left.version_ids, bytes.fromhex(left.seed))
        played = {match.rotation for match in left.recorded}
        to_play = [rotation for rotation in range(block.rotations) if rotation not in played]
        if any(match.termination == VOIDED for match in left.recorded):
            await self._writer.close_block(left.id, BlockState.VOIDED)
        elif not to_play:
            await self._writer.close_block(left.id, BlockState.DONE)
        else:
            options = get_game(left.game).options(json.loads(left.options))
            self._matchmaker.take_up(block, options, to_play, [match.id for match in left.recorded])
            self._withheld.update(match.id for match in left.recorded)

    async def stop(self) -> None:
        """Start nothing new, let running matches end or void them, and record everything."""
        self.closing = self._matchmaker.stopped = True
        give_up = self._loop.time() + self.settings.drain_seconds
        log.info("closing", running=len(self.tables))
        while self.tables and not self._hurried and self._loop.time() < give_up:
            await asyncio.sleep(0.05)
        for table in list(self.tables.values()):
            table.void(SHUTDOWN)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
        self._pulse.stop()
        await self._writer.aclose()

    def hurry(self) -> None:
        """Shut down without waiting for running matches, nor for a disk that does not take what is to be recorded."""
        self._hurried = True

    async def enter(self, hello: play_pb2.Hello) -> Session:
        """A bot says hello. Raises `ArenaError` if it cannot come in."""
        if self.closing:
            raise ClosingError("the arena is shutting down")
        check_hello(hello)
        version_id = await asyncio.to_thread(self.store.register_version, hello.name, hello.version)
        session = self.lobby.enter(hello, version_id)
        log.info("bot connected", bot=session.name, version=session.version, resumed=bool(hello.resume_token))
        return session

    def attached(self) -> None:
        """A session got its stream."""
        self._play_later()

    def lost(self, session: Session) -> None:
        """The stream of `session` is gone."""
        session.detach()
        log.info("bot disconnected", bot=session.name, playing=session.playing)
        if session.has_left:
            self.lobby.remove(session)
        else:
            self.lobby.away(session)

    def table(self, match_id: str) -> Table:
        """A running match. Raises `NotFoundError`."""
        try:
            return self.tables[match_id]
        except KeyError:
            raise NotFoundError(f"no match {match_id} is running") from None

    def end_of(self, match_id: str) -> "asyncio.Future[Result]":
        """The result of a running match, to be waited for."""
        return self._ends[match_id]

    def check_revealed(self, match_id: str) -> None:
        """Raise `NotYetError` if the deal of a match is still being played by others."""
        if match_id in self._withheld:
            raise NotYetError(f"the deal of match {match_id} is still being played with other seats; ask again later")

    def started_ms(self, match_id: str) -> int:
        """When a running match began, in milliseconds since 1970."""
        return self._started_ms[match_id]

    def _beat(self) -> None:
        self._beats += 1
        if self._beats % SWEEP_EVERY_BEATS:
            return
        now = self._loop.time()
        for table in list(self.tables.values()):
            table.sweep(now)
        self.lobby.sweep()
        if now - self._last_ping > self.settings.ping_seconds:
            self._last_ping = now
            for session in self.lobby.sessions:
                if session.connected:
                    session.ping()

    def _play_later(self) -> None:
        """Look for matches to start, once, after everything that is going on right now."""
        if self._play_soon is None:
            self._play_soon = self._loop.call_soon(self._play)

    def _play(self) -> None:
        self._play_soon = None
        self._matchmaker.play(self.lobby.sessions)
        for session in self.lobby.sessions:
            session.end_if_left()

    def _seat(self, open_block: OpenBlock, rotation: int) -> None:
        block, rules = open_block.block, open_block.rules
        players = [self._session(version_id) for version_id in block.seating(rotation)]
        match_id = secrets.token_hex(10)
        table = Table(
            rules,
            get_game(rules.game),
            players,
            [Seat(player.name, player.version) for player in players],
            match_id=match_id,
            seed=block.seed,
            settings=self.settings,
            pulse=self._pulse,
            now=self._loop.time,
            on_end=self._ended,
        )
        self.tables[match_id] = table
        self._blocks[match_id] = (open_block, rotation)
        self._started_ms[match_id] = epoch_ms()
        self._ends[match_id] = self._loop.create_future()
        self._withheld.add(match_id)
        table.start()

    def _session(self, version_id: int) -> Session:
        session = self.lobby.session_of(version_id)
        assert session is not None  # noqa: S101  the matchmaker seats only who is here
        return session

    def _ended(self, table: Table) -> None:
        self._spawn(self._record(table))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("not recorded", error=str(error), exc_info=error)

    async def _record(self, table: Table) -> None:
        """Put the match on the disk, and only then tell anybody how it ended."""
        open_block, rotation = self._blocks[table.match_id]
        finished = FinishedMatch(
            table.referee.replay(),
            block_id=open_block.block.block_id,
            rotation=rotation,
            version_ids=open_block.block.seating(rotation),
            started_ms=self._started_ms[table.match_id],
            ended_ms=epoch_ms(),
        )
        await self._until_written(partial(self._write_match, open_block, finished), table.match_id)
        result = finished.replay.result
        log.debug("match ended", match=table.match_id, game=table.rules.game, termination=result.termination)
        ended = play_pb2.MatchEnded()
        result_to_wire(result, ended.result)
        for player in table.players:
            player.tell_ended(table, ended)
        del self.tables[table.match_id], self._blocks[table.match_id], self._started_ms[table.match_id]
        self._ends.pop(table.match_id).set_result(result)
        self._play_later()
        await self._close(table, open_block, rotation)

    async def _write_match(self, open_block: OpenBlock, finished: FinishedMatch) -> None:
        writes = [self._writer.save(finished)]
        if not open_block.on_record:
            writes.insert(0, self._writer.open_block(_new_block(open_block)))
        await asyncio.gather(*writes)
        open_block.on_record = True

    async def _until_written(self, write: Callable[[], Awaitable[None]], match_id: str) -> None:
        """Try until the disk takes it: a full disk delays the news, it does not lose them."""
        while True:
            try:
                return await write()
            except StoreError as error:
                if isinstance(error, RecordRefused) or (self.closing and self._hurried):
                    raise
                log.warning("cannot record", match=match_id, error=str(error))
                await asyncio.sleep(RETRY_SECONDS)

    async def _close(self, table: Table, open_block: OpenBlock, rotation: int) -> None:
        """After the last match of a block, note that and tell everybody what was dealt."""
        block = open_block.block
        if table.referee.result is not None and table.referee.result.termination == VOIDED:
            self._matchmaker.void(block.block_id)
        open_block.ended.append(table.match_id)
        if self._matchmaker.ended(block.block_id, rotation):
            await self._close_block(open_block)

    def _gone(self, session: Session) -> None:
        """A bot will not come back: what was begun with it ends with the matches that have been played."""
        for open_block in self._matchmaker.give_up(session.version_id):
            if open_block.on_record:
                self._spawn(self._close_block(open_block))
        self._play_later()

    async def _close_block(self, open_block: OpenBlock) -> None:
        block = open_block.block
        state = BlockState.VOIDED if open_block.voided else BlockState.DONE
        await self._until_written(partial(self._writer.close_block, block.block_id, state), block.block_id)
        self._withheld.difference_update(open_block.ended)
        reveals = [play_pb2.Reveal(match_id=match_id, seed=block.seed) for match_id in open_block.ended]
        for version_id in block.group:
            session = self.lobby.session_of(version_id)
            if session is not None:
                session.tell_reveals(reveals)


def _new_block(open_block: OpenBlock) -> NewBlock:
    block = open_block.block
    return NewBlock(
        block.block_id,
        block.game,
        open_block.rules.options.to_json(),
        seed=block.seed.hex(),
        rotation="cyclic",
        version_ids=block.group,
        created_ms=open_block.created_ms,
    )

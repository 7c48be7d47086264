"""A real arena on loopback, with short clocks, and what tests ask about it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog

from roost.v1.arena_pb2_grpc import ArenaStub
from roost_games.referee import Clock
from roost_games.replay import Replay
from roost_games.verify import verify
from roost_server.competition.file import parse_competition
from roost_server.competition.ledger import draw_up
from roost_server.play.arena import Arena
from roost_server.serving.server import ArenaServer, Hosting
from roost_server.settings import Settings, tables_of
from roost_server.store import Store, open_store, queries
from tests.support.cups import cup

PATIENCE = 180.0
"""How many seconds a test waits before it fails. Nothing should ever take that long, even on a busy machine."""
EASY_CLOCK = Clock(decision_ms=5_000, bank_ms=60_000)
"""Nobody is late by chance."""
HARD_CLOCK = Clock(decision_ms=150, bank_ms=350)
"""A silent bot is late soon. An honest bot in this process never is: when it is held up, so is the arena."""
CUP = cup("ladder", "done")
"""A competition that begins at once, as short as one can be."""


def settings(game: str = "karteneck", players: int = 2, **changes: Any) -> Settings:
    """An arena with one kind of table and long clocks, except for what `changes` says."""
    usual = Settings(
        tables=tables_of((game,), (players,)),
        clock=EASY_CLOCK,
        ping_seconds=0.2,
        drain_seconds=0.0,
        matches_at_once=256,  # bots that hesitate for a test play as many matches as they ask for
    )
    return replace(usual, **changes)


class Hall:
    """A running arena."""

    def __init__(self, server: ArenaServer, store: Store, channel: grpc.aio.Channel) -> None:
        self.server = server
        self.store = store
        self.channel = channel
        self.stub: Any = ArenaStub(channel)
        """For questions over gRPC; typed loosely because the stub of grpc.aio has no types of its own."""

    @property
    def address(self) -> str:
        return self.server.address

    @property
    def arena(self) -> Arena:
        return self.server._arena

    async def matches(self, count: int = 1, where: Callable[[Replay], bool] = lambda replay: True) -> list[Replay]:
        """The recorded matches of that kind, as soon as there are `count` of them."""
        while True:
            # In a thread, because it must not hold up the arena.
            recorded = [replay for replay in await asyncio.to_thread(replays, self.store) if where(replay)]
            if len(recorded) >= count:
                return recorded
            await asyncio.sleep(0.05)


def replays(store: Store) -> list[Replay]:
    """All matches on record."""
    return [Replay.from_line(line) for line in queries.replays(store)]


def check_records(store: Store) -> None:
    """Everything on record could have happened, and no block has a match too many."""
    for replay in replays(store):
        assert verify(replay) is None
    with store.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall() == []


@asynccontextmanager
async def hall(folder: Path, chosen: Settings | None = None, *competitions: str, **hosting: Any) -> AsyncIterator[Hall]:
    """An arena that records in `folder`. It is stopped at the end; its records must then verify.

    `competitions` are the texts of competition files, `hosting` is what else is not as by default.
    """
    with open_store(f"sqlite:///{folder}/roost.db") as store:
        drawn_up = tuple(draw_up(store, parse_competition(text), text) for text in competitions)
        outside = Hosting(competitions=drawn_up, **hosting)
        server = ArenaServer(store, settings() if chosen is None else chosen, "127.0.0.1:0", outside)
        await server.start()
        try:
            async with grpc.aio.insecure_channel(server.address) as channel:
                yield Hall(server, store, channel)
        finally:
            server.hurry()
            await server.stop()
        check_records(store)


def _is_of_earlier_loop(context: Mapping[str, Any]) -> bool:
    """Whether gRPC has an answer for the event loop of an earlier test. All loops of a process share one queue."""
    closed = isinstance(context.get("exception"), RuntimeError) and str(context["exception"]) == "Event loop is closed"
    return closed and "PollerCompletionQueue._handle_events" in context["message"]


def bounded(
    script: Callable[[], Coroutine[Any, Any, None]], logged: Collection[str] = (), seconds: float = PATIENCE
) -> None:
    """Run `script` in an event loop of its own. Nothing may go wrong behind its back, except errors `logged` so."""
    unheard: list[str] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: None if _is_of_earlier_loop(context) else unheard.append(repr(context))
        )
        async with asyncio.timeout(seconds):
            await script()

    listener = logging.Handler(logging.ERROR)
    listener.emit = lambda record: unheard.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(listener)
    try:
        with structlog.testing.capture_logs() as entries:
            asyncio.run(run())
    except BaseException as error:
        error.add_note(f"what went wrong before: {unheard}, {_serious(entries)}")
        raise
    finally:
        logging.getLogger().removeHandler(listener)
    assert not unheard, unheard
    assert {entry["event"] for entry in _serious(entries)} == set(logged)


def _serious(entries: list[Any]) -> list[Any]:
    return [entry for entry in entries if entry["log_level"] in ("error", "critical")]


async def until(condition: Callable[[], object | Awaitable[object]], pause: float = 0.005) -> None:
    """Wait for `condition` to hold, which is checked every `pause` seconds."""
    while True:
        holds = condition()
        if isinstance(holds, Awaitable):
            holds = await holds
        if holds:
            return
        await asyncio.sleep(pause)


async def refusal(call: Awaitable[object]) -> tuple[str, str]:
    """Status and text of a call that fails."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return refused.value.code().name, refused.value.details() or ""

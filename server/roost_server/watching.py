"""Spectators: a running match as anybody may see it."""

import asyncio
from collections.abc import AsyncIterator

from roost.v1 import arena_pb2, play_pb2
from roost_sdk.wire import result_to_wire
from roost_server.arena import Arena
from roost_server.errors import TooMuchError
from roost_server.table import Table

MOST_BEHIND = 10_000
"""A spectator that falls behind by so many decisions is let go: the match does not wait, and memory is not endless."""


async def watch(arena: Arena, match_id: str) -> AsyncIterator[arena_pb2.WatchMatchResponse]:
    """What a spectator of a running match is told. Raises `NotFoundError` if there is no such match."""
    table = arena.table(match_id)
    told: asyncio.Queue[play_pb2.Event | None] = asyncio.Queue()
    table.watch(told.put_nowait)
    end = arena.end_of(match_id)
    end.add_done_callback(lambda _: told.put_nowait(None))
    try:
        yield arena_pb2.WatchMatchResponse(started=table.start_message(None, 0))
        yield _view(table)
        while (event := await told.get()) is not None:
            if told.qsize() > MOST_BEHIND:
                raise TooMuchError("too slow to watch this match")
            yield arena_pb2.WatchMatchResponse(event=event)
            if told.empty():
                yield _view(table)
        ended = play_pb2.MatchEnded()
        result_to_wire(end.result(), ended.result)
        yield arena_pb2.WatchMatchResponse(ended=ended)
    finally:
        table.unwatch(told.put_nowait)


def _view(table: Table) -> arena_pb2.WatchMatchResponse:
    update = arena_pb2.WatchMatchResponse()
    table.codec.view_to_wire(table.referee.view(None), update.view)
    return update

"""Spectators: a running match as anybody may see it, at once or with a delay."""

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from roost.v1 import arena_pb2, play_pb2
from roost_sdk.wire import result_to_wire
from roost_server.errors import TooMuchError
from roost_server.play.seating import RunningMatch
from roost_server.play.table import Table

MOST_BEHIND = 10_000
"""A spectator that falls this many decisions behind is dropped: the match does not wait, and memory is limited."""


Updates = AsyncIterator[arena_pb2.WatchMatchResponse]
"""What a spectator is told."""


class Sighting(NamedTuple):
    """Something that a spectator is to be told."""

    at: float
    """When it happened, by the event loop's clock."""
    event: play_pb2.Event | None
    """`None`: the match is over."""
    view: arena_pb2.WatchMatchResponse | None
    """What could be seen then; `None` without a delay: the view is taken when it is sent."""


async def watch(match: RunningMatch) -> Updates:
    """What a spectator of a running match is told.

    If spectators see matches with a delay, everything but the names comes that much later, and shows that moment.
    """
    table, end = match.table, match.end
    delay = table.settings.spectator_delay_seconds
    now = asyncio.get_running_loop().time
    told: asyncio.Queue[Sighting] = asyncio.Queue()

    def hear(event: play_pb2.Event) -> None:
        told.put_nowait(Sighting(now(), event, _view(table) if delay else None))

    table.watch(hear)
    end.add_done_callback(lambda _: told.put_nowait(Sighting(now(), None, None)))
    try:
        yield _started(table)
        first = _view(table) if delay else None
        await asyncio.sleep(delay)
        yield first or _view(table)
        async for update in _told(told, table, delay):
            yield update
        ended = play_pb2.MatchEnded()
        result_to_wire(end.result(), ended.result)
        yield arena_pb2.WatchMatchResponse(ended=ended)
    finally:
        table.unwatch(hear)


async def _told(told: "asyncio.Queue[Sighting]", table: Table, delay: float) -> Updates:
    """Everything that happens until the match is over."""
    while (seen := await told.get()).event is not None:
        if told.qsize() > MOST_BEHIND:
            raise TooMuchError("too slow to watch this match")
        await _wait_until(seen.at + delay)
        yield arena_pb2.WatchMatchResponse(event=seen.event)
        if seen.view is not None:
            yield seen.view
        elif told.empty():
            yield _view(table)
    await _wait_until(seen.at + delay)


async def _wait_until(time: float) -> None:
    seconds = time - asyncio.get_running_loop().time()
    if seconds > 0:
        await asyncio.sleep(seconds)


def shown_names(table: Table) -> list[str]:
    """The bots by seat, or nothing if names are hidden: a player could watch its own match."""
    return ["" if table.settings.hide_names else chair.seat.bot for chair in table.chairs]


def _started(table: Table) -> arena_pb2.WatchMatchResponse:
    started = table.start_message(None)
    started.bots[:] = shown_names(table)
    return arena_pb2.WatchMatchResponse(started=started)


def _view(table: Table) -> arena_pb2.WatchMatchResponse:
    update = arena_pb2.WatchMatchResponse()
    table.codec.view_to_wire(table.referee.view(None), update.view)
    return update

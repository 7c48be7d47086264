"""Spectators: a running match as anybody may see it, at once or with a delay, from now or from its beginning.

From now, a spectator hears what happens and sees the table when nothing more is to be told. From the beginning, the
match is played again beside itself: its decisions so far, and each further one, lead another state of the same deal
from view to view. All spectators of a match share that.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import NamedTuple

from roost.v1 import arena_pb2, play_pb2
from roost_sdk.wire import result_to_wire
from roost_server.errors import TooMuchError
from roost_server.play.seating import RunningMatch
from roost_server.play.table import Table

MOST_BEHIND = 10_000
"""A spectator that falls this many decisions behind is dropped: the match does not wait, and memory is limited."""

SCENES_AT_ONCE = 50
"""How many decisions of the past are played again at a time: some 2 ms."""

Updates = AsyncGenerator[arena_pb2.WatchMatchResponse, None]
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
        yield _ended(match)
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


class Scene(NamedTuple):
    """A decision and the table after it, or the deal."""

    at: float
    """When it happened, by the event loop's clock."""
    updates: tuple[arena_pb2.WatchMatchResponse, ...]


class Retelling:
    """A running match from its deal on. `close` it when nobody is watching.

    The match itself only wakes those who look. They have the next scenes made when they get there.
    """

    def __init__(self, match: RunningMatch) -> None:
        self.spectators = 0
        self.ended_at: float | None = None
        """By the event loop's clock; `None` while the match runs."""
        self._table = match.table
        self._state = self._table.referee.dealt()
        self.scenes = [Scene(self._table.dealt_at, (self._view(),))]
        self._steps = 0
        """How many steps of the record are told."""
        self._more = asyncio.Event()
        self._table.watch(self._wake)
        match.end.add_done_callback(self._end)

    def close(self) -> None:
        """Stop waking anybody."""
        self._table.unwatch(self._wake)

    async def reach(self, scene: int) -> bool:
        """Wait until there are more scenes than that. False if the match is over before."""
        while len(self.scenes) <= scene:
            if self._tell_on():
                await asyncio.sleep(0)  # a long past is told bit by bit, because matches must not wait for it
            elif self.ended_at is None:
                await self._more.wait()
            else:
                return False
        return True

    def _tell_on(self) -> bool:
        """Play some decisions that are new on record. False if there are none."""
        new = self._table.referee.decisions(self._steps)
        for step, (seat, move, _, fallback) in new[:SCENES_AT_ONCE]:
            self._steps = step + 1
            told = arena_pb2.WatchMatchResponse(event=play_pb2.Event(seat=seat, fallback=fallback))
            self._table.codec.move_to_wire(move, told.event.move)
            self._state.apply(seat, move)
            self.scenes.append(Scene(self._table.played_at(step), (told, self._view())))
        return bool(new)

    def _end(self, _: object) -> None:
        self.ended_at = self._table.now().time
        self._wake()

    def _wake(self, _: object = None) -> None:
        self._more.set()
        self._more = asyncio.Event()

    def _view(self) -> arena_pb2.WatchMatchResponse:
        return _view_of(self._table, self._state.observe(None))


class Retellings:
    """The running matches that somebody watches from the beginning."""

    def __init__(self) -> None:
        self._by_match: dict[str, Retelling] = {}

    async def watch(self, match: RunningMatch) -> Updates:
        """What a spectator is told who wants to know everything from the deal on, not before the delay has passed."""
        table = match.table
        retelling = self._by_match.get(table.match_id) or Retelling(match)
        self._by_match[table.match_id] = retelling
        retelling.spectators += 1
        try:
            yield _started(table)
            async for update in _retold(retelling, table):
                yield update
            yield _ended(match)
        finally:
            retelling.spectators -= 1
            if not retelling.spectators:
                del self._by_match[table.match_id]
                retelling.close()


async def _retold(retelling: Retelling, table: Table) -> Updates:
    """Everything until the match is over."""
    delay, told = table.settings.spectator_delay_seconds, 0
    while await retelling.reach(told):
        scene = retelling.scenes[told]
        told += 1
        await _sleep_until(scene.at + delay, table)
        for update in scene.updates:
            yield update
    await _sleep_until((retelling.ended_at or 0.0) + delay, table)


async def _sleep_until(time: float, table: Table) -> None:
    """Come back at this time and not a moment earlier."""
    while (seconds := time - table.now().time) > 0:
        await asyncio.sleep(seconds)


def shown_names(table: Table) -> list[str]:
    """The bots by seat, or nothing if names are hidden: a player could watch its own match."""
    return ["" if table.settings.hide_names else chair.seat.bot for chair in table.chairs]


def _started(table: Table) -> arena_pb2.WatchMatchResponse:
    started = table.start_message(None)
    started.bots[:] = shown_names(table)
    return arena_pb2.WatchMatchResponse(started=started)


def _ended(match: RunningMatch) -> arena_pb2.WatchMatchResponse:
    ended = play_pb2.MatchEnded()
    result_to_wire(match.end.result(), ended.result)
    return arena_pb2.WatchMatchResponse(ended=ended)


def _view(table: Table) -> arena_pb2.WatchMatchResponse:
    return _view_of(table, table.referee.view(None))


def _view_of(table: Table, seen: object) -> arena_pb2.WatchMatchResponse:
    update = arena_pb2.WatchMatchResponse()
    table.codec.view_to_wire(seen, update.view)
    return update

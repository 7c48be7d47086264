"""Spectators that are too slow, or leave in the middle."""

import asyncio
from typing import Any, cast

import pytest

from roost.v1 import play_pb2
from roost_games.replay import Result
from roost_server.errors import TooMuchError
from roost_server.serving import watching
from tests.support.arenas.table_world import TableWorld


class FakeMatch:
    """One running match."""

    def __init__(self, world: TableWorld) -> None:
        self.world = world
        self.end: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.table = world.table


def watch(match: FakeMatch) -> Any:
    return watching.watch(cast(Any, match))


def test_events_gather_while_a_spectator_reads() -> None:
    async def script() -> None:
        world = TableWorld().begin()
        match = FakeMatch(world)
        updates = watch(match)
        assert (await anext(updates)).WhichOneof("update") == "started"
        for _ in range(3):
            world.answer(world.turn())
        kinds = [(await anext(updates)).WhichOneof("update") for _ in range(5)]
        assert kinds == ["view", "event", "event", "event", "view"]
        world.play_on()
        assert world.referee.result is not None
        match.end.set_result(world.referee.result)
        last = [update async for update in updates][-1]
        assert list(last.ended.result.places) == list(world.referee.result.places)

    asyncio.run(script())


def test_a_spectator_that_falls_behind_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST_BEHIND", 10)

    async def script() -> None:
        world = TableWorld().begin()
        updates = watch(FakeMatch(world))
        await anext(updates)
        await anext(updates)
        for _ in range(30):
            world.answer(world.turn())
        with pytest.raises(TooMuchError, match="too slow"):
            async for _ in updates:
                pass
        assert world.table._watchers == []
        world.answer(world.turn())

    asyncio.run(script())


def test_a_spectator_that_leaves_is_told_no_more() -> None:
    async def script() -> None:
        world = TableWorld().begin()
        updates = watch(FakeMatch(world))
        await anext(updates)
        assert len(world.table._watchers) == 1
        await updates.aclose()
        assert world.table._watchers == []
        world.play_on()
        assert world.ends == 1

    asyncio.run(script())


def test_with_a_delay_everything_is_told_later_and_as_it_was_then(monkeypatch: pytest.MonkeyPatch) -> None:
    delay = 1_000.0
    waited: list[float] = []

    async def note(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)

    async def script() -> None:
        twin = TableWorld(seed="twin").begin()
        views = [seen_by_anybody(twin)]
        while not twin.referee.over:
            twin.answer(twin.turn())
            views.append(seen_by_anybody(twin))
        world = TableWorld(seed="twin", spectator_delay_seconds=delay).begin()
        match = FakeMatch(world)
        updates = watch(match)
        assert (await anext(updates)).WhichOneof("update") == "started"
        assert waited == [], "who plays is no secret"
        first = await anext(updates)
        world.play_on()
        assert world.referee.result is not None
        match.end.set_result(world.referee.result)
        rest = [update async for update in updates]
        kinds = [update.WhichOneof("update") for update in rest]
        assert kinds == ["event", "view"] * (len(views) - 1) + ["ended"]
        told = [first, *(update for update in rest if update.HasField("view"))]
        assert [update.view for update in told] == views
        assert len(waited) == len(views) + 1
        assert all(delay - 60 < seconds <= delay for seconds in waited)

    asyncio.run(script())


def seen_by_anybody(world: TableWorld) -> play_pb2.View:
    view = play_pb2.View()
    world.table.codec.view_to_wire(world.referee.view(None), view)
    return view

"""Spectators that are too slow, or leave in the middle."""

import asyncio
from typing import Any, cast

import pytest

from roost.v1 import play_pb2
from roost_games.referee import Played
from roost_games.registry import get_game
from roost_games.replay import Decision, Result
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


def test_a_match_is_told_from_its_deal_on() -> None:
    """Whenever a spectator comes, it is told every decision, each followed by what the table looked like then."""

    async def script(game: str, players: int) -> None:
        world = TableWorld(game, players, seed="told").begin()
        views = [seen_by_anybody(world)]
        world.referee.listen(
            lambda notice: views.append(seen_by_anybody(world)) if isinstance(notice, Played) else None
        )
        match = FakeMatch(world)
        for _ in range(5):
            world.answer(world.turn())
        past = len(views)
        retellings = watching.Retellings()
        early = retellings.watch(cast(Any, match))
        first = [await anext(early) for _ in range(2 * past)]
        assert [update.WhichOneof("update") for update in first] == ["started", "view"] + ["event", "view"] * (past - 1)
        assert [update.view for update in first if update.HasField("view")] == views
        world.referee.listen(world.table._heard)
        while not world.referee.over:
            world.answer(world.turn())
        late = retellings.watch(cast(Any, match))
        assert (await anext(late)).HasField("started")
        assert world.referee.result is not None
        match.end.set_result(world.referee.result)
        rest = [update async for update in early]
        everything = [update async for update in late]
        assert everything == first[1:] + rest
        assert [update.WhichOneof("update") for update in rest][-3:] == ["event", "view", "ended"]
        assert rest[-2].view == seen_by_anybody(world)
        decided = [step for step in world.referee.replay().steps if isinstance(step, Decision)]
        events = [update.event for update in everything if update.HasField("event")]
        assert [event.seat for event in events] == [step.seat for step in decided]
        moves = [world.table.codec.known_move(event.move.SerializeToString()) for event in events]
        assert [get_game(game).encode_move(move) for move in moves] == [step.move for step in decided]
        assert world.table._watchers == []

    for game, players in (("karteneck", 3), ("bratwurmeck", 2), ("haecmaec", 4)):
        asyncio.run(script(game, players))


def test_nothing_is_told_before_the_delay_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of the test: a decision per second from 101 s on, and a spectator at 103.5 s with a delay of 2 s."""
    world = TableWorld(seed="twin", spectator_delay_seconds=2.0).begin()
    for world.time in (101.0, 102.0, 103.0):
        world.answer(world.turn())
    world.time = 103.5
    turn = asyncio.sleep

    async def sleep(seconds: float) -> None:
        world.time += seconds
        await turn(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    told: list[tuple[str | None, float]] = []

    async def script() -> None:
        match = FakeMatch(world)
        updates = watching.Retellings().watch(cast(Any, match))
        told.extend([((await anext(updates)).WhichOneof("update"), world.time) for _ in range(8)])
        world.time = 110.0
        world.table.void("enough")
        assert world.referee.result is not None
        match.end.set_result(world.referee.result)
        await turn(0)
        told.extend([(update.WhichOneof("update"), world.time) async for update in updates])

    asyncio.run(script())
    assert told == [
        ("started", 103.5),
        ("view", 103.5),  # the deal, at 100 s
        ("event", 103.5),  # the decision at 101 s
        ("view", 103.5),
        ("event", 104.0),
        ("view", 104.0),
        ("event", 105.0),
        ("view", 105.0),
        ("ended", 112.0),
    ]


def test_a_spectator_from_the_beginning_may_leave() -> None:
    async def script() -> None:
        world = TableWorld().begin()
        retellings = watching.Retellings()
        match = cast(Any, FakeMatch(world))
        one, two = cast(Any, retellings.watch(match)), cast(Any, retellings.watch(match))
        await anext(one)
        await anext(two)
        assert len(world.table._watchers) == 1
        await one.aclose()
        assert len(world.table._watchers) == 1
        await two.aclose()
        assert world.table._watchers == []

    asyncio.run(script())

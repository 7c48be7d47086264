"""What an arena remembers does not grow with every match, nor with every stream. `make soak` looks at a whole one."""

import gc
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from benchmarks.soak.growth import Look, growth
from roost.v1 import arena_pb2
from roost_ladder.rating.results import GrowingSums, MatchResult, gather
from roost_ladder.rating.standings import LiveStandings
from roost_ladder.schedules.schedule import Kind, Pairing, Past
from roost_server.serving import server
from tests.support.arenas.hall import Hall, bounded, hall, until
from tests.support.arenas.raw_stream import hello, raw_stream
from tests.support.records.results import DUEL, TRIO, assert_same, many

SOME = 100
"""How many blocks come at a time."""
TIMES = 10
DUELS = Kind("karteneck", 2)
GROUPS = list(combinations(range(6), 2))


def some_blocks(first: int, rng: Random) -> list[MatchResult]:
    """The two matches of each block, which is named as an arena would name it."""
    return [
        MatchResult(f"cup-ladder-{number}", "karteneck", GROUPS[number % len(GROUPS)], rng.choice(((1, 2), (2, 1))))
        for number in range(first, first + SOME)
        for _ in range(2)
    ]


def bytes_per_match(take: Callable[[list[MatchResult]], None]) -> float:
    """What is left of a match in the long run. What is there after the first half is no part of that."""
    rng = Random(1)
    taken = []
    tracemalloc.start()
    try:
        for half in range(2):
            for time in range(TIMES):
                take(some_blocks((half * TIMES + time) * SOME, rng))
            gc.collect()
            taken.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return (taken[1] - taken[0]) / (2 * TIMES * SOME)


@pytest.mark.parametrize(("recorded", "most"), [(False, 1.0), (True, 50.0)])
def test_what_a_schedule_remembers_of_a_match(recorded: bool, most: float) -> None:
    """Who only counts remembers nothing, and for ratings a few numbers: objects would take some hundred bytes."""
    past = Past(recorded=recorded)

    def take(results: list[MatchResult]) -> None:
        for result in results[::2]:
            past.give(Pairing(DUELS, result.bots))
        past.finish(results)
        if recorded:
            past.record()

    assert bytes_per_match(take) < most
    assert past.given == 2 * TIMES * SOME
    assert past.ended == 4 * TIMES * SOME


def test_what_standings_remember_of_a_match() -> None:
    live = LiveStandings()

    def take(results: list[MatchResult]) -> None:
        live.add(results)
        live.settle()

    assert bytes_per_match(take) < 50.0
    assert sum(each.matches for each in live.standings()) == 2 * 4 * TIMES * SOME


def test_settled_blocks_count_as_before() -> None:
    gathering = GrowingSums()
    for result in many(1):
        gathering.add([result])
    gathering.settle()
    gathering.add(many(2))
    assert_same(gathering.record(), gather(many(1) + many(2)))


def test_blocks_that_are_not_settled_can_change() -> None:
    gathering = GrowingSums()
    gathering.add([*TRIO, DUEL[0], *many(1)])
    gathering.settle(but={"t", "d", "unheard of"})
    gathering.add([DUEL[1]])
    gathering.drop("t")
    assert_same(gathering.record(), gather([*many(1), *DUEL]))


def calls_in_memory() -> int:
    """How many calls gRPC's server remembers, counted from Python."""
    return sum(type(each).__name__ == "RPCState" for each in gc.get_objects())


async def second_hello(place: Hall) -> None:
    async with raw_stream(place.address) as stream:
        await stream.send(hello())
        assert await stream.read() is not None
        assert calls_in_memory() > 0
        await stream.send(hello())
        assert (await stream.end())[0] == grpc.StatusCode.INVALID_ARGUMENT


async def refused_hello(place: Hall) -> None:
    async with raw_stream(place.address) as stream:
        await stream.send(hello(games=["skat"]))
        assert (await stream.end())[0] == grpc.StatusCode.INVALID_ARGUMENT


async def unknown_match(place: Hall) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
        await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id="none"))


async def nothing_to_watch(place: Hall) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match="NOT_FOUND"):
        await place.stub.WatchMatch(arena_pb2.WatchMatchRequest(match_id="none")).read()


async def no_key(place: Hall) -> None:
    async with grpc.aio.insecure_channel(place.address) as channel:
        list_keys: Any = channel.unary_unary("/roost.v1.Admin/ListKeys")
        with pytest.raises(grpc.aio.AioRpcError, match="UNAUTHENTICATED"):
            await list_keys(b"")


@pytest.mark.parametrize("annoy", [second_hello, refused_hello, unknown_match, nothing_to_watch, no_key])
def test_calls_that_the_arena_ends_are_forgotten_at_once(
    tmp_path: Path, annoy: Callable[[Hall], Awaitable[None]]
) -> None:
    """Without the garbage collector, which looks at old objects seldom: a flood would fill the memory meanwhile."""

    async def script() -> None:
        async with hall(tmp_path) as place:
            await annoy(place)
            gc.collect()
            before = calls_in_memory()
            for _ in range(10):
                await annoy(place)
            # The last ones may still be about to end.
            await until(lambda: calls_in_memory() <= before + 1)

    gc.disable()
    try:
        bounded(script)
    finally:
        gc.enable()


def test_a_connection_without_calls_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that forget to hang up must not fill the memory. A bot's stream is a call, however quiet it is."""
    monkeypatch.setattr(server, "IDLE_SECONDS", 0.5)

    async def script() -> None:
        async with hall(tmp_path) as place, raw_stream(place.address) as stream:
            await stream.send(hello())
            assert await stream.read() is not None
            await place.stub.ListBots(arena_pb2.ListBotsRequest())
            await until(lambda: place.channel.get_state() is grpc.ChannelConnectivity.IDLE)
            assert [bot.connected for bot in (await place.stub.ListBots(arena_pb2.ListBotsRequest())).bots] == [True]
            assert await stream.read() is not None

    bounded(script)


def looks(per_match: float, step: Callable[[int], float] = lambda _: 0.0) -> Iterator[Look]:
    """A look every minute, with 3000 matches between."""
    for minute in range(31):
        yield Look(60.0 * minute, 3000 * minute, 100e6 + per_match * 3000 * minute + step(minute))


def test_the_soak_sees_growth() -> None:
    found = growth(list(looks(400.0)))
    assert found.per_match == pytest.approx(400.0)
    assert found.per_hour == pytest.approx(400.0 * 180_000)
    assert found.goes_on
    assert str(found).startswith("GROWS: +400 bytes a match, +72.0 MB an hour")


@pytest.mark.parametrize(
    "seen",
    [
        looks(0.0, lambda minute: 30e6 * (minute == 30)),
        looks(0.0, lambda minute: 3e6 * (minute % 7)),
        looks(20.0),
        looks(-50.0),
    ],
    ids=["a flood at the end", "up and down", "a little", "less and less"],
)
def test_the_soak_is_not_misled(seen: Iterator[Look]) -> None:
    found = growth(list(seen))
    assert not found.goes_on
    assert str(found).startswith("FLAT")

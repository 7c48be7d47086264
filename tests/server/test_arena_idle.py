"""Many bots that are connected and do nothing."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from roost.v1 import arena_pb2
from tests.support.arenas.hall import bounded, hall, settings, until
from tests.support.arenas.raw_bot import RawBot

IDLE = 100


def test_a_hundred_idle_bots_are_fine(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(players=2)) as place, AsyncExitStack() as stack:
            idle = [RawBot(place.address, f"idle{number}", player_counts=[7]) for number in range(IDLE)]
            await asyncio.gather(*map(stack.enter_async_context, idle))
            async with RawBot(place.address, "x") as x, RawBot(place.address, "y"):
                await until(lambda: len(x.ended) >= 4)
                assert not any(ended.result.faults for _, ended in x.ended)
                await until(lambda: all(session.latency_ms for session in place.arena.lobby.sessions))
                answer = await place.stub.ListBots(arena_pb2.ListBotsRequest(connected_only=True))
                assert len(answer.bots) == IDLE + 2
                assert not any(bot.playing.done() for bot in idle)

    bounded(script)


def test_a_crowd_comes_and_goes(tmp_path: Path) -> None:
    async def visit(address: str, number: int) -> None:
        async with RawBot(address, f"visitor{number}", player_counts=[7]) as visitor:
            await visitor.send(leaving=True)
            await visitor.playing

    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x") as x,
            RawBot(place.address, "y"),
        ):
            for start in range(0, 60, 20):
                await asyncio.gather(*(visit(place.address, number) for number in range(start, start + 20)))
            await until(lambda: len(x.ended) >= 2)
            assert {session.name for session in place.arena.lobby.sessions} == {"x", "y"}

    bounded(script)

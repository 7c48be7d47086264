"""Programs of the SDK at an arena, for the benchmark of the arena: their decisions a second, and how soon they pong."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path
from time import perf_counter
from typing import Any

import grpc

from roost.v1.play_pb2 import ArenaMessage, BotMessage, Welcome
from roost_sdk.testing import ScriptedMatch

BOTS = Path(__file__).with_name("arena_bots.py")
PINGS = 400
PING_SECONDS = 0.023
"""Not a divisor of the time that the bot computes, so that pings come at all moments of it."""


async def start_bots(python: str, *arguments: str) -> Process:
    """Start `arena_bots.py` with an interpreter in which some version of Roost is installed."""
    return await asyncio.create_subprocess_exec(python, str(BOTS), *arguments, stdout=PIPE, stderr=DEVNULL)


async def sdk_rate(address: str, matches: int, seconds: float, python: str = sys.executable) -> float:
    """Decisions a second in `matches` matches at once of two programs of the SDK."""
    programs = [
        await start_bots(python, "quick", address, name, str(matches), str(seconds)) for name in ("bot0", "bot1")
    ]
    printed = [(await program.communicate())[0] for program in programs]
    return sum(float(line.split()[0]) for line in printed)


async def pong_times(python: str = sys.executable) -> list[float]:
    """How many milliseconds pongs took, ascending, of a program whose bot computes 200 ms for each decision."""
    host = _PingingHost()
    server = grpc.aio.server()
    play = grpc.stream_stream_rpc_method_handler(
        host.play, request_deserializer=BotMessage.FromString, response_serializer=ArenaMessage.SerializeToString
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("roost.v1.Arena", {"Play": play}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    program = await start_bots(python, "heavy", f"127.0.0.1:{port}", "heavy")
    await host.done.wait()
    program.kill()
    await program.wait()
    await server.stop(None)
    return sorted(host.times)


class _PingingHost:
    """An arena that keeps asking one bot the same question, and pings it meanwhile."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.done = asyncio.Event()
        self._sent: dict[int, float] = {}
        self._requests = 0
        self._writing = asyncio.Lock()

    async def play(self, messages: AsyncIterator[BotMessage], context: Any) -> None:
        await anext(messages)
        match = ScriptedMatch("bratwurmeck", 2)
        seat = match.referee.waiting[0]
        started = [match.started(seat)]
        await self._write(context, welcome=Welcome(version_id=1), started=started)
        pinging = asyncio.create_task(self._ping(context))
        async for message in messages:
            if message.ready or message.answers:
                self._requests += 1
                decision = match.decision(seat)
                decision.request = self._requests
                await self._write(context, decisions=[decision])
            if message.pong:
                self.times.append((perf_counter() - self._sent[message.pong]) * 1000.0)
        await pinging

    async def _ping(self, context: Any) -> None:
        for number in range(1, PINGS + 1):
            self._sent[number] = perf_counter()
            await self._write(context, ping=number)
            await asyncio.sleep(PING_SECONDS)
        self.done.set()

    async def _write(self, context: Any, **fields: Any) -> None:
        async with self._writing:
            await context.write(ArenaMessage(**fields))

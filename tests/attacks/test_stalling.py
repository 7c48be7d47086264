"""A bot that stalls: it is ready at the last moment, and takes nearly all of its time for every decision.

Nothing of that is a fault. It used to make matches of 0.1 s last 90 s, and its opponents waited.
"""

import asyncio
import math
import time
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from roost.v1 import play_pb2
from roost_games.referee import Clock
from roost_games.replay import Replay
from roost_server.settings import Settings
from tests.support.arenas.hall import bounded, hall, settings
from tests.support.arenas.matchmaking_world import MatchmakingWorld
from tests.support.arenas.raw_bot import Answers, RawBot

STALLER = 1
HONEST = (2, 3, 4)
HOURS = 3
QUICK_SECONDS, STALLED_SECONDS = 5.0, 90.0


def lost(monkeypatch: pytest.MonkeyPatch, limits: Settings, at_once: int) -> float:
    """The share of their time that honest bots spend at a table with the staller, in some hours of a ladder."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    world = MatchmakingWorld(
        bots=4,
        arena_seconds_per_hour=limits.arena_seconds_per_hour,
        matches_per_bot_hour=math.inf,
        matches_per_hour=math.inf,
    )
    world.bots[STALLER].max_matches = at_once
    due: list[tuple[float, int, Any]] = []
    numbers, known, stalled, looked = count(), set[tuple[str, int]](), 0.0, 0.0
    while now[0] < 1000 + 3600 * HOURS:
        if now[0] - looked >= 10:
            looked = now[0]
            world.look_again()
        world.play()
        for match in world.running:
            block, rotation = match
            if (block.id, rotation) not in known:
                known.add((block.id, rotation))
                lasts = STALLED_SECONDS if STALLER in block.group else QUICK_SECONDS
                heappush(due, (now[0] + lasts, next(numbers), match))
        if not due:
            now[0] += 10
            continue
        ends, _, match = heappop(due)
        now[0] = max(now[0], ends)
        world.running.remove(match)
        world.running.insert(0, match)
        stalls = STALLER in match[0].group
        stalled += STALLED_SECONDS * stalls
        seating = match[0].block.seating(match[1])
        world.end(taken_ms=[1000 * STALLED_SECONDS * (bot == STALLER) for bot in seating])
    return stalled / (3600 * HOURS * len(HONEST))


@pytest.mark.long
@pytest.mark.parametrize("at_once", [1, 4])
def test_a_staller_keeps_little_of_the_time_of_others(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """By its own allowance: 20 minutes to begin with and 20 in each hour, and the match in which that ends."""
    usual = Settings()
    before = lost(monkeypatch, usual.unpaced(), at_once)
    now = lost(monkeypatch, usual, at_once)
    most = usual.arena_seconds_per_hour * (1 + HOURS) + at_once * 2 * STALLED_SECONDS
    assert now <= most / (3600 * HOURS * len(HONEST))
    assert now < before / 2


READY_SECONDS = 3.0
CLOCK = Clock(200.0, 0.0)
MATCHES = 6
SECONDS_PER_HOUR = 6.0


class Staller(RawBot):
    """Uses nearly all of the time that it is given."""

    def __init__(self, *given: Any, **hello: Any) -> None:
        super().__init__(*given, **hello)
        self._waiting: set[asyncio.Task[None]] = set()

    def ready(self, started: play_pb2.MatchStarted) -> tuple[int, ...]:
        self._send_later(0.9 * READY_SECONDS, ready=[started.match])
        return ()

    def answers(self, decision: play_pb2.Decision) -> Answers:
        self._send_later(0.5 * decision.time_left_ms / 1000, answers=[self.honest_answer(decision)])
        return ()

    def _send_later(self, seconds: float, **fields: Any) -> None:
        task = asyncio.create_task(self._send(seconds, **fields))
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _send(self, seconds: float, **fields: Any) -> None:
        await asyncio.sleep(seconds)
        await self.send(**fields)

    async def disconnect(self) -> None:
        for task in self._waiting:
            task.cancel()
        await asyncio.gather(*self._waiting, return_exceptions=True)
        await super().disconnect()


@pytest.mark.long
def test_a_staller_rests_and_the_others_play(tmp_path: Path) -> None:
    """Others may wait for a bot for six seconds in an hour. Its first block takes longer, and then it rests."""
    chosen = settings(clock=CLOCK, ready_seconds=READY_SECONDS, arena_seconds_per_hour=SECONDS_PER_HOUR)

    def stalls(replay: Replay) -> bool:
        return any(seat.bot == "staller" for seat in replay.seats)

    async def script() -> None:
        async with (
            hall(tmp_path, chosen) as place,
            Staller(place.address, "staller", max_matches=1),
            RawBot(place.address, "ann", max_matches=1),
        ):
            stalled = await place.matches(2, stalls)
            async with RawBot(place.address, "bob", max_matches=1):
                played = await place.matches(MATCHES, lambda replay: not stalls(replay))
            assert len(stalled) == 2
            assert len(played) >= MATCHES
            assert len(await place.matches(2, stalls)) == 2
            assert not [fault for replay in stalled for fault in replay.result.faults]

    bounded(script)

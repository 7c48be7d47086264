"""A bot that answers just after its limit when it is losing, in the hope that the arena was late, too.

Such a match used to be voided, because the arena's own delay explained the answer. Of 40 matches like those here, 37
were voided, nobody had a fault, and the attacker won the 3 that were left. The arena is busy: again and again it does
nothing for some milliseconds.
"""

import asyncio
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from roost.v1 import play_pb2
from roost_bots.greedy import GreedyBot
from roost_games.bratwurmeck import View
from roost_games.referee import Clock
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_sdk.wire import codec_for
from roost_server.store import queries
from tests.support.arenas.hall import PATIENCE, bounded, hall, replays, settings, until
from tests.support.arenas.raw_bot import Answers, RawBot
from tests.support.attacks import ROUNDS, chance_limit, say_gain

GAME = get_game("bratwurmeck")
CODEC = codec_for(GAME.name).for_match(GAME.options({}))
CLOCK = Clock(100.0, 0.0)
TOO_LATE_SECONDS = 0.015
BUSY_SECONDS, IDLE_SECONDS = 0.02, 0.03
"""How long the arena is busy, and for how long it is not: its own delay is a good third of the time."""
MATCHES = 40 * ROUNDS


class Greedy(RawBot):
    """Plays as the sample does."""

    def answers(self, decision: play_pb2.Decision) -> Answers:
        return (self.answer(decision, CODEC.view_from_wire(decision.view)),)

    def answer(self, decision: play_pb2.Decision, view: View) -> play_pb2.Answer:
        answer = play_pb2.Answer(match=decision.match, request=decision.request)
        CODEC.move_to_wire(GreedyBot().bratwurmeck(view, GAME.legal(view)), answer.move)
        return answer


class Dawdler(Greedy):
    """Answers a moment after the limit as long as it is behind."""

    def __init__(self, *given: Any, **hello: Any) -> None:
        super().__init__(*given, **hello)
        self.dawdled = 0
        self._answering: set[asyncio.Task[None]] = set()

    def answers(self, decision: play_pb2.Decision) -> Answers:
        view = CODEC.view_from_wire(decision.view)
        answer = self.answer(decision, view)
        if not is_behind(view):
            return (answer,)
        self.dawdled += 1
        late = asyncio.create_task(self._answer_late(answer, decision.time_left_ms / 1000 + TOO_LATE_SECONDS))
        self._answering.add(late)
        late.add_done_callback(self._answering.discard)
        return ()

    async def _answer_late(self, answer: play_pb2.Answer, seconds: float) -> None:
        await asyncio.sleep(seconds)
        with suppress(ConnectionError):  # its last match may be over by now, and the arena closed
            await self.send(answers=[answer])

    async def disconnect(self) -> None:
        for late in self._answering:
            late.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)
        await super().disconnect()


def is_behind(view: View) -> bool:
    """Whether an opponent has more worms."""
    worms = [sum(tile.worms for tile in stack) for stack in view.stacks]
    return worms[view.seat or 0] < max(worms)


async def keep_busy() -> None:
    """Hold up the event loop of the arena, again and again."""
    while True:
        time.sleep(BUSY_SECONDS)
        await asyncio.sleep(IDLE_SECONDS)


def won(replay: Replay, name: str) -> float:
    """What a bot won; a shared first place is half a win."""
    places = replay.result.places
    mine = next(place for place, seat in zip(places, replay.seats, strict=True) if seat.bot == name)
    return 0.0 if mine > 1 else 1 / places.count(1)


@pytest.mark.long
def test_answering_late_when_losing_gains_nothing(tmp_path: Path) -> None:
    """Nothing is voided. An answer counts with the time that the bot itself took, or it is late."""
    played: list[Replay] = []

    async def script() -> None:
        # The credit is large, so that a machine that stands still for a moment does not make the test fail.
        async with hall(
            tmp_path, settings("bratwurmeck", clock=CLOCK, quarantine_after=1_000, own_delay_ms=10_000.0)
        ) as place:
            busy = asyncio.create_task(keep_busy())
            async with (
                Dawdler(place.address, "dawdler", max_matches=16) as dawdler,
                Greedy(place.address, "greedy", max_matches=16),
            ):
                await until(lambda: queries.match_count(place.store) >= MATCHES, pause=0.2)
                assert dawdler.dawdled > MATCHES
            busy.cancel()
            played.extend(replays(place.store)[:MATCHES])

    bounded(script, seconds=PATIENCE * ROUNDS)
    assert {replay.result.termination for replay in played}.isdisjoint({"voided"})
    faults = [(replay.seats[fault.seat].bot, str(fault.kind)) for replay in played for fault in replay.result.faults]
    assert ("dawdler", "late") in faults
    gained = sum(won(replay, "dawdler") for replay in played)
    say_gain("answering late when losing", gained, MATCHES)
    assert gained < chance_limit(MATCHES)

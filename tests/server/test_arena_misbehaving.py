"""Bots that misbehave at a real arena: each ends in the fault that it earned, and the others' matches go on."""

from collections.abc import Callable, Coroutine
from pathlib import Path

import grpc
import pytest

from roost_games.referee import Clock
from roost_games.replay import Replay
from tests.support.arenas import misbehaving_bots as bots
from tests.support.arenas.hall import EASY_CLOCK, HARD_CLOCK, Hall, bounded, hall, settings, until
from tests.support.arenas.raw_bot import RawBot


def seat_of(replay: Replay, bot: str) -> int:
    return [seat.bot for seat in replay.seats].index(bot)


async def check_blame(place: Hall, bad: RawBot, kind: str) -> None:
    """Wait for two matches in which the bad bot forfeited: nobody else did anything wrong, and all were told."""

    def forfeited(replay: Replay) -> bool:
        return bool(replay.result.forfeits)

    for replay in await place.matches(2, forfeited):
        bad_seat = seat_of(replay, bad.hello.name)
        assert replay.result.forfeits == (bad_seat,)
        assert replay.result.places[bad_seat] == 3
        assert [(fault.seat, str(fault.kind)) for fault in replay.result.faults] == [(bad_seat, kind)] * 2


@pytest.mark.parametrize(
    ("bad_bot", "kind", "clock"),
    [
        (bots.IllegalBot, "illegal", EASY_CLOCK),
        (bots.ConfusedBot, "malformed", EASY_CLOCK),
        (bots.EmptyBot, "malformed", EASY_CLOCK),
        (bots.CrashingBot, "crashed", EASY_CLOCK),
        (bots.SilentBot, "late", HARD_CLOCK),
        (bots.WrongRequestBot, "late", HARD_CLOCK),
        (bots.WrongMatchBot, "late", HARD_CLOCK),
    ],
)
def test_a_bad_bot_earns_its_fault(tmp_path: Path, bad_bot: type[RawBot], kind: str, clock: Clock) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=3, clock=clock, max_faults=2)) as place,
            bad_bot(place.address, "bad") as bad,
            RawBot(place.address, "x") as x,
            RawBot(place.address, "y"),
        ):
            await check_blame(place, bad, kind)
            await until(lambda: len(bad.ended) >= 2 and len(x.ended) >= 2)
            assert not bad.playing.done()

    bounded(script)


def test_answers_after_the_time_are_ignored(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=3, clock=HARD_CLOCK, max_faults=2)
        async with (
            hall(tmp_path, chosen) as place,
            bots.SlowBot(place.address, "slow") as slow,
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
        ):
            await check_blame(place, slow, "late")
            await until(lambda: slow.late_answers >= 2)
            assert not slow.playing.done()

    bounded(script)


def test_a_bot_that_never_gets_ready(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=3, ready_seconds=1.5, max_faults=2)
        async with (
            hall(tmp_path, chosen) as place,
            bots.UnreadyBot(place.address, "bad") as bad,
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
        ):
            await check_blame(place, bad, "gone")
            assert bad.decisions == []

    bounded(script)


def test_a_second_answer_does_not_count(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            bots.TwiceBot(place.address, "twice"),
            RawBot(place.address, "x"),
        ):
            for replay in await place.matches(2):
                assert replay.result.faults == ()
                assert not any(getattr(step, "fallback", False) for step in replay.steps)

    bounded(script)


def test_a_deserter_is_gone_and_forfeits(tmp_path: Path) -> None:
    async def script() -> None:
        chosen = settings(players=3, clock=HARD_CLOCK, grace_seconds=0.5, max_faults=100)
        async with (
            hall(tmp_path, chosen) as place,
            bots.DeserterBot(place.address, "deserter", max_matches=1),
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
        ):
            replay, *_ = await place.matches(1)
            deserter = seat_of(replay, "deserter")
            assert replay.result.forfeits == (deserter,)
            assert replay.result.termination == "finished"
            assert {(fault.seat, str(fault.kind)) for fault in replay.result.faults} <= {(deserter, "gone")}

    bounded(script)


@pytest.mark.parametrize("flood", [bots.FloodingBot.flood_answers, bots.FloodingBot.flood_ready])
def test_a_flood_ends_the_stream(
    tmp_path: Path, flood: Callable[[bots.FloodingBot], Coroutine[None, None, None]]
) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(ping_seconds=60.0)) as place,
            bots.FloodingBot(place.address, "flood") as flooding,
        ):
            # If it were still sending its first pong, its library might not hear how the stream ends.
            await until(lambda: place.arena.lobby.sessions[0].latency_ms)
            await flood(flooding)
            await flooding.playing
            assert flooding.status == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "nobody asked for" in flooding.details

    bounded(script)


def test_a_flood_does_not_hurt_the_others(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            RawBot(place.address, "x"),
            RawBot(place.address, "y"),
        ):
            for number in range(3):
                async with bots.FloodingBot(place.address, f"flood{number}", player_counts=[7]) as flooding:
                    await flooding.flood_for_ever()
            for replay in await place.matches(2):
                assert replay.result.faults == ()

    bounded(script)

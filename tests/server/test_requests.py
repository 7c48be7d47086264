"""Matches that are played on request, as a local ladder does it with programs."""

import asyncio
from pathlib import Path

import grpc

from roost_games.chance import seed_of
from roost_games.referee import Seat
from roost_games.registry import get_game
from roost_games.verify import verify
from roost_server.play.seating import RequestedMatch
from roost_server.settings import Rules
from tests.support.arenas.hall import bounded, hall, replays, settings
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.raw_stream import hello, raw_stream

RULES = Rules("karteneck", 2, get_game("karteneck").options({}))
ALONE = settings(tables=(), bots=frozenset({"x", "y"}))


def requested(name: str, *bots: str) -> RequestedMatch:
    return RequestedMatch(RULES, bots, tuple(Seat(bot.upper(), "v9") for bot in bots), name, seed_of(name))


def test_the_match_that_was_asked_for_is_played_and_nothing_else(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, ALONE) as place, RawBot(place.address, "x") as x, RawBot(place.address, "y"):
            table = await place.arena.requests.play(requested("m1", "y", "x"))
            replay = table.referee.replay()
            assert (replay.match, replay.seed) == ("m1", seed_of("m1").hex())
            assert [(seat.bot, seat.version) for seat in replay.seats] == [("Y", "v9"), ("X", "v9")]
            assert replay.result.termination == "finished"
            assert verify(replay) is None
            assert [started.match_id for started in x.started.values()] == ["m1"]
            assert replays(place.store) == []

    bounded(script)


def test_matches_wait_for_room(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, ALONE) as place,
            RawBot(place.address, "x", max_matches=1) as x,
            RawBot(place.address, "y", max_matches=3),
        ):
            wanted = [requested(f"m{number}", "x", "y") for number in range(5)]
            tables = await asyncio.gather(*map(place.arena.requests.play, wanted))
            assert [table.match_id for table in tables] == ["m0", "m1", "m2", "m3", "m4"]
            # With room for one, each was over before the next began.
            assert [started.match_id for started in x.started.values()] == ["m0", "m1", "m2", "m3", "m4"]

    bounded(script)


def test_a_bot_that_is_not_here_forfeits(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, ALONE) as place, RawBot(place.address, "x"):
            table = await place.arena.requests.play(requested("m1", "x", "y"))
            assert table.referee.forfeits == [1]
            assert table.referee.result is not None
            assert table.referee.result.places == (1, 2)

    bounded(script)


def test_only_the_expected_bots_come_in(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, ALONE) as place, raw_stream(place.address) as stream:
            await stream.send(hello("z"))
            status, details = await stream.end()
            assert status == grpc.StatusCode.INVALID_ARGUMENT
            assert "no bot called z is expected here" in details

    bounded(script)

"""An arena as a process: it starts, is told to stop, and leaves clean records."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from roost.v1 import play_pb2
from roost_games.errors import UsageError
from roost_server.serving.server import ArenaServer
from roost_server.settings import Settings
from roost_server.store import open_store
from tests.support.arenas.arena_program import address_of, program
from tests.support.arenas.hall import bounded, check_records, hall, replays, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.records.matches import on_record

FOR_EVER = 1_000.0


def check_told(folder: Path, bot: RawBot, termination: str) -> None:
    """All matches of `bot` ended, were told and are on record; the last ones ended like this."""
    with open_store(f"sqlite:///{folder}/roost.db") as store:
        check_records(store)
        recorded = {replay.match: replay.result for replay in replays(store)}
        # The next start plays a voided match again, so its block stays open.
        assert {row.block_state for row in on_record(store) if row.facts is None} <= {"open"}
    told = dict(bot.ended)
    assert told.keys() == {started.match_id for started in bot.started.values()}
    assert told.keys() <= recorded.keys()
    for match_id, ended in told.items():
        assert tuple(ended.result.places) == recorded[match_id].places
    assert recorded[bot.ended[-1][0]].termination == termination


@pytest.mark.short(1)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_running_matches_are_played_to_their_end(tmp_path: Path, number: signal.Signals) -> None:
    async def script() -> None:
        async with program("arena_program", tmp_path / "roost.db", "127.0.0.1:0", FOR_EVER) as arena:
            address = await address_of(arena)
            x, y = RawBot(address, "x", player_counts=[2]), RawBot(address, "y")
            await asyncio.gather(x.connect(), y.connect())
            await until(lambda: x.decisions)
            arena.send_signal(number)
            assert await arena.wait() == 0
            await asyncio.wait([x.playing, y.playing])
            await asyncio.gather(x.disconnect(), y.disconnect())
            assert (x.status, x.details) == (grpc.StatusCode.UNAVAILABLE, "the arena is shutting down")
            check_told(tmp_path, x, "finished")

    bounded(script)


async def until_closing(address: str) -> None:
    """Wait until the arena has heard the first signal. Two at once would be one."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)

        async def closing() -> bool:
            answer = await stub.Check(health_pb2.HealthCheckRequest())
            return bool(answer.status == health_pb2.HealthCheckResponse.NOT_SERVING)

        await until(closing)


@pytest.mark.short(1)
@pytest.mark.parametrize(("drain", "signals"), [(0.0, 1), (FOR_EVER, 2)])
def test_matches_that_do_not_end_are_voided(tmp_path: Path, drain: float, signals: int) -> None:
    async def script() -> None:
        async with program("arena_program", tmp_path / "roost.db", "127.0.0.1:0", drain) as arena:
            address = await address_of(arena)
            x, y = HesitantBot(address, "x"), RawBot(address, "y", player_counts=[2])
            await asyncio.gather(x.connect(), y.connect())
            await until(lambda: x.decisions)
            arena.send_signal(signal.SIGTERM)
            if signals == 2:
                await until_closing(address)
                arena.send_signal(signal.SIGTERM)
            assert await arena.wait() == 0
            await asyncio.wait([x.playing, y.playing])
            await asyncio.gather(x.disconnect(), y.disconnect())
            assert {ended.result.termination for _, ended in x.ended} == {play_pb2.TERMINATION_VOIDED}
            check_told(tmp_path, x, "voided")

    bounded(script)


def test_a_second_arena_cannot_have_the_same_address(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place:
            second = ArenaServer(place.store, Settings(), place.address)
            with pytest.raises(UsageError, match="it is in use"):
                await second.start()

    bounded(script)


@pytest.mark.parametrize("listen", ["", "localhost", ":50051", "localhost:http", "no.such.host.invalid:50051"])
def test_addresses_where_nobody_can_listen(tmp_path: Path, listen: str) -> None:
    async def script() -> None:
        with open_store(f"sqlite:///{tmp_path}/roost.db") as store, pytest.raises(UsageError, match="listen at"):
            await ArenaServer(store, Settings(), listen).start()

    bounded(script)

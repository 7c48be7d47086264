"""`roost.v1.Arena` over records without an arena: it answers the same, and plays nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc

from roost.v1 import arena_pb2, arena_pb2_grpc, play_pb2
from roost_server.serving.reading import NOTHING_PLAYED, ReadingService
from roost_server.store import BlockState, Store, open_store
from tests.support.arenas.hall import bounded, refusal
from tests.support.records.matches import block, finished, sketch


@asynccontextmanager
async def service(store: Store) -> AsyncIterator[Any]:
    """The stub of a service over the store."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((ReadingService(store).handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield arena_pb2_grpc.ArenaStub(channel)
    await server.stop(None)


def with_a_block(folder: Path) -> Store:
    """Bots 1 and 2 have played m1 in an open block."""
    store = open_store(f"sqlite:///{folder}/roost.db")
    store.commit([finished(sketch("m1", (1, 2)), block(store, deals="duplicate"), 0)])
    return store


def test_records_are_read_as_from_an_arena(tmp_path: Path) -> None:
    async def script() -> None:
        with with_a_block(tmp_path) as store:
            async with service(store) as stub:
                bots = (await stub.ListBots(arena_pb2.ListBotsRequest())).bots
                assert [(bot.name, bot.matches, bot.connected) for bot in bots] == [
                    ("bot0", 1, False),
                    ("bot1", 1, False),
                ]
                assert not (await stub.ListBots(arena_pb2.ListBotsRequest(connected_only=True))).bots
                found = (await stub.ListMatches(arena_pb2.ListMatchesRequest())).matches
                assert [match.match_id for match in found] == ["m1"]
                assert not (await stub.ListMatches(arena_pb2.ListMatchesRequest(running=True))).matches
                assert (await stub.GetStandings(arena_pb2.GetStandingsRequest())).matches == 1
                assert not (await stub.ListCompetitions(arena_pb2.ListCompetitionsRequest())).competitions

    bounded(script)


def test_a_deal_in_play_stays_a_secret(tmp_path: Path) -> None:
    async def script() -> None:
        with with_a_block(tmp_path) as store:
            async with service(store) as stub:
                asked = arena_pb2.GetReplayRequest(match_id="m1")
                status, text = await refusal(stub.GetReplay(asked))
                assert (status, "the deal of match m1 is still being played" in text) == ("FAILED_PRECONDITION", True)
                store.close_block("block", BlockState.DONE)
                assert '"m1"' in (await stub.GetReplay(asked)).replay
                status, _ = await refusal(stub.GetReplay(arena_pb2.GetReplayRequest(match_id="m2")))
                assert status == "NOT_FOUND"

    bounded(script)


def test_nothing_is_played_in_records(tmp_path: Path) -> None:
    async def script() -> None:
        with with_a_block(tmp_path) as store:
            async with service(store) as stub:
                watched = stub.WatchMatch(arena_pb2.WatchMatchRequest(match_id="m1"))
                assert await refusal(watched.read()) == ("FAILED_PRECONDITION", NOTHING_PLAYED)
                played = stub.Play(iter([play_pb2.BotMessage()]))
                assert await refusal(played.read()) == ("FAILED_PRECONDITION", NOTHING_PLAYED)

    bounded(script)

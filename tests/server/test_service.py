"""What everybody may ask a running arena, over gRPC: right answers, and clear statuses for wrong questions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from roost.v1 import arena_pb2, play_pb2
from roost_games.replay import Decision, Replay
from roost_games.verify import verify
from roost_server.serving import rpc
from roost_server.store import Store, StoreError, queries
from tests.support.arenas.hall import Hall, bounded, hall, refusal, settings, until
from tests.support.arenas.misbehaving_bots import HesitantBot
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.waiting_match import waiting_match
from tests.support.records.matches import counted


@asynccontextmanager
async def quiet_hall(folder: Path, blocks: int = 1) -> AsyncIterator[Hall]:
    """An arena with some matches on record and nobody there."""
    async with hall(folder, settings(players=2)) as place:
        async with RawBot(place.address, "x") as x, RawBot(place.address, "y") as y:
            await until(lambda: len(x.reveals) >= 2 * blocks)
            for bot in (x, y):
                await bot.send(leaving=True)
            await asyncio.wait([x.playing, y.playing])
        yield place


def test_health(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place, grpc.aio.insecure_channel(place.address) as channel:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            for service in ("", "roost.v1.Arena"):
                answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            await place.server._health.enter_graceful_shutdown()
            answer = await stub.Check(health_pb2.HealthCheckRequest(service="roost.v1.Arena"))
            assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING

    bounded(script)


def test_reflection(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place, grpc.aio.insecure_channel(place.address) as channel:
            untyped: Any = channel  # the stub's types know only channels without asyncio
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(untyped)
            ask = [
                reflection_pb2.ServerReflectionRequest(list_services=""),
                reflection_pb2.ServerReflectionRequest(file_containing_symbol="roost.v1.Arena"),
            ]
            services, file = [answer async for answer in stub.ServerReflectionInfo(iter(ask))]
            assert "roost.v1.Arena" in [service.name for service in services.list_services_response.service]
            assert b"WatchMatch" in file.file_descriptor_response.file_descriptor_proto[0]

    bounded(script)


def test_bots(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(players=2)) as place:
            async with RawBot(place.address, "gone", player_counts=[7]) as gone:
                await gone.send(leaving=True)
                await gone.playing
            async with RawBot(place.address, "x") as x, RawBot(place.address, "y"):
                await until(lambda: len(x.ended) >= 2)
                await until(lambda: x.decisions[-1].latency_us)
                everybody = await place.stub.ListBots(arena_pb2.ListBotsRequest())
                assert [(bot.version_id, bot.name) for bot in everybody.bots] == [(1, "gone"), (2, "x"), (3, "y")]
                assert [bot.connected for bot in everybody.bots] == [False, True, True]
                assert [bot.matches >= 2 for bot in everybody.bots] == [False, True, True]
                assert [bot.playing for bot in everybody.bots[:1]] == [0]
                assert all(bot.latency_us > 0 for bot in everybody.bots[1:])
                assert all(bot.first_seen_ms > 0 for bot in everybody.bots)
                here = await place.stub.ListBots(arena_pb2.ListBotsRequest(connected_only=True))
                assert [bot.name for bot in here.bots] == ["x", "y"]

    bounded(script)


def test_standings(tmp_path: Path) -> None:
    async def script() -> None:
        async with quiet_hall(tmp_path, blocks=2) as place:
            recorded = len(counted(place.store))
            answer = await place.stub.GetStandings(arena_pb2.GetStandingsRequest())
            assert answer.matches == recorded
            assert {standing.name for standing in answer.standings} == {"x", "y"}
            assert all(standing.matches == recorded for standing in answer.standings)
            assert all(standing.rating_low <= standing.rating <= standing.rating_high for standing in answer.standings)
            assert [(at.players, at.matches) for at in answer.standings[0].places] == [(2, recorded)]
            same = await place.stub.GetStandings(arena_pb2.GetStandingsRequest(game="karteneck", players=2))
            assert same == answer
            for other in ({"game": "haecmaec"}, {"players": 3}, {"players": 2**32 - 1}):
                none = await place.stub.GetStandings(arena_pb2.GetStandingsRequest(**other))
                assert (none.matches, len(none.standings)) == (0, 0)

    bounded(script)


def test_pages_of_matches(tmp_path: Path) -> None:
    async def script() -> None:
        async with quiet_hall(tmp_path, blocks=2) as place:
            ids = [Replay.from_line(line).match for line in queries.replays(place.store)][::-1]
            every = (await place.stub.ListMatches(arena_pb2.ListMatchesRequest())).matches
            assert [match.match_id for match in every] == ids
            pages: list[str] = []
            while len(pages) < len(ids):
                request = arena_pb2.ListMatchesRequest(limit=3, before_match_id=pages[-1] if pages else "")
                page = (await place.stub.ListMatches(request)).matches
                assert 1 <= len(page) <= 3
                pages += [match.match_id for match in page]
            assert pages == ids
            assert all(sorted(match.bots) == ["x", "y"] for match in every)
            assert all(match.started_ms <= match.ended_ms for match in every)
            assert all(len(match.result.places) == len(match.fault_counts) == 2 for match in every)

            async def count(**fields: Any) -> int:
                return len((await place.stub.ListMatches(arena_pb2.ListMatchesRequest(**fields))).matches)

            assert await count(game="karteneck", bot="x") == len(ids)
            assert await count(game="haecmaec") == 0
            assert await count(bot="nobody") == 0
            assert await count(limit=2**32 - 1) == len(ids)
            assert await count(before_match_id=ids[-1]) == 0
            assert await count(running=True) == 0

    bounded(script)


def test_running_matches(tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(players=2)) as place,
            HesitantBot(place.address, "x") as x,
            RawBot(place.address, "y"),
        ):
            await until(lambda: len(x.started) == 2)

            async def running(**fields: Any) -> list[arena_pb2.MatchSummary]:
                request = arena_pb2.ListMatchesRequest(running=True, **fields)
                return list((await place.stub.ListMatches(request)).matches)

            matches = await running()
            newest_first = [started.match_id for started in x.started.values()][::-1]
            assert [match.match_id for match in matches] == newest_first
            assert not any(match.HasField("result") for match in matches)
            assert all(match.started_ms > 0 and match.ended_ms == 0 for match in matches)
            assert len(await running(limit=1)) == 1
            assert len(await running(bot="x", game="karteneck")) == 2
            assert await running(bot="z") == []
            assert await running(game="haecmaec") == []
            status, text = await refusal(
                place.stub.ListMatches(arena_pb2.ListMatchesRequest(running=True, game="chess"))
            )
            assert (status, "there is no game 'chess'" in text) == ("INVALID_ARGUMENT", True)

    bounded(script)


def test_replays(tmp_path: Path) -> None:
    async def script() -> None:
        async with quiet_hall(tmp_path) as place:
            rows = [row for row in counted(place.store) if row.block_state == "done"]
            assert rows
            for row in rows:
                answer = await place.stub.GetReplay(arena_pb2.GetReplayRequest(match_id=row.id))
                replay = Replay.from_line(answer.replay)
                assert replay.match == row.id
                assert verify(replay) is None

    bounded(script)


@pytest.mark.parametrize(
    ("method", "request_message", "status", "text"),
    [
        ("GetStandings", arena_pb2.GetStandingsRequest(game="chess"), "INVALID_ARGUMENT", "no game 'chess'"),
        ("ListMatches", arena_pb2.ListMatchesRequest(game="chess"), "INVALID_ARGUMENT", "no game 'chess'"),
        ("ListMatches", arena_pb2.ListMatchesRequest(before_match_id="x"), "INVALID_ARGUMENT", "no match 'x'"),
        ("GetReplay", arena_pb2.GetReplayRequest(match_id="x"), "NOT_FOUND", "no match 'x'"),
        ("GetReplay", arena_pb2.GetReplayRequest(), "NOT_FOUND", "no match ''"),
        ("GetReplay", arena_pb2.GetReplayRequest(match_id="\x00ä\U0001f414"), "NOT_FOUND", "no match"),
        ("WatchMatch", arena_pb2.WatchMatchRequest(match_id="x"), "NOT_FOUND", "no match x is running"),
    ],
)
def test_wrong_questions(tmp_path: Path, method: str, request_message: object, status: str, text: str) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place:
            call = getattr(place.stub, method)(request_message)
            refused = await refusal(call.read() if method == "WatchMatch" else call)
            assert (refused[0], text in refused[1]) == (status, True)

    bounded(script)


@pytest.mark.parametrize("method", ["ListBots", "GetStandings", "ListMatches", "GetReplay", "WatchMatch"])
def test_bytes_that_are_no_request(tmp_path: Path, method: str) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place, grpc.aio.insecure_channel(place.address) as channel:
            many = method == "WatchMatch"
            caller: Any = (channel.unary_stream if many else channel.unary_unary)(f"/roost.v1.Arena/{method}")
            call = caller(b"\xff\xff")
            assert await refusal(call.read() if many else call) == (
                "INVALID_ARGUMENT",
                f"these bytes are not a {method}Request",
            )

    bounded(script)


def test_a_disk_in_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script() -> None:
        async with hall(tmp_path) as place:

            def fail(store: Store) -> None:
                raise StoreError("the disk does not read")

            with monkeypatch.context() as patch:
                patch.setattr(Store, "reading", fail)
                assert await refusal(place.stub.ListBots(arena_pb2.ListBotsRequest())) == (
                    "UNAVAILABLE",
                    "the disk does not read",
                )

    bounded(script)


def test_a_caller_that_goes_while_it_is_answered_is_no_mistake_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC would log one."""
    asked: list[bytes] = []

    async def gone(_: object, context: object, data: bytes) -> None:
        asked.append(data)
        raise grpc.aio.InternalError("the call is over")

    async def script() -> None:
        async with waiting_match(tmp_path) as match:
            monkeypatch.setattr(rpc.Patience, "write", gone)
            assert [update async for update in match.place.stub.WatchMatch(match.to_watch)] == []

    bounded(script)
    assert len(asked) == 1


def test_a_match_is_watched_to_its_end(tmp_path: Path) -> None:
    async def script() -> None:
        async with waiting_match(tmp_path, 3) as match:
            watching = aiter(match.place.stub.WatchMatch(match.to_watch))
            updates = [await anext(watching), await anext(watching)]
            await match.x.go_on()
            updates += [update async for update in watching]
            check_what_a_spectator_saw(updates, match.match_id)
            replays = await match.place.matches(1, lambda replay: replay.match == match.match_id)
            assert tuple(updates[-1].ended.result.places) == replays[0].result.places

    bounded(script)


def test_a_match_is_watched_from_its_beginning(tmp_path: Path) -> None:
    async def script() -> None:
        async with waiting_match(tmp_path, 3) as match:
            request = arena_pb2.WatchMatchRequest(match_id=match.match_id, from_beginning=True)
            watching = aiter(match.place.stub.WatchMatch(request))
            assert (await anext(watching)).started.match_id == match.match_id
            await match.x.go_on()
            updates = [update async for update in watching]
            kinds = [update.WhichOneof("update") for update in updates]
            assert kinds == ["view"] + ["event", "view"] * (len(kinds) // 2 - 1) + ["ended"]
            [replay] = await match.place.matches(1, lambda replay: replay.match == match.match_id)
            decided = [step.seat for step in replay.steps if isinstance(step, Decision)]
            assert [update.event.seat for update in updates if update.HasField("event")] == decided

    bounded(script)


def check_what_a_spectator_saw(updates: list[arena_pb2.WatchMatchResponse], match_id: str) -> None:
    kinds = [update.WhichOneof("update") for update in updates]
    assert kinds[:2] == ["started", "view"]
    assert kinds[-1] == "ended"
    assert kinds.count("started") == kinds.count("ended") == 1
    assert kinds.count("event") > 10
    assert updates[0].started.match_id == match_id
    views = [update.view for update in updates if update.HasField("view")]
    for view in views:
        assert not view.HasField("seat")
        assert list(view.karteneck.hand) == list(view.karteneck.drawn) == []
        assert view.players == len(view.karteneck.hand_sizes) == 3
    assert len(updates[-1].ended.result.places) == 3
    assert updates[-1].ended.result.termination == play_pb2.TERMINATION_FINISHED


def test_a_match_ends_while_many_watch_it(tmp_path: Path) -> None:
    async def script() -> None:
        async with waiting_match(tmp_path) as match:
            stub = match.place.stub
            calls = [stub.WatchMatch(match.to_watch) for _ in range(10)]
            watching = [aiter(call) for call in calls]
            for updates in watching:
                await anext(updates)
            calls[0].cancel()
            match.place.arena.seating.running(match.match_id).table.void("for a test")
            for updates in watching[1:]:
                last = [update async for update in updates][-1]
                assert last.ended.result.termination == play_pb2.TERMINATION_VOIDED
            status, _ = await refusal(stub.WatchMatch(match.to_watch).read())
            assert status == "NOT_FOUND"

    bounded(script)

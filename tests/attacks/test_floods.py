"""Calls in masses: begun and not sent, never read, taken back, asked again and again.

1,100 half calls used to make an arena with 1,024 descriptors unreachable, readers that stop reading blocked all
exports, and questions shared a small pool of threads with log-ins.
"""

import asyncio
import resource
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from threading import Event
from typing import Any

import grpc
import pytest

from roost.v1 import admin_pb2, arena_pb2, records_pb2
from roost.v1.admin_pb2_grpc import AccountsStub
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_server.accounts.limits import CallLimits, OpenCalls, RequestLimits
from roost_server.serving import reading, rpc
from tests.support.arenas.arena_program import address_of, program
from tests.support.arenas.hall import Hall, bounded, hall, refusal, settings, until
from tests.support.arenas.misbehaving_bots import SilentBot
from tests.support.arenas.proxied import BEHIND_A_PROXY, coming_from
from tests.support.arenas.raw_bot import RawBot
from tests.support.arenas.raw_http2 import RawConnection
from tests.support.commands.nginx import needs_nginx, nginx
from tests.support.ports import free_port

MATCHES = 5
ASK, WATCH, HEALTH = "/roost.v1.Arena/GetArena", "/roost.v1.Arena/WatchMatch", "/grpc.health.v1.Health/Watch"
PLAY, EXPORT = "/roost.v1.Arena/Play", "/roost.v1.Arena/ExportCompetition"
REFUSED, OVERDUE = grpc.StatusCode.RESOURCE_EXHAUSTED.value[0], grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
ELSEWHERE = "192.0.2.1"
DESCRIPTORS = 256
OPEN = """
name = "open"
[[games]]
game = "karteneck"
players = [2]
[entry]
who = "open"
[spectators]
public = true
[[phases]]
phase = "ladder"
[[phases]]
phase = "done"
"""


class Honest:
    """Two bots that play all the time."""

    def __init__(self, place: Hall) -> None:
        self._bots = [RawBot(place.address, name) for name in ("ann", "bob")]

    async def play_on(self) -> None:
        """Wait until both have ended more matches."""
        before = [len(bot.ended) for bot in self._bots]
        await until(lambda: all(len(b.ended) > n + MATCHES for b, n in zip(self._bots, before, strict=True)))


@asynccontextmanager
async def playing(place: Hall) -> AsyncIterator[Honest]:
    honest = Honest(place)
    async with AsyncExitStack() as stack:
        for bot in honest._bots:
            await stack.enter_async_context(bot)
        yield honest


def open_calls(place: Hall) -> int:
    """How many calls the arena counts from everywhere."""
    return sum(count for (_, method), count in place.server._calls._open.items() if not method)


def statuses(connection: RawConnection) -> Counter[int | None]:
    """How the calls on a connection ended."""
    return Counter(connection.ended.values())


def test_half_a_call_ends_and_a_thousand_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of every kind, also to services that are not ours, are begun and not sent."""
    monkeypatch.setattr(rpc, "REQUEST_SECONDS", 1.0)

    async def script() -> None:
        few = CallLimits(most=40)
        async with hall(tmp_path, settings(), calls=few, **BEHIND_A_PROXY) as place, playing(place) as honest:
            async with RawConnection(place.address) as attacker:
                for path in (ASK, WATCH, HEALTH, EXPORT, "/grpc.health.v1.Health/Check"):
                    for _ in range(20):
                        attacker.begin(path, x_forwarded_for=ELSEWHERE)
                await until(lambda: statuses(attacker)[REFUSED] >= 60)
                await honest.play_on()
                # Others are not told to wait.
                await place.stub.GetArena(records_pb2.GetArenaRequest())
                await until(lambda: len(attacker.ended) == 100)
                assert set(statuses(attacker)) == {REFUSED, OVERDUE}
            await until(lambda: open_calls(place) == 2)

    bounded(script)


def test_more_connections_than_an_arena_had_descriptors(tmp_path: Path) -> None:
    """Each with half a call. The arena raises its own limit, and answers others meanwhile."""

    async def script() -> None:
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, usual[1]))
        stack = AsyncExitStack()
        try:
            arena = program("arena_program", tmp_path / "roost.db", "127.0.0.1:0", 0)
            process = await stack.enter_async_context(arena)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, usual)
        async with stack:
            address = await address_of(process)
            for _ in range(DESCRIPTORS + 20):
                attacker = await stack.enter_async_context(RawConnection(address))
                attacker.begin(ASK)
            async with grpc.aio.insecure_channel(address) as channel:
                stub: Any = ArenaStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
                # The attacker's address is also ours here, so what counts is that there is an answer at all.
                answer = await stub.GetArena(records_pb2.GetArenaRequest())
            assert answer.running

    bounded(script)


def test_connections_leave_an_arena_the_descriptors_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roost_server.serving.server.most_connections", lambda: 10)

    async def script() -> None:
        async with hall(tmp_path, settings(), side_door=True) as place, AsyncExitStack() as stack:
            attackers = [await stack.enter_async_context(RawConnection(place.address)) for _ in range(30)]
            for each in attackers:
                each.begin(PLAY)
            await until(lambda: sum(each.closed.is_set() for each in attackers) == 20)
            # What the host has started beside the arena gets in.
            async with grpc.aio.insecure_channel(place.server.side_address) as channel:
                stub: Any = ArenaStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
                assert (await stub.GetArena(records_pb2.GetArenaRequest())).running

    bounded(script)


@asynccontextmanager
async def silent_match(folder: Path) -> AsyncIterator[tuple[Hall, arena_pb2.WatchMatchRequest]]:
    """An arena behind a proxy with a match that does not end, and a spectator's request to see it."""
    async with (
        hall(folder, settings(), **BEHIND_A_PROXY) as place,
        SilentBot(place.address, "one", max_matches=1),
        SilentBot(place.address, "two", max_matches=1),
    ):
        await until(lambda: place.arena.seating.tables)
        yield place, arena_pb2.WatchMatchRequest(match_id=place.arena.seating.tables[0].match_id)


def test_streams_that_nobody_reads_are_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A spectator with a closed window keeps its place until it goes, so it cannot have another one."""
    monkeypatch.setattr(rpc, "STALLED_SECONDS", 0.3)

    async def script() -> None:
        async with silent_match(tmp_path) as (place, request):
            most = CallLimits().most_of["WatchMatch"]
            async with playing(place) as honest, RawConnection(place.address, window=0) as attacker:
                for _ in range(most + 10):
                    attacker.ask(WATCH, request.SerializeToString(), x_forwarded_for=ELSEWHERE)
                await until(lambda: statuses(attacker)[REFUSED] == 10)
                await honest.play_on()
                assert place.server._calls._open[ELSEWHERE, "WatchMatch"] == most
                # Somebody else sees the match.
                seen = place.stub.WatchMatch(request)
                assert (await seen.read()).started.bots
                seen.cancel()
            await until(lambda: open_calls(place) == 2)

    bounded(script)


def test_readers_that_stop_reading_leave_exports_to_others(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings(), OPEN, **BEHIND_A_PROXY) as place, AsyncExitStack() as stack:
            request = arena_pb2.ExportCompetitionRequest(competition="open")
            for _ in range(5):
                attacker = await stack.enter_async_context(RawConnection(place.address, window=0))
                for _ in range(8):
                    attacker.ask(EXPORT, request.SerializeToString(), x_forwarded_for=ELSEWHERE)
            await until(lambda: place.server._calls._open[ELSEWHERE, "ExportCompetition"] == 2)
            files = {piece.file async for piece in place.stub.ExportCompetition(request)}
            assert "manifest.json" in files
            refused = place.stub.ExportCompetition(request, metadata=coming_from(ELSEWHERE)).read()
            assert (await refusal(refused))[0] == "RESOURCE_EXHAUSTED"

    bounded(script)


def test_calls_that_are_taken_back_leave_nothing_behind(tmp_path: Path) -> None:
    async def script() -> None:
        async with hall(tmp_path, settings()) as place, playing(place) as honest:
            async with RawConnection(place.address) as attacker:
                for _ in range(20):
                    for number in range(100):
                        attacker.reset(attacker.ask(ASK, b"") if number % 2 else attacker.begin(PLAY))
                    await attacker.sent()
                await honest.play_on()
            await until(lambda: open_calls(place) == 2)
            await honest.play_on()

    bounded(script)


@needs_nginx
def test_a_proxy_passes_on_few_of_the_calls_that_are_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An arena hears of such a call only when it has cost something. nginx, as we configure it, does not pass it on."""
    calls, begun = 2_000, Counter[str]()
    begin = OpenCalls.begin

    def counting(self: OpenCalls, address: str, method: str) -> None:
        begun[method] += 1
        begin(self, address, method)

    monkeypatch.setattr(OpenCalls, "begin", counting)

    async def script() -> None:
        async with hall(tmp_path, settings(), **BEHIND_A_PROXY) as place, playing(place) as honest:
            proxied = nginx(tmp_path, place.address, free_port(), free_port())
            site = await asyncio.to_thread(proxied.__enter__)
            trusting = grpc.ssl_channel_credentials(site.certificate.read_bytes())
            try:
                async with grpc.aio.secure_channel(f"localhost:{site.port}", trusting) as channel:
                    stub: Any = ArenaStub(channel)
                    await stub.GetArena(records_pb2.GetArenaRequest(), wait_for_ready=True)
                async with RawConnection(f"localhost:{site.port}", ca=site.certificate) as attacker:
                    for _ in range(calls):
                        attacker.reset(attacker.ask(ASK, b""))
                    await attacker.sent()
                    await honest.play_on()
            finally:
                await asyncio.to_thread(proxied.__exit__, None, None, None)
            assert 1 <= begun["GetArena"] < calls / 2, "the first one reached the arena"

    bounded(script)


def test_log_ins_do_not_wait_for_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every thread for questions is busy, and many more wait. New keys are made, shown and play."""
    answered, release = Counter[str](), Event()
    addresses = [f"192.0.2.{number}" for number in range(3 * reading.READERS)]

    async def script() -> None:
        async with hall(tmp_path, settings(), OPEN, **BEHIND_A_PROXY) as place:

            def slow(*_: object) -> arena_pb2.ListMatchesResponse:
                answered["begun"] += 1
                release.wait()
                return arena_pb2.ListMatchesResponse()

            monkeypatch.setattr(place.server._reading._records, "answer", slow)
            stub, accounts = place.stub, AccountsStub(place.channel)  # type: ignore[no-untyped-call,unused-ignore]
            request = arena_pb2.ListMatchesRequest()
            asked = [stub.ListMatches(request, metadata=coming_from(each)) for each in addresses for _ in range(3)]
            try:
                await until(lambda: answered["begun"] == reading.READERS)
                for name in ("cay", "dee"):
                    key = (await accounts.Register(admin_pb2.RegisterRequest(owner=name))).key
                    async with RawBot(place.address, name, key=key):
                        pass
            finally:
                release.set()
            await asyncio.gather(*asked)

    bounded(script)


def test_spectators_that_come_again_and_again_pay_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 50 ms to spend, and over 20 ms for each visit, three may come. The third begins with something left."""
    monkeypatch.setattr(reading, "READING", RequestLimits(requests_per_second=1e-6, burst=50))
    monkeypatch.setattr(reading, "thread_time", lambda: 0.0)

    async def script() -> None:
        async with silent_match(tmp_path) as (place, request):
            for _ in range(3):
                seen = place.stub.WatchMatch(request, metadata=coming_from(ELSEWHERE))
                await seen.read()
                seen.cancel()
            refused = place.stub.WatchMatch(request, metadata=coming_from(ELSEWHERE)).read()
            assert (await refusal(refused))[0] == "RESOURCE_EXHAUSTED"
            seen = place.stub.WatchMatch(request, metadata=coming_from("192.0.2.2"))
            assert (await seen.read()).started.bots
            seen.cancel()

    bounded(script)


def test_a_spectator_is_not_sent_more_than_anybody_can_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen spectators of fast matches used to take half of the arena's time. What is too much for one waits."""
    monkeypatch.setattr(reading, "WATCHING", RequestLimits(requests_per_second=1e-6, burst=3))

    async def script() -> None:
        async with silent_match(tmp_path) as (place, request):
            greedy = [place.stub.WatchMatch(request, metadata=coming_from(ELSEWHERE)) for _ in range(2)]
            for seen in greedy:
                assert (await seen.read()).started.bots
            views = [asyncio.ensure_future(seen.read()) for seen in greedy]
            await asyncio.wait(views, return_when=asyncio.FIRST_COMPLETED)
            other = place.stub.WatchMatch(request, metadata=coming_from("192.0.2.2"))
            assert (await other.read()).started.bots
            assert (await other.read()).HasField("view")
            other.cancel()
            assert [view.done() for view in views].count(True) == 1, "three were sent, and the fourth waits"
            for each in (*views, *greedy):
                each.cancel()

    bounded(script)


def test_a_caller_asks_one_thing_at_a_time_and_pays_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 50 ms to spend and 20 ms for each answer, three are given: the third still begins with something left."""
    monkeypatch.setattr(reading, "READING", RequestLimits(requests_per_second=1e-6, burst=50))
    seconds = 0.0
    monkeypatch.setattr(reading, "thread_time", lambda: seconds)
    running, at_once = 0, 0

    def costly(*_: object) -> arena_pb2.ListMatchesResponse:
        nonlocal running, at_once, seconds
        running += 1
        at_once = max(at_once, running)
        seconds += 0.02
        running -= 1
        return arena_pb2.ListMatchesResponse()

    async def ask(place: Hall, address: str) -> str:
        try:
            await place.stub.ListMatches(arena_pb2.ListMatchesRequest(), metadata=coming_from(address))
        except grpc.aio.AioRpcError as error:
            return f"{error.code().name}: {error.details()}"
        return "OK"

    async def script() -> None:
        async with hall(tmp_path, settings(), OPEN, **BEHIND_A_PROXY) as place:
            monkeypatch.setattr(place.server._reading._records, "answer", costly)
            ended = Counter(await asyncio.gather(*(ask(place, ELSEWHERE) for _ in range(8))))
            refused = "RESOURCE_EXHAUSTED: the answers to your questions took too much time"
            assert ended == {"OK": 3, f"{refused}; wait a minute and ask less often": 5}
            assert await ask(place, "192.0.2.2") == "OK"
            assert at_once == 1

    bounded(script)

"""A thousand visitors cost the arena as much as a few: kept answers, ETags, compression."""

import asyncio
from collections.abc import Hashable, Iterator
from itertools import count
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from google.protobuf.message import Message
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from roost.v1 import arena_pb2
from roost_web.cache import ArenaWatch, Freshness, Kept, Stamp
from roost_web.client import ArenaClient
from roost_web.responses import KeepResponses
from roost_web.settings import PageSettings
from tests.support.commands.roost import until
from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.pages.visitor import Visitor, visiting


@pytest.fixture
def fake() -> FakeArena:
    return FakeArena()


@pytest.fixture
def visitor(fake: FakeArena) -> Iterator[Visitor]:
    with serving(fake) as address, visiting(address) as visitor:
        yield visitor


def test_many_visitors_at_once_are_one_question(fake: FakeArena, visitor: Visitor) -> None:
    answers = visitor.ask_at_once("/standings", 200)
    assert {answer.status_code for answer in answers} == {200}
    assert fake.asked["GetStandings"] == 1
    assert fake.asked["GetArena"] <= 3, "once a second, and that may have passed"


def test_an_answer_is_kept_while_nothing_has_changed(fake: FakeArena, visitor: Visitor) -> None:
    fake.about.running = False
    for _ in range(5):
        visitor.get("/standings")
        visitor.get("/api/v1/standings")
    assert fake.asked["GetStandings"] == 1


def test_records_that_change_are_asked_for_again() -> None:
    freshness = Freshness(changing=2, unchanged=10)
    made = Stamp("one", at=100.0)
    assert freshness.allows(made, "one", 109)
    assert not freshness.allows(made, "one", 111)
    assert freshness.allows(made, "two", 101)
    assert not freshness.allows(made, "two", 103)


def test_what_was_not_used_for_the_longest_time_is_forgotten_first() -> None:
    kept: Kept[str] = Kept(most_bytes=10)
    kept.put("a", "A", 4)
    kept.put("b", "B", 4)
    assert kept.get("a") == "A"
    kept.put("c", "C", 4)
    assert [kept.get(key) for key in "abc"] == ["A", None, "C"]


def test_a_browser_that_has_the_page_is_not_sent_it_again(visitor: Visitor) -> None:
    first = visitor.get("/standings")
    again = visitor.get("/standings", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]


def test_pages_are_compressed_for_those_who_can_read_that(visitor: Visitor) -> None:
    packed = visitor.get("/standings", headers={"Accept-Encoding": "gzip"})
    plain = visitor.get("/standings", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert packed.text == plain.text


def test_a_head_request_gets_the_headers_alone(visitor: Visitor) -> None:
    for path in ("/standings", "/matches.jsonl", "/api/v1/arena"):
        response = visitor.ask("HEAD", path)
        assert (response.status_code, response.content) == (200, b"")


def test_a_fragment_is_not_mistaken_for_its_page(visitor: Visitor) -> None:
    fragment = visitor.get("/standings", headers={"HX-Request": "true"})
    page = visitor.get("/standings")
    assert "<html" not in fragment.text
    assert "greedy" in fragment.text
    assert "<html" in page.text
    assert "HX-Request" in page.headers["vary"]


def test_new_results_show_when_the_kept_page_may_have_changed(fake: FakeArena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept for a moment here, and a visitor waits for what is newer."""
    monkeypatch.setattr("roost_web.client.LOOK_SECONDS", 0.0)
    monkeypatch.setattr("roost_web.client.Freshness", lambda _, unchanged: Freshness(0.0, unchanged))
    monkeypatch.setattr("roost_web.responses.CHANGING_SECONDS", 0.0)
    monkeypatch.setattr("roost_web.cache.SOON_SECONDS", 60.0)
    with serving(fake) as address, visiting(address) as visitor:
        assert "newcomer" not in visitor.get("/standings").text
        fake.standings[0].name = "newcomer"
        fake.about.revision += 1
        assert "newcomer" in visitor.get("/standings").text


def test_what_takes_the_arena_long_is_asked_seldom(fake: FakeArena, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty times as long as its answer took, however often something changes; for at most 15 seconds."""
    now = 0.0
    monkeypatch.setattr("roost_web.client.LOOK_SECONDS", 0.0)
    monkeypatch.setattr("roost_web.client.time", SimpleNamespace(monotonic=lambda: now))

    async def asked_after(client: ArenaClient, took: float, *pauses: float) -> list[int]:
        nonlocal now
        ask, found = client._ask, []

        async def slow(method: Any, request: Message) -> Any:
            nonlocal now
            now += took if isinstance(request, arena_pb2.GetStandingsRequest) else 0.0
            return await ask(method, request)

        monkeypatch.setattr(client, "_ask", slow)
        for pause in (0.0, *pauses):
            now += pause
            fake.about.revision += 1
            await client.standings(arena_pb2.GetStandingsRequest())
            found.append(fake.asked["GetStandings"])
        await client.close()
        return found

    with serving(fake) as address:
        settings = PageSettings(address)
        assert asyncio.run(asked_after(ArenaClient(settings), 0.1, 4.8, 0.2)) == [1, 1, 2]
        assert asyncio.run(asked_after(ArenaClient(settings), 10.0, 4.8, 0.3)) == [3, 3, 4]


class BusyApp:
    """An application that shows how often it was asked, but not before it may."""

    def __init__(self) -> None:
        self.asked = 0
        self.may_answer = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.asked += 1
        response = PlainTextResponse(f"page {self.asked}")
        await self.may_answer.wait()
        await response(scope, receive, send)


def test_a_visitor_does_not_wait_for_a_busy_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is not old is shown again while its successor is made, once for all."""
    monkeypatch.setattr("roost_web.responses.CHANGING_SECONDS", 0.0)
    monkeypatch.setattr("roost_web.cache.SOON_SECONDS", 0.0)
    states = count()

    async def script() -> list[str]:
        async def changing() -> tuple[Hashable, float]:
            return next(states), 0.0

        app = BusyApp()
        app.may_answer.set()
        transport = httpx.ASGITransport(KeepResponses(app, changing))
        async with httpx.AsyncClient(transport=transport, base_url="http://page") as client:
            shown = [(await client.get("/")).text]
            app.may_answer.clear()
            shown += [(await client.get("/")).text for _ in range(3)]
            app.may_answer.set()
            monkeypatch.setattr("roost_web.responses.STALE_SECONDS", 0.0)
            shown.append((await client.get("/")).text)
        return shown

    assert asyncio.run(script()) == ["page 1", "page 1", "page 1", "page 1", "page 2"]


def test_a_busy_arena_is_asked_for_its_state_in_the_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_web.cache.SOON_SECONDS", 0.0)
    now, asked, answered = 0.0, count(1), asyncio.Event()

    async def ask() -> int:
        number = next(asked)
        await answered.wait()
        return number

    async def script() -> None:
        nonlocal now
        arena = ArenaWatch(ask, seconds=1.0, now=lambda: now)
        answered.set()
        assert await arena.get() == 1
        answered.clear()
        now = 1.5
        assert [await arena.get() for _ in range(3)] == [1, 1, 1]
        now = 60.0
        answered.set()
        assert await arena.get() == 2, "an old state is waited for"

    asyncio.run(script())


def test_the_page_recovers_when_the_arena_is_back(fake: FakeArena) -> None:
    with serving(fake) as address:
        port = int(address.rpartition(":")[2])
        with visiting(address) as visitor:
            assert visitor.get("/standings").status_code == 200
    with visiting(address) as visitor:
        assert visitor.get("/standings").status_code == 503
        with serving(fake, port):
            until(lambda: visitor.get("/standings").status_code == 200)


def test_headers_keep_browsers_safe(visitor: Visitor) -> None:
    for path in ("/", "/nowhere", "/api/v1/arena", "/matches.jsonl"):
        headers = visitor.get(path).headers
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_files_never_change_under_an_address_of_their_own(visitor: Visitor) -> None:
    page = visitor.get("/").text
    style = next(part for part in page.split('"') if part.endswith("page.css"))
    assert "immutable" in visitor.get(style).headers["cache-control"]
    assert visitor.get("/static/old/page.css").headers["cache-control"] == "no-cache"
    assert visitor.get("/static/old/%2e%2e/settings.py").status_code == 404

"""Pages that are open while something changes: results arrive, the arena goes away and comes back."""

from collections.abc import Callable, Iterator

import grpc
import pytest
from playwright.sync_api import Browser, Page, expect

from roost_web import client, responses
from roost_web.cache import Freshness
from roost_web.errors import ArenaAwayError
from tests.support.pages.fake_arena import FakeArena, running_match, serving, standing
from tests.support.pages.hosted import hosted
from tests.support.pages.looking import looking
from tests.support.viewer_site import Complaints

AWAY = "503"
PATIENCE = 10
"""Updates are asked for this often until a test gives up. The first one or two bring what was to be seen."""


@pytest.fixture
def fake() -> FakeArena:
    fake = FakeArena(tuple(f"bot{number}" for number in range(40)))
    fake.running, fake.about.running_matches = [], 0
    return fake


@pytest.fixture
def heard(browser: Browser, fake: FakeArena, monkeypatch: pytest.MonkeyPatch) -> Iterator[Complaints]:
    monkeypatch.setattr(client, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(responses, "CHANGING_SECONDS", 0.0)
    monkeypatch.setattr(client, "Freshness", lambda _, unchanged: Freshness(0.0, unchanged))
    with serving(fake) as arena, hosted(arena) as address, looking(browser, address) as heard:
        heard.page.clock.install()
        yield heard


def lead(fake: FakeArena, name: str) -> None:
    """Another bot is now the best, and matches were played."""
    others = [each.name for each in fake.standings if each.name != name]
    fake.standings = [standing(number, each, 1 + len(others)) for number, each in enumerate((name, *others), start=1)]
    fake.about.matches += 1
    fake.about.revision += 1


def until(page: Page, is_so: Callable[[], bool]) -> None:
    """Let the page's time pass until an update has brought it."""
    for _ in range(PATIENCE):
        with page.expect_response(lambda response: "hx-request" in response.request.headers) as answer:
            page.clock.fast_forward(3_100)
        answer.value.finished()
        if is_so():
            return
    raise AssertionError("no update has brought it")


def leader(page: Page) -> str:
    return page.locator(".standings tbody .name").first.inner_text()


def test_standings_update_where_the_reader_is(heard: Complaints, fake: FakeArena) -> None:
    page = heard.page
    page.goto("/standings")
    assert leader(page) == "bot0"
    page.evaluate("scrollTo(0, 300)")
    lead(fake, "bot7")
    until(page, lambda: leader(page) == "bot7")
    assert page.evaluate("scrollY") == 300
    assert page.locator(".standings tbody tr").count() == 40


def test_a_table_does_not_change_under_the_pointer(heard: Complaints, fake: FakeArena) -> None:
    page = heard.page
    page.goto("/standings")
    page.locator(".standings tbody tr").nth(3).hover()
    lead(fake, "bot7")
    newer = page.get_by_role("button", name="There are newer results")
    until(page, lambda: newer.count() == 1)
    assert leader(page) == "bot0"
    page.mouse.move(1, 1)
    expect(page.locator(".standings tbody .name").first).to_have_text("bot7")
    expect(newer).to_have_count(0)


def test_an_open_page_goes_on_when_the_arena_is_back(heard: Complaints, fake: FakeArena) -> None:
    heard.allow(AWAY)
    page = heard.page
    page.goto("/standings")
    away = page.get_by_text("The arena is not answering")
    fake.failing = grpc.StatusCode.UNAVAILABLE
    until(page, away.is_visible)
    assert leader(page) == "bot0", "what was there stays"
    fake.failing = None
    lead(fake, "bot7")
    until(page, lambda: leader(page) == "bot7")
    expect(away).to_be_hidden()


def test_a_match_that_ran_when_its_arena_ended_is_gone(heard: Complaints, fake: FakeArena) -> None:
    heard.allow(AWAY, "404", "EventSource", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    fake.running, fake.about.running_matches = [running_match(tuple(fake.names[:3]))], 1
    page = heard.page
    page.goto("/matches/match-999")
    away = page.get_by_text("The arena is not answering")
    fake.failing = grpc.StatusCode.UNAVAILABLE
    until(page, away.is_visible)
    fake.failing, fake.running, fake.about.running_matches = None, [], 0
    until(page, page.get_by_text("The arena has stopped, and no longer knows about this").is_visible)
    expect(away).to_be_hidden()
    expect(page.locator("roost-match")).to_contain_text("This match was broken off")


def test_a_page_that_was_opened_too_early_opens_itself(
    heard: Complaints, fake: FakeArena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ArenaAwayError, "retry_seconds", 1)
    heard.allow(AWAY)
    page = heard.page
    fake.failing = grpc.StatusCode.UNAVAILABLE
    answer = page.goto("/standings")
    assert answer is not None
    assert answer.status == 503
    fake.failing = None
    expect(page.get_by_role("heading", level=1)).to_have_text("Standings")

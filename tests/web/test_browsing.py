"""Every page in a browser, with names that strangers may think of: narrow and wide, by day and by night."""

from collections.abc import Iterable, Iterator
from itertools import cycle

import pytest
from playwright.sync_api import Browser, expect

from roost_games.registry import get_game
from tests.support.games.spectated import watched
from tests.support.pages.fake_arena import HOSTILE, FakeArena, serving
from tests.support.pages.hosted import hosted
from tests.support.pages.looking import LOOKS, OTHER_LOOKS, Look, draw, looking, overflow, turn, violations

RECORDED = "/matches/match-7"
"""The page on which the viewer is examined too. Elsewhere it is the same."""
PAGES = (
    "/",
    "/standings",
    "/standings?game=karteneck&players=3&competition=spring&phase=ladder",
    "/standings/cross",
    "/pair?bot=greedy&opponent=..",
    "/bots",
    "/bots/greedy",
    "/bots/?name=..",
    "/matches",
    "/matches?bot=greedy&outcome=won&faults=1&since=2026-09-01",
    RECORDED,
    "/matches/match-999",
    "/competitions",
    "/competitions/spring",
    "/competitions/autumn",
    "/watch",
    "/rules",
    "/rules/karteneck",
    "/docs",
    "/docs/bots/start",
    "/open",
    "/api",
)
KINDS = (
    "/",
    "/standings",
    "/standings/cross",
    "/pair?bot=greedy&opponent=..",
    "/bots",
    "/bots/greedy",
    "/matches",
    RECORDED,
    "/competitions/autumn",
    "/watch",
    "/rules/karteneck",
    "/docs/hosting/competition",
    "/open",
    "/api",
)
"""One page of each kind."""

WATCH_FOCUS = """() => {
  document.addEventListener("focusin", ({ target }) => {
    target.dataset.reached = "yes";
    if (getComputedStyle(target).outlineStyle === "none") target.dataset.bare = "yes";
  });
  const all = document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']");
  const shown = [...all].filter((each) => each.checkVisibility() && !each.closest("roost-match"));
  shown.forEach((each) => { each.dataset.wanted = "yes"; });
  return shown.length;
}"""
"""Marks what can be worked with, what the focus reaches, and where one would not see it."""
OWN_STEPS = 40
"""The viewer and fields for dates take several steps."""
NOT_SEEN = """[...document.querySelectorAll("[data-wanted]:not([data-reached]), [data-wanted][data-bare]")]
  .map((each) => each.outerHTML.slice(0, 120))"""


@pytest.fixture(scope="module")
def fake() -> FakeArena:
    fake = FakeArena(("greedy", *HOSTILE))
    variant, players = next(iter(get_game("karteneck").tables()))
    updates, referee = watched("karteneck", variant, players, "a match to look at")
    fake.watched, fake.replay = (lambda: updates[:-1]), referee.replay().to_line()
    fake.finish("autumn")
    fake.matches = [each for each in fake.matches if int(each.match_id.removeprefix("match-")) <= 12]
    return fake


@pytest.fixture(scope="module")
def address(fake: FakeArena) -> Iterator[str]:
    with serving(fake) as arena, hosted(arena) as address:
        yield address


def examine(browser: Browser, address: str, path: str, looks: Iterable[Look]) -> None:
    with looking(browser, address) as heard:
        page = heard.page
        page.goto(path)
        expect(page.locator("h1")).to_have_count(1)
        if page.locator("roost-match").count():
            expect(page.locator("roost-match").get_by_role("slider").first).to_be_visible()
        for look in looks:
            turn(page, look)
            assert overflow(page) == []
            assert violations(page, *([] if path == RECORDED else ["roost-match"])) == []
            draw(page, path, look)


@pytest.mark.short(3)
@pytest.mark.parametrize(("path", "look"), list(zip(KINDS, cycle(LOOKS), strict=False)), ids=str)
def test_everybody_can_read_a_page(browser: Browser, address: str, path: str, look: Look) -> None:
    """One of each kind, in one way; all pages in all ways have a test of their own."""
    examine(browser, address, path, [look])


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES)
def test_everybody_can_read_a_page_in_every_way(browser: Browser, address: str, path: str) -> None:
    examine(browser, address, path, (*LOOKS, *OTHER_LOOKS))


def test_a_bad_address_gets_a_page_that_leads_on(browser: Browser, address: str) -> None:
    with looking(browser, address, LOOKS[1]) as heard:
        heard.allow("a status of 404")
        heard.page.goto("/bots/nobody")
        assert overflow(heard.page) == []
        assert violations(heard.page) == []
        draw(heard.page, "error", LOOKS[1])
        heard.page.get_by_role("link", name="front page").click()
        expect(heard.page.get_by_role("heading", level=1)).to_have_text("Who rules the roost?")


@pytest.mark.parametrize(
    "path",
    [
        "/matches",
        *(
            pytest.param(path, marks=pytest.mark.long)
            for path in ("/", "/standings", "/bots/greedy", "/competitions/autumn")
        ),
    ],
)
def test_everything_is_reached_by_keyboard(browser: Browser, address: str, path: str) -> None:
    with looking(browser, address) as heard:
        page = heard.page
        page.goto(path)
        for _ in range(page.evaluate(WATCH_FOCUS) + OWN_STEPS):
            page.keyboard.press("Tab")
        assert page.evaluate(NOT_SEEN) == []


def test_a_match_is_found_by_keyboard_alone(browser: Browser, address: str) -> None:
    with looking(browser, address) as heard:
        page = heard.page
        page.goto("/matches")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Bot")).to_be_focused()
        page.keyboard.type("greedy")
        page.keyboard.press("Enter")
        page.wait_for_url("**/matches?bot=greedy&**")
        expect(page.get_by_label("Bot")).to_have_value("greedy")
        page.get_by_role("link", name="view").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/matches/match-12")

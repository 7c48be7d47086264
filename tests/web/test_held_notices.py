"""A visitor is told that results are held back, wherever something would otherwise seem to be missing."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.pages.hosted import hosted
from tests.support.pages.looking import LOOKS, Look, looking, overflow, turn, violations

HELD = "spring: The results of the ladder are held back until Monday."
EMPTY = ("/", "/standings", "/standings?competition=spring&phase=ladder", "/standings/cross", "/matches")
"""Pages on which there is nothing else. They differ from those of an arena where nothing was played yet."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    fake = FakeArena()
    fake.hold_back("spring")
    with serving(fake) as arena, hosted(arena) as address:
        yield address


def test_an_empty_page_says_why(browser: Browser, address: str) -> None:
    with looking(browser, address) as heard:
        for path in EMPTY:
            heard.page.goto(path)
            notice = heard.page.locator(".empty", has_text=HELD)
            expect(notice.locator(".title")).to_have_text("Results are held back")
            expect(heard.page.locator("main")).not_to_contain_text("yet")


def test_a_competition_shows_its_newest_seal(browser: Browser, address: str) -> None:
    with looking(browser, address) as heard:
        heard.page.goto("/competitions/spring")
        notice = heard.page.locator(".notice", has_text="held back until Monday")
        expect(notice).to_contain_text("Seal 7")
        expect(notice.locator("code")).to_have_text("5e" * 32)
        expect(notice).to_have_css("position", "static")
        expect(heard.page.locator(".empty")).to_contain_text(HELD)
        expect(heard.page.locator("dd").last).to_have_text(
            "revealed when the competition is done and its results are released"
        )


@pytest.mark.long
@pytest.mark.parametrize("path", [*EMPTY, "/competitions/spring"])
def test_everybody_can_read_it(browser: Browser, address: str, path: str) -> None:
    with looking(browser, address) as heard:
        heard.page.goto(path)
        for look in (*LOOKS, Look(360, "light")):
            turn(heard.page, look)
            assert overflow(heard.page) == []
            assert violations(heard.page, "roost-match") == []

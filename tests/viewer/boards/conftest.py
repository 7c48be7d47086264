"""Pages that have the viewer's files and no network."""

import mimetypes
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

import roost_viewer

FILES = Path(next(iter(roost_viewer.__path__)))
HOST = "http://viewer.test/"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"
BLANK = (
    '<!doctype html><html lang="en"><head><title>A table</title><meta name="viewport" content="width=device-width">'
    '</head><body><main id="root"></main></body></html>'
)


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """For all tests of one file."""
    window = browser.new_context()
    window.route("**/*", _answer)
    yield window
    window.close()


@pytest.fixture(scope="module")
def complaints() -> list[str]:
    """What the tab has complained about."""
    return []


@pytest.fixture(scope="module")
def tab(window: BrowserContext, complaints: list[str]) -> Page:
    """For all tests of one file: a tab of its own for each would take a process more, which costs half a second."""
    page = window.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    return page


@pytest.fixture
def open_page(tab: Page, complaints: list[str]) -> Iterator[Callable[[int], Page]]:
    """Opens an empty page of some width that has the viewer's files beside it; it must not complain to the end."""

    def opened(width: int) -> Page:
        tab.set_viewport_size({"width": width, "height": 800})
        tab.goto(HOST)
        return tab

    complaints.clear()
    yield opened
    tab.goto("about:blank")
    assert complaints == []


def _answer(route: Route) -> None:
    path = route.request.url.removeprefix(HOST)
    headers = {"content-security-policy": POLICY}
    if not path:
        route.fulfill(body=BLANK, content_type="text/html; charset=utf-8", headers=headers)
    elif route.request.url.startswith(HOST) and (FILES / path).is_file():
        kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
        route.fulfill(body=(FILES / path).read_bytes(), content_type=kind, headers=headers)
    else:
        route.fulfill(status=404, body="", headers=headers)

"""A browser with a site that serves the viewer and a few recorded matches."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from tests.support.browser import PATIENCE_MS, chromium
from tests.support.shown_matches import MATCHES, documents
from tests.support.viewer_site import Complaints, Site, serving

SIZE: ViewportSize = {"width": 1400, "height": 900}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Ends with the tests of one file: while it runs, this thread cannot run an event loop of its own."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[Site]:
    with serving() as served:
        for name in MATCHES:
            for eye, document in documents(name).items():
                served.add_json(f"/frames/{name}/{eye}", document)
            served.add_page(f"/{name}", f'<roost-match address src="/frames/{name}/"></roost-match>')
        yield served


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """For all tests of one file: a window of its own for each would take twice as long."""
    with opened_window(browser) as window:
        yield window


@contextmanager
def opened_window(browser: Browser) -> Iterator[BrowserContext]:
    window = browser.new_context(viewport=SIZE, reduced_motion="reduce")
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    window.set_default_timeout(PATIENCE_MS)
    yield window
    window.close()


@pytest.fixture(scope="module")
def tab(window: BrowserContext) -> Page:
    """For all tests of one file: a tab of its own for each would take a process more, which costs half a second."""
    return window.new_page()


@pytest.fixture
def complaints(tab: Page, site: Site) -> Iterator[Complaints]:
    """A tab, empty at first, that fails the test at its end if the page complained."""
    tab.set_viewport_size(SIZE)
    heard = Complaints(tab, site.address)
    yield heard
    tab.evaluate("localStorage.clear()")
    heard.close()
    tab.goto("about:blank")  # which ends what the test has left open
    assert heard.found == []


@pytest.fixture
def page(complaints: Complaints) -> Page:
    return complaints.page


@pytest.fixture
def page_alone(browser: Browser, site: Site) -> Iterator[Page]:
    """In a window of its own, for a test that stops the clock of all its pages."""
    with opened_window(browser) as window:
        heard = Complaints(window.new_page(), site.address)
        yield heard.page
    assert heard.found == []

"""A browser with a site that serves the viewer and a few recorded matches."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.browser import PATIENCE_MS, chromium
from tests.support.shown_matches import MATCHES, documents
from tests.support.viewer_site import Complaints, Site, serving


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
    """For the tabs of all tests of one file: a window of its own for each would take twice as long."""
    with opened_window(browser) as window:
        yield window


@contextmanager
def opened_window(browser: Browser) -> Iterator[BrowserContext]:
    window = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    window.grant_permissions(["clipboard-read", "clipboard-write"])
    window.set_default_timeout(PATIENCE_MS)
    yield window
    window.close()


@pytest.fixture
def complaints(window: BrowserContext, site: Site) -> Iterator[Complaints]:
    """A tab that fails the test at its end if the page complained."""
    heard = Complaints(window.new_page(), site.address)
    yield heard
    heard.page.evaluate("localStorage.clear()")
    heard.page.close()
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

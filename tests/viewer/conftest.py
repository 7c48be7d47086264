"""A browser with a site that serves the viewer and a few recorded matches."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

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


@pytest.fixture
def complaints(browser: Browser, site: Site) -> Iterator[Complaints]:
    """Fails the test at its end if the page complained."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(PATIENCE_MS)
    heard = Complaints(context.new_page(), site.address)
    yield heard
    context.close()
    assert heard.found == []


@pytest.fixture
def page(complaints: Complaints) -> Page:
    return complaints.page

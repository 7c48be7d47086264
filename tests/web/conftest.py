"""A browser for the tests of one file."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Ends with the tests of one file: while it runs, this thread cannot run an event loop of its own."""
    with chromium() as started:
        yield started

"""A browser for tests: Debian's Chromium, driven by Playwright. A test that needs it is skipped where there is none."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

PATH = shutil.which("chromium")
PATIENCE_MS = 60_000
"""How long a page may take to show what a test waits for: a busy machine draws late, and no test is about speed."""
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No page reaches another host, not even one that tries."""
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium, which ends with the block."""
    if PATH is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox", NO_NETWORK])
        yield browser
        browser.close()

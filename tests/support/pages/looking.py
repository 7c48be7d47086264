"""Somebody who looks at the page in a browser: at both widths, by day and by night, and with what axe-core knows."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.support.browser import PATIENCE_MS
from tests.support.viewer_site import Complaints

SCREENSHOTS = "ROOST_SCREENSHOTS"
"""If this is set in the environment, it names the folder into which every page that is looked at is drawn."""
WIDE, NARROW = 1400, 360


class Look(NamedTuple):
    """How somebody looks at a page."""

    width: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS = (Look(WIDE, "light"), Look(NARROW, "dark"))
"""Between them both widths and both schemes."""
OTHER_LOOKS = (Look(WIDE, "dark"), Look(NARROW, "light"))


@contextmanager
def looking(browser: Browser, address: str, look: Look = LOOKS[0]) -> Iterator[Complaints]:
    """A tab of its own. What the page complains about fails the test at the end."""
    context = browser.new_context(base_url=address, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    heard = Complaints(context.new_page(), address)
    turn(heard.page, look)
    try:
        yield heard
    finally:
        context.close()
    assert heard.found == []


def turn(page: Page, look: Look) -> None:
    """Look at an open page in another way, once it has drawn itself again: charts follow their frame."""
    page.set_viewport_size({"width": look.width, "height": 900 if look.width == WIDE else 740})
    page.emulate_media(color_scheme=look.scheme)
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def violations(page: Page, *without: str) -> list[str]:
    """What axe-core finds, a line for each element; not inside the elements of these selectors."""
    found = Axe().run(page, context={"exclude": list(without)}).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def overflow(page: Page) -> list[str]:
    """What makes the page itself wider than the screen. Inside a frame of its own a table may scroll."""
    found: list[str] = page.evaluate(
        """() => {
          const extra = document.documentElement.scrollWidth - innerWidth;
          if (extra <= 0) return [];
          const out = [...document.querySelectorAll("body *")].filter((each) =>
            each.getBoundingClientRect().right > innerWidth);
          return [`${extra} px too wide`, ...out.map((each) => each.outerHTML.slice(0, 120))];
        }"""
    )
    return found


def draw(page: Page, path: str, look: Look) -> None:
    """Keep a picture, if somebody wants pictures."""
    if not (folder := os.environ.get(SCREENSHOTS)):
        return
    name = re.sub(r"\W+", "-", path).strip("-") or "home"
    page.screenshot(path=Path(folder) / f"{name}.{look}.png", full_page=True)

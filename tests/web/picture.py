"""`make picture`: the page of a lively arena, as the README shows it.

python -m tests.web.picture [FILE]
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from tests.support.browser import chromium
from tests.support.commands.roost import PATIENCE, roost_process

PICTURE = Path(__file__).parents[2] / "docs/page.png"
MOST_BYTES = 300_000
SIZE = (1280, 1000)
SETTLED_MATCHES = 400
"""After this many, the ratings are apart."""
LIVELY_STEP = 30
"""At this step, there is something on the table to look at."""
IS_LIVELY = f"""() => {{
    const matches = [...document.querySelectorAll(".count")].find((each) => each.innerText.includes("on record"));
    const viewer = document.querySelector("roost-match");
    const step = /Step (\\d+) of/.exec((viewer?.shadowRoot ?? viewer)?.textContent ?? "");
    return parseInt(matches.innerText.replace(",", "")) > {SETTLED_MATCHES} && step && step[1] > {LIVELY_STEP};
}}"""


def take(page: Page, file: Path) -> None:
    """What `make run` shows, once there is much to see."""
    words = ("showcase", "--seconds", 600, "--listen", "127.0.0.1:0")
    with tempfile.TemporaryDirectory() as folder, roost_process(*words, folder=Path(folder)) as showcase:
        page.goto(showcase.out.until("Open ").split()[1])
        page.wait_for_function(IS_LIVELY, timeout=PATIENCE * 1000)
        page.screenshot(path=file)


def main() -> None:
    """Take the picture."""
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    with chromium() as browser:
        # A picture of something that moves is a blur.
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, reduced_motion="reduce")
        take(page, file)
    if file.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{file} has {file.stat().st_size:,} bytes; {MOST_BYTES:,} are allowed")


if __name__ == "__main__":
    main()

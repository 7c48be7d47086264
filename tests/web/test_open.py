"""A replay file that is dropped onto the page, in a browser."""

import threading
from collections.abc import Iterator

import pytest
import uvicorn
from playwright.sync_api import Page, expect

from roost_web.app import create_app
from roost_web.serving import listen
from roost_web.settings import PageSettings
from tests.support.browser import chromium
from tests.support.pages.fake_arena import FakeArena, serving
from tests.support.shown_matches import replay_of
from tests.support.viewer_site import Complaints

DROP = """async ([name, text]) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def open_page() -> Iterator[Complaints]:
    """The page at which files are opened; it must not complain to the end."""
    with serving(FakeArena()) as arena, listen("127.0.0.1:0") as socket, chromium() as browser:
        server = uvicorn.Server(uvicorn.Config(create_app(PageSettings(arena)), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        address = f"http://127.0.0.1:{socket.getsockname()[1]}"
        heard = Complaints(browser.new_page(), address)
        heard.page.goto(f"{address}/open")
        yield heard
        heard.page.close()
        server.should_exit = True
        thread.join()
    assert heard.found == []


def drop(page: Page, text: str) -> None:
    page.evaluate(DROP, ["matches.jsonl", text])


def test_a_dropped_file_is_shown_match_by_match(open_page: Complaints) -> None:
    page = open_page.page
    drop(page, f"{replay_of('karteneck').to_line()}\n{replay_of('slap').to_line()}\n")
    expect(page.locator(".where")).to_contain_text("The deal")
    expect(page.locator("roost-match .game")).to_have_text("Heckmeck am Karteneck")
    page.locator("#number").select_option("2")
    expect(page.locator("roost-match .game")).to_have_text("Häc Mäc, with slapping")
    page.locator(".eyes label", has_text="Seat 1").click()
    expect(page.get_by_role("radio", name="What seat 1 (bob) saw")).to_be_checked()
    open_page.allow("400")
    drop(page, "nonsense")
    expect(page.get_by_role("alert")).to_contain_text("This file cannot be shown")
    expect(page.locator("roost-match")).to_have_count(0)

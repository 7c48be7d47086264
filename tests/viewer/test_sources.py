"""Where frames come from: files, objects, a live stream; what a reader is told when something is wrong; who is told."""

import json
from collections.abc import Iterator
from itertools import count
from queue import SimpleQueue
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.shown_matches import documents
from tests.support.viewer_site import Complaints, Handler, Site


def begin(handler: Handler) -> None:
    """Begins a stream of server-sent events."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(b"retry: 50\n\n")


def tell(handler: Handler, event: Any) -> None:
    handler.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
    handler.wfile.flush()


class Stream:
    """A stream of server-sent events that a test writes. `None` breaks the connection.

    Each has a path of its own: what the page of an earlier test still asks for is not taken for the next one's.
    """

    numbers = count()

    def __init__(self) -> None:
        self.path = f"/live/{next(self.numbers)}"
        self.events: SimpleQueue[Any] = SimpleQueue()

    def __call__(self, handler: Handler) -> None:
        begin(handler)
        for event in iter(self.events.get, None):
            tell(handler, event)
        handler.close_connection = True

    def send(self, *events: Any) -> None:
        """Sends events, in order."""
        for event in events:
            self.events.put(event)


@pytest.fixture
def stream(site: Site) -> Iterator[Stream]:
    opened = Stream()
    site.pages[opened.path] = opened
    yield opened
    opened.send(None)


def running(until: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What a spectator of a running match gets first, with the frames so far, and the frames to come."""
    whole = documents("karteneck")["spectator"]
    return {**whole, "frames": whole["frames"][:until], "result": None, "seed": None, "eyes": ["spectator"]}, whole[
        "frames"
    ][until:]


def live_page(page: Page, site: Site, live: str, attributes: str = "") -> None:
    page.goto(site.add_page("/watch", f'<roost-match address live="{live}" {attributes}></roost-match>'))


def test_a_live_match_is_followed(page: Page, site: Site, stream: Stream) -> None:
    document, later = running(5)
    stream.send(document)
    live_page(page, site, stream.path)
    expect(page.locator(".where")).to_contain_text("Step 4 of 4")
    expect(page.locator(".status")).to_contain_text("Live")
    stream.send(later[0])
    expect(page.locator(".where")).to_contain_text("Step 5 of 5")
    stream.send(*later[1:], {"result": documents("karteneck")["spectator"]["result"]})
    expect(page.locator(".status")).to_contain_text("Finished")


def test_a_reader_who_went_back_stays_there_and_is_told_how_far_behind(page: Page, site: Site, stream: Stream) -> None:
    document, later = running(5)
    stream.send(document)
    live_page(page, site, stream.path)
    expect(page.locator(".where")).to_contain_text("Step 4 of 4")
    page.keyboard.press("ArrowLeft")
    stream.send(*later[:3])
    expect(page.locator(".status")).to_contain_text("4 steps behind")
    expect(page.locator(".where")).to_contain_text("Step 3 of 7")
    page.get_by_role("button", name="Go live").click()
    expect(page.locator(".where")).to_contain_text("Step 7 of 7")
    stream.send(later[3])
    expect(page.locator(".where")).to_contain_text("Step 8 of 8")


def test_a_broken_stream_is_taken_up_again_without_a_gap(complaints: Complaints, site: Site, stream: Stream) -> None:
    complaints.allow("ERR_INCOMPLETE_CHUNKED_ENCODING")
    page = complaints.page
    stream.send(running(5)[0])
    live_page(page, site, stream.path)
    expect(page.locator(".where")).to_contain_text("Step 4 of 4")
    stream.send(None, running(9)[0], running(9)[1][0])
    expect(page.locator(".where")).to_contain_text("Step 9 of 9")
    expect(page.locator(".moves").first.get_by_role("link")).to_have_count(10)


class Latest:
    """A live match that begins for everybody with the latest document, and goes on until the test is over."""

    path = "/live/latest"

    def __init__(self) -> None:
        self.document = running(5)[0]
        self.over = Event()
        self.asked: list[str] = []
        """The methods of all requests."""

    def __call__(self, handler: Handler) -> None:
        self.asked.append(handler.command)
        begin(handler)
        tell(handler, self.document)
        self.over.wait()
        handler.close_connection = True


@pytest.fixture
def latest(site: Site) -> Iterator[Latest]:
    site.pages[Latest.path] = shown = Latest()
    yield shown
    shown.over.set()


def test_a_tab_that_nobody_looks_at_leaves_its_connection_to_others(page: Page, site: Site, latest: Latest) -> None:
    live_page(page, site, latest.path)
    expect(page.locator(".where")).to_contain_text("Step 4 of 4")
    with page.expect_event("requestfailed", lambda request: request.url.endswith(latest.path)):
        look(page, hidden=True)
    latest.document = running(9)[0]
    with page.expect_request(f"**{latest.path}"):
        look(page, hidden=False)
    expect(page.locator(".where")).to_contain_text("Step 8 of 8")


def test_a_page_that_is_left_asks_for_nothing_more(complaints: Complaints, site: Site, latest: Latest) -> None:
    complaints.allow("EventSource", "ERR_")
    for _ in range(2):
        live_page(complaints.page, site, latest.path)
        expect(complaints.page.locator(".where")).to_contain_text("Step 4 of 4")
    assert latest.asked == ["GET", "GET"]


def look(page: Page, *, hidden: bool) -> None:
    """Turn to another tab, or back to this one."""
    page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_a_match_that_ended_can_be_seen_with_all_eyes(page: Page, site: Site, stream: Stream) -> None:
    document, later = running(5)
    stream.send(document)
    live_page(page, site, stream.path, 'src="/frames/karteneck/"')
    expect(page.locator(".where")).to_contain_text("Step 4 of 4")
    expect(page.locator(".eyes")).to_be_hidden()
    stream.send(*later, {"result": documents("karteneck")["spectator"]["result"]})
    expect(page.locator(".eyes")).to_be_visible()


def test_an_arena_that_is_gone_is_asked_again(complaints: Complaints, site: Site, stream: Stream) -> None:
    complaints.allow("503", "EventSource")
    answers = iter([503, 503])  # the stream, and whether there is one

    def unwilling(handler: Handler) -> None:
        if status := next(answers, None):
            handler.reply(status, b"", "text/plain")
        else:
            stream(handler)

    site.pages[stream.path] = unwilling
    stream.send(running(5)[0])
    live_page(complaints.page, site, stream.path)
    expect(complaints.page.locator(".where")).to_contain_text("Step 4 of 4")


def test_a_match_that_is_gone_is_not_waited_for(complaints: Complaints, site: Site, stream: Stream) -> None:
    complaints.allow("404", "EventSource", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    answers = iter([stream])

    def forgetful(handler: Handler) -> None:
        if answer := next(answers, None):
            answer(handler)
        else:
            handler.reply(404, b"", "text/plain")

    site.pages[stream.path] = forgetful
    stream.send(running(5)[0])
    live_page(complaints.page, site, stream.path)
    expect(complaints.page.locator(".where")).to_contain_text("Step 4 of 4")
    complaints.page.evaluate("document.addEventListener('gone', () => { window.gone = true; }, true)")
    stream.send(None)
    expect(complaints.page.get_by_role("status").first).to_contain_text("This match was broken off")
    assert complaints.page.evaluate("window.gone")


def test_an_unknown_format_gets_a_clear_message(page: Page, site: Site) -> None:
    site.add_json("/frames/newer/open", {**documents("karteneck")["open"], "format": "roost-frames/2"})
    page.goto(site.add_page("/newer", '<roost-match src="/frames/newer/"></roost-match>'))
    expect(page.get_by_role("status").first).to_contain_text("roost-frames/2")
    expect(page.get_by_role("status").first).to_contain_text("this viewer reads roost-frames/1")


def test_why_a_match_is_refused_is_said_in_the_words_of_the_server(complaints: Complaints, site: Site) -> None:
    complaints.allow("404")
    complaints.page.goto(site.add_page("/none", '<roost-match src="/frames/none/"></roost-match>'))
    expect(complaints.page.get_by_role("status").first).to_contain_text("There is nothing at this address.")


def test_an_unknown_game_is_still_told_in_words(complaints: Complaints, site: Site) -> None:
    complaints.allow("404")
    page = complaints.page
    document = {**documents("karteneck")["open"], "game": "mahjong"}
    site.add_json("/frames/mahjong/open", document)
    page.goto(site.add_page("/mahjong", '<roost-match src="/frames/mahjong/"></roost-match>'))
    expect(page.locator(".table").first).to_contain_text("cannot draw the game mahjong")
    expect(page.locator(".moves").first.get_by_role("link")).to_have_count(len(document["frames"]))


def test_a_match_that_was_never_dealt_says_so(page: Page, site: Site) -> None:
    result = {
        "places": [],
        "scores": [],
        "termination": "voided",
        "forfeits": [],
        "faults": [],
        "reason": "the arena was shut down",
    }
    site.add_json("/frames/undealt/open", {**documents("karteneck")["open"], "frames": [], "result": result})
    page.goto(site.add_page("/undealt", '<roost-match src="/frames/undealt/"></roost-match>'))
    expect(page.get_by_role("status").first).to_contain_text("voided before the deal: the arena was shut down")


def test_documents_can_be_given_as_objects(page: Page, site: Site) -> None:
    page.goto(site.add_page("/given", "<roost-match></roost-match>"))
    given = json.dumps(documents("karteneck"))
    page.evaluate("(given) => void (document.querySelector('roost-match').documents = JSON.parse(given))", given)
    expect(page.locator(".where")).to_contain_text("The deal")
    page.locator(".eyes label", has_text="Seat 1").click()
    expect(page.locator("[data-place='hands/1']")).to_have_count(6)
    expect(page.locator("[data-place='hands/0']")).to_have_count(0)


def test_the_same_deal_under_rotated_seats_opens_side_by_side(page: Page, site: Site) -> None:
    for eye, document in documents("karteneck", rotated=True).items():
        site.add_json(f"/frames/rotated/{eye}", document)
    element = '<roost-match src="/frames/karteneck/" beside="/frames/rotated/"></roost-match>'
    page.goto(site.add_page("/both", element))
    pairs = zip(
        documents("karteneck")["open"]["frames"], documents("karteneck", rotated=True)["open"]["frames"], strict=False
    )
    part = next(one["step"] for one, other in pairs if moves(one) != moves(other))
    expect(page.locator(".comparison")).to_contain_text(f"part at step {part}")
    page.get_by_role("button", name="Go to where they part").click()
    expect(page.locator(".where")).to_contain_text(f"Step {part} of")
    expect(page.locator(".stage")).to_have_count(2)
    page.locator(".stage").nth(1).locator("[data-place='hands/0']").first.click()
    expect(page.locator(".trail")).to_contain_text("hand of seat 0, step 0")


def moves(frame: dict[str, Any]) -> list[Any]:
    return [(move["seat"], move["move"]) for move in frame["moves"]]


def test_another_deal_is_not_shown_beside(page: Page, site: Site) -> None:
    page.goto(site.add_page("/odd", '<roost-match src="/frames/haecmaec/" beside="/frames/slap/"></roost-match>'))
    expect(page.locator(".comparison")).to_contain_text("of another game")


def test_the_host_of_an_embedded_match_is_told_step_and_end(page: Page, site: Site) -> None:
    site.add_page("/inner", '<roost-match embed address src="/frames/karteneck/" link="/karteneck"></roost-match>')
    site.pages["/host.js"] = b"window.told = []; addEventListener('message', (event) => told.push(event.data));"
    last = documents("karteneck")["open"]["frames"][-1]["step"]
    iframe = f'<iframe src="/inner#step={last - 1}&amp;eye=open" width="900" height="700"></iframe>'
    page.goto(site.add_page("/host", f'<script src="/host.js"></script>{iframe}'))
    inner = page.frame_locator("iframe")
    expect(inner.locator(".where")).to_contain_text(f"Step {last - 1}")
    inner.get_by_role("button", name="Next decision").click()
    page.wait_for_function("told.some((message) => message.event === 'ended')")
    told = page.evaluate("told")
    assert [message["step"] for message in told if message["event"] == "step"] == [last - 1, last]
    assert told[-1]["source"] == "roost-match"
    whole = inner.get_by_role("link", name="Open the whole match")
    expect(whole).to_have_attribute("href", f"{site.address}/karteneck#step={last}&eye=open")
    assert told[-1]["result"]["places"] == documents("karteneck")["open"]["result"]["places"]

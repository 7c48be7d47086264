"""Stepping through a recorded match: keys, buttons, eyes, links to a step, key moments, cards, charts, text."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.shown_matches import HOSTILE, LEFTWARD, MATCHES, documents
from tests.support.viewer_site import Complaints, Site

STEP_TO_THE_END = """(presses) => {
  const viewer = document.querySelector("roost-match");
  const announcer = viewer.shadowRoot.querySelector("[aria-live]");
  return Array.from({ length: presses }, () => {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true, cancelable: true }));
    return [viewer.step, announcer.textContent];
  });
}"""
NAMES_AND_WHAT_FOLLOWS = """() => {
  const viewer = document.querySelector("roost-match").shadowRoot;
  const boxes = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  };
  const follows = (one, other) => {
    const [last, next] = [boxes(one).at(-1), boxes(other)[0]];
    return next.left >= last.right - 1 || next.top >= last.bottom - 1;
  };
  return [...viewer.querySelectorAll(".moves:not([hidden] *) .role-seat bdi")].map((name) => {
    const [bracket, rest] = [name.nextSibling, name.parentElement.nextSibling];
    return [name.textContent, follows(name, bracket) && follows(bracket, rest)];
  });
}"""


def opened(page: Page, site: Site, name: str, hash: str = "") -> None:
    """Opens a match and waits until it is shown."""
    page.goto(f"{site.address}/{name}{hash}")
    expect(page.locator(".where")).not_to_be_empty()


def step(page: Page) -> int:
    """The step that is shown, as the element says."""
    shown: int = page.evaluate("document.querySelector('roost-match').step")
    return shown


def expect_step(page: Page, number: int) -> None:
    """Waits until the caption and the address say this step."""
    last = documents_of(page)["open"]["frames"][-1]["step"]
    expect(page.locator(".where")).to_contain_text("The deal" if number == 0 else f"Step {number} of {last}")
    expect(page).to_have_url(re.compile(f"#step={number}&"))


def documents_of(page: Page) -> dict[str, dict[str, list[dict[str, int]]]]:
    """The documents of the match that is open."""
    return documents(page.url.split("#")[0].rsplit("/", 1)[1])


def step_through(page: Page, site: Site, name: str, eye: str) -> None:
    """Steps through a match with the eyes of `eye`; each step must be announced in its own words."""
    opened(page, site, name, f"#step=0&eye={eye}")
    frames = documents(name)[eye]["frames"]
    assert page.evaluate(STEP_TO_THE_END, len(frames) - 1) == [[frame["step"], frame["text"]] for frame in frames[1:]]
    assert page.evaluate("document.querySelector('roost-match').eye") == eye


@pytest.mark.short(1)
@pytest.mark.parametrize("name", MATCHES)
def test_a_whole_match_can_be_stepped_through(page: Page, site: Site, name: str) -> None:
    """With the last seat's eyes where hands are hidden; all other eyes have a test of their own."""
    step_through(page, site, name, list(documents(name))[-1])


@pytest.mark.long
@pytest.mark.parametrize(("name", "eye"), [(name, eye) for name in MATCHES for eye in documents(name)])
def test_a_whole_match_can_be_stepped_through_with_every_eye(page: Page, site: Site, name: str, eye: str) -> None:
    step_through(page, site, name, eye)


def test_arrow_home_and_end_keys_step(page: Page, site: Site) -> None:
    opened(page, site, "karteneck")
    steps = [frame["step"] for frame in documents("karteneck")["open"]["frames"]]
    expect_step(page, 0)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect_step(page, steps[2])
    page.keyboard.press("ArrowLeft")
    expect_step(page, steps[1])
    page.keyboard.press("End")
    expect_step(page, steps[-1])
    page.keyboard.press("ArrowRight")
    expect_step(page, steps[-1])
    page.keyboard.press("Home")
    expect_step(page, 0)


def test_a_round_is_passed_in_one_go(page: Page, site: Site) -> None:
    opened(page, site, "karteneck")
    frames = documents("karteneck")["open"]["frames"]
    second = next(frame["step"] for frame in frames if frame["round"] == 2)
    page.keyboard.press("]")
    expect_step(page, second)
    page.keyboard.press("[")
    expect_step(page, 0)


def test_a_turn_is_passed_in_one_go(page: Page, site: Site) -> None:
    opened(page, site, "haecmaec")
    frames = documents("haecmaec")["open"]["frames"]
    second = next(frame["step"] for frame in frames if frame["turn"] == frames[0]["turn"] + 1)
    page.get_by_role("button", name="Next turn").click()
    expect_step(page, second)


def test_f_goes_to_the_next_fault_which_is_told_with_what_was_sent(page: Page, site: Site) -> None:
    opened(page, site, "faulty")
    faults = [frame["step"] for frame in documents("faulty")["open"]["frames"] if frame["faults"]]
    page.keyboard.press("f")
    expect_step(page, faults[0])
    page.keyboard.press("f")
    expect_step(page, faults[1])
    expect(page.locator("div.caption")).to_contain_text("malformed")
    expect(page.locator(".moves [aria-current]").first).to_contain_text("nonsense")


def test_a_link_opens_exactly_its_step_and_eye(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=12&eye=1")
    expect_step(page, 12)
    expect(page.get_by_role("radio", name="What seat 1 (bob) saw")).to_be_checked()
    page.evaluate("location.hash = '#step=3&eye=open'")
    expect_step(page, 3)
    expect(page.get_by_role("radio", name="Everything open")).to_be_checked()


@pytest.mark.short(1)
@pytest.mark.parametrize("hash", ["#step=999999", "#step=-4&eye=17", "#step=x&eye=%3Cscript%3E", "#nonsense"])
def test_a_broken_link_opens_the_match(complaints: Complaints, site: Site, hash: str) -> None:
    complaints.allow("404")
    opened(complaints.page, site, "karteneck", hash)


def test_the_link_to_a_step_is_copied(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=9&eye=0")
    page.get_by_role("button", name="Copy link to this step").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{site.address}/karteneck#step=9&eye=0"


def test_a_seat_sees_its_own_hand_only(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=5&eye=0")
    hand = documents("karteneck")["0"]["frames"][5]["view"]["hands"][0]
    expect(page.locator("[data-place='hands/0']")).to_have_count(len(hand))
    expect(page.locator("[data-place='hands/1']")).to_have_count(0)
    page.locator(".eyes label", has_text="Open").click()
    expect(page.locator("[data-place='hands/1']").first).to_be_visible()
    expect_step(page, 5)


def test_playing_shows_one_step_after_the_other_until_the_end(page: Page, site: Site) -> None:
    last = documents("karteneck")["open"]["frames"][-1]["step"]
    opened(page, site, "karteneck", f"#step={last - 3}&eye=open")
    page.get_by_label("Speed, in steps a second").select_option("16")
    page.keyboard.press("Space")
    expect_step(page, last)
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_playing_at_recorded_speed_waits_as_long_as_the_bots_thought(page_alone: Page, site: Site) -> None:
    frames, page = documents("karteneck")["open"]["frames"], page_alone
    page.clock.install(time=0)
    opened(page, site, "karteneck")
    page.clock.pause_at(3_600_000)
    page.get_by_label("Speed, in steps a second").select_option("recorded")
    page.get_by_role("button", name="Play").click()
    first = frames[1]["moves"][0]["ms"]
    page.clock.run_for(max(16, first) - 1)
    assert step(page) == 0
    page.clock.run_for(2)
    assert step(page) == 1


def test_a_click_on_a_card_goes_to_where_it_was_laid_and_back(page: Page, site: Site) -> None:
    frames = documents("karteneck")["open"]["frames"]
    laid, later = laid_and_still_there(frames)
    opened(page, site, "karteneck", f"#step={later}&eye=open")
    seat, card = frames[laid]["moves"][0]["seat"], frames[laid]["moves"][0]["move"]["lay"][0]
    page.locator(f"[data-place='displays/{seat}'][data-card='{card}']").first.click()
    expect_step(page, laid)
    page.get_by_role("link", name=f"Back to step {later}").click()
    expect_step(page, later)


def laid_and_still_there(frames: list[dict[str, object]]) -> tuple[int, int]:
    """A step that laid a worm card, of which there is only one, and a later step at which it still lies there."""
    for index, frame in enumerate(frames[:-1]):
        for move in frame["moves"]:  # type: ignore[attr-defined]
            card = move["move"].get("lay", [""])[0]
            display = frames[index + 1]["view"]["displays"][move["seat"]]  # type: ignore[index]
            if card.startswith("W") and card in display:
                return index, index + 1
    raise AssertionError("nobody laid a worm card")


def test_cards_are_reached_with_keys(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=8&eye=open")
    page.locator("[data-card][tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("[data-card]:focus").count() == 1
    expect_step(page, 8)
    page.keyboard.press("Enter")
    expect(page.locator(".trail")).to_be_visible()


def test_key_moments_are_listed_as_links(page: Page, site: Site) -> None:
    opened(page, site, "haecmaec")
    closed = next(frame for frame in documents("haecmaec")["open"]["frames"] if "closed" in frame["marks"])
    page.get_by_role("tab", name="Moments").click()
    link = page.get_by_role("link").filter(has_text="closed burger").first
    assert link.get_attribute("href") == f"{site.address}/haecmaec#step={closed['step']}&eye=open"
    link.click()
    expect_step(page, closed["step"])


def test_a_position_can_be_read_as_text(page: Page, site: Site) -> None:
    opened(page, site, "bratwurmeck", "#step=20&eye=open")
    frame = documents("bratwurmeck")["open"]["frames"][20]
    page.get_by_role("tab", name="Text").click()
    expect(page.get_by_role("tabpanel")).to_contain_text(frame["text"])
    assert len(page.locator(".position p").all()) > 3


def test_the_charts_name_points_and_times(page: Page, site: Site) -> None:
    opened(page, site, "karteneck")
    points = documents("karteneck")["open"]["frames"][-1]["points"]
    page.get_by_role("tab", name="Charts").click()
    expect(page.get_by_role("img", name=re.compile(f"seat 0 {points[0]}, seat 1 {points[1]}"))).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("Time per decision of seat 2: .* at most"))).to_be_visible()


def test_a_name_is_text_whatever_it_is(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=0&eye=2")
    assert HOSTILE in page.locator(".result bdi").all_text_contents()
    assert page.locator("script").count() == 1


def test_a_name_that_runs_to_the_left_does_not_turn_the_words_around_it(page: Page, site: Site) -> None:
    opened(page, site, "karteneck", "#step=0&eye=open")
    followed = page.evaluate(NAMES_AND_WHAT_FOLLOWS)
    assert {name for name, _ in followed} == {HOSTILE, LEFTWARD, "bob"}
    assert all(beside for _, beside in followed)
    page.get_by_role("tab", name="Text").click()
    facts = page.locator(".position p").all_text_contents()
    assert any(f"seat 0 (\u2068{LEFTWARD}\u2069): " in fact for fact in facts)
    assert not any("\u202e" in fact for fact in facts)


def test_help_lists_the_keys_and_letters_can_be_turned_off(page: Page, site: Site) -> None:
    opened(page, site, "faulty")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next fault")
    expect(page.get_by_role("dialog")).to_contain_text("roost-frames/1")
    page.get_by_label("Use letters and signs as keys").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("f")
    page.keyboard.press("ArrowRight")
    expect_step(page, documents("faulty")["open"]["frames"][1]["step"])


@pytest.mark.short(1)
@pytest.mark.parametrize("name", ["karteneck", "bratwurmeck", "slap"])
def test_nothing_is_wider_than_the_screen(page: Page, site: Site, name: str) -> None:
    opened(page, site, name, "#step=30&eye=open")
    for width in (1400, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_how_a_match_broke_off_is_said(page: Page, site: Site) -> None:
    opened(page, site, "voided")
    expect(page.locator(".status")).to_have_text("Voided: the arena lost its power")
    opened(page, site, "forfeited")
    expect(page.locator(".status")).to_have_text("Ended by forfeit")
    page.get_by_label("What to go to").select_option("forfeit")
    page.get_by_role("button", name="Go to the next one").click()
    first = next(frame for frame in documents("forfeited")["open"]["frames"] if "forfeit" in frame["marks"])
    expect_step(page, first["step"])
    expect(page.locator("div.caption")).to_contain_text("forfeit")

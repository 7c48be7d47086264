"""A match as one page with the viewer in it: what is in the page, and that a browser shows it from a file."""

import base64
import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

import roost_sdk
from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.errors import ReplayError, UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay
from roost_sdk import LoadedBot, LocalMatch, show
from roost_sdk.viewing.frames import Recorded
from roost_sdk.viewing.moments import Remark
from tests.support.shown_matches import replay_of

CHROMIUM = Path("/usr/bin/chromium")
HOSTILE = "</script><script>alert(1)</script>"


def played(name: str = "random", game: str = "karteneck") -> LocalMatch:
    match = LocalMatch(get_game(game), [LoadedBot(name, SAMPLES["random"])] * 2, seed_of("page"), match="m1")
    match.play()
    return match


@pytest.fixture(scope="module")
def replay() -> Replay:
    return played().referee.replay()


def between(page: str, start: str, end: str = "</script>") -> str:
    return page.partition(start)[2].partition(end)[0]


def documents_in(page: str, name: str = "documents") -> Any:
    return json.loads(gzip.decompress(base64.b64decode(between(page, f'id="{name}">'))))


def modules_in(page: str) -> dict[str, str]:
    """The source of each module by its name."""
    imports = json.loads(between(page, '<script type="importmap">'))["imports"]
    head = "data:text/javascript;base64,"
    assert all(url.startswith(head) for url in imports.values())
    return {name: base64.b64decode(url.removeprefix(head)).decode() for name, url in imports.items()}


def test_all_eyes_are_in_the_page(replay: Replay) -> None:
    recorded = Recorded(replay)
    documents = documents_in(show(replay).html())
    assert list(documents) == ["open", "spectator", "0", "1"]
    assert documents["1"] == json.loads(json.dumps(recorded.document(1)))


def test_the_same_deal_under_rotated_seats_is_in_the_page(replay: Replay) -> None:
    page = show(replay, beside=replay_of("karteneck", rotated=True)).html()
    assert documents_in(page)["open"]["match"] == "m1"
    assert documents_in(page, "besideDocuments")["open"]["seats"][2]["bot"] == replay_of("karteneck").seats[0].bot
    assert "besideDocuments" not in show(replay).html()


def test_every_import_of_the_viewer_is_in_the_page(replay: Replay) -> None:
    modules = modules_in(show(replay).html())
    assert "roost-viewer/match.js" in modules
    sources = [source.replace("${game}", game) for source in modules.values() for game in GAME_NAMES]
    imported = {name for source in sources for name in re.findall(r'["`](roost-viewer/[^"`]+)["`]', source)}
    assert {f"roost-viewer/boards/{game}.js" for game in GAME_NAMES} <= imported
    assert imported <= modules.keys()
    assert not [name for name, source in modules.items() if re.search(r'(from|import)\s*\(?\s*["`]\.', source)]


def test_nothing_is_loaded_from_anywhere(replay: Replay) -> None:
    page = show(replay).html()
    everything = [page, *modules_in(page).values()]
    urls = {url for text in everything for url in re.findall(r"https?://[^\s\"'`)]+", text)}
    assert urls <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def test_the_same_match_gives_the_same_page(replay: Replay) -> None:
    assert show(replay).html() == show(Replay.from_line(replay.to_line())).html()


def test_a_hostile_name_stays_text() -> None:
    match = played(HOSTILE)
    for page in (show(match).html(), show(match)._repr_html_()):
        assert "alert(1)" not in page.replace(html.escape(HOSTILE), "").replace(html.escape(html.escape(HOSTILE)), "")
    assert documents_in(show(match).html())["open"]["seats"][0]["bot"] == HOSTILE


def test_a_match_a_record_and_a_line_are_shown_alike() -> None:
    match = played()
    replay = match.referee.replay()
    assert show(match).html() == show(replay).html() == show(replay.to_line()).html() == roost_sdk.show(match).html()


def test_a_notebook_gets_a_frame_that_can_do_nothing_to_it(replay: Replay) -> None:
    shown = show(replay, eye=1, step=7)
    frame = shown._repr_html_()
    assert frame.startswith("<iframe ")
    assert 'sandbox="allow-scripts"' in frame
    inner = html.unescape(between(frame, 'srcdoc="', '"'))
    assert '<roost-match eye="1" step="7">' in inner
    assert documents_in(inner).keys() == {"open", "spectator", "0", "1"}
    assert repr(shown) == (
        "<Heckmeck am Karteneck: random, random; show it in a notebook, or write a page with .save('match.html')>"
    )


def test_what_cannot_be_shown(replay: Replay, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="not JSON"):
        show("m1")
    with pytest.raises(UsageError, match="no seat 2 in this match"):
        show(replay, eye=2)
    with pytest.raises(UsageError, match=r"cannot write .*nowhere/x\.html: No such file"):
        show(replay).save(tmp_path / "nowhere" / "x.html")


def test_remarks_are_for_those_who_see_the_hand(replay: Replay) -> None:
    """The first decision is the step after starter, portions and deck."""
    recorded = Recorded(replay)
    (chance, first) = (3, recorded.moments[1].choices[0].seat)
    recorded.remark(chance, Remark(first, "here careful would: lay W17", 0.25))
    for eye in recorded.eyes:
        frames: Any = recorded.document(eye)["frames"]
        told = "W17" in frames[1]["text"]
        assert told == (eye in ("open", first))
        assert [frame["swing"] for frame in frames[:3]] == [0.0, 0.25, 0.0]


def test_without_weighing_there_are_no_swings(replay: Replay) -> None:
    frames: Any = Recorded(replay).document()["frames"]
    assert all("swing" not in frame for frame in frames)


@pytest.mark.short(1)
@pytest.mark.skipif(not CHROMIUM.exists(), reason="Chromium is not installed: apt-get install chromium")
@pytest.mark.parametrize("place", ["file", "notebook"])
def test_a_browser_shows_the_page_without_a_network(place: str, replay: Replay, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    shown = show(replay, step=3, beside=replay)
    file = tmp_path / "match.html"
    file.write_text(shown.html() if place == "file" else f"<!doctype html>{shown._repr_html_()}", encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(offline=True)
        errors: list[str] = []
        asked: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(file.as_uri())
        root = page if place == "file" else page.frame_locator("iframe")
        root.get_by_text(re.compile(r"Step 3 of \d+")).first.wait_for(timeout=60_000)
        expect = playwright.expect
        expect(root.get_by_role("heading", level=1)).to_have_text("Heckmeck am Karteneck: random, random")
        root.get_by_text("The same deal under rotated seats").wait_for(timeout=60_000)
        root.get_by_role("button", name=re.compile("next", re.IGNORECASE)).first.click()
        root.get_by_text(re.compile(r"Step 4 of \d+")).first.wait_for(timeout=60_000)
        browser.close()
    assert errors == []
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]

"""The page as files: every link leads to a file, nothing needs a server, and frames are inside."""

import gzip
import json
import re
import urllib.request
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urljoin

import grpc
import pytest
from playwright.sync_api import Browser, expect

from roost_games.errors import RoostError, UsageError
from roost_games.registry import get_game
from roost_web.settings import PageSettings
from roost_web.static_site import file_of, write_site
from tests.support.browser import PATIENCE_MS
from tests.support.games.spectated import watched
from tests.support.pages.fake_arena import HOSTILE, FakeArena, serving
from tests.support.viewer_site import Complaints

MATCHES = 5
NO_PROXY = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    fake = FakeArena(("greedy", "careful", *HOSTILE[:1]))
    fake.matches = fake.matches[:12]
    variant, players = next(iter(get_game("karteneck").tables()))
    fake.replay = watched("karteneck", variant, players, "written")[1].replay().to_line()
    folder = tmp_path_factory.mktemp("sites") / "site"
    with serving(fake) as address:
        assert write_site(PageSettings(address), folder, most_matches=MATCHES) > 20
    return folder


def pages(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.html"))


def test_every_link_leads_to_a_file(folder: Path) -> None:
    for page in pages(folder):
        links = re.findall(r'(?:href|src)="([^"#]*)', page.read_text())
        broken = [link for link in links if link and not (page.parent / unquote(link.replace("&amp;", "&"))).is_file()]
        assert broken == [], page


def test_nothing_asks_a_server(folder: Path) -> None:
    for page in pages(folder):
        text = page.read_text()
        assert "hx-get" not in text
        assert "<form" not in text
        assert "htmx" not in re.sub(r"<meta[^>]*>", "", text)


def test_there_are_lists_by_bot_pair_and_competition(folder: Path) -> None:
    for name in (
        "index.html",
        "standings.html",
        "standings/cross.html",
        "standings/game-karteneck.html",
        "matches.html",
        "matches/bot-greedy.html",
        "pair/bot-greedy_opponent-careful.html",
        "bots/greedy.html",
        "competitions/spring.html",
        "rules/karteneck.html",
    ):
        assert (folder / name).is_file(), name


def test_a_match_has_its_frames_inside(folder: Path) -> None:
    matches = sorted((folder / "matches").glob("match-*.html"))
    assert [page.stem for page in matches] == [f"match-{number}" for number in range(116, 121)]
    packed = re.search(r'data-documents="documents">([^<]+)<', matches[0].read_text())
    assert packed
    documents = json.loads(gzip.decompress(b64decode(packed[1])))
    assert list(documents) == ["open", "spectator", "0", "1"]
    assert (folder / "not-here.html").is_file(), "older matches are listed, but not shown"


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    with pytest.raises(UsageError, match="not an empty folder"):
        write_site(PageSettings("127.0.0.1:1"), tmp_path)


def test_without_an_arena_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(RoostError, match=r"^the arena at 127\.0\.0\.1:1 does not answer; nothing was written$"):
        write_site(PageSettings("127.0.0.1:1"), tmp_path / "site")
    assert not (tmp_path / "site").exists()


class LeavingArena(FakeArena):
    """Answers until somebody asks for the competition."""

    def _asked(self, method: str, context: Any) -> None:
        if method == "GetCompetition":
            self.failing = grpc.StatusCode.UNAVAILABLE
        super()._asked(method, context)


@pytest.mark.parametrize("existed", [False, True])
def test_half_a_site_is_not_left(existed: bool, tmp_path: Path) -> None:
    folder, fake = tmp_path / "site", LeavingArena()
    fake.matches = []
    if existed:
        folder.mkdir()
    with serving(fake) as address, pytest.raises(RoostError, match="does not answer; nothing was written"):
        write_site(PageSettings(address), folder)
    assert list(tmp_path.rglob("*")) == [folder] * existed


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """A plain web host, and the address of what is in the folder there."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder))) as host:
        thread = Thread(target=host.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{host.server_address[1]}/"
        host.shutdown()
        thread.join()


def test_a_visitor_of_a_web_host_finds_everything(folder: Path) -> None:
    """From the first page, under a path, following every link: nothing is missing, and no page is left out."""
    with hosted(folder.parent) as host:
        start = f"{host}{folder.name}/"
        found, waiting = {start}, [start]
        while waiting:
            here = waiting.pop()
            with NO_PROXY.open(here, timeout=60) as answer:
                text = answer.read().decode(errors="replace") if answer.headers.get_content_subtype() == "html" else ""
            links = {urljoin(here, unescape(link)) for link in re.findall(r'(?:href|src)="([^"#]+)', text)}
            assert [link for link in links if not link.startswith(start)] == [], here
            waiting += links - found
            found |= links
    files = {unquote(url.removeprefix(start)) or "index.html" for url in found}
    assert {str(page.relative_to(folder)) for page in pages(folder)} <= files


def test_the_folder_is_opened_from_the_disk(browser: Browser, folder: Path) -> None:
    """Browsers load no modules from there. From the first page to a match, which opens with all hands and steps on."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    heard = Complaints(page, "file:")
    page.goto((folder / "index.html").as_uri())
    page.locator("main a[href^='matches/match-']").first.click()
    expect(page.get_by_role("radio", name="Open")).to_be_checked()
    page.get_by_role("button", name="Next decision").click()
    expect(page).to_have_url(re.compile(r"#step=1\b"))
    expect(page.locator("time[data-ms]").first).to_contain_text("ago")
    assert heard.found == []
    page.close()


def test_every_name_has_a_file_of_its_own_on_any_disk() -> None:
    """Some disks do not tell capitals apart, some take no dots at the end, and none takes more than 255 letters."""
    names = ("greedy", "Greedy", "GREEDY", "..", ".", "a.b", "a~b", "a/b", "ä", "\u202egreedy", "W" * 40, "." * 40)
    files = [file_of(("/pair", (("bot", name), ("opponent", name)))) for name in names]
    assert len({file.lower() for file in files}) == len(names)
    for file in files:
        assert re.fullmatch(r"pair/bot-[a-z0-9_.~-]+\.html", file)
        assert len(file.removeprefix("pair/")) <= 255
        assert ".." not in file.removesuffix(".html").split("/")

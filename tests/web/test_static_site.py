"""The page as files: every link leads to a file, nothing needs a server, and frames are inside."""

import gzip
import json
import re
from base64 import b64decode
from pathlib import Path
from urllib.parse import unquote

import pytest

from roost_games.errors import RoostError, UsageError
from roost_games.registry import get_game
from roost_web.settings import PageSettings
from roost_web.static_site import write_site
from tests.support.games.spectated import watched
from tests.support.pages.fake_arena import HOSTILE, FakeArena, serving

MATCHES = 5


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
    packed = re.search(r"data-documents>([^<]+)<", matches[0].read_text())
    assert packed
    documents = json.loads(gzip.decompress(b64decode(packed[1])))
    assert list(documents) == ["open", "spectator", "0", "1"]
    assert (folder / "not-here.html").is_file(), "older matches are listed, but not shown"


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    with pytest.raises(UsageError, match="not an empty folder"):
        write_site(PageSettings("127.0.0.1:1"), tmp_path)


def test_without_an_arena_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(RoostError, match="not answering"):
        write_site(PageSettings("127.0.0.1:1"), tmp_path / "site")
    assert not (tmp_path / "site").exists()

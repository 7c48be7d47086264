"""The picture of the page in the README: it is there, small, and what `make picture` takes."""

import struct
from pathlib import Path

import pytest

from tests.support.browser import chromium
from tests.web.picture import MOST_BYTES, PICTURE, SIZE, take

README = PICTURE.parents[1] / "README.md"


def size_of(png: bytes) -> tuple[int, ...]:
    """Width and height, which stand in the first chunk of the file."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


def test_the_first_screen_of_the_readme_shows_it() -> None:
    first_screen = README.read_text(encoding="utf-8").partition("\n## ")[0]
    assert "](docs/page.png)" in first_screen
    assert "http://127.0.0.1:8080/" in first_screen, "and how to open it"


def test_it_is_small_enough_for_a_repository() -> None:
    png = PICTURE.read_bytes()
    assert len(png) < MOST_BYTES
    assert size_of(png) == SIZE


@pytest.mark.long
def test_it_can_be_taken_again(tmp_path: Path) -> None:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 640, "height": 480})
        take(page, tmp_path / "page.png")
    assert size_of((tmp_path / "page.png").read_bytes()) == (640, 480)

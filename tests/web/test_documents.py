"""The documentation on the page."""

import posixpath
import re
from pathlib import Path

import pytest
from markupsafe import Markup

from roost_web import documents
from roost_web.documents import document_link, document_page
from roost_web.links import Links

PREFIX = "/arena"
LINKS = Links(PREFIX)
ROOT = Path(__file__).parents[2]


def page(name: str) -> str:
    return str(document_page(name, LINKS)[1])


@pytest.mark.parametrize("name", documents.documents())
def test_links_lead_to_pages_and_to_headings_that_exist(name: str) -> None:
    text = page(name)
    for target in re.findall(r'href="([^"]*)"', text):
        if target.startswith(("http:", "https:", f"{PREFIX}/rules/")):
            continue
        path, _, anchor = target.partition("#")
        to = posixpath.relpath(path, f"{PREFIX}/docs") if path else name
        there = text if to == name else page("index" if to == "." else to)
        assert not anchor or f'id="{anchor}"' in there, f"{name} links to {target}"


def test_a_link_within_the_documentation_is_one_of_the_site() -> None:
    assert f'<a href="{PREFIX}/docs/bots/start">' in page("index")
    assert f'<a href="{PREFIX}/docs/formats/protocol">' in page("bots/other-languages")
    assert document_link("index", LINKS) == f"{PREFIX}/docs"


def test_what_is_elsewhere_in_the_checkout_keeps_its_words() -> None:
    assert "../README.md" in (ROOT / "docs/index.md").read_text(encoding="utf-8")
    assert "Start with the README" in page("index")


def test_rules_are_pages_of_their_own() -> None:
    assert f'href="{PREFIX}/rules/karteneck"' in page("games")


def test_headings_of_one_name_have_anchors_of_their_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# The `page`, twice\n\n## Why?\n\n## Why?\n\n<b>\n", encoding="utf-8")
    monkeypatch.setattr(documents, "documents", lambda: {"a": file})
    title, text = document_page.__wrapped__("a", LINKS)
    assert title == "The page, twice"
    assert re.findall(r'id="([^"]*)"', text) == ["the-page-twice", "why", "why-1"]
    assert Markup("&lt;b&gt;") in text


def test_tables_need_no_styles_and_wide_ones_scroll_by_themselves() -> None:
    text = page("why/measurements")
    assert "style=" not in text
    assert '<td class="number">' in text
    for table in re.findall(r'(<div class="scroll"[^>]*>)?<table>\s*<thead>(.*?)</thead>', text, re.DOTALL):
        assert bool(table[0]) == (len(re.findall("<t[hd]", table[1])) >= documents.WIDE)
    assert text.count('<div class="scroll"') == text.count("</table>\n</div>")

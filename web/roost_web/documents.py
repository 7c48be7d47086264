"""What we have written in Markdown, as HTML: the rules of the games and the documentation, with links to pages."""

import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from roost_games.registry import GAME_NAMES, rules_of
from roost_web.links import Links

HERE = Path(__file__).parent
FOLDERS = (HERE.parents[1] / "docs", HERE.parent / "roost_docs")
"""The documentation in a checkout, and beside the package where Roost is installed."""
INDEX = "index"
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
WIDE = 5
"""A table with this many columns scrolls by itself on a narrow screen."""
FRAME = '<div class="scroll" role="group" aria-label="Table" tabindex="0">'
PLAIN_TEXT = ("text", "code_inline")


@cache
def rules_page(game: str) -> Markup:
    """The rules of a game."""
    return _page(rules_of(game))


@cache
def documents() -> dict[str, Path]:
    """The pages of the documentation by name, such as `bots/start`."""
    folder = next(folder for folder in FOLDERS if folder.is_dir())
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in sorted(folder.rglob("*.md"))}


@cache
def document_page(name: str, links: Links) -> tuple[str, Markup]:
    """The title and the text of one of `documents()`."""
    text = documents()[name].read_text(encoding="utf-8")
    return text.partition("\n")[0].lstrip("# ").replace("`", ""), _page(text, name, links)


def inline(text: str) -> Markup:
    """One line."""
    return Markup(MARKDOWN.renderInline(text))  # noqa: S704  ours


def document_link(name: str, links: Links) -> str:
    """The address of a page of the documentation."""
    return links.to("/docs" if name == INDEX else f"/docs/{name}")


def _page(text: str, name: str = "", links: Links | None = None) -> Markup:
    tokens = list(_tables(MARKDOWN.parse(text)))
    _add_anchors(tokens)
    for token in tokens:
        if links and token.children:
            token.children = list(_linked(token.children, name, links))
    return Markup(MARKDOWN.renderer.render(tokens, MARKDOWN.options, {}))  # noqa: S704  ours


def _tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """These, with classes instead of styles, which the page's policy forbids, and wide tables in frames."""
    columns = 0
    for at, token in enumerate(tokens):
        if "style" in token.attrs:
            del token.attrs["style"]  # numbers, on the right
            token.attrSet("class", "number")
        if token.type == "th_open" and not tokens[at + 1].content:
            token.tag = tokens[at + 2].tag = "td"  # a header without a word is none
        if token.type == "table_open":
            columns = [each.type for each in tokens[at : _end_of_row(tokens, at)]].count("th_open")
        framed = columns >= WIDE
        if framed and token.type == "table_open":
            yield Token("html_block", "", 0, content=FRAME)
        yield token
        if framed and token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>")


def _end_of_row(tokens: Sequence[Token], at: int) -> int:
    return next(number for number, token in enumerate(tokens[at:], at) if token.type == "tr_close")


def _add_anchors(tokens: Sequence[Token]) -> None:
    """Give each heading the name that it has on GitHub, which links in the text use."""
    seen: Counter[str] = Counter()
    for token, content in pairwise(tokens):
        if token.type != "heading_open":
            continue
        said = "".join(each.content for each in content.children or () if each.type in PLAIN_TEXT)
        anchor = re.sub(r"[^\w\- ]", "", said.lower()).replace(" ", "-")
        token.attrSet("id", f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1


def _linked(tokens: Sequence[Token], name: str, links: Links) -> Iterator[Token]:
    """These, with links to pages of the site; what is elsewhere in the checkout keeps its words only."""
    kept = False
    for token in tokens:
        if token.type == "link_open":
            address = _address(str(token.attrGet("href")), name, links)
            kept = bool(address)
            token.attrSet("href", address)
        if kept or token.type not in ("link_open", "link_close"):
            yield token


def _address(target: str, name: str, links: Links) -> str:
    """Where a link on this page leads on the site; nothing if it has no such page."""
    if target.startswith(("#", "http:", "https:")):
        return target
    file, _, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(name), file)).removesuffix(".md")
    if path in documents():
        return document_link(path, links) + (f"#{anchor}" if anchor else "")
    return next((links.to(f"/rules/{game}") for game in GAME_NAMES if path.endswith(f"/{game}/rules")), "")

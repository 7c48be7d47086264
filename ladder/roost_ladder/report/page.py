"""The report as one web page. It is self-contained: no script, font, image or connection."""

from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from roost_games.wording import plural
from roost_ladder.report.charts import curves
from roost_ladder.report.markup import element, isolated, text
from roost_ladder.report.sections import (
    conduct_table,
    head_to_head_map,
    places_table,
    points_table,
    seats_table,
    standings_of,
    views_table,
)
from roost_ladder.report.summary import Summary
from roost_ladder.report.tables import SHADES

HOW_RATED = {
    "fit": "Ratings are fitted to all matches at once. The line around each is its 95 % interval",
    "elo": "Ratings are classic Elo, walked from match to match. The line around each is a rough 95 % interval",
}


def style_sheet() -> str:
    """How the report and the page look."""
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


class Section(NamedTuple):
    """A part of the page."""

    anchor: str
    title: str
    explanation: str
    content: str


def page(summary: Summary) -> str:
    """The whole page. Raises `UsageError` if no match counts."""
    summary.check_not_empty()
    sections = list(_sections(summary))
    return document(
        summary.about.title,
        _header(summary, sections),
        element("main", *map(_section, sections)),
        element("footer", "400 points more: ten times as often ahead as behind. Made by Roost."),
    )


def document(title: str, *body: str) -> str:
    """A self-contained page with our style sheet."""
    head = element(
        "head",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        element("title", text(title)),
        element("style", style_sheet()),
    )
    return f"<!doctype html>\n{element('html', head, element('body', *body), lang='en')}\n"


def _header(summary: Summary, sections: list[Section]) -> str:
    counts = {
        "bot": len(summary.standings),
        "game": len(summary.statistics.games()),
        "block": summary.blocks,
        "match": summary.matches,
    }
    return element(
        "header",
        element("div", "Roost ladder", class_="over"),
        element("h1", text(summary.about.title)),
        *(
            element("span", element("b", f"{count:,}"), plural(count, thing), class_="count")
            for thing, count in counts.items()
        ),
        element("nav", *(element("a", section.title, href=f"#{section.anchor}") for section in sections)),
    )


def _section(section: Section) -> str:
    said = element("p", section.explanation, class_="say")
    return element("section", element("h2", section.title), said, section.content, id=section.anchor)


def _sections(summary: Summary) -> Iterator[Section]:
    yield Section(
        "standings",
        "Standings",
        f"{HOW_RATED[summary.rating]}. Rank: all ranks that the results allow. Above next: how likely a bot is "
        "stronger than the one below it. Of 2, 3, 4: mean place at tables of this size.",
        standings_of(summary) + "".join(_said(summary)),
    )
    yield Section(
        "head-to-head",
        "Head to head",
        "How often the bot on the left finished ahead of the one above, in percent of the matches they both played in. "
        "A tie is half.",
        head_to_head_map(summary) + _key(),
    )
    yield Section(
        "curve",
        "Rating over time",
        "Classic Elo after each number of matches. It follows the latest results and never settles.",
        curves(summary),
    )
    if len(summary.views) > 1:
        explanation = "The same ratings from all matches, and from those of one game or table size alone."
        yield Section("views", "By game and table size", explanation, views_table(summary))
    yield from _counted(summary)
    if summary.about.absent:
        absent = element("ul", *(element("li", isolated(line)) for line in summary.about.absent))
        yield Section("absent", "Not playing", "Bots that were left out or that play no longer, and why.", absent)
    yield Section("run", "This run", "What it takes to play it again.", _run(summary))


def _said(summary: Summary) -> Iterator[str]:
    for line in summary.lines(isolated):
        # A name comes in markup, so it keeps its first letter.
        yield element("p", f"{line[0].upper()}{line[1:]}.")


def _counted(summary: Summary) -> Iterator[Section]:
    yield Section(
        "seats",
        "By seat",
        "Mean place and matches won, over all bots. Every bot sits in every seat of a deal, so none gains by it.",
        seats_table(summary),
    )
    yield Section(
        "places", "Places", "How often a bot took each place: first, the darkest, to last.", places_table(summary)
    )
    yield Section(
        "points", "Points", "Mean points in a match, and the range of the middle half.", points_table(summary)
    )
    yield Section(
        "conduct",
        "Conduct",
        "Faults are answers that were late, malformed or not allowed. The bars show the time for a decision.",
        conduct_table(summary),
    )


def _key() -> str:
    steps = (element("i", class_=f"shade{step}") for step in range(2 * SHADES + 1))
    return element("div", "behind", *steps, element("span", "ahead"), class_="key")


def _run(summary: Summary) -> str:
    games = ", ".join(summary.statistics.games())
    sizes = ", ".join(map(str, summary.statistics.sizes()))
    notes = [("Games", games), ("Players", sizes), *summary.about.notes]
    return element(
        "dl", *(element("dt", text(label)) + element("dd", element("code", text(value))) for label, value in notes)
    )

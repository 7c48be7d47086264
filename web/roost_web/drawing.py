"""The ladder's tables and charts as the page shows them: with links, and marked for what changes."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from markupsafe import Markup

from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.rating.circles import circle_line
from roost_ladder.rating.specialists import Specialist, specialists_line
from roost_ladder.rating.standings import Standing
from roost_ladder.report.charts import meter, place_bar, share_bar
from roost_ladder.report.markup import cell, element, isolated, text
from roost_ladder.report.tables import (
    NOTHING,
    Column,
    bad,
    heat_map,
    shade,
    share,
    size_columns,
    standings_table,
)
from roost_web.links import Links
from roost_web.rows.filters import MatchSearch
from roost_web.rows.standings import CrossTable, ShownCircularity, ShownPair, ShownScore, ShownStanding, Standings

SHORT_VERSION = 8
"""This many letters of a version tell it from others at a glance."""
NOTABLE_TREND = 0.5
"""Less is rounded to nothing."""
WRITTEN_OUT = 16
"""Up to this many bots, the cells of the cross-table have numbers in them."""
PALEST = 0.25
"""What is not sure is at most this strong, from 0 to 1."""
MATCH_ID = re.compile(r"\b([0-9a-f]{20})\b")
SERIES = "Heckmeck am "
"""What the titles of some games begin with. The rest of them is what people call them."""


class Drawing:
    """Draws with the links of one page."""

    def __init__(self, links: Links) -> None:
        self._links = links

    def standings(self, shown: Standings, most: int | None = None, *, brief: bool = False) -> Markup:
        """The standings, or their top. `brief` leaves out what a home page has no room for."""
        rows = {row.version_id: row for row in shown.rows[:most]}
        versions = Counter(row.bot for row in shown.rows)

        def name(standing: Standing) -> str:
            row = rows[standing.bot]
            return self.bot(row.bot, row.version if versions[row.bot] > 1 else "")

        made = standings_table(
            [row.standing() for row in rows.values()],
            name,
            self._columns(shown, rows, brief),
            lambda standing: _watched(rows[standing.bot]),
            "Standings",
        )
        return Markup(made)  # noqa: S704  every text in it was escaped by `element`

    def circles(self, found: ShownCircularity) -> Markup:
        """What circles there are, in a line."""
        versions = Counter(each.bot for each in found.circle)
        circle = [
            (self.bot(each.bot, each.version if versions[each.bot] > 1 else ""), each.ahead_of_next)
            for each in found.circle
        ]
        made = circle_line(found.strength, found.strength_low, found.strength_high, circle)
        return Markup(made)  # noqa: S704  every name in it was escaped by `bot`

    def specialists(self, shown: Standings) -> Markup:
        """Which bots are surely stronger or weaker somewhere, in a line."""
        versions = Counter(row.bot for row in shown.rows)
        names = {
            each.version_id: self.bot(each.bot, each.version if versions[each.bot] > 1 else "")
            for each in shown.specialists
        }
        found = [
            Specialist.told(
                each.version_id,
                (each.game or "", each.players or 0),
                (each.rank, each.rank_there),
                (each.points, each.points_low, each.points_high),
            )
            for each in shown.specialists
        ]
        return Markup(specialists_line(found, names))  # noqa: S704  every name in it was escaped by `bot`

    def _columns(self, shown: Standings, rows: Mapping[int, ShownStanding], brief: bool) -> list[Column]:
        def of(show: Callable[[ShownStanding], str]) -> Callable[[Standing], str]:
            return lambda standing: show(rows[standing.bot])

        second = [Column("clone-proof", of(lambda row: clone_proof(row.clone_proof)))]
        first = [
            *(second if any(row.clone_proof for row in shown.rows) else []),
            Column("above next", lambda standing: share(standing.above_next)),
            Column("matches", of(lambda row: self._matches(shown, row))),
        ]
        if brief:
            return first
        return [
            *first,
            *size_columns(shown.sizes),
            Column("faults", of(lambda row: self._faults(shown, row))),
            Column("ms a move", of(lambda row: milliseconds(row.ms_per_decision))),
            Column("24 h", of(lambda row: trend(row.trend))),
        ]

    def _matches(self, shown: Standings, row: ShownStanding) -> str:
        return self._link(f"{row.matches:,}", self._of_version(shown, row, faults=False))

    def _faults(self, shown: Standings, row: ShownStanding) -> str:
        return self._link(bad(row.faults), self._of_version(shown, row, faults=True)) if row.faults else "0"

    def _of_version(self, shown: Standings, row: ShownStanding, *, faults: bool) -> str:
        wanted = MatchSearch(version_id=row.version_id, bot=row.bot, faults=faults, **shown.filter.model_dump())
        return self._links.matches(wanted)

    @staticmethod
    def _link(content: str, href: str) -> str:
        return element("a", content, href=href)

    def bot(self, name: str, version: str = "") -> str:
        """A bot's name that leads to its page, and the beginning of its version."""
        if not name:
            return element("i", "hidden")
        link = element("a", isolated(name), href=self._links.bot(name), title=name)
        return f"{link} {self.version(version)}" if version else link

    @staticmethod
    def version(version: str) -> str:
        """The beginning of a version; all of it when one points at it."""
        return element("small", isolated(version[:SHORT_VERSION]), title=version)

    def cross_table(self, shown: CrossTable) -> Markup:
        """Who finishes ahead of whom, with an interval in each cell."""
        rows = shown.standings.rows
        meetings = shown.meetings()
        written = len(rows) <= WRITTEN_OUT

        def meeting(one: int, other: int) -> str:
            pair = meetings.get((rows[one].version_id, rows[other].version_id))
            return self._meeting(rows[one], rows[other], pair, written)

        names = [self.bot(row.bot) for row in rows]
        return Markup(heat_map(names, meeting, dense=not written, label="Head to head"))  # noqa: S704  escaped

    def _meeting(self, one: ShownStanding, other: ShownStanding, pair: ShownPair | None, written: bool) -> str:
        if pair is None:
            return cell("", "unmet", title=f"{one.bot} and {other.bot} have not met")
        said = (
            f"{one.bot} ahead of {other.bot}: {100 * pair.share:.0f} % "
            f"({100 * pair.share_low:.0f} to {100 * pair.share_high:.0f} %) of {pair.matches:,}; "
            f"expected {100 * pair.expected:.0f} %"
        )
        numbers = f"{100 * pair.share:.0f}" + element("small", f"±{100 * (pair.share_high - pair.share_low) / 2:.0f}")
        shown = numbers if written else element("span", text(said), class_="unseen")
        link = element("a", shown, href=self._links.pair(one.bot, other.bot))
        return cell(link, f"{pair_shade(pair)}{' defies' if pair.defies else ''}", title=said)

    @staticmethod
    def share(at: float, low: float, high: float, expected: float | None = None) -> Markup:
        """A share with its interval."""
        return Markup(share_bar(at, low, high, expected))  # noqa: S704  numbers only

    @staticmethod
    def places(counts: Iterable[int]) -> Markup:
        """How often each place was taken."""
        listed = list(counts)
        return Markup(place_bar(listed) if sum(listed) else NOTHING)  # noqa: S704  numbers only

    @staticmethod
    def meter(part: float) -> Markup:
        """A part of a whole."""
        return Markup(meter(part))  # noqa: S704  numbers only

    @staticmethod
    def clone_proof(score: ShownScore) -> Markup:
        """The ranks and the score in the second ranking."""
        return Markup(clone_proof(score))  # noqa: S704  numbers only

    def name(self, name: str, version: str = "") -> Markup:
        """`bot` for templates."""
        return Markup(self.bot(name, version))  # noqa: S704  escaped by `element`

    def with_matches(self, words: str) -> Markup:
        """Words of the arena, in which the ids of matches lead to them."""
        pieces = (self._match(each) if MATCH_ID.fullmatch(each) else text(each) for each in MATCH_ID.split(words))
        return Markup("".join(pieces))  # noqa: S704  escaped by `text` and `element`

    def _match(self, id: str) -> str:
        return self._link(element("code", text(id[-6:])), self._links.match(id))


def _watched(row: ShownStanding) -> dict[str, object]:
    """By which the page notices what has changed in a row."""
    return {
        "id": f"v{row.version_id}",
        "data_rank": row.rank_low,
        "data_rating": f"{row.rating:.0f}",
        "data_matches": row.matches,
    }


def pair_shade(pair: ShownPair) -> str:
    """A class: strong colour only where the difference is sure."""
    good = 2 * pair.share - 1
    return shade(good if pair.sure else max(-PALEST, min(PALEST, good)))


@cache
def game_title(name: str) -> str:
    """A game's name as people write it. One that this page does not know keeps the arena's word for it."""
    return get_game(name).title.removeprefix(SERIES) if name in GAME_NAMES else name


def milliseconds(value: float | None) -> str:
    """A short time, with as many digits as matter."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def clone_proof(score: ShownScore | None) -> str:
    """The ranks and the score in the second ranking, as markup."""
    if score is None:
        return NOTHING
    ranks = f"{score.rank_low}" if score.rank_low == score.rank_high else f"{score.rank_low}–{score.rank_high}"
    within = element("small", f"{100 * score.score_low:.0f}–{100 * score.score_high:.0f}")
    return f"{ranks}: {100 * score.score:.0f} % {within}"


def trend(points: float | None) -> str:
    """How a rating has moved, as markup."""
    if points is None:
        return NOTHING
    if abs(points) < NOTABLE_TREND:
        return "0"
    arrow, class_ = ("▲", "up") if points > 0 else ("▼", "down")
    return element("span", f"{arrow} {abs(points):.0f}", class_=class_)

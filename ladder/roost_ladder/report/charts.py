"""The pictures of the report, as SVG: intervals, curves, and bars of places.

Lengths across are percentages, so a picture fits any screen while its lines and letters keep their size. They are
attributes of SVG and never styles, so that a page may forbid styles in its markup.
"""

from collections.abc import Sequence
from itertools import accumulate

from roost_ladder.rating.elo import MEAN_RATING
from roost_ladder.rating.standings import Standing
from roost_ladder.report.markup import Axis, axis, element, percent, spread, text
from roost_ladder.report.summary import Summary

BEYOND = 300.0
"""Intervals are drawn at most this many points beyond the best and the worst rating."""
COLOURED = 8
"""How many bots have a colour of their own among the curves."""
LABEL_HEIGHT = 0.055
"""The height of a line of text, as a share of the height of the curves."""


def rating_axis(standings: Sequence[Standing]) -> Axis:
    """An axis for all ratings and their intervals."""
    lowest = min(standing.rating for standing in standings) - BEYOND
    highest = max(standing.rating for standing in standings) + BEYOND
    low = max(min(standing.low for standing in standings), lowest)
    high = min(max(standing.high for standing in standings), highest)
    margin = 0.04 * (high - low) + 1
    return axis(low - margin, high + margin)


def axis_labels(ratings: Axis) -> str:
    """The ticks of the axis, written out."""
    labels = (
        element("text", f"{tick:.0f}", x=percent(ratings.at(tick)), y="70%", text_anchor="middle")
        for tick in ratings.ticks
    )
    return element("svg", *labels, class_="axis", aria_hidden="true")


def interval(standing: Standing, ratings: Axis) -> str:
    """A rating as a dot and its interval as a line."""
    low, middle, high = (percent(ratings.at(value)) for value in (standing.low, standing.rating, standing.high))
    return element(
        "svg",
        *(_upright(ratings.at(tick), "tick") for tick in ratings.ticks),
        *([_upright(ratings.at(MEAN_RATING), "mean")] if ratings.low < MEAN_RATING < ratings.high else []),
        element("line", x1=low, x2=high, y1="50%", y2="50%", class_="whisker"),
        element("circle", cx=middle, cy="50%", r="5"),
        class_="interval",
        role="img",
        aria_label=f"{standing.low:.0f} to {standing.high:.0f}",
    )


def _upright(at: float, class_: str) -> str:
    return element("line", x1=percent(at), x2=percent(at), y1="0", y2="100%", class_=class_)


def place_bar(counts: Sequence[int]) -> str:
    """How often each place was taken, from the first, as parts of a bar."""
    matches = sum(counts)
    shares = [count / matches for count in counts]
    starts = [0.0, *accumulate(shares)]
    parts = (
        element(
            "rect",
            element("title", f"place {place}: {100 * share:.0f} %"),
            x=percent(start),
            width=percent(share),
            height="100%",
            class_=f"place place{place}",
        )
        for place, (share, start) in enumerate(zip(shares, starts, strict=False), start=1)
        if share
    )
    said = ", ".join(f"place {place}: {100 * share:.0f} %" for place, share in enumerate(shares, start=1))
    return element("svg", *parts, class_="bar", role="img", aria_label=said)


def meter(share: float) -> str:
    """A part of a whole, as a bar."""
    return element(
        "svg", element("rect", width=percent(share), height="100%", rx="4"), class_="meter", aria_hidden="true"
    )


def share_bar(share: float, low: float, high: float, expected: float | None = None) -> str:
    """A share from 0 to 1 as a dot, its interval as a line, and what was expected as a small upright line."""
    return element(
        "svg",
        _upright(0.5, "mean"),
        element("line", x1=percent(low), x2=percent(high), y1="50%", y2="50%", class_="whisker"),
        *([] if expected is None else [_upright(expected, "expected")]),
        element("circle", cx=percent(share), cy="50%", r="5"),
        class_="interval",
        role="img",
        aria_label=f"{100 * low:.0f} to {100 * high:.0f} %",
    )


def curves(summary: Summary) -> str:
    """The ratings over time: lines that stretch with the page, and labels beside them."""
    walked = summary.curves
    last = walked.after[-1]
    ordered = [standing.bot for standing in summary.standings]
    seen = [rating for ratings in walked.ratings.values() for rating in ratings if rating is not None]
    ratings = axis(min(seen) - 5, max(seen) + 5, most_ticks=5)
    time = axis(0, last, most_ticks=5)
    lines = [
        _curve(summary.names[bot], rank, [(time.at(after), ratings.at(rating)) for after, rating in points])
        for rank, bot in enumerate(ordered)
        for points in [
            [(after, r) for after, r in zip(walked.after, walked.ratings[bot], strict=True) if r is not None]
        ]
    ]
    grid = [_across(1 - ratings.at(tick)) for tick in ratings.ticks]
    picture = element(
        "svg", *grid, *reversed(lines), viewBox="0 0 1000 1000", preserveAspectRatio="none", class_="curves"
    )
    return element(
        "div",
        element("svg", *(_left_label(f"{tick:.0f}", 1 - ratings.at(tick)) for tick in ratings.ticks), class_="left"),
        picture,
        element("svg", *_end_labels(summary, ordered[:COLOURED], ratings), class_="ends"),
        element("svg", *(_below(f"{tick:,.0f}", time.at(tick)) for tick in time.ticks), class_="below"),
        class_="chart",
    )


def _curve(name: str, rank: int, points: Sequence[tuple[float, float]]) -> str:
    path = " ".join(f"{1000 * x:.0f},{1000 * (1 - y):.0f}" for x, y in points)
    return element("polyline", element("title", text(name)), points=path, class_=_colour(rank))


def _colour(rank: int) -> str:
    return f"colour{rank}" if rank < COLOURED else "other"


def _across(at: float) -> str:
    return element("line", x1="0", x2="1000", y1=f"{1000 * at:.0f}", y2=f"{1000 * at:.0f}", class_="tick")


def _left_label(label: str, at: float) -> str:
    return element("text", label, x="34", y=percent(at), dy=".35em", text_anchor="end")


def _below(label: str, at: float) -> str:
    return element("text", label, x=percent(at), y="18", text_anchor="middle")


def _end_labels(summary: Summary, bots: Sequence[int], ratings: Axis) -> list[str]:
    """The names of the coloured bots beside the ends of their curves."""
    ends = sorted(
        (1 - ratings.at(summary.curves.ratings[bot][-1] or MEAN_RATING), rank) for rank, bot in enumerate(bots)
    )
    places = spread([end for end, _ in ends], LABEL_HEIGHT, LABEL_HEIGHT / 2)
    return [
        element("text", text(summary.names[bots[rank]]), class_=_colour(rank), x="10", y=percent(place), dy=".35em")
        for place, (_, rank) in zip(places, ends, strict=True)
    ]

"""HTML and SVG as strings: elements whose attributes and texts are escaped, and where things lie on an axis."""

from collections.abc import Iterable
from html import escape
from itertools import count
from math import floor, log10
from typing import NamedTuple


def text(value: object) -> str:
    """Any text, such as a bot's name, as markup."""
    return escape(str(value))


def element(name: str, *content: str, **attributes: object) -> str:
    """An element around markup. `class_` is written `class`, `text_anchor` `text-anchor`; empty ones are left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value != ""
    )
    return f"<{name}{given}>{''.join(content)}</{name}>"


def isolated(name: object) -> str:
    """A stranger's text, such as a bot's name, which must not turn the direction of what surrounds it."""
    return element("bdi", text(name))


def percent(share: float) -> str:
    """A length: this share of the whole."""
    return f"{100 * share:.2f}%"


def table(head: Iterable[str], rows: Iterable[str], class_: str = "", label: str = "") -> str:
    """A table of ready-made heads and rows, in a box that scrolls on narrow screens; by keyboard if it has a label."""
    made = element(
        "table",
        element("thead", row(*head)),
        element("tbody", *rows),
        class_=class_,
    )
    reached: dict[str, object] = {"role": "group", "tabindex": "0", "aria_label": label} if label else {}
    return element("div", made, class_="scroll", **reached)


def row(*cells: str, **attributes: object) -> str:
    """A row of ready-made cells."""
    return element("tr", *cells, **attributes)


def head(label: str, class_: str = "") -> str:
    """The head of a column."""
    return element("th", text(label), scope="col", class_=class_)


def cell(content: str, class_: str = "", **attributes: object) -> str:
    """A cell of markup."""
    return element("td", content, class_=class_, **attributes)


class Axis(NamedTuple):
    """A range of numbers, mapped to 0 to 1."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """Where a number lies; outside, at the nearer end."""
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)


def axis(low: float, high: float, most_ticks: int = 6) -> Axis:
    """An axis over at least this range, with round numbers as ticks."""
    step = _round_step((high - low) / most_ticks)
    low = low if high > low else low - step
    high = high if high > low else high + step
    first = -(-low // step) * step
    ticks = [first + step * number for number in range(most_ticks + 1) if first + step * number <= high]
    return Axis(low, high, tuple(ticks))


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50 and so on that is at least this number."""
    if least <= 1:
        return 1.0
    power = 10.0 ** floor(log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least)


def spread(positions: Iterable[float], apart: float, margin: float = 0.0) -> list[float]:
    """Ascending positions from 0 to 1, moved down as little as needed to be `apart`, and up again at the end.

    The `margin` at both ends stays free.
    """
    moved: list[float] = []
    for position in positions:
        moved.append(max(position, moved[-1] + apart if moved else margin))
    for index, room in zip(range(len(moved) - 1, -1, -1), count(), strict=False):
        moved[index] = min(moved[index], 1 - margin - room * apart)
    return moved

"""Tables that the report and the page share: standings with their intervals, and who beats whom."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from roost_ladder.rating.lottery import LotteryScore
from roost_ladder.rating.standings import Standing
from roost_ladder.report.charts import axis_labels, interval, rating_axis
from roost_ladder.report.markup import cell, element, head, row, table, text

NOTHING = "–"
SHADES = 5
"""How many shades the heat maps have on either side of the middle."""


class Column(NamedTuple):
    """A column of the standings after the rating: its head, and what it shows of a bot, as markup."""

    label: str
    show: Callable[[Standing], str]


def no_attributes(standing: Standing) -> Mapping[str, object]:
    """A row without attributes."""
    return {}


def standings_table(
    standings: Sequence[Standing],
    name: Callable[[Standing], str],
    columns: Sequence[Column],
    attributes: Callable[[Standing], Mapping[str, object]] = no_attributes,
    label: str = "",
) -> str:
    """The standings with a plot of the intervals. `name` is the markup that names a bot, `attributes` are its row's."""
    ratings = rating_axis(standings)
    heads = [
        head("rank", "rank"),
        head("bot", "name"),
        element("th", axis_labels(ratings), element("span", "interval", class_="unseen"), class_="plot", scope="col"),
        head("rating", "rating"),
        *(head(column.label, "number") for column in columns),
    ]
    rows = (
        row(
            cell(ranks(standing), "rank"),
            element("th", name(standing), scope="row", class_="name"),
            cell(interval(standing, ratings), "plot"),
            cell(rating(standing), "rating"),
            *(_labelled(column.label, column.show(standing)) for column in columns),
            **attributes(standing),
        )
        for standing in standings
    )
    return table(heads, rows, "standings", label)


def _labelled(label: str, content: str) -> str:
    """A cell that says what it is where there is no room for heads."""
    return cell(content, "number", data_label=label)


def size_columns(sizes: Sequence[int]) -> list[Column]:
    """A column for each table size, with the mean place."""
    return [Column(f"of {size}", lambda standing, size=size: _mean_place(standing, size)) for size in sizes]  # type: ignore[misc]


def _mean_place(standing: Standing, size: int) -> str:
    return next((f"{at.mean_place:.2f}" for at in standing.places if at.players == size), NOTHING)


def ranks(standing: Standing | LotteryScore) -> str:
    """The ranks that the results allow: `2`, or `2–4`."""
    best, worst = standing.best_rank, standing.worst_rank
    return f"{best}" if best == worst else f"{best}–{worst}"


def rating(standing: Standing) -> str:
    """A rating with half of its interval, as markup."""
    margin = (standing.high - standing.low) / 2
    return f"{standing.rating:.0f} {element('small', f'±{margin:.0f}')}"


def share(probability: float | None) -> str:
    """A probability as markup. More than 99.5 % is not yet everything."""
    if probability is None:
        return NOTHING
    return "&gt; 99 %" if probability > 0.995 else f"{100 * probability:.0f} %"


def bad(count: int) -> str:
    """A number of things that should not happen, as markup."""
    return element("b", f"{count:,}", class_="bad") if count else "0"


def heat_map(names: Sequence[str], meeting: Callable[[int, int], str], *, dense: bool = False, label: str = "") -> str:
    """A table of everybody against everybody. `names` are markup; `meeting` is the cell of a row and a column."""
    heads = [
        element("th", element("span", text(label), class_="unseen")) if label else element("td"),
        *(element("th", element("span", name), scope="col", class_="across") for name in names),
    ]
    rows = (
        row(
            element("th", name, scope="row", class_="name"),
            *(cell("", "self") if one == other else meeting(one, other) for other in range(len(names))),
        )
        for one, name in enumerate(names)
    )
    return table(heads, rows, "heat dense" if dense else "heat", label)


def shade(good: float) -> str:
    """A class for a number from -1, bad, to 1, good."""
    return f"shade{round(SHADES * max(-1.0, min(1.0, good))) + SHADES}"

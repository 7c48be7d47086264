"""The tables of the report: standings, who beats whom, and what was counted."""

from roost_ladder.rating.standings import Standing, StandingsView
from roost_ladder.rating.statistics import Totals
from roost_ladder.report.charts import axis_labels, interval, place_bar, rating_axis
from roost_ladder.report.markup import cell, element, head, percent, table, text
from roost_ladder.report.summary import Summary

NOTHING = "–"
SHADES = 5
"""How many shades the heat maps have on either side of the middle."""
WRITTEN_OUT = 14
"""Up to this many bots, the cells of the head-to-head table have numbers in them."""


def ranks(standing: Standing) -> str:
    """The ranks that the results allow: `2`, or `2–4`."""
    best, worst = standing.best_rank, standing.worst_rank
    return f"{best}" if best == worst else f"{best}–{worst}"


def standings_table(summary: Summary) -> str:
    """The standings, with a plot of the intervals."""
    ratings = rating_axis(summary.standings)
    sizes = summary.statistics.sizes()
    by_bot = summary.statistics.by(lambda seat: seat.bot)
    heads = [
        head("rank", "rank"),
        head("bot", "name"),
        element("th", axis_labels(ratings), class_="plot", aria_label="rating"),
        head("rating", "rating"),
        head("above next", "number"),
        head("matches", "number"),
        *(head(f"of {size}", "number") for size in sizes),
        head("faults", "number"),
    ]
    rows = [
        [
            cell(ranks(standing), "rank"),
            _name(summary, standing.bot),
            cell(interval(standing, ratings), "plot"),
            cell(_rating(standing), "rating"),
            _labelled("above next", _share(standing.above_next)),
            _labelled("matches", f"{standing.matches:,}"),
            *(_labelled(f"of {size}", _mean_place(standing, size)) for size in sizes),
            _labelled("faults", _bad(by_bot[standing.bot].faults)),
        ]
        for standing in summary.standings
    ]
    return table(heads, rows, "standings")


def _name(summary: Summary, bot: int) -> str:
    return element("th", text(summary.names[bot]), scope="row", class_="name")


def _labelled(label: str, content: str) -> str:
    """A cell that says what it is where there is no room for heads."""
    return cell(content, "number", data_label=label)


def _rating(standing: Standing) -> str:
    margin = (standing.high - standing.low) / 2
    return f"{standing.rating:.0f} {element('small', f'±{margin:.0f}')}"


def _share(share: float | None) -> str:
    """More than 99.5 % is not yet everything."""
    if share is None:
        return NOTHING
    return "&gt; 99 %" if share > 0.995 else f"{100 * share:.0f} %"


def _mean_place(standing: Standing, size: int) -> str:
    return next((f"{at.mean_place:.2f}" for at in standing.places if at.players == size), NOTHING)


def _bad(count: int) -> str:
    return element("b", f"{count:,}", class_="bad") if count else "0"


def head_to_head_map(summary: Summary) -> str:
    """Who finishes ahead of whom, the strongest first: a map of shades, with numbers where there is room."""
    bots = [standing.bot for standing in summary.standings]
    written = len(bots) <= WRITTEN_OUT
    heads = [
        element("th"),
        *(element("th", element("span", text(summary.names[bot])), scope="col", class_="across") for bot in bots),
    ]
    rows = (
        [_name(summary, bot), *(_meeting(summary, row, column, written) for column in range(len(bots)))]
        for row, bot in enumerate(bots)
    )
    return table(heads, rows, "heat" if written else "heat dense")


def _meeting(summary: Summary, row: int, column: int, written: bool) -> str:
    if row == column:
        return cell("", "self")
    one, other = (summary.names[summary.standings[index].bot] for index in (row, column))
    share = summary.head_to_head.share(row, column)
    if share is None:
        return cell("", "unmet", title=f"{one} and {other} have not met")
    matches = f"{summary.head_to_head.met[row, column]:,.0f}"
    title = f"{one} ahead of {other}: {100 * share:.0f} % of {matches}"
    return cell(f"{100 * share:.0f}" if written else "", _shade(2 * share - 1), title=title)


def _shade(good: float) -> str:
    """A class for a number from -1, bad, to 1, good."""
    return f"shade{round(SHADES * max(-1.0, min(1.0, good))) + SHADES}"


def views_table(summary: Summary) -> str:
    """The ratings over all matches, over each game and over each table size."""
    by_view = [{standing.bot: standing for standing in view.standings} for view in summary.views]
    heads = [head("bot", "name"), *(head(_title(view), "number") for view in summary.views)]
    rows = (
        [
            _name(summary, standing.bot),
            *(cell(_rating(seen[standing.bot]) if standing.bot in seen else NOTHING, "number") for seen in by_view),
        ]
        for standing in summary.standings
    )
    return table(heads, rows)


def _title(view: StandingsView) -> str:
    if view.game:
        return view.game
    return f"tables of {view.players}" if view.players else "all"


def seats_table(summary: Summary) -> str:
    """How well each seat does over all bots. Shades show by how much a seat is better or worse than the mean."""
    by_seat = summary.statistics.by(lambda seat: (seat.game, seat.players, seat.seat))
    usual = summary.statistics.by(lambda seat: (seat.game, seat.players))
    seats = range(max(summary.statistics.sizes()))
    heads = [head("game", "name"), head("players", "number"), *(head(f"seat {seat + 1}") for seat in seats)]
    rows = (
        [
            element("th", text(game), scope="row", class_="name"),
            cell(f"{players}", "number"),
            *(_seat(by_seat.get((game, players, seat)), totals.mean_place, players) for seat in seats),
        ]
        for (game, players), totals in sorted(usual.items(), key=lambda kind: kind[0])
    )
    return table(heads, rows, "seats")


def _seat(totals: Totals | None, usual_place: float, players: int) -> str:
    if totals is None:
        return cell("")
    better = 4 * (usual_place - totals.mean_place) / (players - 1)
    won = element("small", f"won {100 * totals.wins / totals.matches:.0f} %")
    return cell(f"{totals.mean_place:.2f} {won}", _shade(better))


def places_table(summary: Summary) -> str:
    """How often each bot took each place, by table size."""
    sizes = summary.statistics.sizes()
    totals = summary.statistics.by(lambda seat: (seat.bot, seat.players))
    heads = [head("bot", "name"), *(head(f"tables of {size}") for size in sizes)]
    rows = (
        [_name(summary, standing.bot), *(_places(totals.get((standing.bot, size)), size) for size in sizes)]
        for standing in summary.standings
    )
    return table(heads, rows, "places")


def _places(totals: Totals | None, players: int) -> str:
    return cell(place_bar(totals, players) if totals else NOTHING)


def points_table(summary: Summary) -> str:
    """The points of every bot, by game."""
    games = summary.statistics.games()
    totals = summary.statistics.by(lambda seat: (seat.bot, seat.game))
    heads = [head("bot", "name"), *(head(game, "number") for game in games)]
    rows = (
        [_name(summary, standing.bot), *(_points(totals.get((standing.bot, game))) for game in games)]
        for standing in summary.standings
    )
    return table(heads, rows)


def _points(totals: Totals | None) -> str:
    if totals is None:
        return cell(NOTHING, "number")
    usual = f"{totals.score_quantile(0.25)} to {totals.score_quantile(0.75)}"
    return cell(f"{totals.mean_score:.1f} {element('small', usual)}", "number")


def conduct_table(summary: Summary) -> str:
    """Faults, forfeits and how long every bot thought."""
    totals = summary.statistics.by(lambda seat: seat.bot)
    slowest = max(of_bot.ms_per_decision for of_bot in totals.values()) or 1.0
    labels = ("faults", "forfeits", "decisions in a match", "ms for a decision")
    heads = [head("bot", "name"), *(head(label, "number") for label in labels), head("", "wide")]
    rows = ([_name(summary, standing.bot), *_conduct(totals[standing.bot], slowest)] for standing in summary.standings)
    return table(heads, rows)


def _conduct(totals: Totals, slowest: float) -> list[str]:
    length = percent(totals.ms_per_decision / slowest)
    return [
        cell(_bad(totals.faults), "number"),
        cell(_bad(totals.forfeits), "number"),
        cell(f"{totals.decisions / totals.matches:.1f}", "number"),
        cell(f"{totals.ms_per_decision:.3g}", "number"),
        cell(element("div", class_="meter", style=f"width:{length}"), "wide"),
    ]

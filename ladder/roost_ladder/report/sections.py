"""The tables of the report's sections, each from a summary: standings, who beats whom, and what was counted."""

from roost_ladder.rating.lottery import LotteryScore
from roost_ladder.rating.standings import StandingsView
from roost_ladder.rating.statistics import Totals
from roost_ladder.report.charts import meter, place_bar
from roost_ladder.report.markup import cell, element, head, isolated, row, table, text
from roost_ladder.report.summary import Summary
from roost_ladder.report.tables import (
    NOTHING,
    Column,
    bad,
    heat_map,
    ranks,
    rating,
    shade,
    share,
    size_columns,
    standings_table,
)

WRITTEN_OUT = 14
"""Up to this many bots, the cells of the head-to-head table have numbers in them."""


def standings_of(summary: Summary) -> str:
    """The standings, with a plot of the intervals."""
    sizes = summary.statistics.sizes()
    by_bot = summary.statistics.by(lambda seat: seat.bot)
    scores = {each.bot: each for each in summary.beyond.clone_proof}
    columns = [
        *([Column("clone-proof", lambda standing: _second(scores[standing.bot]))] if scores else []),
        Column("above next", lambda standing: share(standing.above_next)),
        Column("matches", lambda standing: f"{standing.matches:,}"),
        *size_columns(sizes),
        Column("faults", lambda standing: bad(by_bot[standing.bot].faults)),
    ]
    return standings_table(summary.standings, lambda standing: isolated(summary.names[standing.bot]), columns)


def _second(score: LotteryScore) -> str:
    return f"{ranks(score)}: {score.percent}"


def _name(summary: Summary, bot: int) -> str:
    return element("th", isolated(summary.names[bot]), scope="row", class_="name")


def head_to_head_map(summary: Summary) -> str:
    """Who finishes ahead of whom, the strongest first: a map of shades, with numbers where there is room."""
    names = [isolated(summary.names[standing.bot]) for standing in summary.standings]
    written = len(names) <= WRITTEN_OUT
    return heat_map(names, lambda row, column: _meeting(summary, row, column, written), dense=not written)


def _meeting(summary: Summary, row: int, column: int, written: bool) -> str:
    one, other = (summary.names[summary.standings[index].bot] for index in (row, column))
    share = summary.head_to_head.share(row, column)
    if share is None:
        return cell("", "unmet", title=f"{one} and {other} have not met")
    matches = f"{summary.head_to_head.met[row, column]:,.0f}"
    title = f"{one} ahead of {other}: {100 * share:.0f} % of {matches}"
    return cell(f"{100 * share:.0f}" if written else "", shade(2 * share - 1), title=title)


def views_table(summary: Summary) -> str:
    """The ratings over all matches, over each game and over each table size."""
    by_view = [{standing.bot: standing for standing in view.standings} for view in summary.views]
    heads = [head("bot", "name"), *(head(_title(view), "number") for view in summary.views)]
    rows = (
        row(
            _name(summary, standing.bot),
            *(cell(rating(seen[standing.bot]) if standing.bot in seen else NOTHING, "number") for seen in by_view),
        )
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
    heads = [
        head("game", "name"),
        head("players", "number"),
        *(head(f"seat {seat + summary.about.first_seat}") for seat in seats),
    ]
    rows = (
        row(
            element("th", text(game), scope="row", class_="name"),
            cell(f"{players}", "number"),
            *(_seat(by_seat.get((game, players, seat)), totals.mean_place, players) for seat in seats),
        )
        for (game, players), totals in sorted(usual.items(), key=lambda kind: kind[0])
    )
    return table(heads, rows, "seats")


def _seat(totals: Totals | None, usual_place: float, players: int) -> str:
    if totals is None:
        return cell("")
    better = 4 * (usual_place - totals.mean_place) / (players - 1)
    won = element("small", f"won {100 * totals.wins / totals.matches:.0f} %")
    return cell(f"{totals.mean_place:.2f} {won}", shade(better))


def places_table(summary: Summary) -> str:
    """How often each bot took each place, by table size."""
    sizes = summary.statistics.sizes()
    totals = summary.statistics.by(lambda seat: (seat.bot, seat.players))
    heads = [head("bot", "name"), *(head(f"tables of {size}") for size in sizes)]
    rows = (
        row(_name(summary, standing.bot), *(_places(totals.get((standing.bot, size)), size) for size in sizes))
        for standing in summary.standings
    )
    return table(heads, rows, "places")


def _places(totals: Totals | None, players: int) -> str:
    return cell(place_bar([totals.places[place] for place in range(1, players + 1)]) if totals else NOTHING)


def points_table(summary: Summary) -> str:
    """The points of every bot, by game."""
    games = summary.statistics.games()
    totals = summary.statistics.by(lambda seat: (seat.bot, seat.game))
    heads = [head("bot", "name"), *(head(game, "number") for game in games)]
    rows = (
        row(_name(summary, standing.bot), *(_points(totals.get((standing.bot, game))) for game in games))
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
    rows = (
        row(_name(summary, standing.bot), *_conduct(totals[standing.bot], slowest)) for standing in summary.standings
    )
    return table(heads, rows)


def _conduct(totals: Totals, slowest: float) -> list[str]:
    return [
        cell(bad(totals.faults), "number"),
        cell(bad(totals.forfeits), "number"),
        cell(f"{totals.decisions / totals.matches:.1f}", "number"),
        cell(f"{totals.ms_per_decision:.3g}", "number"),
        cell(meter(totals.ms_per_decision / slowest), "wide"),
    ]

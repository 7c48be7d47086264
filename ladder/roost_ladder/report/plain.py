"""The report for programs: the table as CSV, and everything as JSON."""

import csv
from io import StringIO

from roost_ladder.rating.standings import Standing, StandingsView, newcomers
from roost_ladder.rating.statistics import SeatKey, Totals
from roost_ladder.report.summary import Summary

SECOND = ("rank_low", "rank_high", "score", "score_low", "score_high")
"""The columns of the second ranking, where there is one."""


def as_csv(summary: Summary) -> str:
    """The standings, a line for each bot, with a head. Raises `UsageError` if no match counts."""
    summary.check_not_empty()
    sizes = summary.statistics.sizes()
    totals = summary.statistics.by(lambda seat: seat.bot)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    places = [f"mean_place_of_{size}" for size in sizes]
    second = {row["name"]: {key: row[key] for key in SECOND} for row in _clone_proof_json(summary)}
    also = [f"clone_proof_{key}" for key in SECOND] if second else []
    writer.writerow([*_standing_json(summary, summary.standings[0]), *places, *_conduct_json(Totals()), *also])
    for standing in summary.standings:
        at = {places.players: places.mean_place for places in standing.places}
        row = [*_standing_json(summary, standing).values(), *(at.get(size) for size in sizes)]
        row += _conduct_json(totals[standing.bot]).values()
        writer.writerow([*row, *second.get(summary.names[standing.bot], {}).values()])
    return out.getvalue()


def as_json(summary: Summary) -> dict[str, object]:
    """Everything. The keys of standings are those of `roost standings --json`."""
    statistics = summary.statistics
    return {
        "title": summary.about.title,
        "notes": dict(summary.about.notes),
        **({"absent": list(summary.about.absent)} if summary.about.absent else {}),
        "rating": summary.rating,
        "matches": summary.matches,
        "blocks": summary.blocks,
        "standings": _view_json(summary, summary.views[0])["standings"],
        **_newcomers_json(summary),
        **_circularity_json(summary),
        **_second_json(summary),
        **_defying_json(summary),
        **_specialists_json(summary),
        "views": [_view_json(summary, view) for view in summary.views[1:]],
        "head_to_head": _head_to_head_json(summary),
        "by_seat": _totals_json(summary, statistics.by(lambda seat: seat._replace(bot=-1))),
        "by_bot": _totals_json(summary, statistics.by(lambda seat: seat._replace(seat=-1))),
        "elo_curve": {
            "after": list(summary.curves.after),
            "ratings": {summary.names[bot]: list(ratings) for bot, ratings in summary.curves.ratings.items()},
        },
    }


def _newcomers_json(summary: Summary) -> dict[str, object]:
    """Nothing where all have played enough to count in the field."""
    new = [{"name": summary.names[each.bot], "in_field": each.in_field} for each in newcomers(summary.standings)]
    return {"newcomers": new} if new else {}


def _circularity_json(summary: Summary) -> dict[str, object]:
    """Nothing where one order may fit the results."""
    found = summary.beyond.circularity
    if found is None:
        return {}
    circle = [{"name": summary.names[bot], "ahead_of_next": share} for bot, share in found.circle]
    ends = {"strength": found.strength, "strength_low": found.low, "strength_high": found.high}
    return {"circularity": {**ends, "circle": circle}}


def _second_json(summary: Summary) -> dict[str, object]:
    """As in `roost standings --json`: the second ranking, and whether it differs. Nothing if that is not known."""
    said, scores = summary.lottery_line(), _clone_proof_json(summary)
    if not said:
        return {}
    state = "ready" if scores else "agrees" if summary.beyond.circularity is None else "too_many_bots"
    about = {"state": state, "matches": summary.matches, "summary": said}
    return {"second_ranking": about, **({"clone_proof": scores} if scores else {})}


def _defying_json(summary: Summary) -> dict[str, object]:
    """Nothing where all pairs may do what the ratings say."""
    found = [
        {
            "name": summary.names[each.bot],
            "opponent": summary.names[each.opponent],
            "matches": each.matches,
            "share": each.share,
            "share_low": each.low,
            "share_high": each.high,
            "expected": each.expected,
        }
        for each in summary.beyond.defying
    ]
    return {"defying": found} if found else {}


def _specialists_json(summary: Summary) -> dict[str, object]:
    """Nothing without any."""
    found = [
        {
            "name": summary.names[each.bot],
            "game": each.part.game,
            "players": each.part.players,
            "rank": each.rank,
            "rank_there": each.rank_there,
            "points": each.points,
            "points_low": each.points - each.margin,
            "points_high": each.points + each.margin,
        }
        for each in summary.beyond.specialists
    ]
    return {"specialists": found} if found else {}


def _clone_proof_json(summary: Summary) -> list[dict[str, object]]:
    return [
        {
            "rank_low": each.best_rank,
            "rank_high": each.worst_rank,
            "name": summary.names[each.bot],
            "score": each.score,
            "score_low": each.low,
            "score_high": each.high,
        }
        for each in summary.beyond.clone_proof
    ]


def _view_json(summary: Summary, view: StandingsView) -> dict[str, object]:
    totals = summary.statistics.by(
        lambda seat: seat.bot if view.game in (None, seat.game) and view.players in (None, seat.players) else None
    )
    return {
        "game": view.game,
        "players": view.players,
        "standings": [
            {
                **_standing_json(summary, standing),
                "places": [places._asdict() for places in standing.places],
                **_conduct_json(totals[standing.bot]),
            }
            for standing in view.standings
        ],
    }


def _standing_json(summary: Summary, standing: Standing) -> dict[str, object]:
    return {
        "rank_low": standing.best_rank,
        "rank_high": standing.worst_rank,
        "name": summary.names[standing.bot],
        "rating": standing.rating,
        "rating_low": standing.low,
        "rating_high": standing.high,
        "above_next": standing.above_next,
        "matches": standing.matches,
        "blocks": standing.blocks,
        "wins": standing.wins,
    }


def _conduct_json(totals: Totals) -> dict[str, object]:
    return {
        "faults": totals.faults,
        "forfeits": totals.forfeits,
        "decisions": totals.decisions,
        "thinking_ms": totals.thinking_ms,
    }


def _head_to_head_json(summary: Summary) -> dict[str, object]:
    """Matrices in the order of the standings."""
    return {
        "names": [summary.names[standing.bot] for standing in summary.standings],
        "met": summary.head_to_head.met.astype(int).tolist(),
        "ahead": summary.head_to_head.ahead.tolist(),
    }


def _totals_json(summary: Summary, by_seat: dict[SeatKey, Totals]) -> list[dict[str, object]]:
    """A seat of -1 or a bot of -1 means all of them, and is left out."""
    return [
        {
            "game": seat.game,
            "players": seat.players,
            **({"seat": seat.seat + summary.about.first_seat} if seat.seat >= 0 else {"name": summary.names[seat.bot]}),
            "matches": totals.matches,
            "places": {str(place): totals.places[place] for place in sorted(totals.places)},
            "mean_score": totals.mean_score,
            "score_quartiles": [totals.score_quantile(share) for share in (0.25, 0.5, 0.75)],
            **_conduct_json(totals),
        }
        for seat, totals in sorted(by_seat.items())
    ]

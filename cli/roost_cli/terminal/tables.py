"""Results as tables for people and as plain data for programs."""

from collections import Counter
from collections.abc import Sequence

from rich.table import Table

from roost_cli.tally import SeatSummary
from roost_cli.terminal.console import plain_table
from roost_games.replay import Result
from roost_ladder.rating.estimates import Estimate

TERMINATIONS = {
    "finished": "it ended by the rules",
    "horizon": "it ended at the turn limit",
    "forfeit": "it ended because all but one seat forfeited",
}
INTERVAL_NOTE = "± and ranges in brackets: 95 % intervals; ±? where the matches cannot tell. Shared wins count in part."


def match_table(bots: Sequence[str], result: Result) -> Table:
    """The seats of one match, best first."""
    faulty = any(_faults_of(result, seat) for seat in range(len(bots)))
    table = plain_table(">place", ">seat", "bot", ">score", *(["faults"] if faulty else []))
    for seat in sorted(range(len(bots)), key=lambda seat: result.places[seat]):
        faults = [_shown_faults(_faults_of(result, seat), seat in result.forfeits)] if faulty else []
        table.add_row(str(result.places[seat]), str(seat), bots[seat], str(result.scores[seat]), *faults)
    return table


def summary_table(rows: Sequence[SeatSummary]) -> Table:
    """How each seat fared over many matches."""
    faulty = any(row.faults or row.forfeits for row in rows)
    table = plain_table(">seat", "bot", ">win share", ">place", ">score", *(["faults"] if faulty else []))
    for row in rows:
        faults = [_shown_faults(row.faults, row.forfeits)] if faulty else []
        table.add_row(str(row.seat), row.bot, *estimates(row), *faults)
    return table


def estimates(row: SeatSummary) -> tuple[str, str, str]:
    """Win share, place and score of a row, each with its interval."""
    return shown_share(row.win_share), shown_mean(row.place), shown_mean(row.score)


def shown_share(share: Estimate) -> str:
    """A share in percent with its interval, which need not lie evenly around it."""
    low, high = 100 * (share.low or 0.0), 100 * (share.high or 0.0)
    return f"{100 * share.mean:.1f} % ({low:.1f} to {high:.1f})"


def shown_mean(mean: Estimate) -> str:
    """A mean with half the width of its interval."""
    if mean.low is None or mean.high is None:
        return f"{mean.mean:.2f} ±?"
    return f"{mean.mean:.2f} ±{(mean.high - mean.low) / 2:.2f}"


def _faults_of(result: Result, seat: int) -> Counter[str]:
    return Counter(fault.kind.value for fault in result.faults if fault.seat == seat)


def _shown_faults(faults: Counter[str], forfeits: int) -> str:
    parts = [f"{times} {kind}" for kind, times in faults.most_common()]
    if forfeits:
        parts.append("forfeited" if forfeits is True else f"forfeited {forfeits}")
    return ", ".join(parts)


def summary_json(row: SeatSummary) -> dict[str, object]:
    """A row for programs."""
    return {
        "seat": row.seat,
        "bot": row.bot,
        "win_share": row.win_share._asdict(),
        "place": row.place._asdict(),
        "score": row.score._asdict(),
        "faults": dict(row.faults),
        "forfeits": row.forfeits,
    }

"""The result of a match, and of the seats of a series of matches: as tables and as JSON."""

import json
import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from roost_cli.terminal.console import plain_table, results
from roost_games.chance import seed_of
from roost_games.replay import VOIDED, FaultEntry, Result, Why
from roost_ladder.rating.estimates import Estimate
from roost_ladder.running.series import SeatSummary, Series

TERMINATIONS = {
    "finished": "it ended by the rules",
    "horizon": "it ended at the turn limit",
    "forfeit": "it ended because all but one seat forfeited",
}
INTERVAL_NOTE = "± and ranges in brackets: 95 % intervals; ±? where the matches cannot tell. Shared wins count in part."
REASONS = {Why.FAULTS: "by its faults", Why.GRACE: "by grace time"}
MOST_FAULTS = 20
"""More faults than this are only counted."""


def match_table(bots: Sequence[str], result: Result) -> Table:
    """The seats of one match, best first."""
    faulty = any(_faults_of(result, seat) for seat in range(len(bots)))
    table = plain_table(">place", ">seat", "bot", ">score", *(["faults"] if faulty else []))
    for seat in sorted(range(len(bots)), key=lambda seat: result.places[seat]):
        faults = [_shown_faults(_faults_of(result, seat), seat in result.forfeits)] if faulty else []
        table.add_row(str(result.places[seat]), str(seat), bots[seat], str(result.scores[seat]), *faults)
    return table


def summary_table(rows: Sequence[SeatSummary]) -> Table:
    """The results of each seat over many matches."""
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
    """A row as JSON."""
    return {
        "seat": row.seat,
        "bot": row.bot,
        "win_share": row.win_share._asdict(),
        "place": row.place._asdict(),
        "score": row.score._asdict(),
        "faults": dict(row.faults),
        "forfeits": row.forfeits,
    }


def print_outcome(console: Console, bots: Sequence[str], result: Result) -> None:
    """The seats, best first, and how the match ended."""
    if result.termination == VOIDED:
        reason = f": {result.reason}" if result.reason else ""
        console.print(f"{', '.join(bots)}\nThe match was voided{reason}. It does not count.")
        return
    console.print(match_table(bots, result))
    console.print(f"The match is over: {TERMINATIONS[result.termination]}.")


def print_faults(console: Console, bots: Sequence[str], result: Result) -> None:
    """Every fault with the step of the record and what was sent, then who forfeited."""
    for fault in result.faults[:MOST_FAULTS]:
        console.print(_fault_line(bots, fault), soft_wrap=True)
    if len(result.faults) > MOST_FAULTS:
        console.print(f"and {len(result.faults) - MOST_FAULTS} more faults")
    reasons = {entry.seat: f" at step {entry.step}, {REASONS[entry.why]}" for entry in result.forfeited or ()}
    for seat in result.forfeits:
        console.print(f"seat {seat} ({bots[seat]}) forfeited{reasons.get(seat, '')}")


def _fault_line(bots: Sequence[str], fault: FaultEntry) -> str:
    sent = "" if fault.sent is None else f", sent {json.dumps(fault.sent, ensure_ascii=False)}"
    return f"step {fault.step}: seat {fault.seat} ({bots[fault.seat]}) was {fault.kind}{sent}"


def print_series(series: Series, wanted: int, replay: Path | None, *, shown: bool) -> None:
    """`roost play`: the results, and what to do next."""
    console = results()
    played = len(series.results)
    count = f"{played} of {wanted} matches" if played < wanted else f"{played} matches" if played > 1 else "one match"
    console.print(f"{series.game.title}, {len(series.bots)} players, {count}, seed {series.seed}")
    if wanted > 1:
        console.print(summary_table(series.summary()))
        console.print(INTERVAL_NOTE)
    else:
        print_outcome(console, series.names, series.results[0])
    console.print(series.needs.line(series.clock), soft_wrap=True)
    console.print(_hint(series, replay, watched=shown or wanted > 1), soft_wrap=True)


def _hint(series: Series, replay: Path | None, *, watched: bool) -> str:
    watch = "." if watched else ", and --show to watch."
    again = f"Add --seed {shlex.quote(series.seed)} to play the same deals again{watch}"
    return f"{again} roost verify {shlex.quote(str(replay))} checks the record." if replay else again


def series_json(series: Series) -> dict[str, object]:
    """`roost play --json`."""
    return {
        "game": series.game.name,
        "options": series.options.to_json(),
        "seed": series.seed,
        "matches": len(series.results),
        "seats": [summary_json(row) for row in series.summary()] if series.results else [],
        "results": [
            {
                "seed": seed_of(series.seed, number).hex(),
                "places": result.places,
                "scores": result.scores,
                "termination": result.termination,
                "forfeits": result.forfeits,
                "faults": [{"seat": fault.seat, "kind": fault.kind, "step": fault.step} for fault in result.faults],
            }
            for number, result in enumerate(series.results)
        ],
    }

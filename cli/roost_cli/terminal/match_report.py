"""How a single match ended, for people: the table of its seats, how it came to its end, and every fault."""

import json
from collections.abc import Sequence

from rich.console import Console

from roost_cli.terminal.tables import TERMINATIONS, match_table
from roost_games.replay import VOIDED, FaultEntry, Result

MOST_FAULTS = 20
"""So many are listed in full."""


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
    for seat in result.forfeits:
        console.print(f"seat {seat} ({bots[seat]}) forfeited")


def _fault_line(bots: Sequence[str], fault: FaultEntry) -> str:
    sent = "" if fault.sent is None else f", sent {json.dumps(fault.sent, ensure_ascii=False)}"
    return f"step {fault.step}: seat {fault.seat} ({bots[fault.seat]}) was {fault.kind}{sent}"

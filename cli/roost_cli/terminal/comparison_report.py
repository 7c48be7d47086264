"""How a comparison stands: a line while it runs, and at its end the answer for people or programs."""

import contextlib
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid

from roost_cli.terminal.console import plain_table, remarks, results
from roost_cli.terminal.live import LINE_SECONDS
from roost_games.registry import get_game
from roost_games.wording import counted
from roost_ladder.rating.compare import MOST_ELO, NEW, OLD, Comparison
from roost_ladder.rating.sprt import Verdict
from roost_ladder.running.entrants import Entrant
from roost_ladder.running.fixtures import Played

SECONDS_BETWEEN_LOOKS = 0.25
BAR_WIDTH = 10


@dataclass(frozen=True, slots=True)
class Faults:
    """What bots did wrong, by their numbers."""

    kinds: dict[int, Counter[str]] = field(default_factory=dict)
    forfeits: Counter[int] = field(default_factory=Counter)

    def count(self, seating: Sequence[int], played: Played) -> None:
        """Those of one more match."""
        for fault in played.result.faults:
            self.kinds.setdefault(seating[fault.seat], Counter())[fault.kind.value] += 1
        self.forfeits.update(seating[seat] for seat in played.result.forfeits)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that there is to say."""

    comparison: Comparison
    bots: Sequence[Entrant]
    """By the numbers of the plan."""
    seed: str
    faults: Faults

    def name(self, number: int) -> str:
        """What the bot with this number is called."""
        return self.bots[number].spec.name

    @property
    def matches(self) -> int:
        """How many have been counted."""
        return self.comparison.sample.blocks * self.comparison.plan.matches


@contextlib.contextmanager
def watching(report: Report) -> Iterator[Callable[[], None]]:
    """Show how it stands whenever the function is called, but not too often: a line that changes, or plain lines."""
    console = remarks()
    if not console.is_terminal:
        yield _now_and_then(LINE_SECONDS, lambda: _print_line(report))
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield _now_and_then(SECONDS_BETWEEN_LOOKS, lambda: live.update(_live_line(report), refresh=True))


def _now_and_then(seconds: float, show: Callable[[], None]) -> Callable[[], None]:
    last = time.monotonic()

    def look() -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            show()
            last = time.monotonic()

    return look


def _print_line(report: Report) -> None:
    sys.stderr.write(f"LLR {_llr(report)}, {_blocks(report)}, Elo {_elo(report)}\n")
    sys.stderr.flush()


def _live_line(report: Report) -> Grid:
    """The bar is full when the new bot is surely stronger, and empty when it surely is not."""
    test, llr = report.comparison.test, report.comparison.llr
    bar = ProgressBar(total=test.upper - test.lower, completed=max(0.0, llr - test.lower), width=BAR_WIDTH)
    line = Grid.grid(padding=(0, 1, 0, 0))
    for _ in range(4):
        line.add_column(no_wrap=True)
    known = f"LLR {llr:+.2f}, {_blocks(report)}, Elo {_elo(report)}" if report.matches else "starting"
    line.add_row(f"{test.lower:.2f}", bar, f"{test.upper:.2f}", known)
    return line


def _blocks(report: Report) -> str:
    return f"{counted(report.comparison.sample.blocks, 'block')}, {counted(report.matches, 'match')}"


def _llr(report: Report) -> str:
    test = report.comparison.test
    return f"{report.comparison.llr:+.2f} ({test.lower:.2f} to {test.upper:.2f})"


def _elo(report: Report) -> str:
    low, middle, high = report.comparison.elo
    return f"{points(middle)} ({points(low)} to {points(high)})"


def points(elo: float) -> str:
    """Elo points with their sign; the last that are told apart are marked as bounds."""
    if abs(elo) >= MOST_ELO - 1:
        return f"{'over +' if elo > 0 else 'below -'}{MOST_ELO:.0f}"
    return f"{elo:+.0f}" if round(elo) else "0"


def print_report(report: Report) -> None:
    """The answer, on stdout."""
    console = results()
    comparison = report.comparison
    console.print(_setting(report), soft_wrap=True)
    console.print(_answer(report), soft_wrap=True)
    if comparison.sample.blocks:
        console.print(f"Elo difference {_elo(report)}, with the 95 % interval in brackets.", soft_wrap=True)
    console.print(
        f"LLR {_llr(report)} for {comparison.elo1:g} points against {comparison.elo0:g}; {_blocks(report)}.",
        soft_wrap=True,
    )
    _print_faults(report)
    console.print(f"Add --seed {shlex.quote(report.seed)} to play the same deals again.", soft_wrap=True)


def _setting(report: Report) -> str:
    plan = report.comparison.plan
    games = dict.fromkeys(get_game(table.game).title for table in plan.tables)
    players = dict.fromkeys(str(table.players) for table in plan.tables)
    names = dict.fromkeys(report.name(number) for number in plan.opponents)
    opponents = ", ".join(names) if names else f"copies of {report.name(OLD)}"
    return f"{', '.join(games)}; {', '.join(players)} players; opponents: {opponents}"


def _answer(report: Report) -> str:
    new, old = report.name(NEW), report.name(OLD)
    return {
        Verdict.STRONGER: f"{new} is stronger than {old}.",
        Verdict.NOT_STRONGER: f"{new} is not stronger than {old}.",
        Verdict.UNDECIDED: f"Undecided: it takes more blocks to tell whether {new} is stronger than {old}.",
    }[report.comparison.verdict]


def _print_faults(report: Report) -> None:
    faulty = sorted(set(report.faults.kinds) | set(report.faults.forfeits))
    if not faulty:
        return
    table = plain_table("bot", "faults", ">forfeits")
    for number in faulty:
        kinds = report.faults.kinds.get(number, Counter())
        shown = ", ".join(f"{times} {kind}" for kind, times in kinds.most_common())
        table.add_row(report.name(number), shown, str(report.faults.forfeits[number]))
    results().print(table)


def report_json(report: Report) -> dict[str, object]:
    """The answer for programs."""
    comparison, plan = report.comparison, report.comparison.plan
    low, middle, high = comparison.elo
    return {
        "verdict": comparison.verdict,
        "elo": {"estimate": _rounded(middle, 2), "low": _rounded(low, 2), "high": _rounded(high, 2)},
        "llr": _rounded(comparison.llr, 4),
        "lower": round(comparison.test.lower, 4),
        "upper": round(comparison.test.upper, 4),
        "blocks": comparison.sample.blocks,
        "matches": report.matches,
        "new": _bot_json(report, NEW),
        "old": _bot_json(report, OLD),
        "against": [_bot_json(report, number) for number in plan.opponents],
        "tables": [table._asdict() for table in plan.tables],
        "elo0": comparison.elo0,
        "elo1": comparison.elo1,
        "alpha": comparison.test.alpha,
        "beta": comparison.test.beta,
        "seed": report.seed,
    }


def _rounded(number: float, digits: int) -> float:
    """Adding zero makes 0 out of -0."""
    return round(number, digits) + 0.0


def _bot_json(report: Report, number: int) -> dict[str, object]:
    spec = report.bots[number].spec
    faults = dict(report.faults.kinds.get(number, {}))
    return {"bot": spec.name, "version": spec.version, "faults": faults, "forfeits": report.faults.forfeits[number]}

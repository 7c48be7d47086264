"""A comparison on the screen: a line while it runs, and its answer as text and as JSON."""

import contextlib
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator

from rich.console import RenderableType
from rich.progress_bar import ProgressBar

from roost_cli.terminal.console import plain_table, remarks, results
from roost_cli.terminal.live import in_a_row, screen
from roost_games.registry import get_game
from roost_games.wording import counted
from roost_ladder.rating.compare import MOST_ELO, NEW, OLD
from roost_ladder.rating.sprt import Verdict
from roost_ladder.running.comparison import ComparisonRun

BAR_WIDTH = 10


@contextlib.contextmanager
def watching(run: ComparisonRun) -> Iterator[Callable[[], None]]:
    """Show how a comparison is doing while the block runs, whenever the function is called."""
    begun = time.monotonic()

    def pace() -> str:
        speed = run.matches / (time.monotonic() - begun)
        return f"{speed:.0f} a second on {counted(run.workers(), 'worker')}"

    with screen(remarks()) as shown:
        yield lambda: shown.show(lambda: _picture(run, pace()), lambda: _line(run, pace()))


def _line(run: ComparisonRun, pace: str) -> str:
    return f"LLR {_llr(run)}, {_blocks(run)}, {pace}, Elo {_elo(run)}"


def _picture(run: ComparisonRun, pace: str) -> RenderableType:
    """The bar is full when the new bot is surely stronger, and empty when it surely is not."""
    test, llr = run.comparison.test, run.comparison.llr
    bar = ProgressBar(total=test.upper - test.lower, completed=max(0.0, llr - test.lower), width=BAR_WIDTH)
    known = f"LLR {llr:+.2f}, {_blocks(run)}, {pace}, Elo {_elo(run)}" if run.matches else "starting"
    return in_a_row(f"{test.lower:.2f}", bar, f"{test.upper:.2f}", known)


def _blocks(run: ComparisonRun) -> str:
    return f"{counted(run.comparison.sample.blocks, 'block')}, {counted(run.matches, 'match')}"


def _llr(run: ComparisonRun) -> str:
    test = run.comparison.test
    return f"{run.comparison.llr:+.2f} ({test.lower:.2f} to {test.upper:.2f})"


def _elo(run: ComparisonRun) -> str:
    low, middle, high = run.comparison.elo
    return f"{points(middle)} ({points(low)} to {points(high)})"


def points(elo: float) -> str:
    """Elo points with their sign; beyond what can be told apart, a bound."""
    if abs(elo) >= MOST_ELO - 1:
        return f"{'over +' if elo > 0 else 'below -'}{MOST_ELO:.0f}"
    return f"{elo:+.0f}" if round(elo) else "0"


def print_comparison(run: ComparisonRun) -> None:
    """`roost compare`: the answer."""
    console = results()
    comparison = run.comparison
    console.print(_setting(run), soft_wrap=True)
    console.print(_answer(run), soft_wrap=True)
    if comparison.sample.blocks:
        console.print(f"Elo difference {_elo(run)}, with the 95 % interval in brackets.", soft_wrap=True)
    console.print(
        f"LLR {_llr(run)} for {comparison.elo1:g} points against {comparison.elo0:g}; {_blocks(run)}.",
        soft_wrap=True,
    )
    _print_faults(run)
    console.print(f"Add --seed {shlex.quote(run.seed)} to play the same deals again.", soft_wrap=True)


def _setting(run: ComparisonRun) -> str:
    plan = run.comparison.plan
    games = dict.fromkeys(get_game(table.game).title for table in plan.tables)
    players = dict.fromkeys(str(table.players) for table in plan.tables)
    names = dict.fromkeys(run.name(number) for number in plan.opponents)
    opponents = ", ".join(names) if names else f"copies of {run.name(OLD)}"
    return f"{', '.join(games)}; {', '.join(players)} players; opponents: {opponents}"


def _answer(run: ComparisonRun) -> str:
    new, old = run.name(NEW), run.name(OLD)
    return {
        Verdict.STRONGER: f"{new} is stronger than {old}.",
        Verdict.NOT_STRONGER: f"{new} is not stronger than {old}.",
        Verdict.UNDECIDED: f"Undecided: it takes more blocks to tell whether {new} is stronger than {old}.",
    }[run.comparison.verdict]


def _print_faults(run: ComparisonRun) -> None:
    faulty = sorted(set(run.faults.kinds) | set(run.faults.forfeits))
    if not faulty:
        return
    table = plain_table("bot", "faults", ">forfeits")
    for number in faulty:
        kinds = run.faults.kinds.get(number, Counter())
        shown = ", ".join(f"{times} {kind}" for kind, times in kinds.most_common())
        table.add_row(run.name(number), shown, str(run.faults.forfeits[number]))
    results().print(table)


def comparison_json(run: ComparisonRun) -> dict[str, object]:
    """`roost compare --json`."""
    comparison, plan = run.comparison, run.comparison.plan
    low, middle, high = comparison.elo
    return {
        "verdict": comparison.verdict,
        "elo": {"estimate": _rounded(middle, 2), "low": _rounded(low, 2), "high": _rounded(high, 2)},
        "llr": _rounded(comparison.llr, 4),
        "lower": round(comparison.test.lower, 4),
        "upper": round(comparison.test.upper, 4),
        "blocks": comparison.sample.blocks,
        "matches": run.matches,
        "new": _bot_json(run, NEW),
        "old": _bot_json(run, OLD),
        "against": [_bot_json(run, number) for number in plan.opponents],
        "tables": [table._asdict() for table in plan.tables],
        "elo0": comparison.elo0,
        "elo1": comparison.elo1,
        "alpha": comparison.test.alpha,
        "beta": comparison.test.beta,
        "seed": run.seed,
    }


def _rounded(number: float, digits: int) -> float:
    """Adding zero makes 0 out of -0."""
    return round(number, digits) + 0.0


def _bot_json(run: ComparisonRun, number: int) -> dict[str, object]:
    spec = run.bots[number].spec
    faults = dict(run.faults.kinds.get(number, {}))
    return {"bot": spec.name, "version": spec.version, "faults": faults, "forfeits": run.faults.forfeits[number]}

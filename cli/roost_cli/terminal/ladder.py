"""A ladder on the screen: the standings while it runs, and its report."""

import contextlib
import shlex
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Group, RenderableType

from roost_cli.terminal.console import fitted_table, note_room, print_fitted, remarks, results
from roost_cli.terminal.live import Screen, screen, shown_time
from roost_cli.terminal.standings import ABOVE_NOTE, RATING_NOTE, StandingsRow, standings_columns
from roost_games.wording import counted
from roost_ladder.rating.lottery import LotteryScore
from roost_ladder.rating.standings import LiveStandings, Standing
from roost_ladder.rating.statistics import Statistics
from roost_ladder.report.plain import as_json
from roost_ladder.report.summary import Summary
from roost_ladder.running.ladder import Ladder
from roost_ladder.running.local_ladder import LadderRun
from roost_ladder.running.rounds import Budget

LOOK_SECONDS = 1.0
"""How often the table on a terminal changes at most."""
LEADERS = 3
"""How many bots a line names where there is no table."""


@contextlib.contextmanager
def watching(ladder: Ladder, budget: Budget) -> Iterator[Callable[[], None]]:
    """Show how `ladder` is doing while the block runs, whenever the function is called."""
    with screen(remarks(), seconds=LOOK_SECONDS) as shown:
        yield _LadderScreen(ladder, budget, shown).look


class _LadderScreen:
    def __init__(self, ladder: Ladder, budget: Budget, shown: Screen) -> None:
        self._ladder = ladder
        self._budget = budget
        self._screen = shown
        self._standings = LiveStandings()
        self._statistics = Statistics()
        self._counted = 0
        self._begun = time.monotonic()
        self._benched = 0

    def look(self) -> None:
        for line in self._ladder.bench_lines()[self._benched :]:
            self._screen.console.print(line, soft_wrap=True)
        self._benched = len(self._ladder.benched)
        self._screen.show(self._picture, self._line)

    def _rows(self) -> list[StandingsRow]:
        new = self._ladder.facts[self._counted :]
        self._counted += len(new)
        self._standings.add(match.result() for match in new)
        for match in new:
            self._statistics.add(match)
        return ladder_rows(self._standings.standings(), self._ladder, self._statistics)

    def _picture(self) -> RenderableType:
        rows = self._rows()
        table = fitted_table(self._screen.console, standings_columns(rows)) if rows else "Playing the first matches ..."
        return Group(table, self._progress())

    def _line(self) -> str:
        leaders = ", ".join(f"{row.name} {row.rating}" for row in self._rows()[:LEADERS])
        return f"{self._progress()}; {leaders}" if leaders else self._progress()

    def _progress(self) -> str:
        ladder = self._ladder
        passed = time.monotonic() - self._begun
        workers = f" on {counted(ladder.workers(), 'worker')}"
        speed = f"{ladder.new_matches / passed:.0f} a second{workers}" if ladder.new_matches else f"just begun{workers}"
        left = self._seconds_left(passed)
        to_go = "" if left is None else f", {shown_time(left)} to go"
        played = f"{counted(len(ladder.facts), 'match')} in {counted(ladder.blocks, 'block')}"
        return f"{played}, {speed}{to_go}"

    def _seconds_left(self, passed: float) -> float | None:
        """Until the budget or the schedule ends, if it is known when."""
        blocks, matches, seconds = self._budget
        ladder = self._ladder
        left = [] if seconds is None else [seconds - passed]
        if ladder.new_matches:
            match = passed / ladder.new_matches
            block = match * len(ladder.facts) / ladder.blocks
            left += [] if matches is None else [(matches - len(ladder.facts)) * match]
            left += [(most - ladder.blocks) * block for most in (blocks, ladder.planned) if most is not None]
        return max(0.0, min(left)) if left else None


def ladder_rows(
    standings: Sequence[Standing], ladder: Ladder, statistics: Statistics, scores: Sequence[LotteryScore] = ()
) -> list[StandingsRow]:
    """The standings of a ladder, best bot first, with the second ranking if there is one."""
    totals, by_bot = statistics.by(lambda seat: seat.bot), {each.bot: each for each in scores}
    return [
        StandingsRow.of_ladder(_name(each.bot, ladder), each, totals[each.bot], by_bot.get(each.bot))
        for each in standings
    ]


def _name(bot: int, ladder: Ladder) -> str:
    name = ladder.setup.entrants[bot].spec.name
    return f"{name} (benched)" if bot in ladder.benched else name


def print_run(run: LadderRun, summary: Summary, db: str | None) -> None:
    """`roost ladder`: the table, what it is about, how to read it and what to do next."""
    console = results()
    games = ", ".join(summary.statistics.games())
    played = f"{counted(summary.matches, 'match')} in {counted(summary.blocks, 'block')} of {games}"
    console.print(f"{played}: {run.why}", soft_wrap=True)
    rows = ladder_rows(summary.standings, run.ladder, summary.statistics, summary.beyond.clone_proof)
    complete = print_fitted(console, standings_columns(rows))
    console.print(f"{RATING_NOTE} {ABOVE_NOTE} ms: a decision.", soft_wrap=True)
    note_room(console, complete)
    clock = run.ladder.needs.line(run.ladder.setup.limits.clock)
    for line in (*summary.lines(), *run.ladder.bench_lines(), *filter(None, [clock])):
        console.print(line, soft_wrap=True)
    console.print(_hint(run, db), soft_wrap=True)


def _hint(run: LadderRun, db: str | None) -> str:
    seed = shlex.quote(run.ladder.setup.seed)
    if db is None:
        return f"Seed {seed}. With --db FILE every match is kept, and the same command resumes the ladder later."
    return f"Seed {seed}. The same command resumes it; roost matches --db {shlex.quote(db)} lists what was played."


def run_json(run: LadderRun, summary: Summary) -> dict[str, object]:
    """`roost ladder --json`."""
    ladder = run.ladder
    return {
        **as_json(summary),
        "seed": ladder.setup.seed,
        "ended": run.ending.name.lower() if run.ending else "stopped" if run.stopped else "interrupted",
        "benched": [ladder.setup.entrants[bot].spec.name for bot in ladder.benched],
    }

"""How a ladder stands while it runs: a table that changes on a terminal, a line now and then elsewhere."""

import contextlib
import time
from collections.abc import Callable, Iterator

from rich.console import Console, Group, RenderableType
from rich.live import Live

from roost_cli.terminal import standings as cells
from roost_cli.terminal.console import fitted_table, remarks
from roost_cli.terminal.ladder_report import bench_lines, standings_columns
from roost_cli.terminal.live import LINE_SECONDS
from roost_games.wording import counted
from roost_ladder.rating.standings import LiveStandings, Standing
from roost_ladder.rating.statistics import Statistics
from roost_ladder.running.ladder import Ladder
from roost_ladder.running.rounds import Budget

LOOK_SECONDS = 1.0
"""How often the table on a terminal changes, at the most."""
FIT_SHARE = 0.1
"""No larger part of the time goes into ratings that are only looked at."""


class _Standings:
    """The standings so far: matches are added as they come."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._live = LiveStandings()
        self._counted = 0
        self.statistics = Statistics()

    def now(self) -> list[Standing]:
        new = self._ladder.facts[self._counted :]
        self._counted += len(new)
        self._live.add(match.result() for match in new)
        for match in new:
            self.statistics.add(match)
        return self._live.standings()


class _Screen:
    """Decides when to look, and what is said."""

    def __init__(self, ladder: Ladder, budget: Budget, console: Console, live: Live | None) -> None:
        self._ladder = ladder
        self._budget = budget
        self._console = console
        self._live = live
        self._standings = _Standings(ladder)
        self._begun = time.monotonic()
        self._next = self._begun + (LOOK_SECONDS if live else LINE_SECONDS)
        self._benched = 0

    def look(self) -> None:
        """Show it anew, if it is time to."""
        self._tell_benched()
        now = time.monotonic()
        if now >= self._next:
            self._show()
            spent = time.monotonic() - now
            self._next = now + max(LOOK_SECONDS if self._live else LINE_SECONDS, spent / FIT_SHARE)

    def _tell_benched(self) -> None:
        for line in bench_lines(self._ladder)[self._benched :]:
            self._console.print(line, soft_wrap=True)
        self._benched = len(self._ladder.benched)

    def _show(self) -> None:
        standings = self._standings.now()
        if self._live is not None:
            self._live.update(Group(self._table(standings), self._progress()), refresh=True)
            return
        leaders = ", ".join(self._shown(standing) for standing in standings[:3])
        self._console.print(f"{self._progress()}; {leaders}" if leaders else self._progress(), soft_wrap=True)

    def _table(self, standings: list[Standing]) -> RenderableType:
        if not standings:
            return "The first matches are being played ..."
        return fitted_table(self._console, standings_columns(standings, self._ladder, self._standings.statistics))

    def _shown(self, standing: Standing) -> str:
        name = self._ladder.setup.entrants[standing.bot].spec.name
        return f"{name} {cells.rating(standing.rating, standing.low, standing.high)}"

    def _progress(self) -> str:
        ladder = self._ladder
        passed = time.monotonic() - self._begun
        speed = f"{ladder.new_matches / passed:.0f} a second" if ladder.new_matches else "just begun"
        left = self._seconds_left(passed)
        to_go = "" if left is None else f", {_shown_time(left)} to go"
        played = f"{counted(len(ladder.facts), 'match')} in {counted(ladder.blocks, 'block')}"
        return f"{played}, {speed}{to_go}"

    def _seconds_left(self, passed: float) -> float | None:
        """Until the budget ends or the schedule does, if it is known when."""
        blocks, matches, seconds = self._budget
        ladder = self._ladder
        left = [] if seconds is None else [seconds - passed]
        if ladder.new_matches:
            match = passed / ladder.new_matches
            block = match * len(ladder.facts) / ladder.blocks
            left += [] if matches is None else [(matches - len(ladder.facts)) * match]
            left += [(most - ladder.blocks) * block for most in (blocks, ladder.planned) if most is not None]
        return max(0.0, min(left)) if left else None


def _shown_time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


@contextlib.contextmanager
def screen(ladder: Ladder, budget: Budget) -> Iterator[Callable[[], None]]:
    """Show how `ladder` stands as long as the block runs, whenever what this yields is called."""
    console = remarks()
    if not console.is_terminal or console.is_dumb_terminal:
        yield _Screen(ladder, budget, console, None).look
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield _Screen(ladder, budget, console, live).look

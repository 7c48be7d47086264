"""Examines a bot: does it load, answer legally everywhere, in time, and the same way again? Whom does it beat?

    report = examine("mybot.py", opponents)

Every part of the examination is a task for a worker process and becomes a finding.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import ceil
from statistics import median
from time import monotonic
from typing import NamedTuple

from roost_ladder.workshop import findings
from roost_ladder.workshop.findings import Duel, Finding, Mark, Times
from roost_ladder.workshop.tables import MatchKind, duel_games
from roost_ladder.workshop.worker import DoctorTask, Opponents
from roost_ladder.workshop.worker_process import Lines, WorkerRun, run_worker

MOST_ENDS = 3
"""After this many hung or dead processes a part of the examination is given up."""
SHARES = {"tables": 0.35, "rare": 0.25, "repeat": 0.2, "samples": 0.2}
"""How the time is shared out among the parts."""
DEALS_PER_MATCH = 8
"""How many deals are played against each opponent, for each match at a table."""


class Effort(NamedTuple):
    """How thorough the examination is."""

    matches: int = 3
    """At each kind of table."""
    seconds: float = 30.0
    """About how long it may take. A slow bot is examined less thoroughly."""
    patience: float = 10.0
    """A bot that does not answer for this many seconds hangs."""


USUAL_EFFORT = Effort()


class Examination(NamedTuple):
    """What was found."""

    bot: str
    games: list[str]
    findings: list[Finding]
    times: list[Times]
    duels: list[Duel]

    @property
    def loads(self) -> bool:
        """Whether there was anything to examine."""
        return self.findings[0].mark is Mark.FINE

    @property
    def healthy(self) -> bool:
        """Whether nothing is wrong with it; warnings do not count."""
        return all(finding.mark is not Mark.DEFECT for finding in self.findings)


def examine(
    bot: str,
    opponents: Opponents,
    *,
    games: Sequence[str] = (),
    seed: str = "doctor",
    effort: Effort = USUAL_EFFORT,
    tell: Callable[[str], None] = lambda what: None,
    parts: Collection[str] = tuple(SHARES),
) -> Examination:
    """Examine the bot that `bot` names (see `load_bot`), in `games`, or in all that it plays.

    `tell` is told what is being done; `parts` selects parts of the examination.
    """
    task = DoctorTask("load", bot, list(games), seed, effort.matches, effort.patience, effort.seconds, opponents)
    return _Doctor(task, effort, tell, parts).examine()


class _Doctor:
    def __init__(self, task: DoctorTask, effort: Effort, tell: Callable[[str], None], parts: Collection[str]) -> None:
        self._task = task
        self._effort = effort
        self._tell = tell
        self._parts = parts
        self._findings: list[Finding] = []

    def examine(self) -> Examination:
        """Everything, unless the bot cannot be loaded."""
        self._tell("loading")
        self._end = monotonic() + self._effort.seconds
        # With time of its own: without this nothing can be examined.
        loaded = run_worker(self._task._replace(seconds=self._effort.seconds + self._effort.patience))
        known = loaded.lines[0] if loaded.how == "finished" else {}
        self._tables = [MatchKind(*table) for table in known.get("tables", ())]
        games = list(dict.fromkeys(table.game for table in self._tables))
        self._findings.append(findings.loading(self._task.bot, loaded, games))
        if not games:
            return Examination(self._task.bot, [], self._findings, [], [])
        times = self._play_tables(games) if "tables" in self._parts else []
        if "rare" in self._parts:
            self._lead_into_rare(games)
        if "repeat" in self._parts:
            self._repeat()
        duels = self._play_samples() if "samples" in self._parts else []
        return Examination(known["name"], games, self._findings, times, duels)

    def _tables_of(self, game: str) -> list[MatchKind]:
        return [table for table in self._tables if table.game == game]

    def _run_worker(self, task: DoctorTask) -> WorkerRun:
        task = task._replace(seconds=min(task.seconds, self._end - monotonic()))
        if task.seconds <= 0:
            return WorkerRun([], "time is up", "", 0, "")
        return run_worker(task, lambda line: self._tell(f"{task.what}: {line['at']}") if "at" in line else None)

    def _run_parts(self, what: str, check: str, matches: int) -> tuple[Lines, bool]:
        """The lines of a task, restarted after each part that ended its process, and whether all of it was done."""
        task = self._task._replace(what=what, matches=matches)
        end = monotonic() + self._effort.seconds * SHARES[what]
        lines: Lines = []
        for _ in range(MOST_ENDS):
            seen = self._run_worker(task._replace(seconds=end - monotonic()))
            lines += seen.lines
            if seen.how in ("finished", "time is up"):
                return lines, seen.how == "finished"
            self._findings.append(findings.process_lost(check, seen, self._effort.patience))
            task = task._replace(skip=seen.part + 1)
        return lines, False

    def _play_tables(self, games: list[str]) -> list[Times]:
        lines, complete = self._run_parts("tables", "legal", self._effort.matches)
        played = [line for line in lines if "ms" in line]
        times = []
        for game in games:
            here = [line for line in played if line["table"][0] == game]
            self._findings += findings.legality(game, self._tables_of(game), here, complete=complete)
            spent = sorted(ms for line in here for ms in (*line["ms"], *findings.too_long(line["unanswered"])))
            if spent:
                times.append(Times(game, len(spent), median(spent), spent[ceil(0.99 * len(spent)) - 1], spent[-1]))
        self._findings += map(findings.speed, times)
        return times

    def _lead_into_rare(self, games: list[str]) -> None:
        lines, complete = self._run_parts("rare", "rare", 1)
        for game in games:
            here = [line for line in lines if "asked" in line and line["table"][0] == game]
            self._findings += findings.rare_situations(game, self._tables_of(game), here, complete=complete)

    def _repeat(self) -> None:
        """The same matches in four processes: twice alike, once with other global randomness, once after others."""
        task = self._task._replace(what="repeat", seconds=self._effort.seconds * SHARES["repeat"] / 2)
        tasks = [task, task, task._replace(salt=2), task._replace(warm=True)]
        with ThreadPoolExecutor(2) as pool:
            played = [run.lines for run in pool.map(self._run_worker, tasks)]
        self._findings += findings.repetition(*findings.compared_decisions(played))

    def _play_samples(self) -> list[Duel]:
        lines, _ = self._run_parts("samples", "samples", self._effort.matches * DEALS_PER_MATCH)
        shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for line in lines:
            if "share" in line:
                shares[line["game"], line["sample"]].append(line["share"])
        duels = [Duel(*pair, len(won), findings.share_of_deals(won)) for pair, won in shares.items()]
        self._findings += findings.strength(duel_games(self._tables), duels)
        return duels

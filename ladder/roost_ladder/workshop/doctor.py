"""`roost try`: examines a bot. Every part of the examination is a job for a worker and becomes a finding."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from math import ceil
from statistics import median
from time import monotonic
from typing import Any, NamedTuple

from roost_games.referee import STANDARD_CLOCK
from roost_games.wording import counted
from roost_ladder.rating.estimates import Estimate, mean_of, share_of
from roost_ladder.workshop.tables import Table, duel_games, situations_of
from roost_ladder.workshop.visit import Lines, Visit, visit
from roost_ladder.workshop.worker import Job

MOST_ENDS = 3
"""After so many hung or dead processes a part of the examination is given up."""
SHARES = {"tables": 0.35, "rare": 0.25, "repeat": 0.2, "samples": 0.2}
"""How the time is shared out among the parts."""
DEALS_PER_MATCH = 8
"""How many deals are played against each sample, for each match at a table."""


STATE_ADVICE = (
    "what belongs to a match belongs in self: there is a fresh instance for each match",
    "class attributes and globals are shared by all of them",
)


STOPPED = "the last match was stopped: there was no more time for it"


class Mark(StrEnum):
    """What a finding means."""

    FINE = "fine"
    WARNING = "warning"
    DEFECT = "defect"
    UNKNOWN = "unknown"


class Finding(NamedTuple):
    """One line of the report."""

    check: str
    """What was examined: `loads`, `legal`, `time`, `rare`, `repeats`, `state` or `samples`."""
    mark: Mark
    title: str
    details: tuple[str, ...] = ()
    """More lines: where, and what would be right."""


class Times(NamedTuple):
    """How long a bot thinks about a decision, in milliseconds."""

    game: str
    decisions: int
    median: float
    p99: float
    worst: float


class Duel(NamedTuple):
    """How a bot fares against a sample."""

    game: str
    sample: str
    deals: int
    share: Estimate
    """The share of matches won; each deal is played from both seats and counts as one observation."""


class Effort(NamedTuple):
    """How thorough the examination is."""

    matches: int
    seconds: float
    patience: float


class Report(NamedTuple):
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


class Doctor:
    """Examines one bot."""

    def __init__(
        self,
        bot: str,
        games: list[str],
        seed: str,
        effort: Effort,
        tell: Callable[[str], None] = lambda what: None,
        parts: Collection[str] = tuple(SHARES),
    ) -> None:
        """`tell` hears what is being done; `parts` are those of the examination."""
        self._parts = parts
        self._effort = effort
        self._job = Job("load", bot, games, seed, effort.matches, effort.patience, effort.seconds)
        self._tell = tell
        self._findings: list[Finding] = []

    def examine(self) -> Report:
        """All of it; if the bot cannot be loaded, only that."""
        self._tell("loading")
        self._end = monotonic() + self._effort.seconds
        # However little time there is: without this there is nothing to tell.
        loaded = visit(self._job._replace(seconds=self._effort.seconds + self._effort.patience))
        known = loaded.lines[0] if loaded.how == "finished" else {}
        self._tables = [Table(*table) for table in known.get("tables", ())]
        games = list(dict.fromkeys(table.game for table in self._tables))
        self._findings.append(_loading(self._job.bot, loaded, games))
        if not games:
            return Report(self._job.bot, [], self._findings, [], [])
        times = self._play_tables(games) if "tables" in self._parts else []
        if "rare" in self._parts:
            self._lead_into_rare(games)
        if "repeat" in self._parts:
            self._repeat()
        duels = self._play_samples() if "samples" in self._parts else []
        return Report(known["name"], games, self._findings, times, duels)

    def _tables_of(self, game: str) -> list[Table]:
        return [table for table in self._tables if table.game == game]

    def _visit(self, job: Job) -> Visit:
        job = job._replace(seconds=min(job.seconds, self._end - monotonic()))
        if job.seconds <= 0:
            return Visit([], "time is up", "", 0, "")
        return visit(job, lambda line: self._tell(f"{job.what}: {line['at']}") if "at" in line else None)

    def _visits(self, what: str, check: str, matches: int) -> tuple[Lines, bool]:
        """The lines of a job, started anew after each part that did not survive; whether all of it was done."""
        job = self._job._replace(what=what, matches=matches)
        end = monotonic() + self._effort.seconds * SHARES[what]
        lines: Lines = []
        for _ in range(MOST_ENDS):
            seen = self._visit(job._replace(seconds=end - monotonic()))
            lines += seen.lines
            if seen.how in ("finished", "time is up"):
                return lines, seen.how == "finished"
            self._findings.append(_dead(check, seen, self._effort.patience))
            job = job._replace(skip=seen.part + 1)
        return lines, False

    def _play_tables(self, games: list[str]) -> list[Times]:
        lines, complete = self._visits("tables", "legal", self._effort.matches)
        played = [line for line in lines if "ms" in line]
        times = []
        for game in games:
            here = [line for line in played if line["table"][0] == game]
            self._findings += _legality(game, self._tables_of(game), here, complete=complete)
            spent = sorted(ms for line in here for ms in (*line["ms"], *_too_long(line["unanswered"])))
            if spent:
                times.append(Times(game, len(spent), median(spent), spent[ceil(0.99 * len(spent)) - 1], spent[-1]))
        self._findings += map(_speed, times)
        return times

    def _lead_into_rare(self, games: list[str]) -> None:
        lines, complete = self._visits("rare", "rare", 1)
        for game in games:
            here = [line for line in lines if "asked" in line and line["table"][0] == game]
            self._findings += _rare(game, self._tables_of(game), here, complete=complete)

    def _repeat(self) -> None:
        """The same matches in four processes: twice alike, once with other randomness around, once after others."""
        job = self._job._replace(what="repeat", seconds=self._effort.seconds * SHARES["repeat"] / 2)
        jobs = [job, job, job._replace(salt=2), job._replace(warm=True)]
        with ThreadPoolExecutor(2) as pool:
            self._findings += _repeating(*_as_far_as_all_came([seen.lines for seen in pool.map(self._visit, jobs)]))

    def _play_samples(self) -> list[Duel]:
        lines, _ = self._visits("samples", "samples", self._effort.matches * DEALS_PER_MATCH)
        shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for line in lines:
            if "share" in line:
                shares[line["game"], line["sample"]].append(line["share"])
        duels = [Duel(*pair, len(won), _share_of_deals(won)) for pair, won in shares.items()]
        self._findings += _strength(duel_games(self._tables), duels)
        return duels


def _loading(bot: str, loaded: Visit, games: list[str]) -> Finding:
    if loaded.how == "refused":
        return Finding("loads", Mark.DEFECT, f"{bot} cannot be loaded", tuple(loaded.details.splitlines()))
    if loaded.how != "finished":
        what = {"hung": "hangs while it is imported", "died": "ends the process that imports it"}
        title = f"{bot} {what.get(loaded.how, 'takes too long to import')}"
        return Finding("loads", Mark.DEFECT, title, tuple(loaded.details.splitlines()))
    if not games:
        advice = "give it a method choose(self, view, legal), or one that is named after a game"
        return Finding("loads", Mark.DEFECT, f"{bot} plays none of the games asked for", (advice,))
    return Finding("loads", Mark.FINE, f"loads, and plays {', '.join(games)}")


def _dead(check: str, seen: Visit, patience: float) -> Finding:
    if seen.how == "hung":
        title = f"hangs: no answer for {patience:g} s in {seen.at}"
    else:
        title = f"ends its process in {seen.at}"
    return Finding(check, Mark.DEFECT, title, tuple(seen.details.splitlines()))


def _legality(game: str, tables: list[Table], played: Lines, *, complete: bool) -> list[Finding]:
    """Whether every answer was a legal one, at each table of a game."""
    sick = defaultdict[str, Counter[str]](Counter)
    details = defaultdict[str, dict[str, str]](dict)
    for line in played:
        table = str(Table(*line["table"]))
        sick[table].update(line["faults"])
        details[table].update(line["troubles"])
    findings = [
        Finding("legal", Mark.DEFECT, f"{table}: {_shown(faults)}", _lines(details[table]))
        for table, faults in sick.items()
        if faults
    ]
    findings += [
        Finding("legal", Mark.WARNING, f"{table}: errors that change nothing about the match", _lines(details[table]))
        for table, faults in sick.items()
        if not faults and details[table]
    ]
    missing = [str(table) for table in tables if str(table) not in sick]
    if missing and not complete:
        findings.append(Finding("legal", Mark.UNKNOWN, f"not reached in time: {'; '.join(missing)}"))
    asked = sum(len(line["ms"]) for line in played)
    if asked and not any(sick.values()):
        where = f"in {counted(len(played), 'match')} at {counted(len(sick), 'kind')} of table"
        title = f"{game}: {counted(asked, 'decision')} {where}, all of them legal"
        stopped = any(line["stopped"] for line in played)
        findings.insert(0, Finding("legal", Mark.FINE, title, (STOPPED,) if stopped else ()))
    return findings


def _shown(faults: Counter[str]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in faults.most_common())


def _lines(troubles: dict[str, str]) -> tuple[str, ...]:
    return tuple(line for what, more in troubles.items() for line in (what, *more.splitlines()))


def _speed(times: Times) -> Finding:
    clock = STANDARD_CLOCK
    title = (
        f"{times.game}: thinks {times.median:.2f} ms (median), 99 % within {times.p99:.2f} ms, at worst "
        f"{times.worst:.2f} ms"
    )
    if times.worst <= clock.decision_ms:
        return Finding("time", Mark.FINE, title)
    limit = (
        f"an arena gives {clock.decision_ms / 1000:g} s for a decision and {clock.bank_ms / 1000:g} s more in a match"
    )
    # A bank helps with a few hard decisions. It does not last if most of them need it.
    return Finding("time", Mark.DEFECT if times.median > clock.decision_ms else Mark.WARNING, title, (limit,))


def _too_long(unanswered: float) -> list[float]:
    """A decision that was cut short says how long a bot thinks only if that was too long already."""
    return [unanswered] if unanswered > STANDARD_CLOCK.decision_ms else []


def _rare(game: str, tables: list[Table], led: Lines, *, complete: bool) -> list[Finding]:
    """What the bot did where it was led."""
    findings = {
        trouble["what"]: Finding(
            "rare", Mark.DEFECT, f"{Table(*line['table'])}: {trouble['what']}", _rare_lines(trouble)
        )
        for line in reversed(led)
        for trouble in reversed(line["troubles"])
    }
    asked = sum(line["asked"] for line in led)
    reached = {name for line in led for name in line["situations"]}
    known = dict.fromkeys(name for table in tables for name in situations_of(table))
    missing = [name for name in known if name not in reached]
    told = list(findings.values())
    if reached and not told:
        title = f"{game}: {asked} decisions in rare situations, all of them legal"
        told = [Finding("rare", Mark.FINE, title, (", ".join(name for name in known if name in reached),))]
    if missing and not complete:
        told.append(Finding("rare", Mark.UNKNOWN, f"{game}: not led there in time: {', '.join(missing)}"))
    return told


def _rare_lines(trouble: dict[str, Any]) -> tuple[str, ...]:
    here = f"situation: {', '.join(trouble['situations']) or 'nothing unusual'}"
    return (here, *trouble["where"].splitlines())


Decisions = dict[str, list[str]]


def _as_far_as_all_came(played: Sequence[Lines]) -> list[Decisions]:
    """What each process saw, by table. Where one had to stop a match, only the part of it that all of them played."""
    matches = [{str(Table(*line["table"])): line for line in lines if "decisions" in line} for lines in played]
    decisions: list[Decisions] = [{} for _ in played]
    for table in sorted(set.intersection(*map(set, matches))):
        here = [match[table] for match in matches]
        stopped = any(line["stopped"] for line in here)
        length = min(len(line["decisions"]) for line in here) if stopped else None
        if length != 0:
            for each, line in zip(decisions, here, strict=True):
                each[table] = line["decisions"][:length]
    return decisions


def _repeating(first: Decisions, again: Decisions, salted: Decisions, warm: Decisions) -> list[Finding]:
    if not (first and again and salted and warm):
        unfinished = "the matches were not finished, so this is not known"
        return [
            Finding("repeats", Mark.UNKNOWN, f"does it repeat its decisions? {unfinished}"),
            Finding("state", Mark.UNKNOWN, f"does it keep anything between matches? {unfinished}"),
        ]
    advice = "self.rng is seeded with the match; the random module, the time and the order of sets are not"
    if first != again:
        return [
            Finding(
                "repeats",
                Mark.WARNING,
                f"not reproducible: two runs with the same seed differ, {_first_difference(first, again)}",
                (advice, "a bot that thinks for as long as it has time cannot do better"),
            ),
            Finding(
                "state", Mark.UNKNOWN, "does it keep anything between matches? It never repeats, so nobody can tell"
            ),
        ]
    state = Finding("state", Mark.FINE, "keeps nothing from one match to the next")
    if first != warm:
        title = "keeps something between matches: after others it plays the same match differently, "
        state = Finding("state", Mark.DEFECT, title + _first_difference(first, warm), STATE_ADVICE)
    if first == salted:
        compared = f"compared: {counted(sum(map(len, first.values())), 'decision')}"
        title = "the same seed gives the same decisions, in any process"
        return [Finding("repeats", Mark.FINE, title, (compared,)), state]
    title = f"not reproducible: it uses other randomness than self.rng, {_first_difference(first, salted)}"
    return [Finding("repeats", Mark.WARNING, title, (advice,)), state]


def _first_difference(one: Decisions, other: Decisions) -> str:
    for table, moves in one.items():
        for number, (move, instead) in enumerate(zip(moves, other[table], strict=False), 1):
            if move != instead:
                return f"at decision {number} in {table}: {move} and {instead}"
    return "in how long a match lasts"


def _share_of_deals(won: Sequence[float]) -> Estimate:
    """The share won, with an interval over deals. Where all deals went alike, Wilson's still says something."""
    share = mean_of(won)
    if share.low is None or share.high is None:
        return share_of(sum(won), len(won))
    return Estimate(share.mean, max(0.0, share.low), min(1.0, share.high))


def _strength(games: list[str], duels: list[Duel]) -> list[Finding]:
    """Losing is no defect. But a bot that loses to `random` probably does not do what its author thinks."""
    weak = [duel for duel in duels if duel.sample == "random" and duel.share.high is not None and duel.share.high < 0.5]
    findings = [
        Finding(
            "samples",
            Mark.WARNING,
            f"{duel.game}: loses to random more often than it wins",
            ("does it do what you think? roost play ... --show draws a match",),
        )
        for duel in weak
    ]
    if missing := [game for game in games if not any(duel.game == game for duel in duels)]:
        title = f"how does it fare against the samples? No deal was finished in time: {', '.join(missing)}"
        findings.append(Finding("samples", Mark.UNKNOWN, title))
    if not games:
        title = "how does it fare against the samples? It does not play with two"
        findings.append(Finding("samples", Mark.UNKNOWN, title))
    return findings

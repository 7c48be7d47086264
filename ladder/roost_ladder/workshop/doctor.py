"""Examines a bot: does it load, answer legally everywhere, in time, and the same way again? Whom does it beat?

    report = examine("mybot.py", opponents)

The bot has a process of its own, and never meets the referee there: what it does to that process becomes a finding.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from math import ceil
from statistics import median
from time import monotonic
from typing import NamedTuple

from roost_games.errors import RoostError
from roost_games.registry import GAME_NAMES
from roost_ladder.running.fixtures import BotSpec
from roost_ladder.workshop import findings
from roost_ladder.workshop.findings import Duel, Finding, Mark, Times
from roost_ladder.workshop.parts import (
    Case,
    Opponents,
    Part,
    PartT,
    PlayedItself,
    at_tables,
    duels,
    in_rare_situations,
    repeat,
)
from roost_ladder.workshop.patient import ExaminedBot, Patient, TimeIsUp
from roost_ladder.workshop.program import program_findings
from roost_ladder.workshop.tables import MatchKind, duel_games, tables_of
from roost_sdk.bot_process.process import BotLost
from roost_sdk.bot_process.sandbox import check_sandbox, sandbox_for
from roost_sdk.load import STDIO
from roost_sdk.troubles.hangs import each_once

MOST_ENDS = 3
"""After this many hung or dead processes a part of the examination is given up."""
SHARES = {"tables": 0.35, "rare": 0.25, "repeat": 0.2, "samples": 0.2}
"""How the time is shared out among the parts."""


SLOW_IMPORT_SECONDS = 3.0
SLOW_IMPORT_SHARE = 0.1
"""An import that takes more than this, and this share of the time, is worth a look."""


class Effort(NamedTuple):
    """How thorough the examination is."""

    matches: int = 3
    """At each kind of table."""
    seconds: float = findings.USUAL_SECONDS
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
    interrupted: bool = False
    """Whether somebody did not want to wait for the rest."""

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
    remark: Callable[[str], None] = lambda line: None,
    parts: Collection[str] = tuple(SHARES),
    sandbox: bool = False,
) -> Examination:
    """Examine the bot that `bot` names (see `load_bot`), in `games`, or in all that it plays.

    `tell` is told what is being done, and `remark` gets a line when the bot hangs; `parts` selects parts of the
    examination. Ctrl-C ends it with what was found until then. With `sandbox` the bot has neither files nor a network.
    Raises `UsageError` if there is no sandbox.
    """
    if sandbox:
        check_sandbox()
    tell("loading")
    patient = ExaminedBot(opponents.known.get(bot, bot), effort.patience, sandbox)
    began = monotonic()
    with closing(Patient(patient, effort.seconds, tell=remark)) as first:
        try:
            told = first.describe(tuple(opponents.known))
        except RoostError as error:
            return Examination(bot, [], [findings.not_loaded(bot, error, first.said)], [], [])
    imported = monotonic() - began
    asked = [game for game in GAME_NAMES if game in told.games and (not games or game in games)]
    tables = [table for table in tables_of(asked) if not told.player_counts or table.players in told.player_counts]
    name = bot if bot in opponents.known else told.name
    case = Case(BotSpec(name, told.version, patient.text, ""), tables, opponents, seed, effort.matches, effort.patience)
    return _Doctor(case, patient, effort, tell, each_once(remark)).examine(bot, parts, imported)


class _Doctor:
    def __init__(
        self,
        case: Case,
        bot: ExaminedBot,
        effort: Effort,
        tell: Callable[[str], None],
        remark: Callable[[str], None],
    ) -> None:
        self._case = case
        self._bot = bot
        self._effort = effort
        self._tell = tell
        self._remark = remark
        self._patients: list[Patient] = []
        self._interrupted = False
        self._end = monotonic() + effort.seconds
        self._findings: list[Finding] = []

    def examine(self, bot: str, parts: Collection[str], imported: float) -> Examination:
        """Everything that was asked for, if the bot plays anything. It took `imported` seconds to import it."""
        games = list(dict.fromkeys(table.game for table in self._case.tables))
        self._findings.append(findings.loaded(bot, games))
        if not games:
            return Examination(bot, [], self._findings, [], [])
        if imported > max(SLOW_IMPORT_SECONDS, SLOW_IMPORT_SHARE * self._effort.seconds):
            self._findings.append(findings.slow_import(imported))
        if self._bot.text.startswith(STDIO) and not self._talks_properly(games):
            return Examination(bot, games, self._findings, [], [])
        times = self._play_tables(games) if "tables" in parts else []
        if "rare" in parts and not self._interrupted:
            self._lead_into_rare(games)
        if "repeat" in parts and not self._interrupted:
            self._repeat()
        duels = self._play_samples() if "samples" in parts and not self._interrupted else []
        return Examination(self._case.bot.name, games, self._findings, times, duels, self._interrupted)

    def _talks_properly(self, games: list[str]) -> bool:
        """Whether a program keeps to the form of the lines. If not, nothing else can be known about it."""
        self._tell("the lines of the program")
        wrap = sandbox_for(self._bot.text) if self._bot.sandbox else list
        self._findings += program_findings(self._bot.text, games, self._bot.patience, wrap)
        return self._findings[-1].mark is not Mark.DEFECT

    def _tables_of(self, game: str) -> list[MatchKind]:
        return [table for table in self._case.tables if table.game == game]

    def _patient(self, seconds: float, salt: int = 1) -> Patient:
        self._patients.append(Patient(self._bot, seconds, self._end, salt, self._remark))
        return self._patients[-1]

    def _run_parts(self, what: str, check: str, parts: Iterator[Part[PartT]]) -> tuple[list[PartT], bool]:
        """What was found in parts until the time was up or too many processes were lost, and whether that was all."""
        found: list[PartT] = []
        ends = 0
        with closing(self._patient(self._effort.seconds * SHARES[what])) as patient:
            turn = ""
            for part in parts:
                if patient.is_over or ends == MOST_ENDS:
                    return found, False
                if part.at == turn and not patient.has_time:
                    continue
                self._tell(f"{what}: {part.at}")
                try:
                    if part.at != turn:
                        patient.take_turn(part.turns)
                    turn = part.at
                    found.append(part.examine(patient))
                except TimeIsUp:
                    continue
                except KeyboardInterrupt:
                    self._interrupted = True
                    if told := patient.open_call():
                        self._findings.append(findings.open_call(check, told, part.at))
                    return found, False
                except BotLost as lost:
                    ends += 1
                    self._findings.append(
                        findings.process_lost(check, lost, part.at, self._effort.patience, patient.said)
                    )
            return found, not patient.is_over

    def _play_tables(self, games: list[str]) -> list[Times]:
        played, complete = self._run_parts("tables", "legal", at_tables(self._case))
        times = []
        for game in games:
            here = [seen for seen in played if seen.table.game == game]
            self._findings += findings.legality(game, self._tables_of(game), here, complete=complete)
            spent = sorted(ms for seen in here for ms in (*seen.ms, *findings.too_long(seen.unanswered)))
            if spent:
                times.append(Times(game, len(spent), median(spent), spent[ceil(0.99 * len(spent)) - 1], spent[-1]))
        self._findings += map(findings.speed, times)
        return times

    def _lead_into_rare(self, games: list[str]) -> None:
        led, complete = self._run_parts("rare", "rare", in_rare_situations(self._case))
        for game in games:
            here = [seen for seen in led if seen.table.game == game]
            self._findings += findings.rare_situations(game, self._tables_of(game), here, complete=complete)

    def _repeat(self) -> None:
        """The same matches in four processes: twice alike, once with other global randomness, once after others."""
        with ThreadPoolExecutor(2) as pool:
            try:
                played = list(pool.map(self._played_again, (1, 1, 2, 1), (False, False, False, True)))
            except KeyboardInterrupt:
                self._interrupted = True
                self._end = 0.0
                for patient in self._patients:
                    patient.interrupt()
                return
        self._findings += findings.repetition(*findings.compared_decisions(played))

    def _played_again(self, salt: int, warm: bool) -> list[PlayedItself]:
        with closing(self._patient(self._effort.seconds * SHARES["repeat"] / 2, salt)) as patient:
            return repeat(self._case, patient, lambda at: self._tell(f"repeat: {at}"), warm=warm)

    def _play_samples(self) -> list[Duel]:
        won, _ = self._run_parts("samples", "samples", duels(self._case))
        shares: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for deal in filter(None, won):
            shares[deal.game, deal.sample].append(deal.share)
        fought = [Duel(*pair, len(each), findings.share_of_deals(each)) for pair, each in shares.items()]
        self._findings += findings.strength(duel_games(self._case.tables), fought)
        return fought

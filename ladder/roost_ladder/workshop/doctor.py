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
from roost_ladder.workshop.tables import MatchKind, duel_games, tables_of
from roost_sdk.bot_process.process import BotLost
from roost_sdk.bot_process.sandbox import check_sandbox

MOST_ENDS = 3
"""After this many hung or dead processes a part of the examination is given up."""
SHARES = {"tables": 0.35, "rare": 0.25, "repeat": 0.2, "samples": 0.2}
"""How the time is shared out among the parts."""


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
    sandbox: bool = False,
) -> Examination:
    """Examine the bot that `bot` names (see `load_bot`), in `games`, or in all that it plays.

    `tell` is told what is being done; `parts` selects parts of the examination. With `sandbox` the bot has neither
    files nor a network. Raises `UsageError` if there is no sandbox.
    """
    if sandbox:
        check_sandbox()
    tell("loading")
    patient = ExaminedBot(opponents.known.get(bot, bot), effort.patience, sandbox)
    with closing(Patient(patient, effort.seconds)) as first:
        try:
            told = first.describe(tuple(opponents.known))
        except RoostError as error:
            return Examination(bot, [], [findings.not_loaded(bot, error, first.said)], [], [])
    asked = [game for game in GAME_NAMES if game in told.games and (not games or game in games)]
    tables = [table for table in tables_of(asked) if not told.player_counts or table.players in told.player_counts]
    name = bot if bot in opponents.known else told.name
    case = Case(BotSpec(name, told.version, patient.text, ""), tables, opponents, seed, effort.matches, effort.patience)
    return _Doctor(case, patient, effort, tell).examine(bot, parts)


class _Doctor:
    def __init__(self, case: Case, bot: ExaminedBot, effort: Effort, tell: Callable[[str], None]) -> None:
        self._case = case
        self._bot = bot
        self._effort = effort
        self._tell = tell
        self._end = monotonic() + effort.seconds
        self._findings: list[Finding] = []

    def examine(self, bot: str, parts: Collection[str]) -> Examination:
        """Everything that was asked for, if the bot plays anything."""
        games = list(dict.fromkeys(table.game for table in self._case.tables))
        self._findings.append(findings.loaded(bot, games))
        if not games:
            return Examination(bot, [], self._findings, [], [])
        times = self._play_tables(games) if "tables" in parts else []
        if "rare" in parts:
            self._lead_into_rare(games)
        if "repeat" in parts:
            self._repeat()
        duels = self._play_samples() if "samples" in parts else []
        return Examination(self._case.bot.name, games, self._findings, times, duels)

    def _tables_of(self, game: str) -> list[MatchKind]:
        return [table for table in self._case.tables if table.game == game]

    def _patient(self, seconds: float, salt: int = 1) -> Patient:
        return Patient(self._bot, seconds, self._end, salt)

    def _run_parts(self, what: str, check: str, parts: Iterator[Part[PartT]]) -> tuple[list[PartT], bool]:
        """What was found in parts until the time was up or too many processes were lost, and whether that was all."""
        found: list[PartT] = []
        ends = 0
        with closing(self._patient(self._effort.seconds * SHARES[what])) as patient:
            for part in parts:
                if not patient.has_time or ends == MOST_ENDS:
                    return found, False
                self._tell(f"{what}: {part.at}")
                try:
                    found.append(part.examine(patient))
                except TimeIsUp:
                    return found, False
                except BotLost as lost:
                    ends += 1
                    self._findings.append(
                        findings.process_lost(check, lost, part.at, self._effort.patience, patient.said)
                    )
            return found, patient.has_time

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
            played = list(pool.map(self._played_again, (1, 1, 2, 1), (False, False, False, True)))
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

"""What `roost compare` does: find the bots, play paired blocks until the answer is sure, and say what it is."""

import os
import time
from dataclasses import dataclass

import typer

from roost_bots import SAMPLES
from roost_cli.options import parse_counts, parse_duration, parse_games
from roost_cli.terminal.comparison_report import Faults, Report, print_report, report_json, watching
from roost_cli.terminal.console import print_json, remarks
from roost_games.chance import seed_of
from roost_games.errors import Exit, UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.rating.compare import MOST_ELO, NEW, OLD, Comparison, Plan, Table, observe
from roost_ladder.rating.sprt import Sprt, Verdict
from roost_ladder.running.comparison import ComparedBlock, Team, get_in_each_others_way, play_blocks
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_ladder.running.series import TroubleLog, new_seed
from roost_ladder.running.workers import local_executor

DEFAULT_SECONDS = 300.0
EXIT_CODES = {Verdict.STRONGER: 0, Verdict.NOT_STRONGER: 1, Verdict.UNDECIDED: 2}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person typed."""

    new: str
    old: str
    games: str | None
    players: str
    against: tuple[str, ...]
    elo0: float
    elo1: float
    alpha: float
    beta: float
    budget: str | None
    blocks: int | None
    workers: int | None
    seed: str | None

    def check(self) -> None:
        """Raise `UsageError` for what is wrong whoever plays: before bots are imported, which takes a while."""
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= MOST_ELO:
                raise UsageError(f"--{name} is in Elo points from -{MOST_ELO:.0f} to {MOST_ELO:.0f}, not {elo:g}")
        if not self.elo0 < self.elo1:
            raise UsageError(f"--elo0 has to be less than --elo1, not {self.elo0:g} and {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise UsageError(f"--{name} is a rate of errors between 0 and 0.5, such as 0.05, not {rate:g}")
        parse_games(self.games)
        parse_counts(self.players)

    def seconds(self) -> float:
        """How long it may take."""
        if self.budget is not None:
            return parse_duration(self.budget)
        return DEFAULT_SECONDS if self.blocks is None else float("inf")


def run_comparison(wishes: Wishes, *, as_json: bool) -> None:
    """Play and report, and leave with the exit code of the verdict. Ctrl-C ends it early: 130, after the report."""
    wishes.check()
    seconds = wishes.seconds()
    bots = _find_bots(wishes)
    seed = new_seed() if wishes.seed is None else wishes.seed
    plan = Plan(_tables(wishes, bots), tuple(range(OLD + 1, len(bots))), seed_of(seed))
    comparison = Comparison(plan, Sprt(wishes.alpha, wishes.beta), wishes.elo0, wishes.elo1)
    report = Report(comparison, bots, seed, Faults())
    team = _team(plan, bots)
    interrupted = False
    try:
        _play(report, team, wishes, time.monotonic() + seconds)
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        print_json(report_json(report))
    else:
        print_report(report)
    raise typer.Exit(Exit.INTERRUPTED if interrupted else EXIT_CODES[comparison.verdict])


def _play(report: Report, team: Team, wishes: Wishes, deadline: float) -> None:
    """Until the verdict or the end of the budget."""
    comparison, plan = report.comparison, report.comparison.plan
    workers = wishes.workers or len(os.sched_getaffinity(0))
    troubles = TroubleLog()
    with local_executor(workers) as executor, watching(report) as look:
        for block in play_blocks(plan, team, executor, deadline=deadline, look=look):
            comparison.add(observe(plan, block.number, [match.result.places for match in block.played]))
            _note_troubles(report, block, troubles)
            look()
            if comparison.verdict is not Verdict.UNDECIDED or comparison.sample.blocks == wishes.blocks:
                break
    troubles.close()


def _note_troubles(report: Report, block: ComparedBlock, troubles: TroubleLog) -> None:
    for match, played in zip(report.comparison.plan.block(block.number), block.played, strict=True):
        report.faults.count(match.seating, played)
        for trouble in played.troubles:
            troubles.tell(trouble)


def _find_bots(wishes: Wishes) -> list[Entrant]:
    """The new bot, the old one, and the opponents. The first two get names that tell them apart."""
    new, old = _find_one(wishes.new), _find_one(wishes.old)
    if new.spec.name == old.spec.name:
        same = wishes.new == wishes.old
        new = _renamed(new, f"{new.spec.name} (new)" if same else wishes.new)
        old = _renamed(old, f"{old.spec.name} (old)" if same else wishes.old)
    opponents: list[Entrant] = []
    for text in wishes.against:
        found = find_entrants([text], SAMPLES)
        for line in found.left_out:
            remarks().print(f"left out: {line}", soft_wrap=True)
        opponents += found.bots
    bots = [new, old, *opponents]
    for bot in bots:
        if bot.is_command:
            raise UsageError(f"{bot.spec.name} connects to an arena by itself; roost ladder can play it, not compare")
    return bots


def _find_one(text: str) -> Entrant:
    found = find_entrants([text], SAMPLES)
    if len(found.bots) != 1 or found.left_out:
        raise UsageError(f"{text} is not one bot; name a file, such as {text}/mybot.py")
    return found.bots[0]


def _renamed(bot: Entrant, name: str) -> Entrant:
    return bot._replace(spec=bot.spec._replace(name=name))


def _tables(wishes: Wishes, bots: list[Entrant]) -> tuple[Table, ...]:
    """Every game at every number of players. Raises `UsageError` if there is none, or one cannot be played."""
    counts = parse_counts(wishes.players)
    games = parse_games(wishes.games) or tuple(game for game in GAME_NAMES if _can_be_played(game, counts, bots))
    if not games:
        raise UsageError(f"there is no game for {wishes.players} players that all these bots play; see roost games")
    for game in games:
        for bot in bots:
            if game not in bot.games:
                raise UsageError(f"{bot.spec.name} does not play {game}")
        for players in counts:
            get_game(game).check_players(players, get_game(game).options({}))
    return tuple(Table(game, players) for game in dict.fromkeys(games) for players in counts)


def _can_be_played(game: str, counts: tuple[int, ...], bots: list[Entrant]) -> bool:
    possible = get_game(game).players(get_game(game).options({}))
    return set(counts) <= set(possible) and all(bot.plays(game, players) for bot in bots for players in counts)


def _team(plan: Plan, bots: list[Entrant]) -> Team:
    """Who plays, and how. What is unusual about it is told on stderr."""
    specs = {number: bot.spec for number, bot in enumerate(bots)}
    isolated = get_in_each_others_way(specs.values())
    if specs[NEW].version == specs[OLD].version:
        remarks().print(f"note: {specs[NEW].name} and {specs[OLD].name} have the same code", soft_wrap=True)
    if isolated:
        remarks().print(
            "note: bots import different modules of the same name, so each has a process of its own, which is slow",
            soft_wrap=True,
        )
    options = {table.game: get_game(table.game).options({}) for table in plan.tables}
    return Team(specs, options, isolated=isolated)

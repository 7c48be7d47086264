"""Is a new bot stronger than an old one? Paired blocks are played through an engine until the test decides.

run = run_comparison(CompareOptions("mybot.py", "old/mybot.py"), SAMPLES)
print(run.comparison.verdict, run.comparison.elo)
"""

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.rating.compare import MOST_ELO, NEW, OLD, ComparedTable, Comparison, Plan, observe
from roost_ladder.rating.sprt import Sprt, Verdict
from roost_ladder.running.engine import Engine, Executor, OpenExecutor, Pace, RunStopped, Unit
from roost_ladder.running.entrants import Entrant, apart_if_need_be, find_entrants
from roost_ladder.running.fixtures import BotSpec, Fixture, MatchLimits, PlayedMatch
from roost_ladder.running.series import new_seed
from roost_ladder.running.workers import local_executor
from roost_sdk import Bot
from roost_sdk.processes import cores
from roost_sdk.troubles.log import TroubleLog

DEFAULT_SECONDS = 300.0
"""How long a comparison takes at most if nothing else ends it."""

MOST_BLOCKS = 64
"""The most blocks in a job. Jobs that are running when the comparison ends are dropped."""


class Lineup(NamedTuple):
    """The bots of a comparison, and how they play."""

    bots: Mapping[int, BotSpec]
    """By the numbers of the plan."""
    options: Mapping[str, Any]
    """The options of each game."""
    limits: MatchLimits = MatchLimits(recording=False)

    def fixtures(self, plan: Plan, block: int) -> tuple[Fixture, ...]:
        """The matches of a block."""
        return tuple(
            Fixture(
                f"compare-{block}-{number}",
                match.table.game,
                tuple([self.bots[bot] for bot in match.seating]),
                match.seed,
                self.options[match.table.game],
            )
            for number, match in enumerate(plan.block(block))
        )


class ComparedBlock(NamedTuple):
    """A block whose matches have ended, in the order of the plan."""

    number: int
    played: Sequence[PlayedMatch]


class _Blocks:
    """The supply of a comparison: blocks from number 0 on, without end."""

    def __init__(self, plan: Plan, lineup: Lineup) -> None:
        self._plan = plan
        self._lineup = lineup
        self._numbers = count()

    def next_unit(self) -> Unit:
        number = next(self._numbers)
        return Unit(str(number), self._lineup.fixtures(self._plan, number))

    def most_per_job(self) -> int:
        return MOST_BLOCKS

    def arrived(self, unit: Unit, played: Sequence[PlayedMatch]) -> None:
        pass


def play_blocks(
    plan: Plan, lineup: Lineup, executor: Executor, *, deadline: float, look: Callable[[], None] = lambda: None
) -> Iterator[ComparedBlock]:
    """Blocks from number 0 on, without end, or until `deadline` by the monotonic clock. `look` is called while waiting.

    Raises `UsageError` if a bot cannot be loaded.
    """
    engine = Engine(executor, _Blocks(plan, lineup), lineup.limits, pace=Pace(), deadline=deadline, look=look)
    for number in count():
        played = engine.result(str(number))
        if played is None:
            return
        yield ComparedBlock(number, played)


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Which bots to compare, at which tables, and how sure to be."""

    new: str
    old: str
    games: tuple[str, ...] = ()
    """By default all that these bots play."""
    players: tuple[int, ...] = (4,)
    against: tuple[str, ...] = ()
    """The opponents; by default copies of the old bot."""
    elo0: float = 0.0
    """A bot that gains no more than this is not stronger."""
    elo1: float = 20.0
    """A bot that gains this much must not be missed."""
    alpha: float = 0.05
    """How often a bot that is not stronger may be called stronger."""
    beta: float = 0.05
    """How often a bot that is stronger may be missed."""
    seconds: float | None = None
    blocks: int | None = None
    workers: int | None = None
    """How many processes play; by default one per core."""
    seed: str | None = None
    trusted: bool = False
    """Whether the bots may share a process with the referee, which is faster: they are one's own."""
    sandbox: bool = False
    """Whether the processes of bots have neither files nor a network."""

    def check(self) -> None:
        """Raise `UsageError` for what is wrong with any bots: before bots are imported, which takes a while."""
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(elo) <= MOST_ELO:
                raise UsageError(f"--{name} is in Elo points from -{MOST_ELO:.0f} to {MOST_ELO:.0f}, not {elo:g}")
        if not self.elo0 < self.elo1:
            raise UsageError(f"--elo0 has to be less than --elo1, not {self.elo0:g} and {self.elo1:g}")
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise UsageError(f"--{name} is a rate of errors between 0 and 0.5, such as 0.05, not {rate:g}")

    def deadline(self) -> float:
        """When to stop, by the monotonic clock."""
        usual = DEFAULT_SECONDS if self.blocks is None else float("inf")
        return time.monotonic() + (usual if self.seconds is None else self.seconds)


@dataclass(frozen=True, slots=True)
class BotFaults:
    """The faults of the bots of a comparison, by their numbers."""

    kinds: dict[int, Counter[str]] = field(default_factory=dict)
    forfeits: Counter[int] = field(default_factory=Counter)

    def count(self, seating: Sequence[int], played: PlayedMatch) -> None:
        """Add those of a match."""
        for fault in played.result.faults:
            self.kinds.setdefault(seating[fault.seat], Counter())[fault.kind.value] += 1
        self.forfeits.update(seating[seat] for seat in played.result.forfeits)


@dataclass(slots=True)
class ComparisonRun:
    """A comparison, running or ended."""

    comparison: Comparison
    bots: Sequence[Entrant]
    """By the numbers of the plan."""
    seed: str
    faults: BotFaults = field(default_factory=BotFaults)
    interrupted: bool = False
    stopped: str = ""
    """Why it could not go on."""
    workers: Callable[[], int] = lambda: 0
    """How many jobs are played at the same time, at the moment."""

    def name(self, number: int) -> str:
        """The name of the bot with this number."""
        return self.bots[number].spec.name

    @property
    def matches(self) -> int:
        """How many have been counted."""
        return self.comparison.sample.blocks * self.comparison.plan.matches


Watch = Callable[[ComparisonRun], AbstractContextManager[Callable[[], None]]]
"""Shows a comparison while it runs, whenever the context's value is called."""


@contextlib.contextmanager
def unwatched(run: ComparisonRun) -> Iterator[Callable[[], None]]:
    """A `Watch` that shows nothing."""
    yield lambda: None


def run_comparison(
    options: CompareOptions,
    samples: Mapping[str, type[Bot]],
    *,
    open_executor: OpenExecutor | None = None,
    watch: Watch = unwatched,
    remark: Callable[[str], None] = lambda line: None,
) -> ComparisonRun:
    """Play until the verdict, the last block or the deadline. Ctrl-C ends it early.

    `open_executor` says where matches are played, by default here.
    `remark` gets lines about what is unusual, bots that fail among them.
    """
    options.check()
    bots = _find_bots(options, samples, remark)
    seed = new_seed() if options.seed is None else options.seed
    plan = Plan(_tables(options, bots), tuple(range(OLD + 1, len(bots))), seed_of(seed))
    comparison = Comparison(plan, Sprt(options.alpha, options.beta), options.elo0, options.elo1)
    run = ComparisonRun(comparison, bots, seed)
    lineup = _lineup(plan, bots, remark, sandbox=options.sandbox)
    try:
        _play(run, lineup, options, open_executor, watch, remark)
    except KeyboardInterrupt:
        run.interrupted = True
    except RunStopped as error:
        run.stopped = str(error)
    return run


def _play(
    run: ComparisonRun,
    lineup: Lineup,
    options: CompareOptions,
    open_executor: OpenExecutor | None,
    watch: Watch,
    remark: Callable[[str], None],
) -> None:
    troubles = TroubleLog(remark)
    comparison, plan = run.comparison, run.comparison.plan
    place = (
        open_executor(list(lineup.bots.values()), lineup.limits)
        if open_executor
        else local_executor(options.workers or cores(), remark)
    )
    with place as executor, watch(run) as look:
        run.workers = lambda: executor.workers
        deadline = options.deadline()
        for block in play_blocks(plan, lineup, executor, deadline=deadline, look=look):
            comparison.add(observe(plan, block.number, [match.result.places for match in block.played]))
            _note_troubles(run, block, troubles)
            look()
            if comparison.verdict is not Verdict.UNDECIDED or comparison.sample.blocks == options.blocks:
                break
    troubles.close()


def _note_troubles(run: ComparisonRun, block: ComparedBlock, troubles: TroubleLog) -> None:
    for match, played in zip(run.comparison.plan.block(block.number), block.played, strict=True):
        run.faults.count(match.seating, played)
        for trouble in played.troubles:
            troubles.tell(trouble, played.match)


def _find_bots(
    options: CompareOptions, samples: Mapping[str, type[Bot]], remark: Callable[[str], None]
) -> list[Entrant]:
    """The new bot, the old one, and the opponents. The first two get names that tell them apart."""
    new, old = (_find_one(text, samples, options) for text in (options.new, options.old))
    if new.spec.name == old.spec.name:
        same = options.new == options.old
        new = _renamed(new, f"{new.spec.name} (new)" if same else options.new)
        old = _renamed(old, f"{old.spec.name} (old)" if same else options.old)
    opponents: list[Entrant] = []
    for text in options.against:
        found = find_entrants([text], samples, trusted=options.trusted, sandbox=options.sandbox)
        for line in found.left_out:
            remark(f"left out: {line}")
        opponents += found.bots
    bots = [new, old, *opponents]
    for bot in bots:
        if bot.is_command:
            raise UsageError(f"{bot.spec.name} connects to an arena by itself; roost ladder can play it, not compare")
    return list(apart_if_need_be(bots, remark))


def _find_one(text: str, samples: Mapping[str, type[Bot]], options: CompareOptions) -> Entrant:
    found = find_entrants([text], samples, trusted=options.trusted, sandbox=options.sandbox)
    if len(found.bots) != 1 or found.left_out:
        raise UsageError(f"{text} is not one bot; name a file, such as {text}/mybot.py")
    return found.bots[0]


def _renamed(bot: Entrant, name: str) -> Entrant:
    return bot._replace(spec=bot.spec._replace(name=name))


def _tables(options: CompareOptions, bots: Sequence[Entrant]) -> tuple[ComparedTable, ...]:
    """Every game at every number of players. Raises `UsageError` if there is none, or one cannot be played."""
    counts = options.players
    games = options.games or tuple(game for game in GAME_NAMES if _can_be_played(game, counts, bots))
    if not games:
        sizes = ",".join(map(str, counts))
        raise UsageError(f"there is no game for {sizes} players that all these bots play; see roost games")
    for game in games:
        for bot in bots:
            if game not in bot.games:
                raise UsageError(f"{bot.spec.name} does not play {game}")
        for players in counts:
            get_game(game).check_players(players, get_game(game).options({}))
    return tuple(ComparedTable(game, players) for game in dict.fromkeys(games) for players in counts)


def _can_be_played(game: str, counts: Sequence[int], bots: Sequence[Entrant]) -> bool:
    possible = get_game(game).players(get_game(game).options({}))
    return set(counts) <= set(possible) and all(bot.plays(game, players) for bot in bots for players in counts)


def _lineup(plan: Plan, bots: Sequence[Entrant], remark: Callable[[str], None], *, sandbox: bool) -> Lineup:
    """The bots of a comparison, and how they play."""
    specs = {number: bot.spec for number, bot in enumerate(bots)}
    if specs[NEW].version == specs[OLD].version:
        remark(f"note: {specs[NEW].name} and {specs[OLD].name} have the same code")
    options = {table.game: get_game(table.game).options({}) for table in plan.tables}
    return Lineup(specs, options, MatchLimits(recording=False, sandbox=sandbox))

"""A ladder, from its options to the end of its run, on this machine unless another executor is handed in.

options = LadderOptions(bots=("mybots", "greedy"), games=("karteneck",))
run = run_ladder(options, SAMPLES)
for row in standings(match.result() for match in run.ladder.facts):
    print(row)
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple

from roost_games.chance import seed_of
from roost_games.errors import UsageError
from roost_games.referee import STANDARD_CLOCK, Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_games.wording import counted
from roost_ladder.blocks import Deals, Rotation
from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.running.book import BEFORE, Book, MemoryBook
from roost_ladder.running.engine import Executor, OpenExecutor, RunStopped
from roost_ladder.running.entrants import Entrant, apart_if_need_be, find_entrants
from roost_ladder.running.fixtures import MatchLimits
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.rounds import Budget, RunEnd
from roost_ladder.running.series import new_seed
from roost_ladder.running.workers import local_executor
from roost_ladder.schedules.registry import schedule_named
from roost_ladder.schedules.schedule import Kind
from roost_sdk import Bot
from roost_sdk.load import did_you_mean
from roost_sdk.processes import cores
from roost_sdk.troubles.log import TroubleLog

DEFAULT_SECONDS = 60.0
"""How long a ladder runs if nothing else ends it."""


@dataclass(frozen=True, slots=True)
class LadderOptions:
    """The bots of a ladder, what they play and for how long."""

    bots: tuple[str, ...]
    """Folders, files, samples and commands, as `find_entrants` reads them."""
    games: tuple[str, ...] = ()
    """By default all that the bots can play."""
    players: tuple[int, ...] = (2, 3, 4)
    schedule: str = "sure"
    times: int | None = None
    """How often all groups meet, or the rounds of a Swiss schedule."""
    hero: str | None = None
    """The bot that a gauntlet sends against all others."""
    rotation: str = Rotation.CYCLIC.value
    seed: str | None = None
    """By default that of the run that is resumed, or a random one."""
    clock: Clock = STANDARD_CLOCK
    memory_mb: int = 1024
    workers: int | None = None
    """How many processes play; by default one per core."""
    blocks: int | None = None
    matches: int | None = None
    seconds: float | None = None
    """When to stop, unless the schedule ends first."""
    deals: str | None = None
    """Whether the matches of a block share a deal. By default as in the run that is resumed; a new one has own deals.

    Duplicate deals are for bots that one trusts, since one process plays several matches of a deal and could remember.
    """
    trusted: bool = False
    """Whether the bots may share a process with the referee, which is faster: they are one's own."""
    sandbox: bool = False
    """Whether the processes of bots have neither files nor a network."""

    @property
    def budget(self) -> Budget:
        """When to stop; after a minute by default."""
        if all(limit is None for limit in (self.blocks, self.matches, self.seconds, self.times)):
            return Budget(seconds=DEFAULT_SECONDS)
        return Budget(self.blocks, self.matches, self.seconds)

    def check(self) -> None:
        """Raise `UsageError` for options that no bots can satisfy, before bots are imported, which takes a while."""
        self._rotation()
        _deals(self.deals or Deals.OWN)
        if self.schedule == "gauntlet" and self.hero is None:
            raise UsageError("the schedule gauntlet needs --hero NAME, the bot that plays against all others")
        schedule_named(self.schedule, times=self.times, hero=None if self.hero is None else 0)

    def setup(
        self, entrants: Sequence[Entrant], resumed: "ResumedRun | None" = None, *, recording: bool = False
    ) -> Setup:
        """The run with these bots. Raises `UsageError` if it cannot be played."""
        seed = self.seed or (resumed.seed if resumed else new_seed())
        deals = self.deals or (resumed.deals if resumed else Deals.OWN)
        method = resumed.method if resumed else LATEST
        kinds = self._kinds(entrants)
        hero = None if self.hero is None else number_of(self.hero, entrants)
        setup = Setup(
            tuple(entrants),
            kinds,
            seed,
            schedule_named(self.schedule, seed=seed_of(seed), times=self.times, hero=hero, method=method),
            " ".join(filter(None, (self.schedule, self.hero, f"{self.times} times" if self.times else ""))),
            {game: get_game(game).options({}) for game in dict.fromkeys(kind.game for kind in kinds)},
            self._rotation(),
            self.limits(recording=recording),
            hero,
            _deals(deals),
            method,
        )
        self._check_room(setup)
        return setup

    def limits(self, *, recording: bool) -> MatchLimits:
        """What a bot may use up."""
        return MatchLimits(self.clock, memory_mb=self.memory_mb, recording=recording, sandbox=self.sandbox)

    def _rotation(self) -> Rotation:
        try:
            return Rotation(self.rotation)
        except ValueError:
            raise UsageError(f"--rotation is {' or '.join(Rotation)}, not {self.rotation!r}") from None

    def _kinds(self, entrants: Sequence[Entrant]) -> tuple[Kind, ...]:
        """Every game at every number of players that can be played and that enough bots can play."""
        # In our order, not in that of the options: another order is not another ladder.
        names = sorted(self.games or GAME_NAMES, key=GAME_NAMES.index)
        kinds = [
            Kind(name, players)
            for name in names
            for players in self.players
            if players in get_game(name).players(get_game(name).options({}))
            and sum(entrant.plays(name, players) for entrant in entrants) >= players > 1
        ]
        if not kinds:
            raise UsageError(
                f"nothing can be played: {counted(len(entrants), 'bot')} for {', '.join(names)} "
                f"at tables of {','.join(map(str, self.players))}; "
                "add bots that play these games, or change --games or --players"
            )
        return tuple(kinds)

    def _check_room(self, setup: Setup) -> None:
        """Raise `UsageError` if not even one block may be played."""
        least = min(setup.rotation.matches(kind.players) for kind in setup.kinds)
        if self.matches is not None and self.matches < least:
            raise UsageError(
                f"--matches {self.matches} is too few: a block, with every bot in every seat, takes {least}"
            )


def _deals(text: str) -> Deals:
    try:
        return Deals(text)
    except ValueError:
        raise UsageError(f"--deals is {' or '.join(Deals)}, not {text!r}") from None


class ResumedRun(NamedTuple):
    """What a run that is resumed has settled."""

    seed: str
    deals: str
    method: Method = LATEST

    @classmethod
    def of(cls, charter: Mapping[str, Any]) -> "ResumedRun":
        """From the charter on record."""
        known = {**BEFORE, **charter}
        return cls(known["seed"], known["deals"], Method(known["ratings"]))


class LadderTeam(NamedTuple):
    """The bots of a ladder, and what plays them."""

    entrants: Sequence[Entrant]
    executor: Executor
    look_after: Callable[[], None] = lambda: None
    """Must be called now and then."""


class LadderRun(NamedTuple):
    """A run that has ended."""

    ladder: Ladder
    ending: RunEnd | None
    """`None` if it was interrupted or stopped."""
    left_out: tuple[str, ...] = ()
    """For each file that could not be imported, a line or more: its name, and what is wrong with it."""
    stopped: str = ""
    """Why it could not go on."""

    @property
    def why(self) -> str:
        """Why it ended."""
        if self.ending is RunEnd.SCHEDULE and self.ladder.setup.schedule_name == "sure":
            every = "every bot that can still play" if self.ladder.benched else "every bot"
            return f"{every} is surely stronger than the next one"
        return self.ending or ("stopped" if self.stopped else "interrupted")


Programs = Callable[[Sequence[Entrant], MatchLimits, int], AbstractContextManager[LadderTeam]]
"""Starts bots that connect to an arena by themselves, given their limits and how many matches may run at once."""
Watch = Callable[[Ladder, Budget], AbstractContextManager[Callable[[], None]]]
"""Shows a ladder while it runs, whenever the context's value is called."""


@contextlib.contextmanager
def unwatched(ladder: Ladder, budget: Budget) -> Iterator[Callable[[], None]]:
    """A `Watch` that shows nothing."""
    yield lambda: None


def run_ladder(
    options: LadderOptions,
    samples: Mapping[str, type[Bot]],
    *,
    book: Book | None = None,
    resumed: ResumedRun | None = None,
    programs: Programs | None = None,
    open_executor: OpenExecutor | None = None,
    watch: Watch = unwatched,
    remark: Callable[[str], None] = lambda line: None,
    must_play: str | None = None,
) -> LadderRun:
    """Play until the schedule or the budget ends. Ctrl-C ends it early, with all that was played until then.

    With a `book` every match is kept there; `resumed` is the run in it, if there is one. `programs` starts
    bots that are commands, and `open_executor` says where all others play, by default here. `remark` gets
    lines about what is unusual, bots that fail among them. Raises `UsageError` if the bot `must_play` does
    not take part.
    """
    options.check()
    entrants, left_out = _find(options, samples, remark)
    if must_play is not None:
        number_of(must_play, entrants)
    with _team(entrants, options, programs, open_executor, remark) as team:
        setup = options.setup(team.entrants, resumed, recording=book is not None)
        troubles = TroubleLog(remark)
        ladder = Ladder(setup, book or MemoryBook(), troubles.tell)
        ending, stopped = _play(ladder, options.budget, team, watch)
        troubles.close()
    return LadderRun(ladder, ending, left_out, stopped)


def _find(
    options: LadderOptions, samples: Mapping[str, type[Bot]], remark: Callable[[str], None]
) -> tuple[Sequence[Entrant], tuple[str, ...]]:
    """The bots that play, and what is said about files that were left out."""
    found = find_entrants(options.bots, samples, trusted=options.trusted, sandbox=options.sandbox)
    for line in found.left_out:
        remark(f"left out: {line}")
    if len(found.bots) < 2:
        raise UsageError(f"a ladder needs at least two bots; here {'is only 1' if found.bots else 'are none'}")
    return apart_if_need_be(found.bots, remark), tuple(found.left_out)


@contextlib.contextmanager
def _team(
    entrants: Sequence[Entrant],
    options: LadderOptions,
    programs: Programs | None,
    open_executor: OpenExecutor | None,
    remark: Callable[[str], None],
) -> Iterator[LadderTeam]:
    """Worker processes, or an arena of its own if there are programs that connect to one by themselves."""
    workers = options.workers or cores()
    if any(entrant.is_command for entrant in entrants):
        if programs is None:
            raise UsageError("a bot that connects to an arena cannot be played here")
        with programs(entrants, options.limits(recording=True), workers) as team:
            yield team
        return
    bots, limits = [entrant.spec for entrant in entrants], options.limits(recording=True)
    with open_executor(bots, limits) if open_executor else local_executor(workers, remark) as executor:
        yield LadderTeam(entrants, executor)


def _play(ladder: Ladder, budget: Budget, team: LadderTeam, watch: Watch) -> tuple[RunEnd | None, str]:
    """Why it ended, `None` if it was interrupted; and why it could not go on."""
    with contextlib.suppress(KeyboardInterrupt), watch(ladder, budget) as show:

        def look() -> None:
            show()
            team.look_after()

        try:
            return ladder.play(team.executor, budget, look), ""
        except RunStopped as error:
            return None, str(error)
    return None, ""


def number_of(name: str, entrants: Sequence[Entrant]) -> int:
    """The number of the bot called `name`. Raises `UsageError` if it does not take part."""
    names = [entrant.spec.name for entrant in entrants]
    if name not in names:
        raise UsageError(f"{name} is not in this ladder; its bots are: {', '.join(names)}{did_you_mean(name, names)}")
    return names.index(name)

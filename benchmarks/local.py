"""How fast a local ladder plays, beside the bare loop of `playouts.py` with the same bots in the same seats.

    python -m benchmarks.local
    python -m benchmarks.local --ways

A first table is about sample bots, which answer in microseconds, a second one about bots that think for 0.1 ms.
The bare loop builds the view and the legal moves, calls the bot and applies its move: no referee, no clock, no record,
no other process. The ladder plays the very same deals through one worker process, with everything that it does for a
match: the referee, the replay, the way between the processes, the statistics and, with a database, the commits.

The figures are processor time of all processes together, because that depends least on what else the machine does.
Starting up is left out: a ladder's time is the difference between a longer and a shorter run. The bare loop and these
runs take turns, and the best of several rounds counts for each, so that a bad moment of the machine spoils neither
side. (The best of the differences would be that with the unluckiest shorter run.)

With `--ways` the ladder is compared with itself: all bots in one process, a process for each, and the same in a
sandbox, if one can be made here, with bots that answer in microseconds and with bots that think for 5 ms. A round has a
turn of each way. The figures are medians of the rounds, and for the share of one process the quartiles too. Here all
processes share one core, and the clock is read: nothing says how much processor time a sandbox has taken.
"""

import argparse
import os
import resource
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

from benchmarks import local_bots
from benchmarks.arena import spread
from roost_bots import SAMPLES
from roost_games.chance import Tape
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.running.book import Book, MemoryBook
from roost_ladder.running.engine import FixedExecutor
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_ladder.running.fixtures import STANDARD_LIMITS, Fixture, Job, MatchLimits, PlayedMatch
from roost_ladder.running.ladder import Ladder, Setup
from roost_ladder.running.rounds import Budget
from roost_ladder.running.workers import local_executor
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.schedule import Kind
from roost_sdk import Bot, rng_of
from roost_sdk.bot_process.sandbox import check_sandbox
from roost_sdk.seat import method_for, seat_bot
from roost_server.store import open_store
from roost_server.store.ladder_book import LadderBook

BOTS = ("random", "timid", "greedy", "careful")


SHORT = 40
"""How many matches the shorter run has."""
SHORT_WAY = 100
"""The same where bots have processes: by then as many are played at once as may be."""


class Row(NamedTuple):
    """A line of the table, or what one round says about it: microseconds a match."""

    bare: float
    ladder: float
    database: float


class Way(NamedTuple):
    """Where bots run."""

    name: str
    trusted: bool
    sandbox: bool = False


WAYS = (Way("one process", trusted=True), Way("a process each", trusted=False), Way("in a sandbox", False, True))


def setup(kind: Kind, entrants: Sequence[Entrant], limits: MatchLimits = STANDARD_LIMITS) -> Setup:
    """A ladder of one kind of table."""
    options = {kind.game: get_game(kind.game).options({})}
    return Setup(tuple(entrants), (kind,), "benchmark", LeastPlayed(b""), "least-played", options, limits=limits)


def total_time() -> float:
    """Processor seconds of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


@contextmanager
def book(database: bool) -> Iterator[Book]:
    """In memory, or in a file."""
    if not database:
        yield MemoryBook()
        return
    with tempfile.TemporaryDirectory() as folder, open_store(f"sqlite:///{Path(folder) / 'ladder.db'}") as store:
        yield LadderBook(store)


class Run(NamedTuple):
    """A ladder that was played."""

    seconds: float
    """Processor time of all processes."""
    passed: float
    """Seconds of the clock."""
    fixtures: list[Fixture]


def play_ladder(
    kind: Kind, entrants: Sequence[Entrant], blocks: int, database: bool, limits: MatchLimits = STANDARD_LIMITS
) -> Run:
    """Play a number of blocks with one worker."""
    played: list[Fixture] = []

    def submit(job: Job) -> "Future[list[PlayedMatch]]":
        played.extend(job.fixtures)
        return executor.submit(job)

    with book(database) as kept:
        before, began = total_time(), perf_counter()
        ladder = Ladder(setup(kind, entrants, limits), kept)
        with local_executor(1) as executor:
            ladder.play(FixedExecutor(submit, workers=1), Budget(blocks=blocks))
        return Run(total_time() - before, perf_counter() - began, played)


def bare_time(wanted: Sequence[Fixture]) -> float:
    """Processor seconds of the bare loop."""
    classes = {spec: spec.load().bot_class for spec in {spec for fixture in wanted for spec in fixture.bots}}
    before = process_time()
    for fixture in wanted:
        play_bare(fixture, [classes[spec] for spec in fixture.bots])
    return process_time() - before


def play_bare(fixture: Fixture, classes: Sequence[type[Bot]]) -> None:
    """A match without anything around it."""
    players = len(classes)
    bots = [
        seat_bot(bot_class, fixture.game, seat, players, rng_of(fixture.seed, seat))
        for seat, bot_class in enumerate(classes)
    ]
    decide = [method_for(bot, fixture.game) for bot in bots]
    state = get_game(fixture.game).start(players, fixture.options, Tape(fixture.seed))
    while state.to_move:
        for seat in state.to_move:
            state.apply(seat, decide[seat](state.observe(seat), state.legal(seat)))


def measure(kind: Kind, entrants: Sequence[Entrant], matches: int, rounds: int) -> Row:
    """One kind of table."""
    bare, ladder, database = Best(), Best(), Best()
    for _ in range(rounds):
        fixtures = ladder.play(kind, entrants, matches, database=False)
        bare.note(bare_time(fixtures), len(fixtures))
        database.play(kind, entrants, matches, database=True)
    return Row(bare.microseconds(), ladder.microseconds(), database.microseconds())


class Best:
    """The best times of runs by their numbers of matches."""

    def __init__(self) -> None:
        self._seconds = {0: 0.0}

    def note(self, seconds: float, matches: int) -> None:
        """Note the number of matches of a run and its time."""
        self._seconds[matches] = min(seconds, self._seconds.get(matches, seconds))

    def play(self, kind: Kind, entrants: Sequence[Entrant], matches: int, *, database: bool) -> list[Fixture]:
        """Note a short ladder and a longer one, and return the matches of the longer one."""
        for wanted in (SHORT, SHORT + matches):
            run = play_ladder(kind, entrants, wanted // kind.players, database)
            self.note(run.seconds, len(run.fixtures))
        return run.fixtures

    def microseconds(self) -> float:
        """The time of a match: the difference between the two longest runs, so that the start does not count."""
        fewer, most = sorted(self._seconds)[-2:]
        return 1e6 * (self._seconds[most] - self._seconds[fewer]) / (most - fewer)


def brief() -> list[Entrant]:
    """Bots that think for 0.1 ms, trusted."""
    names = ("Brief", "OtherBrief", "ThirdBrief", "FourthBrief")
    found = find_entrants([f"{local_bots.__file__}:{name}" for name in names], SAMPLES).bots
    return [bot._replace(spec=bot.spec._replace(trusted=True)) for bot in found]


def print_ladders(title: str, entrants: Sequence[Entrant], matches: int, rounds: int) -> None:
    """Print what a match takes at every kind of table, bare and on a ladder."""
    print(f"{title}\n{'microseconds a match':25}{'bare':>10}{'ladder':>10}{'':>8}{'with --db':>12}")
    for kind in (Kind(game, players) for game in GAME_NAMES for players in (2, 4)):
        bare, ladder, database = measure(kind, entrants, matches, rounds)
        print(
            f"{kind.game + ', ' + str(kind.players) + ' players':25}{bare:10.0f}"
            f"{ladder:10.0f}{bare / ladder:8.0%}{database:12.0f}{bare / database:8.0%}",
            flush=True,
        )


def possible_ways() -> list[Way]:
    """Those that this machine allows."""
    try:
        check_sandbox()
    except UsageError as error:
        print(error)
        return [way for way in WAYS if not way.sandbox]
    return list(WAYS)


def compare_ways(quick: Sequence[Entrant], matches: int, rounds: int) -> None:
    """Print what the ways to run bots cost beside each other."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    slow = find_entrants([f"{local_bots.__file__}:{name}" for name in ("Thinker", "OtherThinker")], SAMPLES).bots
    ways = possible_ways()
    print(f"{'microseconds a match':40}" + "".join(f"{way.name:>30}" for way in ways))
    for kind in (*(Kind(game, 2) for game in GAME_NAMES), Kind("karteneck", 4)):
        print_ways(f"{kind.game}, {kind.players} players", kind, quick, ways, matches=matches, rounds=rounds)
    thinking, few = "karteneck, 2 players, thinking for 5 ms", max(matches // 50, 4)
    print_ways(thinking, Kind("karteneck", 2), slow, ways, matches=few, rounds=rounds, short=2)


def print_ways(
    title: str,
    kind: Kind,
    entrants: Sequence[Entrant],
    ways: Sequence[Way],
    *,
    matches: int,
    rounds: int,
    short: int = SHORT_WAY,
) -> None:
    """Print a line: medians of the rounds, in which the ways take turns. Ratios are between turns of one round."""
    took = [[way_time(way, kind, entrants, matches, short) for way in ways] for _ in range(rounds)]
    cells = []
    for number in range(len(ways)):
        ratios = [spread([each[0] / each[number] for each in took])] if number else []
        cells.append("  ".join([f"{median(each[number] for each in took):.0f}", *ratios]))
    print(f"{title:40}" + "".join(f"{cell:>30}" for cell in cells), flush=True)


def way_time(way: Way, kind: Kind, entrants: Sequence[Entrant], matches: int, short: int) -> float:
    """Microseconds for a match, by the clock of the only core."""
    bots = [bot._replace(spec=bot.spec._replace(trusted=way.trusted)) for bot in entrants]
    limits = STANDARD_LIMITS._replace(sandbox=way.sandbox)
    fewer, more = (
        play_ladder(kind, bots, wanted // kind.players, database=False, limits=limits)
        for wanted in (short, short + matches)
    )
    return 1e6 * (more.passed - fewer.passed) / (len(more.fixtures) - len(fewer.fixtures))


def main() -> None:
    """Measure every kind of table, and print the table."""
    parser = argparse.ArgumentParser(description="Speed of the local ladder beside the bare loop, with the same bots.")
    parser.add_argument("--matches", type=int, help="how many matches of each kind are played (1000; --ways: 400)")
    parser.add_argument("--rounds", type=int, default=5, help="of how many rounds the best is shown, or the median (5)")
    parser.add_argument("--bots", default=",".join(BOTS), help="the samples that play (%(default)s)")
    parser.add_argument("--ways", action="store_true", help="compare the ways to run bots")
    arguments = parser.parse_args()
    entrants = find_entrants(arguments.bots.split(","), SAMPLES).bots
    if arguments.ways:
        compare_ways(entrants, arguments.matches or 400, max(arguments.rounds, 2))
        return
    matches = arguments.matches or 1000
    print_ladders(arguments.bots, entrants, matches, arguments.rounds)
    print_ladders("bots that think for 0.1 ms", brief(), matches // 10, arguments.rounds)


if __name__ == "__main__":
    main()

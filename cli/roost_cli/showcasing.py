"""What `roost showcase` does: start an arena and bots, show the standings while they play, end everything, sum up."""

import contextlib
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

import roost_cli
import roost_sdk
from roost.v1 import arena_pb2
from roost_bots import QUICK_SAMPLES
from roost_cli.arena_options import database_url
from roost_cli.arena_source import Source, open_remote, open_source
from roost_cli.lookup import sources_of
from roost_cli.terminal.arena_tables import print_standings, shown_rating, standings_columns
from roost_cli.terminal.console import remarks, results
from roost_cli.terminal.fitted import fitted_table
from roost_games.errors import RoostError
from roost_games.registry import GAME_NAMES
from roost_sdk.processes import GuardedProcess, Processes, python_words, stop

LOOK_SECONDS = 1.0
"""How often the standings on a terminal change."""
LINE_SECONDS = 10.0
"""How often there is a line elsewhere."""
GIVE_UP = ("--connect-timeout", "30")
"""How many seconds a bot goes on without its arena."""
SECONDS_TO_STOP = 15.0
"""How long bots and arena may take to finish what is running."""
ALL = arena_pb2.GetStandingsRequest()
Standings = arena_pb2.GetStandingsResponse


def run_showcase(own_bots: Sequence[str], seconds: int, db: str) -> None:
    """Show an arena for so long or until Ctrl-C, then the final standings. Raises `RoostError` if it cannot start."""
    # Not those that calculate: they would keep a small machine busy, and the others waiting.
    names = [*QUICK_SAMPLES, *own_bots]
    with Processes() as processes:
        arena = processes.start("arena", _serve_words(db))
        address = _address_in(arena.first_line())
        bots = [processes.start(name, _bot_words(name, address)) for name in names]
        _introduce(names, address, db)
        with contextlib.suppress(KeyboardInterrupt), open_remote(address) as source:
            _show(source, arena, seconds)
        _end(arena, bots)
    _sum_up(db)


def _serve_words(db: str) -> list[str]:
    options = ("--listen", "127.0.0.1:0", "--db", database_url(db), "--log-level", "warning")
    return python_words(roost_cli, "serve", *options)


def _bot_words(text: str, address: str) -> list[str]:
    name = ("--name", text) if text in QUICK_SAMPLES else ()
    return python_words(roost_sdk, *sources_of([text]), "--server", address, *name, *GIVE_UP)


def _address_in(greeting: str) -> str:
    """The address in `listening at 127.0.0.1:50051, recording in roost.db`."""
    return greeting.removeprefix("listening at ").partition(",")[0]


def _introduce(names: Sequence[str], address: str, db: str) -> None:
    results().print(
        f"An arena at {address} and {len(names)} bots, each a process of its own: {', '.join(names)}. They play "
        f"{', '.join(GAME_NAMES)} at tables of 2, 3 and 4 over gRPC. Everything is recorded in {db}.\n"
    )


def _show(source: Source, arena: GuardedProcess, seconds: int) -> None:
    """Show the standings until the time is up."""
    console = results()
    start = time.monotonic()
    before = source.standings(ALL).matches
    if before:
        console.print(f"The {before} matches that were recorded there before count too.\n")
    with _screen(console) as (draw, pause):
        while (left := start + seconds - time.monotonic()) > 0:
            if arena.ended:
                raise RoostError(f"the arena ended: {arena.last_words()}")
            draw(source.standings(ALL), before, seconds - left, left)
            time.sleep(min(pause, left))


Draw = Callable[[Standings, int, float, float], None]
"""Shows standings, given how many matches there were before, how many seconds have passed and how many are left."""


@contextlib.contextmanager
def _screen(console: Console) -> Iterator[tuple[Draw, float]]:
    """How to show the standings, and how often."""
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda answer, before, passed, left: _print_line(console, answer, before, passed), LINE_SECONDS
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def draw(answer: Standings, before: int, passed: float, left: float) -> None:
            count = answer.matches - before
            progress = f"{count} matches, {count / max(passed, 1):.0f} a second; {left:.0f} s to go, Ctrl-C ends it now"
            live.update(Group(_live_table(console, answer), progress), refresh=True)

        yield draw, LOOK_SECONDS


def _live_table(console: Console, answer: Standings) -> Table | str:
    return fitted_table(console, standings_columns(answer)) if answer.standings else "The bots are on their way ..."


def _print_line(console: Console, answer: Standings, before: int, passed: float) -> None:
    ratings = ", ".join(f"{row.name} {shown_rating(row)}" for row in answer.standings)
    matches = f"{answer.matches - before} matches"
    console.print(
        f"{passed:3.0f} s: {matches}; {ratings}" if ratings else f"{passed:3.0f} s: {matches}", soft_wrap=True
    )


def _end(arena: GuardedProcess, bots: Sequence[GuardedProcess]) -> None:
    """Let everybody finish what is running: first the bots, then the arena."""
    console = remarks()
    early = [bot for bot in bots if bot.ended]
    console.print("The running matches are played to the end ...")
    stop(bots, SECONDS_TO_STOP)
    stop([arena], SECONDS_TO_STOP)
    for bot in early:
        console.print(f"{bot.name} left early: {bot.last_words()}", soft_wrap=True)


def _sum_up(db: str) -> None:
    """The final standings, from the database, and what to do next."""
    console = results()
    with open_source(None, db) as source:
        print_standings(source.standings(ALL), ALL)
        counts = [source.standings(arena_pb2.GetStandingsRequest(game=game)).matches for game in GAME_NAMES]
        latest = source.matches(arena_pb2.ListMatchesRequest(limit=1)).matches
    console.print(", ".join(f"{game} {count}" for game, count in zip(GAME_NAMES, counts, strict=True)) + " matches\n")
    console.print("Where to look next")
    for what, command in _next_steps(db, latest[0].match_id if latest else "ID"):
        console.print(f"  {what:14}   {_own_name()} {command}", soft_wrap=True)


def _next_steps(db: str, match_id: str) -> list[tuple[str, str]]:
    file = shlex.quote(db)
    return [
        ("one game", f"standings --game karteneck --db {file}"),
        ("latest matches", f"matches --db {file}"),
        ("move by move", f"replay {match_id} --show --db {file}"),
        ("check them all", f"verify --db {file}"),
        ("add your bot", "showcase mybot.py"),
        ("run an arena", "serve"),
    ]


def _own_name() -> str:
    """How this command is called from here: `roost`, or its path if the shell would not find it."""
    path = Path(sys.argv[0]).absolute()
    if path.name != "roost" or shutil.which("roost"):
        return "roost"
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)

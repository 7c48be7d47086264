"""The screen of `roost showcase`: the standings while bots play, then a summary."""

import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Group, RenderableType

from roost.v1 import arena_pb2
from roost_cli.terminal.console import fitted_table, results
from roost_cli.terminal.live import Screen, screen
from roost_cli.terminal.standings import StandingsRow, print_standings, standings_columns
from roost_games.registry import GAME_NAMES
from roost_sdk.arena.reader import Reader

LOOK_SECONDS = 1.0
"""How often the arena is asked."""
ALL = arena_pb2.GetStandingsRequest(everything=True)


def stays() -> bool:
    """Whether someone is at the terminal who can end it."""
    return results().is_terminal


def print_beginning(names: Sequence[str], page: str, address: str, db: str) -> None:
    """What has been started, and where to see it."""
    results().print(f"Open {page} in a browser: standings, matches and replays, live.\n", soft_wrap=True)
    results().print(
        f"An arena at {address} and {len(names)} bots, each in a process of its own: {', '.join(names)}. They play "
        f"{', '.join(GAME_NAMES)} at tables of 2, 3 and 4 over gRPC. Everything is recorded in {db}.\n"
    )


def show_standings(reader: Reader, seconds: float, check: Callable[[], None]) -> None:
    """Show the standings until the time is up. `check` raises if there is nothing to wait for."""
    console = results()
    start = time.monotonic()
    before = reader.standings(ALL).matches
    if before:
        console.print(f"The {before} matches that were recorded there before count too.\n")
    with screen(console, seconds=LOOK_SECONDS) as shown:
        now = True
        while (left := start + seconds - time.monotonic()) > 0:
            check()
            _show(shown, reader.standings(ALL), before, seconds - left, left, now=now)
            now = False
            time.sleep(min(LOOK_SECONDS, left))


def _show(
    shown: Screen, answer: arena_pb2.GetStandingsResponse, before: int, passed: float, left: float, *, now: bool
) -> None:
    rows = [StandingsRow.of_arena(row) for row in answer.standings]
    count = answer.matches - before

    def picture() -> RenderableType:
        table = fitted_table(shown.console, standings_columns(rows)) if rows else "The bots are connecting ..."
        return Group(
            table, f"{count} matches, {count / max(passed, 1):.0f} a second; {left:.0f} s to go, Ctrl-C ends it now"
        )

    def line() -> str:
        ratings = ", ".join(f"{row.name} {row.rating}" for row in rows)
        return f"{passed:3.0f} s: {count} matches" + (f"; {ratings}" if ratings else "")

    shown.show(picture, line, now=now)


def print_summary(reader: Reader, db: str) -> None:
    """The final standings, and what to do next."""
    console = results()
    print_standings(reader.standings(ALL), ALL)
    counts = [reader.standings(arena_pb2.GetStandingsRequest(game=game)).matches for game in GAME_NAMES]
    latest = reader.matches(arena_pb2.ListMatchesRequest(limit=1)).matches
    console.print(", ".join(f"{game} {count}" for game, count in zip(GAME_NAMES, counts, strict=True)) + " matches\n")
    console.print("Where to look next")
    for what, command in _next_steps(db, latest[0].match_id if latest else "ID"):
        console.print(f"  {what:14}   {_own_name()} {command}", soft_wrap=True)


def _next_steps(db: str, match_id: str) -> list[tuple[str, str]]:
    file = shlex.quote(db)
    return [
        ("in the browser", f"web --db {file}"),
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

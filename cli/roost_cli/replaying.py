"""What `roost replay` does: find the record of a match, and show it to a person."""

import re
import shlex
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from roost_cli.arena_source import open_source
from roost_cli.console import results
from roost_cli.match_report import print_faults, print_outcome
from roost_cli.play_again import PlayAgain
from roost_cli.show import Watcher
from roost_games.errors import ReplayError, UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay

IN_FILE = re.compile(r"(?P<file>.+\.jsonl)(?::(?P<number>[0-9]+))?")


class Found(NamedTuple):
    """A record and where it came from."""

    line: str
    """The record as it was stored."""
    replay: Replay
    """The same, read."""
    again: str
    """What to write to have the same match again: an id with its source, or a file."""


def find_replay(text: str, server: str | None, db: str | None) -> Found:
    """The record that a person asked for. Raises `RoostError`, which says what would be right."""
    in_file = IN_FILE.fullmatch(text)
    if in_file is None:
        with open_source(server, db) as source:
            return _read(source.replay(text), f"{text} {source.option}")
    if server is not None or db is not None:
        raise UsageError(f"{text} is a file, so neither --server nor --db is needed")
    return _read(_line_of(Path(in_file["file"]), int(in_file["number"] or 1)), shlex.quote(text))


def _read(line: str, again: str) -> Found:
    return Found(line, Replay.from_line(line), again)


def _line_of(file: Path, number: int) -> str:
    """The `number`-th line, from 1, of those that are not blank."""
    if number < 1:
        raise UsageError(f"matches in a file are counted from 1: {file}:1")
    try:
        with file.open("rb") as lines:
            wanted = next(islice(filter(bytes.strip, lines), number - 1, None), None)
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror}") from None
    if wanted is None:
        raise UsageError(f"there is no match number {number} in {file}")
    try:
        return wanted.decode().strip()
    except UnicodeDecodeError:
        raise ReplayError(f"match number {number} in {file} is not a record: it is not UTF-8") from None


def print_replay(found: Found, *, show: bool) -> None:
    """Who played, how it ended and what went wrong; with `show`, first the match itself."""
    replay = found.replay
    console = results()
    title = get_game(replay.game).title if replay.game in GAME_NAMES else replay.game
    bots = [seat.bot for seat in replay.seats]
    if show:
        _draw(replay, bots, console)
    console.print(f"{title}, {len(bots)} players, match {replay.match or 'without an id'}")
    for seat, who in enumerate(replay.seats):
        version = f", version {who.version}" if who.version else ""
        console.print(f"  seat {seat}  {who.bot}{version}")
    print_outcome(console, bots, replay.result)
    print_faults(console, bots, replay.result)
    if not show:
        console.print(f"Move by move: roost replay {found.again} --show", soft_wrap=True)


def _draw(replay: Replay, bots: list[str], console: Console) -> None:
    watcher = Watcher(replay.game, bots, lambda frame: frame.print(console))
    match = PlayAgain(replay)
    watcher.begin(match)
    match.play(watcher.listen)

"""What `roost replay` does: find the record of a match, and show it to a person."""

import contextlib
import re
import shlex
import sys
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import typer

from roost_bots import SAMPLES
from roost_cli.arena_source import open_source
from roost_cli.lookup import find_bots
from roost_cli.terminal.console import print_json, results
from roost_cli.terminal.match_report import print_faults, print_outcome
from roost_cli.terminal.progress import progress
from roost_cli.terminal.replay_report import PLAYS_ON, print_opinions, print_weighed, weighed_json
from roost_cli.terminal.show import print_frame
from roost_cli.terminal.stepping import check_terminal, keyboard, step_through
from roost_games.errors import ReplayError, UsageError
from roost_games.narrator import Frame, Narrator
from roost_games.playback import Playback
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay
from roost_ladder.workshop.second_opinion import Opinion, Opinions, opinions_json, second_opinion
from roost_ladder.workshop.weighing import Weighed, weigh
from roost_sdk import LoadedBot
from roost_sdk.arena.credentials import NOTHING, Credentials

IN_FILE = re.compile(r"(?P<file>.+\.jsonl)(?::(?P<number>[0-9]+))?")


class Wanted(NamedTuple):
    """What a person wants to see of a record."""

    show: bool
    step: bool
    as_json: bool
    bot: str | None
    """Who is asked what it would have done."""
    seat: int
    weigh: int = 0
    """How often to play on from each difference; 0: not at all."""


class Found(NamedTuple):
    """A record and where it came from."""

    line: str
    """The record as it was stored."""
    replay: Replay
    """The same, read."""
    again: str
    """What to write to have the same match again: an id with its source, or a file."""


def find_replay(text: str, server: str | None, db: str | None, credentials: Credentials = NOTHING) -> Found:
    """The record that a person asked for. Raises `RoostError`, which says what would be right."""
    in_file = IN_FILE.fullmatch(text)
    if in_file is None:
        with open_source(server, db, credentials) as source:
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


def show_found(found: Found, wanted: Wanted) -> None:
    """Show a record as it is wanted. Raises `RoostError`."""
    if wanted.step:
        check_terminal(results())
    if wanted.bot is not None:
        _show_opinions(found.replay, find_bots([wanted.bot])[0], wanted)
    elif wanted.step:
        frames: list[Frame] = []
        _draw(found.replay, frames.append, whole=True)
        _step(frames)
    elif wanted.as_json:
        typer.echo(found.line)
    else:
        print_replay(found, show=wanted.show)


def _show_opinions(replay: Replay, bot: LoadedBot, wanted: Wanted) -> None:
    console = results()
    frames: list[Frame] = []
    # What the bot prints is for its author.
    with contextlib.redirect_stdout(sys.stderr):
        if wanted.show or wanted.step:
            opinions = _draw_with(replay, bot, wanted.seat, frames.append, whole=wanted.step)
        else:
            opinions = second_opinion(replay, bot, wanted.seat)
    weighed = _weighed(opinions, wanted.weigh) if wanted.weigh else None
    if wanted.as_json:
        print_json(opinions_json(replay, opinions) if weighed is None else weighed_json(replay, opinions, weighed))
    elif weighed is not None:
        print_weighed(console, replay, opinions, weighed, wanted.weigh)
    elif wanted.step:
        _step(frames)
    else:
        for frame in frames:
            print_frame(console, frame)
        print_opinions(console, replay, opinions)


def _weighed(opinions: Opinions, worlds: int) -> list[Weighed]:
    with progress("playing on", len(opinions.different)) as advance:
        return weigh(opinions, SAMPLES[PLAYS_ON], worlds, advance)


def _step(frames: list[Frame]) -> None:
    with keyboard() as typed:
        step_through(results(), frames, typed)


def _draw_with(replay: Replay, bot: LoadedBot, seat: int, draw: Callable[[Frame], None], *, whole: bool) -> Opinions:
    """Draw a match, with what a bot would have done beside what was done."""
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], draw, whole=whole)
    match = Playback(replay)
    narrator.begin(match)

    def answered(opinion: Opinion) -> None:
        words = f"{bot.name} would: {opinion.words(replay.game)}" if opinion.differs else f"{bot.name} agrees"
        narrator.remark(words, "notice" if opinion.differs else "dim")

    return second_opinion(replay, bot, seat, narrator.listen, answered, match)


def print_replay(found: Found, *, show: bool) -> None:
    """Who played, how it ended and what went wrong; with `show`, first the match itself."""
    replay = found.replay
    console = results()
    title = get_game(replay.game).title if replay.game in GAME_NAMES else replay.game
    bots = [seat.bot for seat in replay.seats]
    if show:
        _draw(replay, partial(print_frame, console))
    console.print(f"{title}, {len(bots)} players, match {replay.match or 'without an id'}")
    for seat, who in enumerate(replay.seats):
        version = f", version {who.version}" if who.version else ""
        console.print(f"  seat {seat}  {who.bot}{version}")
    print_outcome(console, bots, replay.result)
    print_faults(console, bots, replay.result)
    if not show:
        console.print(f"Move by move: roost replay {found.again} --show", soft_wrap=True)


def _draw(replay: Replay, draw: Callable[[Frame], None], *, whole: bool = False) -> None:
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], draw, whole=whole)
    match = Playback(replay)
    narrator.begin(match)
    match.play(narrator.listen)

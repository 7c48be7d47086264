"""One match, recorded or running: its outcome, move by move, key by key, or with what another bot would have done."""

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.control import Control

from roost.v1 import arena_pb2, play_pb2
from roost_cli.terminal.console import results
from roost_cli.terminal.match import print_faults, print_outcome
from roost_cli.terminal.records import shown_names
from roost_cli.terminal.replays.board import print_frame
from roost_cli.terminal.replays.opinions import print_opinions
from roost_games.errors import UsageError
from roost_games.narrator import Frame, Narrator, PublicNarrator
from roost_games.playback import Playback
from roost_games.referee import Played
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay
from roost_ladder.workshop.guests import AskedBot
from roost_ladder.workshop.second_opinion import Opinion, second_opinion
from roost_sdk.wire import codec_for, result_from_wire

KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])?|.", re.DOTALL)
"""One key: a character, or what a terminal sends for an arrow."""
NEXT = frozenset(("n", "\r", "\n", " ", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB"))
BACK = frozenset(("p", "\x7f", "\b", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA"))
FIRST = frozenset(("g", "\x1b[H", "\x1b[1~"))
LAST = frozenset(("G", "\x1b[F", "\x1b[4~"))
QUIT = frozenset(("", "q", "\x1b", "\x04"))
KEYS = "n or Enter: on, p: back, g and G: first and last, q: quit"
Typed = Callable[[], str]
"""Waits for keys and returns what was typed, perhaps several keys; nothing at the end of input."""


def printing(game: str, bots: Sequence[str]) -> Callable[[], Narrator]:
    """Makes narrators that print a match on stdout as it is played."""
    console = results()
    return lambda: Narrator(game, bots, partial(print_frame, console))


def print_replay(replay: Replay, again: str, *, show: bool) -> None:
    """Who played, how it ended and what went wrong; with `show`, first the match itself.

    `again` is what another `roost replay` needs to find the same match.
    """
    console = results()
    title = get_game(replay.game).title if replay.game in GAME_NAMES else replay.game
    bots = [seat.bot for seat in replay.seats]
    if show:
        draw_match(replay, partial(print_frame, console))
    console.print(f"{title}, {len(bots)} players, match {replay.match or 'without an id'}")
    for seat, who in enumerate(replay.seats):
        version = f", version {who.version}" if who.version else ""
        console.print(f"  seat {seat}  {who.bot}{version}")
    print_outcome(console, bots, replay.result)
    print_faults(console, bots, replay.result)
    if not show:
        console.print(f"Move by move: roost replay {again} --show", soft_wrap=True)


def step_replay(replay: Replay) -> None:
    """Go through a match key by key."""
    frames: list[Frame] = []
    draw_match(replay, frames.append, whole=True)
    step_frames(frames)


def draw_match(replay: Replay, draw: Callable[[Frame], None], *, whole: bool = False) -> None:
    """Hand the frames of a match to `draw`; with `whole`, each has the whole table."""
    narrator, match = _begin(replay, draw, whole=whole)
    match.play(narrator.listen)


def _begin(replay: Replay, draw: Callable[[Frame], None], *, whole: bool) -> tuple[Narrator, Playback]:
    """A match that is about to be played again, and who tells it."""
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], draw, whole=whole)
    match = Playback(replay)
    narrator.begin(match)
    return narrator, match


def ask_and_draw(replay: Replay, bot: AskedBot, seat: int, random: str, *, step: bool) -> None:
    """Draw a match with what `bot` would have done in this seat: move by move, or key by key."""
    frames: list[Frame] = []
    narrator, match = _begin(replay, frames.append, whole=step)

    def answered(opinion: Opinion) -> None:
        words = f"{bot.name} would: {opinion.words(replay.game)}" if opinion.differs else f"{bot.name} agrees"
        narrator.remark(words, "notice" if opinion.differs else "dim")

    opinions = second_opinion(replay, bot, seat, random, narrator.listen, answered, match)
    if step:
        step_frames(frames)
        return
    console = results()
    for frame in frames:
        print_frame(console, frame)
    print_opinions(replay, opinions)


def print_running(started: play_pb2.MatchStarted, updates: Iterator[arena_pb2.WatchMatchResponse]) -> None:
    """Draw a running match as a spectator sees it, to its end."""
    console = results()
    bots = shown_names(started.bots)
    codec = codec_for(started.game)
    match = codec.for_match(codec.options_from_wire(started.options))
    narrator = PublicNarrator(started.game, bots, partial(print_frame, console))
    console.print(f"{get_game(started.game).title}, {len(bots)} players, match {started.match_id}")
    for update in updates:
        match update.WhichOneof("update"):
            case "event":
                event = update.event
                narrator.hear(Played(event.seat, match.move_from_wire(event.move), event.fallback))
            case "view":
                narrator.see(match.view_from_wire(update.view))
            case "ended":
                print_outcome(console, bots, result_from_wire(update.ended.result))


def check_terminal() -> None:
    """Raise `UsageError` if nobody can press keys."""
    if not (results().is_terminal and sys.stdin.isatty()):
        raise UsageError("--step needs a terminal to read keys from; --show prints the match instead")


def step_frames(frames: list[Frame]) -> None:
    """Go through these frames key by key."""
    with keyboard() as typed:
        step_through(results(), frames, typed)


@contextmanager
def keyboard() -> Iterator[Typed]:
    """The keys of the terminal, one by one as they are pressed, while the block runs."""
    terminal = sys.stdin.fileno()
    import termios  # neither is everywhere
    import tty

    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield lambda: os.read(terminal, 64).decode(errors="replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def step_through(console: Console, frames: Sequence[Frame], typed: Typed) -> None:
    """Show one frame at a time, as the keys say. Ctrl-C quits too."""
    at: int | None = 0
    try:
        with console.screen():
            while at is not None:
                _show(console, frames, at)
                at = _follow(typed(), at, len(frames) - 1)
    except KeyboardInterrupt:
        return


def _show(console: Console, frames: Sequence[Frame], at: int) -> None:
    console.control(Control.home(), Control.clear())
    print_frame(console, frames[at])
    console.print(f"{at + 1} of {len(frames)}  {KEYS}", style="dim")


def _follow(typed: str, at: int, last: int) -> int | None:
    """The frame to which the keys lead; `None` if one of them quits."""
    for key in KEY.findall(typed) or [""]:
        if key in QUIT:
            return None
        if key in NEXT:
            at = min(at + 1, last)
        elif key in BACK:
            at = max(at - 1, 0)
        elif key in FIRST:
            at = 0
        elif key in LAST:
            at = last
    return at

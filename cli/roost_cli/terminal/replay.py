"""One match, recorded or running: its outcome, move by move, key by key, or with what another bot would have done."""

import contextlib
import os
import re
import sys
import termios
import textwrap
import tty
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from rich.console import Console, Group, RenderableType
from rich.control import Control
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from roost.v1 import arena_pb2, play_pb2
from roost_bots import playing_on
from roost_cli.terminal.console import results
from roost_cli.terminal.match import print_faults, print_outcome
from roost_cli.terminal.records import shown_names
from roost_games.errors import UsageError
from roost_games.narration import Board, Look, Role, Span, Words, narration_of
from roost_games.narrator import Frame, Narrator, PublicNarrator
from roost_games.playback import Playback
from roost_games.playthrough import show_value
from roost_games.referee import Played
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Replay
from roost_games.wording import counted
from roost_ladder.workshop.second_opinion import Opinion, Opinions, difference_json, opinions_json, second_opinion
from roost_ladder.workshop.weighing import Weighed
from roost_sdk import LoadedBot
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
STYLES: Mapping[Role, str] = {
    "plain": "",
    "seat": "bold",
    "card": "bold",
    "strong": "bold",
    "worm": "bold red",
    "dim": "dim",
    "notice": "bold yellow",
    "fault": "bold red",
}
NUMBERED: Mapping[Role, Sequence[str]] = {
    "seat": ("cyan", "magenta", "yellow", "green", "blue", "red", "bright_cyan"),
    "card": ("red", "yellow", "bright_red", "green", "bright_magenta"),
}


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
        _draw(replay, partial(print_frame, console))
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
    _draw(replay, frames.append, whole=True)
    _step(frames)


def _draw(replay: Replay, draw: Callable[[Frame], None], *, whole: bool = False) -> None:
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], draw, whole=whole)
    match = Playback(replay)
    narrator.begin(match)
    match.play(narrator.listen)


def ask_and_draw(replay: Replay, bot: LoadedBot, seat: int, *, step: bool) -> None:
    """Draw a match with what `bot` would have done in this seat: move by move, or key by key."""
    console = results()
    frames: list[Frame] = []
    # What the bot prints is for its author.
    with contextlib.redirect_stdout(sys.stderr):
        opinions = _draw_with(replay, bot, seat, frames.append, whole=step)
    if step:
        _step(frames)
        return
    for frame in frames:
        print_frame(console, frame)
    print_opinions(replay, opinions)


def _draw_with(replay: Replay, bot: LoadedBot, seat: int, draw: Callable[[Frame], None], *, whole: bool) -> Opinions:
    narrator = Narrator(replay.game, [seat.bot for seat in replay.seats], draw, whole=whole)
    match = Playback(replay)
    narrator.begin(match)

    def answered(opinion: Opinion) -> None:
        words = f"{bot.name} would: {opinion.words(replay.game)}" if opinion.differs else f"{bot.name} agrees"
        narrator.remark(words, "notice" if opinion.differs else "dim")

    return second_opinion(replay, bot, seat, narrator.listen, answered, match)


def print_opinions(replay: Replay, opinions: Opinions) -> None:
    """Every difference with what the bot saw there, then a summary."""
    console = results()
    for opinion in opinions.different:
        _print_difference(console, replay, opinions, opinion)
    console.print(_summary(replay, opinions), soft_wrap=True)


def print_weighed(replay: Replay, opinions: Opinions, weighed: list[Weighed], worlds: int) -> None:
    """The differences where the bot's move was better on average, the costliest first, then a summary."""
    console = results()
    better = [each for each in weighed if each.gain.mean > 0]
    for each in better:
        _print_difference(console, replay, opinions, each.opinion, f"opponents left behind: {each.words()}")
    sure = sum(each.is_sure for each in better)
    player = playing_on(replay.game)
    console.print(_summary(replay, opinions), soft_wrap=True)
    console.print(
        f"From each difference {player} played on in all seats, {worlds} times: in {len(better)} of {len(weighed)} "
        f"the move of {opinions.bot} did better, in {sure} of them by more than chance allows (95 %).",
        soft_wrap=True,
    )


def weighed_json(replay: Replay, opinions: Opinions, weighed: list[Weighed]) -> dict[str, object]:
    """`roost replay --bot --weigh --json`: the differences that could be weighed, the costliest first."""
    said = opinions_json(replay, opinions)
    return {**said, "differences": [{**difference_json(each.opinion), **each.to_json()} for each in weighed]}


def _print_difference(console: Console, replay: Replay, opinions: Opinions, opinion: Opinion, remark: str = "") -> None:
    bots = [seat.bot for seat in replay.seats]
    player = f"seat {opinions.seat} ({bots[opinions.seat]})"
    console.print(f"step {opinion.step}: {player} played {opinion.recorded_words(opinions.game)}", soft_wrap=True)
    console.print(f"  {opinions.bot} would: {opinion.words(opinions.game)}", soft_wrap=True)
    if remark:
        console.print(f"  {remark}", soft_wrap=True)
    if opinion.where:
        console.print(textwrap.indent(opinion.where, "  "), soft_wrap=True)
    _print_seen(console, narration_of(replay.game, bots).board(Look(opinion.public, ()), None), opinion)


def _print_seen(console: Console, board: Board | None, opinion: Opinion) -> None:
    hand = getattr(opinion.view, "hand", None)
    held = "" if hand is None else f"its hand: {show_value(hand)}; "
    moves = counted(opinion.legal_count, "legal move")
    if board is not None:
        console.print(Padding(board_table(board), (0, 0, 0, 4), expand=False))
    console.print(f"    {held}{moves}", soft_wrap=True)
    console.print()


def _summary(replay: Replay, opinions: Opinions) -> str:
    asked, different = len(opinions.all), len(opinions.different)
    middle, worst = opinions.times()
    where = f"{get_game(replay.game).title}, match {replay.match or 'without an id'}, seat {opinions.seat}"
    agreed = "all the same" if not different else f"{different} different"
    seed = "" if replay.seed else " The record has no seed, so self.rng differs from that in the match."
    return (
        f"{where}: {opinions.bot} was asked {asked} times, {agreed}. "
        f"Thinking time: median {middle:.2f} ms, worst {worst:.2f} ms.{seed}"
    )


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


def _step(frames: list[Frame]) -> None:
    with keyboard() as typed:
        step_through(results(), frames, typed)


@contextmanager
def keyboard() -> Iterator[Typed]:
    """The keys of the terminal, one by one as they are pressed, while the block runs."""
    terminal = sys.stdin.fileno()
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
        elif key in FIRST or key in LAST:
            at = 0 if key in FIRST else last
    return at


def print_frame(console: Console, frame: Frame) -> None:
    """Print the lines, then the board, if there is one, and an empty line."""
    for line in frame.lines:
        console.print(_indented(styled(line.words), 4) if line.follows else styled(line.words))
    if frame.board is not None:
        console.print(_indented(board_table(frame.board), 2))
        console.print()


def board_table(board: Board) -> RenderableType:
    """The board, with a row for each seat and a mark where one decides."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    for width in (0, 0, *board.widths):
        rows.add_column(no_wrap=True, min_width=width)
    rows.add_column()
    for seat, bot, deciding, cells in board.rows:
        mark, name = Text(">" if deciding else " ", style="bold"), Span(f"{seat} {bot}", "seat", seat)
        rows.add_row(mark, styled((name,)), *map(styled, cells))
    return Group(styled(board.head), rows, *([styled(board.foot)] if board.foot else []))


def styled(words: Words) -> Text:
    """Words in the colours of their roles."""
    return Text.assemble(*((span.text, _style(span)) for span in words))


def _style(span: Span) -> str:
    styles = NUMBERED.get(span.role, ())
    return STYLES[span.role] if span.number is None or not styles else styles[span.number % len(styles)]


def _indented(drawn: RenderableType, columns: int) -> Padding:
    return Padding(drawn, (0, 0, 0, columns), expand=False)

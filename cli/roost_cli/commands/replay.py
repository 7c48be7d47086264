"""`roost replay` and `roost watch`: one match, recorded or running."""

import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roost_cli.options import CONNECTION, READING, Where, asks, find_bots
from roost_games.errors import UsageError

if TYPE_CHECKING:
    from roost_games.replay import Replay
    from roost_ladder.workshop.second_opinion import Opinions
    from roost_ladder.workshop.weighing import Weighed


@asks(READING)
def replay(
    where: Where,
    match: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The id of a match, or a file of replays: FILE.jsonl, or FILE.jsonl:3 for the third one."
        ),
    ],
    show: Annotated[bool, typer.Option("--show", help="Draw the match move by move.")] = False,
    step: Annotated[bool, typer.Option("--step", help="Go through the match in the terminal, key by key.")] = False,
    bot: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Ask this bot about every decision of a seat, and list where it differs."),
    ] = None,
    seat: Annotated[int | None, typer.Option(min=0, metavar="N", help="The seat that --bot is asked about.")] = None,
    weigh: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="With --bot: play on N times from each difference, and list the costliest first.",
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the match as one page with the viewer in it; with --bot, its remarks as well."
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the record, one line of roost-replay/1; with --bot, what the bot says."),
    ] = False,
) -> None:
    """Show a recorded match: who played, how it ended, and what went wrong; or what your bot would have done."""
    if show + step + as_json + (html is not None) > 1:
        raise UsageError("--show and --step draw, --html writes a page, --json is for programs; choose one")
    if (bot is None) != (seat is None):
        raise UsageError("--bot names the bot to ask and --seat the seat to ask it about; give both")
    if weigh and (bot is None or show or step):
        raise UsageError("--weigh needs --bot and --seat, and neither --show nor --step")
    from roost_cli.terminal.console import print_json_text
    from roost_cli.terminal.replay import ask_and_draw, check_terminal, print_replay, step_replay

    found = find_replay(where, match)
    if step:
        check_terminal()
    if bot is not None and (show or step):
        ask_and_draw(found.replay, find_bots([bot])[0], seat or 0, step=step)
    elif html is not None:
        answers = _asked(found.replay, bot, seat or 0, weigh or 0) if bot else None
        _write_page(found.replay, html, answers, same_deal(where, match, found.replay))
    elif bot is not None:
        _tell(found.replay, _asked(found.replay, bot, seat or 0, weigh or 0), weigh or 0, as_json=as_json)
    elif step:
        step_replay(found.replay)
    elif as_json:
        print_json_text(found.line)
    else:
        print_replay(found.replay, found.again, show=show)


class Found(NamedTuple):
    """A record and where it came from."""

    line: str
    """The record as it was stored."""
    replay: "Replay"
    again: str
    """What finds it again: an id with its source, or a file."""


def find_replay(where: Where, text: str) -> Found:
    """The record that was asked for. Raises `RoostError`, which names the remedy."""
    from roost_games.replay import Replay
    from roost_sdk.replay_files import line_of, place_of

    in_file = place_of(text)
    if in_file is None:
        with where.open() as reader:
            line = reader.replay(text)
        return Found(line, Replay.from_line(line), f"{text} {where.option}")
    if where.server is not None or where.db is not None:
        raise UsageError(f"{text} is a file, so neither --server nor --db is needed")
    line = line_of(*in_file)
    return Found(line, Replay.from_line(line), shlex.quote(text))


def same_deal(where: Where, text: str, replay: "Replay") -> "Replay | None":
    """A match of the same deal under rotated seats, from where `replay` was found."""
    from roost_games.replay import Replay
    from roost_sdk.replay_files import place_of, same_deal_in

    in_file = place_of(text)
    if in_file is None:
        with where.open() as reader:
            line = reader.same_deal(text)
    else:
        line = same_deal_in(in_file[0], replay)
    return Replay.from_line(line) if line else None


class Answers(NamedTuple):
    """What another bot would have done."""

    opinions: "Opinions"
    weighed: "list[Weighed]"
    """Its differences with what they were worth; empty unless that was asked for."""


def _asked(replay: "Replay", bot: str, seat: int, weigh_times: int) -> Answers:
    """Ask a bot about the decisions of a seat, and weigh its differences if that is asked for."""
    from roost_bots import SAMPLES, playing_on
    from roost_cli.terminal.live import progress
    from roost_ladder.workshop.second_opinion import second_opinion
    from roost_ladder.workshop.weighing import weigh

    # What the bot prints is for its author.
    with contextlib.redirect_stdout(sys.stderr):
        opinions = second_opinion(replay, find_bots([bot])[0], seat)
    if not weigh_times:
        return Answers(opinions, [])
    with progress("playing on", len(opinions.different)) as advance:
        return Answers(opinions, weigh(opinions, SAMPLES[playing_on(replay.game)], weigh_times, advance))


def _tell(replay: "Replay", answers: Answers, weigh_times: int, *, as_json: bool) -> None:
    """List where another bot would have done something else, weighed if that is asked for."""
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.replay import print_opinions, print_weighed, weighed_json
    from roost_ladder.workshop.second_opinion import opinions_json

    opinions, weighed = answers
    if not weigh_times:
        print_json(opinions_json(replay, opinions)) if as_json else print_opinions(replay, opinions)
    elif as_json:
        print_json(weighed_json(replay, opinions, weighed))
    else:
        print_weighed(replay, opinions, weighed, weigh_times)


def _write_page(replay: "Replay", file: Path, answers: Answers | None, beside: "Replay | None") -> None:
    """Write the match as a page, with what another bot would have done if it was asked, and the same deal beside it."""
    from roost_ladder.workshop.weighing import remark_on
    from roost_sdk.viewing.frames import Recorded
    from roost_sdk.viewing.html import Shown

    recorded = Recorded(replay)
    if answers is not None:
        remark_on(recorded, *answers)
    Shown(recorded, beside=Recorded(beside) if beside else None).save(file)
    shown = "the match, beside one of the same deal under rotated seats," if beside else "the match"
    typer.echo(f"{file} shows {shown} in any browser, without a network")


@asks(CONNECTION)
def watch(
    where: Where,
    match: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a running match. By default the newest one.")
    ] = None,
) -> None:
    """Watch a running match as a spectator, who sees everything but the hands."""
    from roost_cli.terminal.replay import print_running
    from roost_sdk.arena.reader import newest_running

    with where.arena() as arena:
        watched = match or newest_running(arena)
        updates = arena.watch(watched)
        try:
            first = next(updates)
        except UsageError as error:
            raise UsageError(f"{error}; if it is over: roost replay {watched} --show {where.option}") from None
        print_running(first.started, updates)

"""`roost replay` and `roost watch`: one match, recorded or running."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roost_cli.options import CONNECTION, READING, Where, asks
from roost_games.errors import UsageError

if TYPE_CHECKING:
    from roost_games.replay import Replay
    from roost_ladder.workshop.review import Advice, Judged
    from roost_ladder.workshop.second_opinion import Opinions
    from roost_ladder.workshop.weighing import Weighed
    from roost_sdk.arena.kept import KeptMatch


@asks(READING)
def replay(
    where: Where,
    match: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id of a match, a file of replays (FILE.jsonl, or FILE.jsonl:3 for the third one), or the journal "
            "of a match; with --server, its record is fetched beside it.",
        ),
    ],
    show: Annotated[bool, typer.Option("--show", help="Draw the match move by move.")] = False,
    step: Annotated[bool, typer.Option("--step", help="Go through the match in the terminal, key by key.")] = False,
    bot: Annotated[
        str | None,
        typer.Option(metavar="BOT", help="Ask this bot about every decision of a seat, and list where it differs."),
    ] = None,
    seat: Annotated[int | None, typer.Option(min=0, metavar="N", help="The seat that --bot is asked about.")] = None,
    mine: Annotated[
        bool,
        typer.Option(
            "--mine",
            help="Show the three decisions that cost your bot most, with what it would do now, what the strongest "
            "sample would do, and what that is worth. Your bot is --bot, or the file with its name.",
        ),
    ] = False,
    at: Annotated[
        int | None, typer.Option("--at", min=0, metavar="STEP", help="With --mine: show the decision at this step.")
    ] = None,
    weigh: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            help="With --bot: play on N times from each difference, and list the costliest first. With --mine: N times "
            "from each of the three; by default 200.",
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
    asked = mine or bot is not None
    _check_question(bot, seat, weigh, at, mine=mine, drawn=show or step, page=html is not None)
    found = find_replay(where, match, step=step)
    if found.replay is None:
        _print_kept(found, show=show, step=step, record=asked or html is not None or as_json)
        return
    question = _question(found, bot, seat, weigh, at, mine=mine) if asked else None
    if html is not None:
        _write_page(found.replay, html, question, same_deal(where, match, found.replay))
    elif question is not None and not (show or step):
        _tell(found.replay, question, as_json=as_json)
    else:
        _draw(found, question, show=show, step=step, as_json=as_json)


def _check_question(
    bot: str | None, seat: int | None, weigh: int | None, at: int | None, *, mine: bool, drawn: bool, page: bool
) -> None:
    """Raise `UsageError` for what does not belong together."""
    if not mine and (bot is None) != (seat is None):
        raise UsageError("--bot names the bot to ask and --seat the seat to ask it about; give both")
    if weigh and (drawn or not (mine or bot is not None)):
        raise UsageError("--weigh needs --bot and --seat, and neither --show nor --step")
    if at is not None and (drawn or page or not mine):
        raise UsageError("--at needs --mine, and neither --show, --step nor --html")


def _print_kept(found: "Found", *, show: bool, step: bool, record: bool) -> None:
    """Print what a bot has kept of a match, of which there is no record. Raises `UsageError` if one is needed."""
    from roost_cli.terminal.replays.kept import print_kept

    assert found.kept is not None  # noqa: S101  what has no record is a journal
    if record:
        raise UsageError(f"{found.kept.file} has only what your bot saw; --server HOST:PORT fetches the record")
    print_kept(found.kept, found.again, show=show, step=step)


def _draw(found: "Found", question: "ReplayQuestion | None", *, show: bool, step: bool, as_json: bool) -> None:
    """Draw a match, with what a bot would have done if one is asked, or print its record."""
    from roost_cli.terminal.console import print_json_text
    from roost_cli.terminal.replays.replay import print_replay, step_replay

    assert found.replay is not None  # noqa: S101  else there would be nothing to draw
    if question is not None:
        _draw_asked(found.replay, question, step=step)
    elif step:
        step_replay(found.replay)
    elif as_json:
        print_json_text(found.line)
    else:
        print_replay(found.replay, found.again, show=show)


class Found(NamedTuple):
    """A match and where it came from."""

    line: str
    """The record as it was stored; empty if there is only the journal of a bot."""
    replay: "Replay | None"
    again: str
    """What finds it again: an id with its source, or a file."""
    kept: "KeptMatch | None" = None
    """The journal of the bot that played it, if that was named."""


def find_replay(where: Where, text: str, *, step: bool) -> Found:
    """The match that was asked for. Raises `RoostError`, which names the remedy, also if it cannot be stepped here."""
    from roost_cli.terminal.replays.replay import check_terminal
    from roost_games.replay import Replay
    from roost_sdk.arena.kept import is_kept
    from roost_sdk.replay_files import line_of, place_of

    if step:
        check_terminal()
    in_file = place_of(text)
    if in_file is None:
        with where.open() as reader:
            line = reader.replay(text)
        return Found(line, Replay.from_line(line), f"{text} {where.option}")
    if is_kept(in_file[0]):
        return _find_kept(where, in_file[0])
    if where.named:
        raise UsageError(f"{text} is a file, so neither --server nor --db is needed")
    line = line_of(*in_file)
    return Found(line, Replay.from_line(line), shlex.quote(text))


def _find_kept(where: Where, file: Path) -> Found:
    """The match of a journal, with the record beside it, which is fetched if an arena or a database is named."""
    from roost_cli.terminal.console import remark
    from roost_sdk.arena.kept import fetch_record, read_kept

    kept = read_kept(file)
    replay = kept.record()
    if replay is None and where.named:
        with where.open() as reader:
            replay = fetch_record(kept, reader)
        remark(f"{kept.record_file} has the record of the match; it was replayed, and says what the journal says")
    return Found("" if replay is None else replay.to_line(), replay, shlex.quote(str(file)), kept)


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


class ReplayQuestion(NamedTuple):
    """Which bot is asked about which seat, and how much is to be played on."""

    bot: str
    seat: int
    random: str
    """What the randomness of the bot was seeded with; empty if only the record tells."""
    mine: bool
    worlds: int
    at: int | None


def _question(
    found: Found, bot: str | None, seat: int | None, worlds: int | None, at: int | None, *, mine: bool
) -> ReplayQuestion:
    from roost_ladder.workshop.review import WORLDS, own_bot

    kept = None if found.kept is None else found.kept.about
    if mine and found.replay is not None:
        names = [each.bot for each in found.replay.seats]
        bot, seat = own_bot(names, bot, kept.seat if kept and seat is None else seat)
    random = kept.random if kept and kept.seat == seat else ""
    return ReplayQuestion(bot or "", seat or 0, random, mine, worlds or (WORLDS if mine else 0), at)


def _draw_asked(replay: "Replay", question: ReplayQuestion, *, step: bool) -> None:
    """Draw the match with what the bot would have done."""
    from roost_bots import SAMPLES
    from roost_cli.terminal.replays.replay import ask_and_draw
    from roost_ladder.workshop.guests import bot_to_ask

    with bot_to_ask(question.bot, SAMPLES) as asked:
        ask_and_draw(replay, asked, question.seat, question.random, step=step)


def _opinions(replay: "Replay", bot: str, question: ReplayQuestion) -> "Opinions":
    """What a bot would have done in the seat."""
    from roost_bots import SAMPLES
    from roost_cli.terminal.live import progress
    from roost_games.replay import Decision
    from roost_ladder.workshop.guests import bot_to_ask
    from roost_ladder.workshop.second_opinion import second_opinion

    decisions = sum(isinstance(step, Decision) and step.seat == question.seat for step in replay.steps)
    with bot_to_ask(bot, SAMPLES) as asked, progress(f"asking {bot}", decisions) as advance:
        return second_opinion(replay, asked, question.seat, question.random, answered=lambda opinion: advance(1))


def _weighed(opinions: "Opinions", question: ReplayQuestion) -> "list[Weighed]":
    """The differences with what they were worth; none unless that was asked for."""
    from roost_bots import SAMPLES, playing_on
    from roost_cli.terminal.live import progress
    from roost_ladder.workshop.weighing import weigh

    if not question.worlds:
        return []
    with progress("playing on", len(opinions.different)) as advance:
        return weigh(opinions, SAMPLES[playing_on(opinions.game)], question.worlds, advance)


def _judged(replay: "Replay", question: ReplayQuestion) -> "tuple[Advice, list[Judged]]":
    """What one's own bot and the strongest sample would do, and the decisions that cost most."""
    from roost_bots import SAMPLES, playing_on, strongest
    from roost_cli.terminal.live import progress
    from roost_ladder.workshop.review import MOST_SHOWN, Advice, costliest, judge

    own = _opinions(replay, question.bot, question)
    asked = Advice(own, _opinions(replay, strongest(replay.game), question))
    player = SAMPLES[playing_on(replay.game)]
    if question.at is not None:
        return asked, [judge(asked, question.at, player, question.worlds)]
    with progress("playing on", len(asked.better.different) + MOST_SHOWN) as advance:
        return asked, costliest(asked, player, question.worlds, advance)


def _tell(replay: "Replay", question: ReplayQuestion, *, as_json: bool) -> None:
    """List the decisions that cost one's own bot most, or where another bot would have done something else."""
    if question.mine:
        _tell_costliest(replay, question, as_json=as_json)
    elif question.worlds:
        _tell_weighed(replay, question, as_json=as_json)
    else:
        _tell_differences(replay, question, as_json=as_json)


def _tell_costliest(replay: "Replay", question: ReplayQuestion, *, as_json: bool) -> None:
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.replays import opinions as shown

    asked, judged = _judged(replay, question)
    if as_json:
        print_json(shown.judged_json(replay, asked, judged))
    else:
        shown.print_judged(replay, asked, judged, question.worlds)


def _tell_differences(replay: "Replay", question: ReplayQuestion, *, as_json: bool) -> None:
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.replays.opinions import print_opinions
    from roost_ladder.workshop.second_opinion import opinions_json

    opinions = _opinions(replay, question.bot, question)
    if as_json:
        print_json(opinions_json(replay, opinions))
    else:
        print_opinions(replay, opinions)


def _tell_weighed(replay: "Replay", question: ReplayQuestion, *, as_json: bool) -> None:
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.replays import opinions as shown

    opinions = _opinions(replay, question.bot, question)
    weighed = _weighed(opinions, question)
    if as_json:
        print_json(shown.weighed_json(replay, opinions, weighed))
    else:
        shown.print_weighed(replay, opinions, weighed, question.worlds)


def _write_page(replay: "Replay", file: Path, question: ReplayQuestion | None, beside: "Replay | None") -> None:
    """Write the match as a page, with what another bot would have done if it was asked, and the same deal beside it."""
    from roost_ladder.workshop.review import remark_on_judged
    from roost_ladder.workshop.weighing import remark_on
    from roost_sdk.viewing.frames import Recorded
    from roost_sdk.viewing.html import Shown

    recorded = Recorded(replay)
    if question is not None and question.mine:
        remark_on_judged(recorded, *_judged(replay, question))
    elif question is not None:
        opinions = _opinions(replay, question.bot, question)
        remark_on(recorded, opinions, _weighed(opinions, question))
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
    from roost_cli.terminal.replays.replay import print_running
    from roost_sdk.arena.reader import newest_running

    with where.arena() as arena:
        watched = match or newest_running(arena)
        updates = arena.watch(watched)
        try:
            first = next(updates)
        except UsageError as error:
            raise UsageError(f"{error}; if it is over: roost replay {watched} --show {where.option}") from None
        print_running(first.started, updates)

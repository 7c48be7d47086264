"""`roost play`: matches between bots, here and now."""

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    BankMsOption,
    DecisionMsOption,
    GameArgument,
    JsonOption,
    SandboxOption,
    SeedOption,
    TrustedOption,
    find_game,
    parse_options,
)
from roost_games.errors import Exit, UsageError

if TYPE_CHECKING:
    from roost_ladder.running.series import Series


def play(
    game: GameArgument,
    bots: Annotated[
        list[str],
        typer.Argument(
            help="A bot for each seat, from seat 0 on: random, mybot.py, mybot.py:MyBot or stdio:./mybot.",
            metavar="BOT",
        ),
    ],
    seed: SeedOption = None,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="How many matches to play.")] = 1,
    option: Annotated[
        list[str] | None,
        typer.Option(help="A game option as name=value, with the value in JSON. May be repeated.", metavar="K=V"),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="Append the record of each match to this file.", metavar="FILE.jsonl")
    ] = None,
    decision_ms: DecisionMsOption = 1_000,
    bank_ms: BankMsOption = 10_000,
    trusted: TrustedOption = False,
    sandbox: SandboxOption = False,
    show: Annotated[bool, typer.Option("--show", help="Draw the table move by move.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play matches between bots.

    Ctrl-C stops early. What has been played is reported, and the exit code is 130.
    """
    from roost_bots import SAMPLES
    from roost_games.referee import Clock
    from roost_ladder.running.entrants import find_seated
    from roost_ladder.running.series import Series, new_seed

    if show and as_json:
        raise UsageError("--show is for people and --json for programs; choose one")
    found = find_game(game)
    options = found.options(parse_options(option or []))
    found.check_players(len(bots), options)
    with contextlib.redirect_stdout(sys.stderr):
        seated = find_seated(bots, SAMPLES, trusted=trusted, sandbox=sandbox)
    clock = Clock(decision_ms, bank_ms)
    series = Series(found, options, seated, new_seed() if seed is None else seed, sandbox, clock)
    series.check()
    interrupted = _play(series, matches, replay, show=show)
    _report(series, matches, replay, show=show, as_json=as_json)
    if interrupted:
        raise typer.Exit(Exit.INTERRUPTED)


def _play(series: "Series", matches: int, replay: Path | None, *, show: bool) -> bool:
    """Play; whether it was interrupted."""
    from roost_cli.terminal.console import remark
    from roost_cli.terminal.live import answering_ctrl_c, progress
    from roost_cli.terminal.replays.replay import printing
    from roost_sdk.replay_files import ReplayFile
    from roost_sdk.troubles.log import TroubleLog

    troubles = TroubleLog(remark)
    watch = printing(series.game.name, series.names) if show else None
    quiet = show or matches == 1
    with ReplayFile(replay) if replay else contextlib.nullcontext() as replays:
        try:
            with (
                contextlib.nullcontext() if quiet else progress("matches", matches) as advance,
                answering_ctrl_c("stopping; what has been played to its end is reported"),
            ):
                keep = replays.add if replays else None
                for _ in series.play(matches, troubles.tell, watch=watch, keep=keep, remark=remark):
                    if advance:
                        advance(1)
        except KeyboardInterrupt:
            return True
    troubles.close()
    return False


def _report(series: "Series", matches: int, replay: Path | None, *, show: bool, as_json: bool) -> None:
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.match import print_series, series_json

    if as_json:
        print_json(series_json(series))
    elif series.results:
        print_series(series, matches, replay, shown=show)

"""`roost play`: matches between bots, in this process."""

from pathlib import Path
from typing import Annotated

import typer


def play(
    game: Annotated[str, typer.Argument(help="The game: see roost games.", metavar="GAME")],
    bots: Annotated[
        list[str],
        typer.Argument(
            help="A bot for each seat, from seat 0 on: random, mybot.py, mybot.py:MyBot or stdio:./mybot.",
            metavar="BOT",
        ),
    ],
    seed: Annotated[
        str | None, typer.Option(help="Any text; the same seed gives the same deals. Drawn at random if left out.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="How many matches to play.")] = 1,
    option: Annotated[
        list[str] | None,
        typer.Option(help="A game option as name=value, with the value in JSON. Can be given again.", metavar="K=V"),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(help="Add the record of each match to this JSON Lines file.", metavar="FILE.jsonl")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw the table move by move.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Play matches between bots in this process."""
    from roost_cli.lookup import find_bots, find_game, parse_options
    from roost_cli.playing import new_seed, run_matches
    from roost_cli.series import Setup
    from roost_games.errors import UsageError

    if show and as_json:
        raise UsageError("--show is for people and --json for programs; choose one")
    found = find_game(game)
    options = found.options(parse_options(option or []))
    found.check_players(len(bots), options)
    setup = Setup(found, options, find_bots(bots), new_seed() if seed is None else seed)
    setup.check()
    run_matches(setup, matches, replay, show=show, as_json=as_json)

"""`roost ladder`: bots against each other, and who is how strong."""

from pathlib import Path
from typing import Annotated

import typer


def ladder(
    bots: Annotated[
        list[str],
        typer.Argument(
            help="The bots: a folder of them, mybot.py, mybot.py:MyBot, a sample's name, 'stdio:./mybot' or 'cmd:...'.",
            metavar="BOT...",
        ),
    ],
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="What is played; by default all that the bots can.")
    ] = None,
    players: Annotated[str, typer.Option(metavar="N,...", help="How many sit at a table.")] = "2,3,4",
    schedule: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Who plays whom: sure, round-robin, swiss, least-played, or gauntlet with --hero."
        ),
    ] = "sure",
    times: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How often all groups meet in round-robin or gauntlet; rounds of swiss."),
    ] = None,
    hero: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot that a gauntlet sends against all others.")
    ] = None,
    rotation: Annotated[
        str, typer.Option(metavar="KIND", help="In which orders a group sits at its deal: cyclic or full.")
    ] = "cyclic",
    blocks: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after so many blocks.")] = None,
    matches: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after so many matches.")] = None,
    budget: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop after this time. 60s if nothing else ends it."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many processes play; by default as many as cores.")
    ] = None,
    db: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep every match here, and go on with what is there.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Any text; the same seed gives the same deals. Drawn at random if left out.")
    ] = None,
    rating: Annotated[str, typer.Option(metavar="NAME", help="How to rate: fit or elo.")] = "fit",
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot that has 1500 points, instead of the mean.")
    ] = None,
    decision_ms: Annotated[
        int, typer.Option(min=1, max=86_400_000, metavar="MS", help="Milliseconds for each decision.")
    ] = 1_000,
    bank_ms: Annotated[
        int, typer.Option(min=0, max=86_400_000, metavar="MS", help="Milliseconds for decisions that take longer.")
    ] = 10_000,
    memory_limit: Annotated[
        int, typer.Option(min=16, metavar="MB", help="How much memory a bot may take, in megabytes.")
    ] = 1024,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the table to this file, too.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page with everything, too.")] = None,
) -> None:
    """Let bots play against each other, and find out who is how strong and how sure that is.

    Ctrl-C ends it early; the same command with the same --db goes on.
    """
    from roost_cli.ladder_wishes import Wishes
    from roost_cli.laddering import Outputs, run_ladder
    from roost_games.referee import Clock

    wishes = Wishes(
        tuple(bots), games, players, schedule, times, hero, rotation, seed, Clock(decision_ms, bank_ms), memory_limit
    )
    outputs = Outputs(rating, anchor, as_json, csv, html)
    run_ladder(wishes, outputs, blocks, matches, budget, workers, db)

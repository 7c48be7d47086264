"""`roost new` and `roost try`: begin a bot, and have it examined."""

from typing import Annotated

import typer

from roost_cli.options import BotArgument, JsonOption, SandboxOption, find_game, opponents, parse_games
from roost_games.errors import Exit


def new(
    name: Annotated[
        str,
        typer.Argument(help="The bot's name, a word that Python can import, such as mybot.", metavar="NAME"),
    ],
    game: Annotated[str, typer.Option(metavar="GAME", help="The game it plays: see roost games.")] = "karteneck",
) -> None:
    """Make a folder with a working bot, a test that plays it, and a README with the next steps."""
    from roost_bots.starters import start_folder
    from roost_cli.terminal.console import results

    folder = start_folder(name, find_game(game))
    results().print(
        f"{folder}/ has {name}.py, a bot that plays already, and test_{name}.py, which plays it.\n"
        f"Next: cd {folder}, then see README.md",
        soft_wrap=True,
    )


def try_(
    bot: BotArgument,
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="Examine only these games. By default all that it plays.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="How many matches at each kind of table.")] = 3,
    seconds: Annotated[
        float,
        typer.Option(
            min=1, metavar="SECONDS", help="About how long it may take. A slow bot is examined less thoroughly."
        ),
    ] = 30.0,
    patience: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="A bot that takes longer for an answer hangs.")
    ] = 10.0,
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Any text. The same seed gives the same deals.")] = "doctor",
    sandbox: SandboxOption = False,
    as_json: JsonOption = False,
) -> None:
    """Examine a bot: does it load, answer legally and in time, keep nothing between matches, and beat the samples?

    The exit code is 0 if there is no defect, 1 if there is one, and 2 if the bot cannot be loaded.
    """
    from roost_cli.terminal.console import print_json, results
    from roost_cli.terminal.doctor import print_report, report_json
    from roost_cli.terminal.live import status
    from roost_ladder.workshop.doctor import Effort, examine

    effort = Effort(matches, seconds, patience)
    with status() as tell:
        report = examine(
            bot, opponents(), games=parse_games(games), seed=seed, effort=effort, tell=tell, sandbox=sandbox
        )
    if as_json:
        print_json(report_json(report))
    else:
        print_report(results(), report)
    if not report.loads:
        raise typer.Exit(Exit.USAGE)
    if not report.healthy:
        raise typer.Exit(Exit.FAILED)

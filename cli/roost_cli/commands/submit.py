"""`roost submit`: let a bot play at an arena."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import CONNECTION, Where, asks, find_bot, parse_games
from roost_games.errors import UsageError


@asks(CONNECTION)
def submit(
    where: Where,
    bot: Annotated[
        str | None,
        typer.Argument(
            help="The bot: mybot.py, mybot.py:MyBot, stdio:./mybot, or the name of a sample.", metavar="BOT"
        ),
    ] = None,
    stdio: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="Instead of BOT: a program in any language that reads and writes JSON lines."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot's name there. By default that of its file.")
    ] = None,
    matches_at_once: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=100_000,
            metavar="K",
            help="Play at most this many matches at the same time. By default 128, or what the bot's class says. The "
            "arena finds out how many it can play.",
        ),
    ] = None,
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="Play only these games. By default all that it can.")
    ] = None,
    connect_timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Give up after this long without an arena.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep every match in a file there: what the bot saw, did and logged."),
    ] = None,
    keep_mb: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Remove the oldest of these files beyond this many megabytes.")
    ] = 1000,
    no_challenges: Annotated[
        bool, typer.Option("--no-challenges", help="Play no unrated matches that other owners ask for.")
    ] = False,
    beside: Annotated[
        bool,
        typer.Option(
            "--beside",
            help="Let other versions of this bot play on there. By default they finish their matches and leave.",
        ),
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log every match and every decision.")] = False,
) -> None:
    """Play a bot at an arena until Ctrl-C.

    The first Ctrl-C leaves after the running matches, a second one at once. Errors of the bot go to stderr.
    """
    from roost_cli.terminal.submit import keep_playing
    from roost_sdk.arena.connection import check_address
    from roost_sdk.load import STDIO
    from roost_sdk.program import Submission

    server = check_address(where.address)
    credentials = where.credentials()
    wanted = parse_games(games)
    if (bot is None) == (stdio is None):
        raise UsageError("name a bot, such as mybot.py, or a program, such as --stdio ./mybot: one of the two")
    loaded = find_bot(bot or f"{STDIO}{stdio}")
    keep_playing(
        Submission(
            loaded,
            server,
            name,
            wanted,
            matches_at_once,
            connect_timeout,
            keep,
            keep_mb,
            credentials,
            challenges=not no_challenges,
            takes_over=not beside,
        ),
        verbose=verbose,
    )

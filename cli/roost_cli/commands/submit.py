"""`roost submit`: let a bot play at an arena."""

from pathlib import Path
from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_sdk.arena.connection import DEFAULT_SERVER


def submit(
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
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the arena is.")] = DEFAULT_SERVER,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is called there; by default like its file.")
    ] = None,
    matches_at_once: Annotated[
        int, typer.Option(min=1, max=100_000, metavar="K", help="Play up to so many matches at the same time.")
    ] = 4,
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="Play only these games; by default all that it can.")
    ] = None,
    connect_timeout: Annotated[
        float | None, typer.Option(min=0, metavar="SECONDS", help="Give up when there is no arena for so long.")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep every match in a file there: what the bot saw, did and logged."),
    ] = None,
    keep_mb: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Remove the oldest of these files beyond so many megabytes.")
    ] = 1000,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log every match and every decision.")] = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Register a bot at an arena and keep it playing there until Ctrl-C.

    The first Ctrl-C leaves after the running matches, a second one at once. Errors of the bot go to stderr.
    """
    from roost_cli.access_options import access
    from roost_cli.arena_options import parse_games
    from roost_cli.lookup import find_bots
    from roost_cli.submitting import keep_playing
    from roost_games.errors import UsageError
    from roost_sdk.arena.connection import check_address
    from roost_sdk.load import STDIO
    from roost_sdk.program import Submission

    check_address(server)
    credentials = access(key_file, tls, tls_ca)
    wanted = parse_games(games)
    if (bot is None) == (stdio is None):
        raise UsageError("name a bot, such as mybot.py, or a program, such as --stdio ./mybot: one of the two")
    (loaded,) = find_bots([bot or f"{STDIO}{stdio}"])
    entry = Submission(loaded, server, name, wanted, matches_at_once, connect_timeout, keep, keep_mb, credentials)
    keep_playing(entry, verbose=verbose)

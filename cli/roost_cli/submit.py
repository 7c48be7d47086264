"""`roost submit`: let a bot play at an arena."""

from typing import Annotated

import typer

from roost_cli.arena_options import DEFAULT_SERVER


def submit(
    bot: Annotated[
        str, typer.Argument(help="The bot: mybot.py, mybot.py:MyBot, or the name of a sample.", metavar="BOT")
    ],
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
) -> None:
    """Register a bot at an arena and keep it playing there until Ctrl-C.

    The first Ctrl-C leaves after the running matches, a second one at once. Errors of the bot go to stderr.
    """
    from roost_cli.arena_options import parse_games
    from roost_cli.lookup import find_bots
    from roost_cli.submitting import Entry, keep_playing
    from roost_sdk.link import check_address

    check_address(server)
    wanted = parse_games(games)
    (loaded,) = find_bots([bot])
    keep_playing(Entry(loaded, server, name, wanted, matches_at_once, connect_timeout))

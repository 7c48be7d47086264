"""`roost replay` and `roost watch`: one match, recorded or running."""

from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_cli.arena_options import DatabaseOption, ServerOption
from roost_sdk.arena.connection import DEFAULT_SERVER


def replay(
    match: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The id of a match, or a file of replays: FILE.jsonl, or FILE.jsonl:3 for its third one."
        ),
    ],
    server: ServerOption = None,
    db: DatabaseOption = None,
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
            help="With --bot: play on N times from each difference, and list first what cost most.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the record, one line of roost-replay/1; with --bot, what the bot says."),
    ] = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Show a recorded match: who played, how it ended, and what went wrong; or what your bot would have done."""
    from roost_cli.access_options import access
    from roost_cli.replaying import Wanted, find_replay, show_found
    from roost_games.errors import UsageError

    if show + step + as_json > 1:
        raise UsageError("--show and --step are for people and --json for programs; choose one")
    if (bot is None) != (seat is None):
        raise UsageError("--bot names who is asked and --seat about which seat; give both")
    if weigh and (bot is None or show or step):
        raise UsageError("--weigh is about what --bot would have done; give --bot and --seat, and no --show or --step")
    found = find_replay(match, server, db, access(key_file, tls, tls_ca))
    show_found(found, Wanted(show, step, as_json, bot, seat or 0, weigh or 0))


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a running match; by default the newest one.")
    ] = None,
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the arena is.")] = DEFAULT_SERVER,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Watch a running match as a spectator: everything but the hands."""
    from roost_cli.access_options import access
    from roost_cli.watching import watch_match

    watch_match(match, server, access(key_file, tls, tls_ca))

"""`roost replay` and `roost watch`: one match, recorded or running."""

from typing import Annotated

import typer

from roost_cli.arena_options import DEFAULT_SERVER, DatabaseOption, ServerOption


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
    as_json: Annotated[bool, typer.Option("--json", help="Print the record: one line of roost-replay/1.")] = False,
) -> None:
    """Show a recorded match: who played, how it ended, and what went wrong."""
    from roost_cli.replaying import find_replay, print_replay
    from roost_games.errors import UsageError

    if show and as_json:
        raise UsageError("--show is for people and --json for programs; choose one")
    found = find_replay(match, server, db)
    if as_json:
        typer.echo(found.line)
    else:
        print_replay(found, show=show)


def watch(
    match: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of a running match; by default the newest one.")
    ] = None,
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where the arena is.")] = DEFAULT_SERVER,
) -> None:
    """Watch a running match as a spectator: everything but the hands."""
    from roost_cli.watching import watch_match

    watch_match(match, server)

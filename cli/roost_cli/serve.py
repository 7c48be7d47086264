"""`roost serve`: run an arena."""

import os
from enum import StrEnum
from typing import Annotated

import typer

from roost_cli.arena_options import DEFAULT_DATABASE, DEFAULT_SERVER


class LogLevel(StrEnum):
    """How much the log says."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def serve(
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where bots find the arena; port 0 means any free one.")
    ] = DEFAULT_SERVER,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database to record in; created if it is not there.")
    ] = DEFAULT_DATABASE,
    games: Annotated[str | None, typer.Option(metavar="GAME,...", help="What is played; by default all games.")] = None,
    players: Annotated[str, typer.Option(metavar="N,...", help="How many seats tables have.")] = "2,3,4",
    decision_ms: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Time for each decision; by default 1000.")
    ] = None,
    bank_ms: Annotated[
        int | None, typer.Option(min=0, metavar="MS", help="Time that a match gives in addition; by default 10000.")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(metavar="LEVEL", help="What the log on stderr tells: debug, info, warning or error.")
    ] = LogLevel.INFO,
) -> None:
    """Run an arena: bots connect, play each other, and everything is recorded.

    Ctrl-C or SIGTERM stops it: running matches are played to the end. A second one voids them instead.
    """
    from roost_cli.arena_options import database_url, parse_counts, parse_games
    from roost_cli.server_extra import server_extra

    # gRPC would add lines of its own to the log, and to what is said about a port in use.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    wanted, counts = parse_games(games), parse_counts(players)
    with server_extra("roost serve"):
        from roost_cli.serving import run_arena, settings_for
    run_arena(database_url(db), settings_for(wanted, counts, decision_ms, bank_ms), listen, log_level)

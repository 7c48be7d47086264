"""`roost serve`: run an arena."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import (
    DEFAULT_DATABASE,
    database_url,
    find_bots,
    needs_server,
    parse_counts,
    parse_games,
    sources_of,
    split_list,
)
from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER


class LogLevel(StrEnum):
    """How much the log says."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class ScheduleName(StrEnum):
    """Who plays whom in an arena without competitions."""

    LEAST_PLAYED = "least-played"
    SURE = "sure"
    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"


def serve(
    competitions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[COMPETITION.toml]...",
            help="Files that each define a competition. With any, who plays needs a key, and they say what is played.",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where bots find the arena; port 0 means any free one.")
    ] = DEFAULT_SERVER,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database to record in; created if it is not there.")
    ] = DEFAULT_DATABASE,
    games: Annotated[str | None, typer.Option(metavar="GAME,...", help="What is played; by default all games.")] = None,
    players: Annotated[
        str | None, typer.Option(metavar="N,...", help="How many seats tables have; by default 2,3,4.")
    ] = None,
    decision_ms: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Time for each decision; by default 1000.")
    ] = None,
    bank_ms: Annotated[
        int | None, typer.Option(min=0, metavar="MS", help="Time that a match gives in addition; by default 10000.")
    ] = None,
    schedule: Annotated[
        ScheduleName | None,
        typer.Option(
            metavar="NAME",
            help="Who plays whom: least-played, sure, round-robin or swiss. By default least-played.",
        ),
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Bots that play along, so that there are always opponents: samples, mybot.py, mybot.py:MyBot or "
            "stdio:./mybot.",
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Encrypt: the certificate chain, in PEM form.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key to that certificate.")] = None,
    insecure_network: Annotated[
        bool,
        typer.Option(
            "--insecure-network",
            help="Listen for other machines without TLS, although everybody on the way can read keys and moves.",
        ),
    ] = False,
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve metrics for Prometheus there, at /metrics.")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(metavar="LEVEL", help="What the log on stderr tells: debug, info, warning or error.")
    ] = LogLevel.INFO,
) -> None:
    """Run an arena: bots connect, play each other, and everything is recorded.

    Ctrl-C or SIGTERM stops it: running matches are played to the end. A second one voids them instead.
    """
    if competitions and any(each is not None for each in (games, players, decision_ms, bank_ms, schedule)):
        raise UsageError("what is played stands in the competition file; leave these options out")
    if competitions and bots is not None:
        raise UsageError(
            "in a competition every bot has an owner, and a key; leave --bots out, and let each of them play with "
            "roost submit NAME --key-file FILE"
        )
    company = split_list(bots, "bots") if bots is not None else []
    wanted, counts = parse_games(games), parse_counts(players or "2,3,4")
    with needs_server("roost serve"):
        from roost_server.serving.hosting import Network, run_arena, settings_for
    run_arena(
        database_url(db),
        settings_for(wanted, counts, decision_ms, bank_ms, schedule),
        Network(listen, tls_cert, tls_key, insecure_network, metrics),
        competitions=competitions or [],
        bots=zip(sources_of(company), find_bots(company), strict=True),
        log_level=log_level,
        tell=typer.echo,
    )

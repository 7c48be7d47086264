"""`roost serve` and `roost showcase`: run an arena, for others or to watch."""

import contextlib
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from roost_cli.options import (
    DEFAULT_DATABASE,
    Where,
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
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class ScheduleName(StrEnum):
    """Who meets whom in an arena without competitions."""

    LEAST_PLAYED = "least-played"
    SURE = "sure"
    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"


def serve(
    competitions: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[COMPETITION.toml]...",
            help="Competition files. They say what is played, and bots need keys. Without any, the arena is open.",
        ),
    ] = None,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to listen. Port 0 takes a free one.")
    ] = DEFAULT_SERVER,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database to record in. It is created if it does not exist.")
    ] = DEFAULT_DATABASE,
    games: Annotated[str | None, typer.Option(metavar="GAME,...", help="The games. By default all.")] = None,
    players: Annotated[
        str | None, typer.Option(metavar="N,...", help="The sizes of the tables. By default 2,3,4.")
    ] = None,
    decision_ms: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="Milliseconds for each decision. By default 1000.")
    ] = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="MS", help="Milliseconds per match for decisions that take longer. By default 10000."
        ),
    ] = None,
    schedule: Annotated[
        ScheduleName | None,
        typer.Option(
            metavar="NAME",
            help="Who meets whom: least-played, sure, round-robin or swiss. By default least-played.",
        ),
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="House bots, so that there are always opponents: samples, mybot.py, mybot.py:MyBot or stdio:./mybot.",
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Encrypt with this certificate chain (PEM).")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(metavar="FILE", help="The key of that certificate.")] = None,
    insecure_network: Annotated[
        bool,
        typer.Option(
            "--insecure-network",
            help="Listen for other machines without TLS. Anybody on the network can then read keys and moves.",
        ),
    ] = False,
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve Prometheus metrics there, at /metrics.")
    ] = None,
    log_level: Annotated[
        LogLevel, typer.Option(metavar="LEVEL", help="What to log on stderr: debug, info, warning or error.")
    ] = LogLevel.INFO,
) -> None:
    """Run an arena: bots connect and play each other, and everything is recorded.

    Ctrl-C or SIGTERM stops it after the running matches. A second one voids them.
    """
    if competitions and any(each is not None for each in (games, players, decision_ms, bank_ms, schedule)):
        raise UsageError("the competition file says what is played; leave these options out")
    if competitions and bots is not None:
        raise UsageError(
            "in a competition every bot needs an owner and a key; leave --bots out, and use "
            "roost submit NAME --key-file FILE for each"
        )
    company = split_list(bots, "bots") if bots is not None else []
    wanted, counts = parse_games(games), parse_counts(players or "2,3,4")
    with needs_server("roost serve"):
        from roost_server.serving.hosting import ArenaNetwork, run_arena, settings_for
    run_arena(
        database_url(db),
        settings_for(wanted, counts, decision_ms, bank_ms, schedule),
        ArenaNetwork(listen, tls_cert, tls_key, insecure_network, metrics),
        competitions=competitions or [],
        bots=zip(sources_of(company), find_bots(company), strict=True),
        log_level=log_level,
        tell=typer.echo,
    )


def showcase(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT", help="Your bots that join the samples: mybot.py or mybot.py:MyBot."),
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, metavar="S", help="How long it runs.")] = 60,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database to record in. An existing one is continued.")
    ] = "roost-demo.db",
) -> None:
    """Run an arena on this machine for a minute, with the sample bots playing all games, and show the standings.

    The arena and each bot are processes that talk over gRPC. Ctrl-C ends it early. Nothing is left running.
    """
    import roost_cli
    from roost_bots import QUICK_SAMPLES
    from roost_cli.terminal.console import remark
    from roost_cli.terminal.showcase import print_beginning, print_summary, show_standings
    from roost_sdk.processes import python_words

    find_bots(bots or [])
    with needs_server("roost showcase"):
        import roost_server.serving.hosting  # noqa: F401  as the arena will, in a process of its own
        from roost_server.serving.showcase import showcase as started
    # Not the samples that calculate: on a small machine they would keep the others waiting.
    names = [*QUICK_SAMPLES, *(bots or [])]
    serve = ("serve", "--listen", "127.0.0.1:0", "--db", database_url(db), "--log-level", "warning")
    with started(python_words(roost_cli, *serve), zip(names, sources_of(names), strict=True)) as running:
        print_beginning(names, running.address, db)
        with contextlib.suppress(KeyboardInterrupt), Where(running.address).arena() as reader:
            show_standings(reader, seconds, running.check)
        remark("The running matches are played to the end ...")
        for line in running.stop():
            remark(line)
    with Where(db=db).open() as records:
        print_summary(records, db)

"""`roost serve` and `roost showcase`: run an arena, for others or to watch."""

import contextlib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    DEFAULT_DATABASE,
    DealsOption,
    PrefixOption,
    PublicServerOption,
    PublicTlsOption,
    Where,
    check_web,
    database_url,
    describe_bots,
    needs_server,
    own_words,
    page_beside,
    parse_counts,
    parse_duration,
    parse_games,
    sources_of,
    split_list,
)
from roost_games.errors import UsageError
from roost_sdk.arena.connection import DEFAULT_SERVER
from roost_web import DEFAULT_LISTEN

if TYPE_CHECKING:
    from roost_server.serving.backups import BackupPlan
    from roost_server.serving.showcase import Guest, Showcase


USUAL_KEEP = 8
"""How many backups by the clock are kept."""


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


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
        int | None,
        typer.Option(min=1, max=3_600_000, metavar="MS", help="Milliseconds for each decision. By default 1000."),
    ] = None,
    bank_ms: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=86_400_000,
            metavar="MS",
            help="Milliseconds per match for decisions that take longer. By default 10000.",
        ),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who meets whom: least-played, sure, round-robin or swiss. By default least-played.",
        ),
    ] = None,
    deals: DealsOption = None,
    matches_per_hour: Annotated[
        int | None,
        typer.Option(
            min=1, max=100_000_000, metavar="N", help="How many matches are begun in an hour. By default 20000."
        ),
    ] = None,
    matches_per_bot_hour: Annotated[
        int | None,
        typer.Option(min=1, max=100_000_000, metavar="N", help="How many of them with one bot. By default 3600."),
    ] = None,
    disk_gb: Annotated[
        float | None,
        typer.Option(min=0.001, metavar="GB", help="Pause when the database has this size. By default 10."),
    ] = None,
    bots: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="House bots, so that there are always opponents: samples, mybot.py, mybot.py:MyBot or stdio:./mybot.",
        ),
    ] = None,
    web: Annotated[
        str | None,
        typer.Option(metavar="HOST:PORT", help="Show the page there, in a process beside the arena: see roost web."),
    ] = None,
    path_prefix: PrefixOption = "",
    public_server: PublicServerOption = "",
    public_tls: PublicTlsOption = False,
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
    proxy: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS,...",
            help="The proxies before the arena, such as 127.0.0.1: what they say about addresses is believed.",
        ),
    ] = None,
    metrics: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Serve Prometheus metrics there, at /metrics.")
    ] = None,
    backup_every: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Back up the database this often while the arena runs: 30m, 6h."),
    ] = None,
    keep: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many of these backups to keep. By default 8.")
    ] = None,
    backup_to: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The folder for backups. By default NAME-backups beside the database.",
        ),
    ] = None,
    accept_loss: Annotated[
        bool,
        typer.Option(
            "--accept-loss",
            help="Play on although the database has lost records. All deals are new from then on.",
        ),
    ] = False,
    log_level: Annotated[
        LogLevel, typer.Option(metavar="LEVEL", help="What to log on stderr: debug, info, warning or error.")
    ] = LogLevel.INFO,
) -> None:
    """Run an arena: bots connect and play each other, and everything is recorded.

    With --web people watch it in the browser.
    Ctrl-C or SIGTERM stops it after the running matches. A second one voids them.
    """
    pace = {
        "matches_per_hour": matches_per_hour,
        "matches_per_bot_hour": matches_per_bot_hour,
        "disk_gb": disk_gb,
    }
    set_by_files = {
        "games": games,
        "players": players,
        "decision_ms": decision_ms,
        "bank_ms": bank_ms,
        "schedule": schedule,
        "deals": deals,
        **pace,
    }
    if competitions and (given := [name for name, value in set_by_files.items() if value is not None]):
        option = f"--{given[0].replace('_', '-')}"
        raise UsageError(f"{option} does not apply to a competition; its file sets that")
    if competitions and bots is not None:
        raise UsageError(
            "in a competition every bot needs an owner and a key; leave --bots out, and use "
            "roost submit NAME --key-file FILE for each"
        )
    if web is None and (path_prefix or public_server or public_tls):
        raise UsageError("--path-prefix, --public-server and --public-tls are about the page; add --web HOST:PORT")
    if backup_every is None and keep is not None:
        raise UsageError("--keep is about backups by the clock; add --backup-every 6h")
    proxies = tuple(split_list(proxy, "proxies")) if proxy is not None else ()
    company = split_list(bots, "bots") if bots is not None else []
    wanted, counts = parse_games(games), parse_counts(players or "2,3,4")
    with needs_server("roost serve"):
        from roost_server.serving.hosting import ArenaNetwork, run_arena, settings_for
    with contextlib.ExitStack() as stack:
        page = None
        if web is not None:
            check_web("--web")
            told_tls = public_tls or (tls_cert is not None and not public_server)
            page = stack.enter_context(page_beside(web, path_prefix, public_server, public_tls=told_tls))
        run_arena(
            database_url(db),
            settings_for(wanted, counts, decision_ms, bank_ms, schedule, deals, **pace),
            ArenaNetwork(listen, tls_cert, tls_key, insecure_network, metrics, proxies),
            competitions=competitions or [],
            bots=zip(sources_of(company), describe_bots(company), strict=True),
            page=page,
            backups=_backups(backup_every, keep, backup_to, db) if backup_every else None,
            backup_folder=backup_to,
            accept_loss=accept_loss,
            log_level=log_level,
            tell=typer.echo,
        )


def _backups(every: str, keep: int | None, folder: Path | None, db: str) -> "BackupPlan":
    from roost_server.serving.backups import BackupPlan, usual_folder

    file = Path(database_url(db).removeprefix("sqlite:///"))
    return BackupPlan(parse_duration(every), keep or USUAL_KEEP, folder or usual_folder(file))


def showcase(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT", help="Your bots that join the samples: mybot.py or mybot.py:MyBot."),
    ] = None,
    seconds: Annotated[
        int, typer.Option(min=1, metavar="S", help="Sum up after this many seconds. Without a terminal it ends there.")
    ] = 60,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database to record in. An existing one is continued.")
    ] = "roost-demo.db",
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help=f"Where the page is. By default {DEFAULT_LISTEN}, or another port if it is taken."
        ),
    ] = None,
) -> None:
    """Run an arena on this machine, with the sample bots playing all games, and show it: here and in the browser.

    The arena, the page and each bot are processes of their own. After a minute it sums up. On a terminal it then
    continues until Ctrl-C, which also ends it early. Nothing is left running.
    """
    from roost_cli.terminal.console import remark
    from roost_cli.terminal.showcase import print_beginning, print_summary, show_standings, stays

    describe_bots(bots or [])
    with needs_server("roost showcase"):
        import roost_server.serving.hosting  # noqa: F401  as the arena will, in a process of its own
    check_web("roost showcase")

    def sum_up() -> None:
        with Where(db=db).open() as records:
            print_summary(records, db)

    with _started_showcase(bots or [], db, listen) as (running, url):
        print_beginning([guest.name for guest in _guests(bots or [])], url, running.address, db)
        summed_up = False
        with contextlib.suppress(KeyboardInterrupt), Where(running.address).arena() as reader:
            show_standings(reader, seconds, running.check)
            if stays():
                sum_up()
                summed_up = True
                remark(f"The bots play on, and {url} shows it. Ctrl-C ends it.")
                running.wait()
        remark("The arena stops. Matches still running after a few seconds are voided.")
        for line in running.stop():
            remark(line)
    if not summed_up:
        sum_up()


@contextlib.contextmanager
def _started_showcase(bots: list[str], db: str, listen: str | None) -> "Iterator[tuple[Showcase, str]]":
    """The arena with its page and these bots, and the page's address."""
    from roost_server.serving.showcase import showcase
    from roost_web.serving import listen as listening
    from roost_web.serving import listen_or_elsewhere, url_of

    with (
        listening(listen) if listen else listen_or_elsewhere(DEFAULT_LISTEN) as listener,
        showcase(own_words("serve"), database_url(db), listener, _guests(bots)) as running,
    ):
        yield running, url_of(listener)


def _guests(bots: list[str]) -> "list[Guest]":
    """The bots of a showcase: quick samples, one whose matches can be followed, and those that were named.

    Not the samples that calculate: on a small machine they would keep the others waiting.
    """
    from roost_bots import QUICK_SAMPLES
    from roost_bots.patient import PatientBot
    from roost_sdk.load import spelled_out
    from roost_server.serving.showcase import Guest

    quick, named = list(QUICK_SAMPLES), list(bots)
    patient = Guest("patient", spelled_out(PatientBot))
    return [*map(Guest, quick, sources_of(quick)), patient, *map(Guest, named, sources_of(named))]

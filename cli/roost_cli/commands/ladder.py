"""`roost ladder`: bots against each other, rated."""

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    BankMsOption,
    ClusterOption,
    DealsOption,
    DecisionMsOption,
    JsonOption,
    SandboxOption,
    SeedOption,
    TrustedOption,
    WorkersOption,
    cluster_address,
    database_url,
    needs_server,
    on_cluster,
    parse_counts,
    parse_duration,
    parse_games,
)
from roost_games.errors import Exit

if TYPE_CHECKING:
    from roost_ladder.cluster.connection import ClusterAddress
    from roost_ladder.report.files import ReportFiles
    from roost_ladder.running.book import Book
    from roost_ladder.running.entrants import Entrant
    from roost_ladder.running.fixtures import MatchLimits
    from roost_ladder.running.local_ladder import LadderRun, LadderTeam, ResumedRun


def ladder(
    bots: Annotated[
        list[str],
        typer.Argument(
            help="The bots: a folder of them, mybot.py, mybot.py:MyBot, a sample's name, 'stdio:./mybot' or 'cmd:...'.",
            metavar="BOT...",
        ),
    ],
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="The games. By default all that the bots can play.")
    ] = None,
    players: Annotated[str, typer.Option(metavar="N,...", help="The sizes of the tables.")] = "2,3,4",
    schedule: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Who meets whom: sure, round-robin, swiss, least-played, or gauntlet with --hero."
        ),
    ] = "sure",
    times: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="How often all groups meet in round-robin or gauntlet; rounds of swiss."),
    ] = None,
    hero: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot that a gauntlet sends against all others.")
    ] = None,
    rotation: Annotated[
        str, typer.Option(metavar="KIND", help="The seatings in which a group plays a block: cyclic or full.")
    ] = "cyclic",
    deals: DealsOption = None,
    blocks: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after this many blocks.")] = None,
    matches: Annotated[int | None, typer.Option(min=1, metavar="N", help="Stop after this many matches.")] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Stop after this time, such as 90s or 1h. By default 60s without other limits.",
        ),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trusted: TrustedOption = False,
    sandbox: SandboxOption = False,
    db: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep every match in this database, and resume what is in it.")
    ] = None,
    seed: SeedOption = None,
    rating: Annotated[str, typer.Option(metavar="NAME", help="The rating: fit or elo.")] = "fit",
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME", help="The bot that gets 1500 points. By default the mean does.")
    ] = None,
    decision_ms: DecisionMsOption = 1_000,
    bank_ms: BankMsOption = 10_000,
    memory_limit: Annotated[
        int, typer.Option(min=16, max=1_000_000, metavar="MB", help="The memory that a bot may use, in megabytes.")
    ] = 1024,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the table to this file.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a report page to this file.")] = None,
) -> None:
    """Let bots play against each other, and show the ratings with their 95 % intervals.

    Ctrl-C ends it early; the same command with the same --db resumes it.
    """
    from roost_bots import SAMPLES
    from roost_cli.terminal.console import remark
    from roost_cli.terminal.ladder import watching
    from roost_cli.terminal.live import answering_ctrl_c
    from roost_games.referee import Clock
    from roost_ladder.report.files import ReportFiles, check_rating
    from roost_ladder.running.engine import RunStopped
    from roost_ladder.running.local_ladder import LadderOptions, run_ladder

    options = LadderOptions(
        tuple(bots),
        parse_games(games),
        parse_counts(players),
        schedule,
        times,
        hero,
        rotation,
        seed,
        Clock(decision_ms, bank_ms),
        memory_limit,
        workers,
        blocks,
        matches,
        None if budget is None else parse_duration(budget),
        deals,
        trusted,
        sandbox,
    )
    options.check()
    address = cluster_address(cluster, workers)
    check_rating(rating)
    files = ReportFiles(csv, html)
    files.check()
    with _open_book(db) as (book, resumed), answering_ctrl_c("stopping; the standings so far follow"):
        run = run_ladder(
            options,
            SAMPLES,
            book=book,
            resumed=resumed,
            programs=partial(_programs, address),
            open_executor=on_cluster(address, remark),
            watch=watching,
            remark=remark,
            must_play=anchor,
        )
    _report(run, files, db, anchor=anchor, rating=rating, as_json=as_json)
    if run.stopped:
        raise RunStopped(run.stopped)
    if run.ending is None:
        raise typer.Exit(Exit.INTERRUPTED)


@contextlib.contextmanager
def _open_book(db: str | None) -> "Iterator[tuple[Book | None, ResumedRun | None]]":
    """Where matches are kept, and the run that is resumed."""
    if db is None:
        yield None, None
        return
    from roost_ladder.running.local_ladder import ResumedRun

    with needs_server("--db"):
        from roost_server.answers.ratings import Ratings
        from roost_server.store import open_store
        from roost_server.store.ladder_book import LadderBook
    with open_store(database_url(db)) as store:
        ratings = Ratings(store)
        book = LadderBook(store, ratings.keep)
        charter = book.charter()
        yield book, ResumedRun.of(charter) if charter else None
        ratings.keep()


@contextlib.contextmanager
def _programs(
    address: "ClusterAddress | None", entrants: "Sequence[Entrant]", limits: "MatchLimits", workers: int
) -> "Iterator[LadderTeam]":
    """Programs that connect to an arena by themselves get one of their own, here or on each worker of a cluster."""
    from roost_bots import SAMPLES
    from roost_cli.terminal.console import remark
    from roost_ladder.running.engine import FixedExecutor
    from roost_ladder.running.local_ladder import LadderTeam

    with needs_server("a bot that connects to an arena"):
        from roost_server.serving.ladder_programs import cluster_programs, ladder_programs
    if address is not None:
        with cluster_programs(address, entrants, limits, SAMPLES, remark) as team:
            yield team
        return
    with ladder_programs(entrants, limits, SAMPLES, remark) as programs:
        yield LadderTeam(programs.entrants, FixedExecutor(programs.arena.submit, workers), programs.look_after)


def _report(
    run: "LadderRun", files: "ReportFiles", db: str | None, *, anchor: str | None, rating: str, as_json: bool
) -> None:
    from roost_cli.terminal.console import print_json, remark
    from roost_cli.terminal.ladder import print_run, run_json
    from roost_ladder.report.files import summary_of

    summary = summary_of(run, anchor=anchor, rating=rating)
    if as_json:
        print_json(run_json(run, summary))
    elif summary.standings:
        print_run(run, summary, db)
    # Only now: whatever happens to the files, the result has been printed.
    if summary.standings:
        files.write(summary)
    else:
        remark("no block was completed, so there are no standings yet")

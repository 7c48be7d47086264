"""`roost compare`: is the new version of a bot stronger than the old one?"""

from typing import Annotated

import typer

from roost_cli.options import (
    ClusterOption,
    JsonOption,
    SandboxOption,
    SeedOption,
    TrustedOption,
    WorkersOption,
    cluster_address,
    on_cluster,
    parse_counts,
    parse_duration,
    parse_games,
)
from roost_games.errors import Exit


def compare(
    new: Annotated[str, typer.Argument(help="The bot that may be stronger.", metavar="NEW")],
    old: Annotated[str, typer.Argument(help="The bot to compare it with.", metavar="OLD")],
    game: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="The games. By default all that these bots play.")
    ] = None,
    players: Annotated[str, typer.Option(metavar="N,...", help="The sizes of the tables.")] = "4",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="BOT", help="An opponent. May be repeated. By default copies of OLD."),
    ] = None,
    elo0: Annotated[
        float, typer.Option(metavar="ELO", help="A bot that gains at most this many Elo points is not stronger.")
    ] = 0.0,
    elo1: Annotated[
        float, typer.Option(metavar="ELO", help="A bot that gains this many Elo points must not be missed.")
    ] = 20.0,
    alpha: Annotated[
        float, typer.Option(metavar="RATE", help="How often a bot that is not stronger may be called stronger.")
    ] = 0.05,
    beta: Annotated[float, typer.Option(metavar="RATE", help="How often a stronger bot may be missed.")] = 0.05,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after this time, such as 90s or 1h. By default 5m.")
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Stop after this many blocks; then only --budget limits the time."),
    ] = None,
    workers: WorkersOption = None,
    cluster: ClusterOption = None,
    trusted: TrustedOption = False,
    sandbox: SandboxOption = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find out whether a bot is stronger than its old version, with as few matches as possible.

    Both play the same deals in the same seats against the same opponents.

    A bot is a sample's name, mybot.py or mybot.py:MyBot.

    Exit code 0: stronger, 1: not stronger, 2: undecided.
    """
    from roost_bots import SAMPLES
    from roost_cli.terminal.comparison import comparison_json, print_comparison, watching
    from roost_cli.terminal.console import print_json, remark
    from roost_cli.terminal.live import answering_ctrl_c
    from roost_ladder.rating.sprt import Verdict
    from roost_ladder.running.comparison import CompareOptions, run_comparison

    options = CompareOptions(
        new,
        old,
        parse_games(game),
        parse_counts(players),
        tuple(against or ()),
        elo0,
        elo1,
        alpha,
        beta,
        None if budget is None else parse_duration(budget),
        blocks,
        workers,
        seed,
        trusted,
        sandbox,
    )
    address = cluster_address(cluster, workers)
    with answering_ctrl_c("stopping; the answer so far follows"):
        place = on_cluster(address, remark)
        run = run_comparison(options, SAMPLES, open_executor=place, watch=watching, remark=remark)
    if as_json:
        print_json(comparison_json(run))
    else:
        print_comparison(run)
    if run.stopped:
        remark(f"stopped: {run.stopped}")
    codes = {Verdict.STRONGER: 0, Verdict.NOT_STRONGER: 1, Verdict.UNDECIDED: 2}
    raise typer.Exit(Exit.INTERRUPTED if run.interrupted else codes[run.comparison.verdict])

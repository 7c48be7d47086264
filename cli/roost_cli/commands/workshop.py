"""`roost new`, `roost try` and `roost contract`: begin a bot, have it examined, and take the protocol along."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roost_cli.options import (
    BOT,
    ClusterOption,
    JsonOption,
    SandboxOption,
    cluster_address,
    find_game,
    opponents,
    parse_games,
)
from roost_games.errors import Exit, UsageError

if TYPE_CHECKING:
    from roost_ladder.workshop.doctor import Effort, Examination


def new(
    name: Annotated[
        str,
        typer.Argument(help="The bot's name, a word that Python can import, such as mybot.", metavar="NAME"),
    ],
    game: Annotated[str, typer.Option(metavar="GAME", help="The game it plays: see roost games.")] = "karteneck",
) -> None:
    """Make a folder with a working bot, a test that plays it, and a README with the next steps."""
    from roost_bots.starters import start_folder
    from roost_cli.terminal.console import results

    folder = start_folder(name, find_game(game))
    results().print(
        f"{folder}/ has {name}.py, a working bot, and test_{name}.py, which plays it.\n"
        f"Next: cd {folder}, then see README.md",
        soft_wrap=True,
    )


def try_(
    bot: Annotated[str | None, BOT] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Instead of BOT: be an arena that plays hard to get, and examine the program that connects. "
            "At the end it waits for SECONDS until you stop that program.",
        ),
    ] = None,
    games: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="Examine only these games. By default all that it plays.")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, metavar="N", help="How many matches at each kind of table.")] = 3,
    seconds: Annotated[
        float,
        typer.Option(
            min=1, metavar="SECONDS", help="About how long it may take. A slow bot is examined less thoroughly."
        ),
    ] = 30.0,
    patience: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="A bot that takes longer for an answer counts as hanging.")
    ] = 10.0,
    seed: Annotated[str, typer.Option(metavar="TEXT", help="Any text. The same seed gives the same deals.")] = "doctor",
    sandbox: SandboxOption = False,
    cluster: ClusterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Examine a bot: does it load, answer legally and in time, keep nothing between matches, and beat the samples?

    The exit code is 0 if there is no defect, 1 if there is one, and 2 if the bot cannot be loaded.
    """
    from roost_cli.terminal.console import print_json, remark, results
    from roost_cli.terminal.doctor import print_report, report_json
    from roost_cli.terminal.live import answering_ctrl_c, status
    from roost_ladder.workshop.doctor import Effort, examine
    from roost_ladder.workshop.on_cluster import examine_on_cluster

    if (bot is None) == (listen is None):
        raise UsageError("name a bot, or with --listen HOST:PORT where one connects; one of the two")
    if listen and sandbox:
        raise UsageError("--sandbox does not apply to --listen: the program is not started here")
    if listen and cluster:
        raise UsageError("--cluster does not apply to --listen: the program connects to this machine")
    address = cluster_address(cluster)
    effort, wanted = Effort(matches, seconds, patience), parse_games(games)
    with status() as tell:
        if listen is None:
            with answering_ctrl_c("stopping; the report is about what has been examined"):
                where = partial(examine_on_cluster, address) if address else examine
                report = where(
                    bot or "",
                    opponents(),
                    games=wanted,
                    seed=seed,
                    effort=effort,
                    tell=tell,
                    remark=remark,
                    sandbox=sandbox,
                )
        else:
            report = _examine_client(listen, wanted, seed, effort, tell)
    if as_json:
        print_json(report_json(report))
    else:
        print_report(results(), report)
    if report.interrupted:
        raise typer.Exit(Exit.INTERRUPTED)
    if not report.loads:
        raise typer.Exit(Exit.USAGE)
    if not report.healthy:
        raise typer.Exit(Exit.FAILED)


def _examine_client(
    address: str, games: Sequence[str], seed: str, effort: "Effort", tell: Callable[[str], None]
) -> "Examination":
    import asyncio

    from roost_cli.terminal.console import remark
    from roost_ladder.workshop.clients.check import check_client

    return asyncio.run(check_client(address, games=games, seed=seed, effort=effort, tell=tell, prompt=remark))


def contract(
    folder: Annotated[Path, typer.Argument(help="The folder that a protobuf compiler will be given.", metavar="DIR")],
) -> None:
    """Write the .proto files of the protocol into a folder: all that a bot in another language needs of Roost."""
    from roost_cli.terminal.console import results
    from roost_sdk.wire.contract import write_contract

    names = write_contract(folder)
    results().print(f"{folder}/roost/v1/ has {', '.join(names)}\nFor protoc: -I {folder}", soft_wrap=True)

"""`roost showcase`: an arena with bots in it, all on this machine, to watch."""

from typing import Annotated

import typer


def showcase(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="BOT", help="Bots of yours that join the samples: mybot.py or mybot.py:MyBot."),
    ] = None,
    seconds: Annotated[int, typer.Option(min=1, metavar="S", help="How long it goes on.")] = 60,
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="Where it is recorded. If it is there, it is continued.")
    ] = "roost-demo.db",
) -> None:
    """Run an arena on this machine for a minute, with the sample bots playing all games, and show who is ahead.

    Arena and bots are processes of their own and talk over gRPC. Ctrl-C ends it early. Nothing is left running.
    """
    from importlib import import_module

    from roost_cli.lookup import find_bots
    from roost_cli.server_extra import server_extra

    find_bots(bots or [])
    with server_extra("roost showcase"):
        import_module("roost_cli.serving")  # as the arena will, in a process of its own
    from roost_cli.showcasing import run_showcase

    run_showcase(bots or [], seconds, db)

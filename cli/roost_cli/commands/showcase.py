"""`roost showcase`: an arena with bots in it, all on this machine, to watch."""

import contextlib
from typing import Annotated

import typer

from roost_cli.options import Where, database_url, find_bots, needs_server, sources_of


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
    from roost_cli.terminal.console import remarks
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
        remarks().print("The running matches are played to the end ...")
        for line in running.stop():
            remarks().print(line, soft_wrap=True)
    with Where(db=db).open() as records:
        print_summary(records, db)

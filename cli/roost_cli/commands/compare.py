"""`roost compare`: is the new version of a bot stronger than the old one?"""

from typing import Annotated

import typer


def compare(
    new: Annotated[str, typer.Argument(help="The bot that may be stronger.", metavar="NEW")],
    old: Annotated[str, typer.Argument(help="The bot that it is compared with.", metavar="OLD")],
    game: Annotated[
        str | None, typer.Option(metavar="GAME,...", help="The games. All that these bots play if left out.")
    ] = None,
    players: Annotated[str, typer.Option(metavar="N,...", help="How many sit at a table.")] = "4",
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="BOT", help="An opponent. Can be given again. Copies of OLD if left out."),
    ] = None,
    elo0: Annotated[float, typer.Option(help="So many Elo points more are not enough to be called stronger.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="So many Elo points more must not be missed.")] = 20.0,
    alpha: Annotated[float, typer.Option(help="How often a bot that is not stronger may be called so.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often a bot that is stronger may be missed.")] = 0.05,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Stop after this time, such as 90s or 1h; 5m if left out.")
    ] = None,
    blocks: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Stop after so many blocks; then only a --budget limits the time."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many processes play. As many as cores if left out.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Any text; the same seed gives the same deals. Drawn at random if left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find out whether a bot is stronger than its old version, with as few matches as that takes.

    Both play the same deals in the same seats against the same opponents.

    A bot is a sample's name, mybot.py or mybot.py:MyBot.

    Exit code 0: stronger, 1: not stronger, 2: undecided.
    """
    from roost_cli.comparing import Wishes, run_comparison

    run_comparison(
        Wishes(new, old, game, players, tuple(against or ()), elo0, elo1, alpha, beta, budget, blocks, workers, seed),
        as_json=as_json,
    )

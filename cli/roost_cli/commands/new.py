"""`roost new`: a folder with a bot to begin with."""

from typing import Annotated

import typer

from roost_cli.options import find_game


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
        f"{folder}/ has {name}.py, a bot that plays already, and test_{name}.py, which plays it.\n"
        f"Next: cd {folder}, then see README.md",
        soft_wrap=True,
    )

"""`roost collusion`: does the presence of one bot change what another one achieves against third bots?"""

from typing import Annotated

import typer

from roost_cli.arena_options import JsonOption
from roost_cli.commands.records import GameOption


def collusion(
    db: Annotated[str, typer.Option("--db", metavar="FILE", help="The database of an arena or a ladder.")] = "roost.db",
    competition: Annotated[str | None, typer.Option(metavar="NAME", help="Only this competition.")] = None,
    phase: Annotated[str | None, typer.Option(metavar="NAME", help="Only this phase of the competition.")] = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find pairs of bots of which one changes the other's results against third bots more than chance allows.

    Only tables of three or more count. By chance alone, the report names a pair in at most 5 of 100 competitions.
    """
    from roost_cli.arena_options import database_url
    from roost_cli.lookup import find_game
    from roost_cli.server_extra import server_extra
    from roost_cli.terminal.console import print_json
    from roost_games.errors import UsageError

    if phase is not None and competition is None:
        raise UsageError("--phase is a phase of a competition; name it with --competition")
    wanted = find_game(game).name if game else None
    with server_extra("roost collusion"):
        from roost_cli.suspecting import print_suspicions, suspicions, suspicions_json
    found = suspicions(database_url(db), competition=competition, phase=phase, game=wanted)
    if as_json:
        print_json(suspicions_json(found))
    else:
        print_suspicions(found)

"""`roost collusion`: does the presence of one bot change another's results against third bots?"""

from typing import Annotated

import typer

from roost_cli.options import (
    DEFAULT_DATABASE,
    CompetitionOption,
    GameOption,
    JsonOption,
    database_url,
    find_game,
    needs_server,
)
from roost_games.errors import UsageError


def collusion(
    db: Annotated[
        str, typer.Option("--db", metavar="FILE", help="The database of an arena or a ladder.")
    ] = DEFAULT_DATABASE,
    competition: CompetitionOption = None,
    phase: Annotated[str | None, typer.Option(metavar="NAME", help="Only this phase of the competition.")] = None,
    game: GameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find pairs of bots where one changes the other's results against third bots more than chance allows.

    Only tables of three or more count. By chance alone, the report names a pair in at most 5 of 100 competitions.
    """
    from roost_cli.terminal.collusion import print_suspicions, suspicions_json
    from roost_cli.terminal.console import print_json

    if phase is not None and competition is None:
        raise UsageError("--phase is a phase of a competition; name it with --competition")
    wanted = find_game(game).name if game else None
    with needs_server("roost collusion"):
        from roost_server.answers.collusion import suspicions
    found = suspicions(database_url(db), competition=competition, phase=phase, game=wanted)
    if as_json:
        print_json(suspicions_json(found))
    else:
        print_suspicions(found)

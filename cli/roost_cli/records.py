"""`roost bots`, `roost standings` and `roost matches`: what an arena has on record."""

from typing import Annotated

import typer

from roost_cli.arena_options import DatabaseOption, JsonOption, ServerOption

GameOption = Annotated[str | None, typer.Option(metavar="GAME", help="Only this game.")]


def bots(server: ServerOption = None, db: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """List the bots of an arena, each version by itself."""
    from roost_cli.arena_source import open_source
    from roost_cli.arena_tables import bots_json, print_bots
    from roost_cli.console import print_json

    with open_source(server, db) as source:
        answer = source.bots()
        live = source.live
    if as_json:
        print_json(bots_json(answer, live=live))
    else:
        print_bots(answer, live=live)


def standings(
    server: ServerOption = None,
    db: DatabaseOption = None,
    game: GameOption = None,
    players: Annotated[int | None, typer.Option(min=2, max=99, metavar="N", help="Only tables of this size.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who is how strong, and how sure that is."""
    from roost.v1 import arena_pb2
    from roost_cli.arena_source import open_source
    from roost_cli.arena_tables import print_standings, standings_json
    from roost_cli.console import print_json
    from roost_cli.lookup import find_game

    wanted = arena_pb2.GetStandingsRequest(game=find_game(game).name if game else "", players=players or 0)
    with open_source(server, db) as source:
        answer = source.standings(wanted)
    if as_json:
        print_json(standings_json(answer, wanted))
    else:
        print_standings(answer, wanted)


def matches(
    server: ServerOption = None,
    db: DatabaseOption = None,
    game: GameOption = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this bot.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many at the most.")] = 20,
    running: Annotated[
        bool, typer.Option("--running", help="Those that run now instead of the recorded ones.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List matches, the newest first."""
    from roost.v1 import arena_pb2
    from roost_cli.arena_source import open_source
    from roost_cli.arena_tables import matches_json, print_matches
    from roost_cli.console import print_json
    from roost_cli.lookup import find_game
    from roost_cli.match_pages import newest_matches
    from roost_games.errors import UsageError

    if running and db is not None:
        raise UsageError("a database knows only matches that are over; --running needs --server")
    wanted = arena_pb2.ListMatchesRequest(
        game=find_game(game).name if game else "", bot=bot or "", running=running, limit=limit
    )
    with open_source(server, db) as source:
        found = newest_matches(source, wanted)
        option = source.option
    if as_json:
        print_json(matches_json(found))
    else:
        print_matches(found, wanted, option)

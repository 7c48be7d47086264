"""`roost bots`, `roost standings` and `roost matches`: what an arena has on record."""

from typing import Annotated

import typer

from roost_cli.access_options import KeyFileOption, TlsCaOption, TlsOption
from roost_cli.arena_options import DatabaseOption, JsonOption, ServerOption

GameOption = Annotated[str | None, typer.Option(metavar="GAME", help="Only this game.")]
CompetitionOption = Annotated[str | None, typer.Option(metavar="NAME", help="Only this competition.")]

bots_app = typer.Typer(help="List the bots of an arena, each version by itself.", invoke_without_command=True)


@bots_app.callback()
def bots(
    context: typer.Context,
    server: ServerOption = None,
    db: DatabaseOption = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """List the bots of an arena, each version by itself."""
    if context.invoked_subcommand is not None:
        return
    from roost_cli.access_options import access
    from roost_cli.arena_source import open_source
    from roost_cli.terminal.arena_tables import bots_json, print_bots
    from roost_cli.terminal.console import print_json

    with open_source(server, db, access(key_file, tls, tls_ca)) as source:
        answer = source.bots()
        live = source.live
    if as_json:
        print_json(bots_json(answer, live=live))
    else:
        print_bots(answer, live=live)


@bots_app.command("show")
def show_bot(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the bot is called.")],
    server: ServerOption = None,
    db: DatabaseOption = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Show all about one bot: its versions, and what keeps them from playing."""
    from roost.v1 import arena_pb2
    from roost_cli.access_options import access
    from roost_cli.arena_source import open_source
    from roost_cli.terminal.arena_tables import bots_json, print_one_bot
    from roost_cli.terminal.console import print_json
    from roost_games.errors import UsageError

    with open_source(server, db, access(key_file, tls, tls_ca)) as source:
        found = [bot for bot in source.bots().bots if bot.name == name]
        live, option = source.live, source.option
    if not found:
        raise UsageError(f"no bot {name!r} has been here; roost bots {option} lists those that have")
    if as_json:
        print_json(bots_json(arena_pb2.ListBotsResponse(bots=found), live=live))
    else:
        print_one_bot(found, live=live)


def standings(
    server: ServerOption = None,
    db: DatabaseOption = None,
    game: GameOption = None,
    players: Annotated[int | None, typer.Option(min=2, max=99, metavar="N", help="Only tables of this size.")] = None,
    competition: CompetitionOption = None,
    phase: Annotated[
        str | None,
        typer.Option(metavar="PHASE", help="With --competition: ladder or finals; by default what was played last."),
    ] = None,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """Show who is how strong, and how sure that is."""
    from roost.v1 import arena_pb2
    from roost_cli.access_options import access
    from roost_cli.arena_source import open_source
    from roost_cli.lookup import find_game
    from roost_cli.standings_json import standings_json
    from roost_cli.terminal.arena_tables import print_standings
    from roost_cli.terminal.console import print_json
    from roost_games.errors import UsageError

    if phase is not None and competition is None:
        raise UsageError("--phase is one of a competition; name it with --competition")
    wanted = arena_pb2.GetStandingsRequest(
        game=find_game(game).name if game else "",
        players=players or 0,
        competition=competition or "",
        phase=phase or "",
    )
    with open_source(server, db, access(key_file, tls, tls_ca)) as source:
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
    competition: CompetitionOption = None,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many at the most.")] = 20,
    running: Annotated[
        bool, typer.Option("--running", help="Those that run now instead of the recorded ones.")
    ] = False,
    as_json: JsonOption = False,
    key_file: KeyFileOption = None,
    tls: TlsOption = False,
    tls_ca: TlsCaOption = None,
) -> None:
    """List matches, the newest first."""
    from roost.v1 import arena_pb2
    from roost_cli.access_options import access
    from roost_cli.arena_source import open_source
    from roost_cli.lookup import find_game
    from roost_cli.match_pages import newest_matches
    from roost_cli.terminal.arena_tables import matches_json, print_matches
    from roost_cli.terminal.console import print_json
    from roost_games.errors import UsageError

    if running and db is not None:
        raise UsageError("a database knows only matches that are over; --running needs --server")
    wanted = arena_pb2.ListMatchesRequest(
        game=find_game(game).name if game else "",
        bot=bot or "",
        running=running,
        limit=limit,
        competition=competition or "",
    )
    with open_source(server, db, access(key_file, tls, tls_ca)) as source:
        found = newest_matches(source, wanted)
        option = source.option
    if as_json:
        print_json(matches_json(found))
    else:
        print_matches(found, wanted, option)

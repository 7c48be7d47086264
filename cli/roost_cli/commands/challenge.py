"""`roost challenge`: unrated matches against named bots."""

from typing import Annotated

import typer

from roost_cli.options import ACCOUNT, JsonOption, Where, asks, find_game
from roost_games.errors import UsageError


@asks(ACCOUNT)
def challenge(
    where: Where,
    bot: Annotated[str | None, typer.Argument(metavar="BOT", help="One of your bots. It must be connected.")] = None,
    opponents: Annotated[
        list[str] | None,
        typer.Argument(metavar="OPPONENT...", help="Its opponents, all at one table. They must be connected, too."),
    ] = None,
    game: Annotated[str | None, typer.Option(metavar="GAME", help="What they play: see roost games.")] = None,
    matches: Annotated[
        int, typer.Option(min=1, max=1_000_000, metavar="N", help="How many matches, or a few more for even seats.")
    ] = 10,
    follow: Annotated[
        str | None, typer.Option(metavar="ID", help="Follow an earlier challenge instead of asking for a new one.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play unrated matches against named bots, and wait for the result. Ctrl-C stops only the waiting."""
    from roost.v1 import admin_pb2
    from roost_cli.terminal.challenges import challenge_json, note_challenge, print_challenge, progress_shown
    from roost_cli.terminal.console import print_json
    from roost_sdk.arena.reader import follow_challenge

    with where.arena() as arena:
        if follow is None:
            if bot is None or not opponents or game is None:
                raise UsageError(
                    "name your bot, its opponents and --game, as in: roost challenge mine rival --game karteneck"
                )
            request = admin_pb2.ChallengeRequest(
                bot=bot, opponents=opponents, game=find_game(game).name, matches=matches
            )
            follow = arena.ask_account(request).challenge_id
            note_challenge(follow, where.option)
        elif bot is not None:
            raise UsageError("--follow is for an earlier challenge; leave the bots out")
        last = progress_shown(follow_challenge(arena, follow))
    if as_json:
        print_json(challenge_json(last))
    else:
        print_challenge(last, where.option)

"""`roost games` and `roost rules`: what can be played, and how."""

from roost_cli.options import GameArgument, JsonOption, find_game


def games(as_json: JsonOption = False) -> None:
    """List the games: players, options, and where the numbers on the components come from."""
    from roost_cli.terminal.console import print_json
    from roost_cli.terminal.games import print_games
    from roost_games.registry import all_games

    if as_json:
        print_json([game.to_json() for game in all_games()])
    else:
        print_games(all_games())


def rules(game: GameArgument) -> None:
    """Print the rules of a game."""
    from roost_cli.terminal.games import print_rules

    print_rules(find_game(game))

"""What `roost demo` shows: the opening and the end of a match of each game, then a table of many quick matches."""

from typing import NamedTuple

from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule

from roost_bots import SAMPLES
from roost_cli.series import Setup, TroubleLog, play_out
from roost_cli.tally import Tally
from roost_cli.terminal.console import plain_table, results
from roost_cli.terminal.progress import progress
from roost_cli.terminal.show import print_frame
from roost_cli.terminal.tables import INTERVAL_NOTE, TERMINATIONS, estimates, match_table
from roost_games.narrator import Frame, Narrator
from roost_games.registry import get_game
from roost_sdk import LoadedBot

OPENING = 6
"""How many frames from the beginning of a match are shown."""
ENDING = 3
"""How many from its end."""


class Shown(NamedTuple):
    """What is demonstrated of a game."""

    game: str
    players: int


PROGRAMME = (Shown("karteneck", 3), Shown("bratwurmeck", 3), Shown("haecmaec", 4))


def demonstrate(seed: str, matches: int) -> None:
    """Print the whole demonstration."""
    console = results()
    for shown in PROGRAMME:
        _show_match(_setup(shown, seed), console)
    _show_table(seed, matches, console)


def _setup(shown: Shown, seed: str) -> Setup:
    game = get_game(shown.game)
    bots = [LoadedBot("random", SAMPLES["random"])] * shown.players
    return Setup(game, game.options({}), bots, seed)


def _show_match(setup: Setup, console: Console) -> None:
    bots = [bot.name for bot in setup.bots]
    frames: list[Frame] = []
    narrator = Narrator(setup.game.name, bots, frames.append)
    match = setup.match(0, TroubleLog().tell, narrator.listen)
    narrator.begin(match.referee)
    result = play_out(match)
    console.print(Rule(f"{setup.game.title}, {len(bots)} players", align="left"))
    console.print(setup.game.summary)
    _print_briefly(frames, console)
    console.print(match_table(bots, result))
    console.print(f"The match is over: {TERMINATIONS[result.termination]}.\n")


def _print_briefly(frames: list[Frame], console: Console) -> None:
    """The table at the beginning and at the end, and in between only words, and not all of them."""
    first, *opening = frames[: OPENING + 1]
    last = frames[-1]
    print_frame(console, first)
    left_out = len(frames) - len(opening) - 1 - ENDING
    for frame in opening:
        print_frame(console, Frame(frame.lines))
    if left_out > 0:
        console.print(f"... {left_out} more decisions ...", style="dim")
    for frame in frames[max(len(opening) + 1, len(frames) - ENDING) : -1]:
        print_frame(console, Frame(frame.lines))
    print_frame(console, last)


def _show_table(seed: str, matches: int, console: Console) -> None:
    table = plain_table("game", ">seat", "bot", ">win share", ">place", ">score")
    with progress("matches", matches * len(PROGRAMME)) as advance:
        for shown in PROGRAMME:
            setup = _setup(shown, seed)
            tally = Tally([bot.name for bot in setup.bots])
            for number in range(matches):
                tally.results.append(play_out(setup.match(number, TroubleLog().tell)))
                advance(1)
            for row in tally.summary():
                table.add_row(shown.game if row.seat == 0 else "", str(row.seat), row.bot, *estimates(row))
    console.print(Rule(f"{matches} quick matches of each game", align="left"))
    note = (
        "Every seat is played by the same bot, which chooses at random. So this is no ranking: what differs between "
        "seats is luck, or an advantage of the seat, and the intervals show how much luck alone may do. Random play "
        "fails in nearly every turn of Bratwurmeck, hence its low scores."
    )
    console.print(Group(table, INTERVAL_NOTE, Padding(note, (1, 0, 1, 0))))
    console.print("Next: roost play karteneck random random --show, and README.md for a bot of your own.")

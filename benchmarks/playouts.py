"""How fast random matches are: Roost's games beside OpenSpiel's and RLCard's, in one run on one machine.

    python -m benchmarks.playouts [--seconds 0.5] [--rounds 5]

Every row plays whole matches: who is to move is asked, the legal moves are listed, one is chosen at random and applied.
A decision is one move of a player; dealing, dice and chance nodes cost time and count for nothing. Roost's matches draw
from the cryptographic tape; OpenSpiel's chance nodes are sampled in two ways (see `open_spiel`). The second table does
the same and builds, before every decision, what the player sees.

The machine may be noisy, so the rows take turns and each shows the best of its rounds.
Needs `pip install open_spiel rlcard` in the environment that runs it; without them, it shows Roost alone.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from random import choices, random
from time import perf_counter
from types import ModuleType
from typing import Any

from roost_games.chance import Tape
from roost_games.registry import get_game

Play = Callable[[bool], int]
"""Plays a match, with or without the views, and says how many decisions it had."""

OURS: tuple[tuple[str, int, dict[str, object]], ...] = (
    ("karteneck", 2, {}),
    ("karteneck", 3, {}),
    ("karteneck", 4, {}),
    ("bratwurmeck", 2, {}),
    ("bratwurmeck", 4, {}),
    ("haecmaec", 2, {}),
    ("haecmaec", 4, {}),
    ("haecmaec", 4, {"slap": True}),
)
OPEN_SPIEL: tuple[tuple[str, dict[str, object]], ...] = (
    ("crazy_eights", {"players": 4}),
    ("hearts", {}),
    ("gin_rummy", {}),
)
RLCARD = ("gin-rummy", "uno")
YARDSTICKS = {
    "OpenSpiel crazy_eights": "× crazy_eights",
    "OpenSpiel crazy_eights shortcut": "× its shortcut",
    "RLCard gin-rummy": "× RLCard gin-rummy",
}
"""The rows whose speed the others are compared with, and the heads of those columns."""


@dataclass
class Row:
    """A line of the tables: what it plays and the best it has done, without and with views."""

    name: str
    play: Play
    has_plain_loop: bool = True
    """False where the other project's loop always builds the view."""
    best: dict[bool, tuple[float, float]] = field(default_factory=dict)
    """Decisions and matches per second, by whether views were built."""


def ours(name: str, players: int, given: dict[str, object]) -> Row:
    """A game of Roost. A new seed, and so a new tape, for every match."""
    game = get_game(name)
    options = game.options(given)
    seeds = count()

    def play(with_views: bool) -> int:
        decisions = 0
        state = game.start(players, options, Tape(next(seeds).to_bytes(32)))
        while state.to_move:
            for seat in state.to_move:
                if with_views:
                    state.observe(seat)
                moves = state.legal(seat)
                state.apply(seat, moves[int(random() * len(moves))])
                decisions += 1
        return decisions

    return Row(f"{name}{' slap' if given else ''}, {players} players", play)


def open_spiel(pyspiel: ModuleType, name: str, parameters: dict[str, object], shortcut: bool) -> Row:
    """A game of OpenSpiel: C++ driven from Python.

    At a chance node the documented loop asks for the outcomes with their probabilities and samples by them. In these
    games all outcomes of a node are equally likely (checked here for one match), so an outcome can also be chosen from
    the legal actions, like a move. That is the cheapest fair way, and the `shortcut` takes it.
    """
    game = pyspiel.load_game(name, parameters)
    check_uniform(game)
    observes = game.get_type().provides_observation_tensor

    def play(with_views: bool) -> int:
        decisions = 0
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                decisions += 1
                if with_views:
                    if observes:
                        state.observation_tensor()
                    else:
                        state.information_state_tensor()
            elif not shortcut:
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choices(outcomes, weights)[0])
                continue
            moves = state.legal_actions()
            state.apply_action(moves[int(random() * len(moves))])
        return decisions

    return Row(f"OpenSpiel {name}{' shortcut' if shortcut else ''}", play)


def check_uniform(game: Any) -> None:
    """Stop unless every outcome at every chance node of a random match is equally likely."""
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node() and len({round(chance, 9) for _, chance in state.chance_outcomes()}) > 1:
            sys.exit(f"{game} has chance nodes that are not uniform: the shortcut would not deal fairly")
        moves = state.legal_actions()
        state.apply_action(moves[int(random() * len(moves))])


def rlcard(package: ModuleType, name: str) -> Row:
    """A game of RLCard, by its environment. `step` returns the next player's state, so a view is always built."""
    environment = package.make(name)

    def play(_with_views: bool) -> int:
        decisions = 0
        state, _player = environment.reset()
        while not environment.is_over():
            moves = list(state["legal_actions"])
            state, _player = environment.step(moves[int(random() * len(moves))])
            decisions += 1
        return decisions

    return Row(f"RLCard {name}", play, has_plain_loop=False)


def optional(module: str, distribution: str) -> ModuleType | None:
    """A package of somebody else, if it is installed."""
    try:
        return import_module(module)
    except ImportError:
        print(f"{distribution} is not installed, its rows are left out: pip install {distribution}", file=sys.stderr)
        return None


def all_rows() -> list[Row]:
    """Roost's games, then the others that are there."""
    rows = [ours(*what) for what in OURS]
    if pyspiel := optional("pyspiel", "open_spiel"):
        rows += [open_spiel(pyspiel, *what, shortcut) for shortcut in (False, True) for what in OPEN_SPIEL]
    if package := optional("rlcard", "rlcard"):
        rows += [rlcard(package, name) for name in RLCARD]
    return rows


def measure(row: Row, with_views: bool, seconds: float) -> None:
    """Play matches for about `seconds`, and keep the result if it is the row's best."""
    decisions = matches = 0
    start = now = perf_counter()
    while now - start < seconds:
        decisions += row.play(with_views)
        matches += 1
        now = perf_counter()
    speed = (decisions / (now - start), matches / (now - start))
    row.best[with_views] = max(speed, row.best.get(with_views, (0.0, 0.0)))


def print_table(rows: list[Row], with_views: bool) -> None:
    """One line for each row, with its speed as a multiple of the yardsticks'."""
    best = {row.name: row.best[with_views or not row.has_plain_loop] for row in rows}
    print()
    print_line(
        "with a view for every decision" if with_views else "random play",
        "decisions/s",
        "matches/s",
        *YARDSTICKS.values(),
    )
    for row in rows:
        decisions, matches = best[row.name]
        ratios = (f"{decisions / best[name][0]:.2f}" if name in best else "-" for name in YARDSTICKS)
        always = "" if row.has_plain_loop or with_views else " (views too)"
        print_line(row.name + always, f"{decisions:,.0f}", f"{matches:,.0f}", *ratios)


def print_line(name: str, *columns: str) -> None:
    """A line of a table."""
    print(f"{name:33}", *(f"{column:>20}" for column in columns), sep="")


def main() -> None:
    """Measure everything and print both tables."""
    parser = argparse.ArgumentParser(description="Speed of random matches, beside OpenSpiel and RLCard.")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a row plays in one round (0.5)")
    parser.add_argument("--rounds", type=int, default=5, help="of how many rounds the best is shown (5)")
    arguments = parser.parse_args()
    rows = all_rows()
    for _ in range(arguments.rounds):
        for row in rows:
            for with_views in (False, True) if row.has_plain_loop else (True,):
                measure(row, with_views, arguments.seconds)
    for with_views in (False, True):
        print_table(rows, with_views)


if __name__ == "__main__":
    main()

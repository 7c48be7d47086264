"""How fast tree search is: Roost's search bot beside OpenSpiel's Python ISMCTS, in one run on one machine.

    python -m benchmarks.search [--seconds 1] [--rounds 3]

An iteration is one walk down the tree, in an imagined world, and one playout that is credited to the moves on the way.
Each side plays its own games, from the first decision with a choice on. Both search in Python; OpenSpiel's games are in
C++. Roost searches twice: with random playouts to the end of the match, as OpenSpiel does, and with a guide, as the bot
`strong` does. A determinisation is one imagined world: a full state that agrees with what the player knows.

The machine may be noisy, so time is the processor's, the rows take turns, and each shows the best of its rounds.
Needs `pip install open_spiel` in the environment that runs it; without it, it shows Roost alone.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random
from time import process_time
from typing import Any

from roost_bots.strong import StrongBot
from roost_bots.thinking.search import Guide, Search
from roost_games.chance import Quick
from roost_games.registry import get_game

OURS: tuple[tuple[str, int], ...] = (("karteneck", 2), ("karteneck", 4), ("haecmaec", 2), ("haecmaec", 4))
OPEN_SPIEL = ("leduc_poker", "oh_hell", "hearts", "gin_rummy")
REFERENCE = "oh_hell"
"""The game of OpenSpiel that all are compared with: a card game of hidden hands, like ours."""
BATCH = 50
"""The number of iterations of one search."""


@dataclass
class Row:
    """A line of the table."""

    name: str
    iterate: Callable[[], None]
    """`BATCH` iterations of a new search."""
    imagine: Callable[[], object]
    """One determinisation."""
    iterations: float = 0.0
    determinisations: float = 0.0
    """Per second, in the best round."""

    def text(self, reference: "Row | None") -> str:
        """The line, with how many times as many iterations as `reference` it has."""
        ratio = f"{self.iterations / reference.iterations:>8.1f}x" if reference else " " * 9
        return f"{self.name:42}{self.iterations:>14,.0f}{ratio}{self.determinisations:>20,.0f}"


def ours(name: str, players: int, guide: Guide, how: str) -> Row:
    """A game of Roost at the first decision with a choice."""
    game, rng = get_game(name), Random(1)
    state = game.start(players, game.options({}), Quick(rng))
    (seat,) = state.to_move
    view = state.observe(seat)

    def imagine() -> Any:
        return guide.imagine(game, view, rng)

    def iterate() -> None:
        search = Search(guide, imagine, seat, rng)
        for _ in range(BATCH):
            search.iterate()

    return Row(f"{name}, {players} players, {how}", iterate, imagine)


def open_spiel(pyspiel: Any, name: str) -> Row:
    """A game of OpenSpiel at the first decision with a choice, as its own ISMCTS bot searches it."""
    ismcts, mcts = (import_module(f"open_spiel.python.algorithms.{module}") for module in ("ismcts", "mcts"))
    rng = import_module("numpy").random.RandomState(1)
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        state.apply_action(int(rng.choice(state.legal_actions())))
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = ismcts.ISMCTSBot(game=game, evaluator=evaluator, uct_c=1.0, max_simulations=BATCH, random_state=rng)
    player = state.current_player()
    return Row(
        f"OpenSpiel {name}", lambda: bot.step(state), lambda: state.resample_from_infostate(player, rng.random_sample)
    )


def all_rows() -> list[Row]:
    """Roost's games with and without guides, then OpenSpiel's if it is installed."""
    rows = [ours(*what, Guide(), "random playouts") for what in OURS]
    rows += [ours(*what, StrongBot.guides[what[0]], "guided") for what in OURS]
    try:
        pyspiel = import_module("pyspiel")
    except ImportError:
        print("open_spiel is not installed, its rows are left out: pip install open_spiel", file=sys.stderr)
        return rows
    return rows + [open_spiel(pyspiel, name) for name in OPEN_SPIEL]


def per_second(work: Callable[[], object], seconds: float) -> float:
    """How often `work` can be done."""
    began, done = process_time(), 0
    while (spent := process_time() - began) < seconds:
        work()
        done += 1
    return done / spent


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description="Speed of tree search, beside OpenSpiel's.")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a row searches in one round (1)")
    parser.add_argument("--rounds", type=int, default=3, help="of how many rounds the best is shown (3)")
    arguments = parser.parse_args()
    rows = all_rows()
    for _ in range(arguments.rounds):
        for row in rows:
            row.iterations = max(row.iterations, BATCH * per_second(row.iterate, arguments.seconds))
            row.determinisations = max(row.determinisations, per_second(row.imagine, arguments.seconds / 4))
    reference = next((row for row in rows if row.name == f"OpenSpiel {REFERENCE}"), None)
    print(f"{'':42}{'iterations/s':>14}{'' if reference is None else REFERENCE:>9}{'determinisations/s':>20}")
    for row in rows:
        print(row.text(reference))


if __name__ == "__main__":
    main()

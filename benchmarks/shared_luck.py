"""How much luck the matches of a deal share, measured with the sample bots.

    python -m benchmarks.shared_luck [--deals 200] [--bots greedy,careful,…]

Groups of bots play deals in every rotation of the seats. A bot's score in a match is the part of its opponents that it
finishes ahead of. If the matches of a deal had nothing in common, the mean of the k matches of a block would vary by
1/k of the variance of one match. The ratio compares what is measured with that. At 0.5, two matches in blocks tell as
much as four with new deals. Above 1, some deals suit a bot wherever it sits, and new deals would tell more.
"""

import argparse
from collections.abc import Iterable
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from roost_bots import SAMPLES
from roost_games.registry import get_game
from roost_ladder.blocks import Block, seed_of_block
from roost_ladder.rating.results import Floats
from roost_sdk.load import LoadedBot, load_bot
from roost_sdk.local import LocalMatch

GAMES = ("karteneck", "bratwurmeck", "haecmaec")


def scores(game: str, group: tuple[LoadedBot, ...], deals: int) -> Floats:
    """By deal, rotation and bot."""
    return np.array([block_scores(game, group, deal) for deal in range(deals)])


def block_scores(game: str, group: tuple[LoadedBot, ...], deal: int) -> list[list[float]]:
    """By rotation and bot, in one deal."""
    names = "-".join(bot.name for bot in group)
    seed = seed_of_block(b"shared luck", f"{game}/{names}/{deal}")
    block = Block(str(deal), game, tuple(range(len(group))), seed)
    return [match_scores(game, group, block, rotation) for rotation in range(block.rotations)]


def match_scores(game: str, group: tuple[LoadedBot, ...], block: Block, rotation: int) -> list[float]:
    """By bot: the part of its opponents that it finishes ahead of, a tie as half."""
    seating = block.seating(rotation)
    places = LocalMatch(get_game(game), [group[bot] for bot in seating], block.seed).play().places
    return scores_by_bot(seating, places)


def scores_by_bot(seating: tuple[int, ...], places: tuple[int, ...]) -> list[float]:
    """From who sat where, with bots numbered from 0, and what the result was."""
    by_bot = [place for _, place in sorted(zip(seating, places, strict=True))]
    return [sum((other > own) + (other == own) / 2 for other in by_bot) - 0.5 for own in by_bot]


class Variances(NamedTuple):
    """How scores vary around the mean of each bot."""

    of_matches: float
    of_blocks: float
    """Of the means of blocks, times the matches of a block: the same, if the matches were independent."""


def variances(of_matches: Floats) -> Variances:
    """From scores by deal, rotation and bot."""
    around_means = of_matches - of_matches.mean(axis=(0, 1))
    rotations = of_matches.shape[1]
    return Variances(
        float(around_means.var(axis=(0, 1)).sum()), float(rotations * around_means.mean(axis=1).var(axis=0).sum())
    )


def ratio(found: Iterable[Variances]) -> float:
    """Over several groups together. A group in which one bot always wins says nothing."""
    of_matches, of_blocks = np.sum(list(found), axis=0)
    return float(of_blocks / of_matches)


def print_line(*cells: str) -> None:
    """A line of the table."""
    print("".join(f"{cell:>12}" if column else f"{cell:24}" for column, cell in enumerate(cells)), flush=True)


def main() -> None:
    """Print a table by game and number of players."""
    parser = argparse.ArgumentParser(description="How much luck the matches of a deal share.")
    parser.add_argument("--deals", type=int, default=200, help="how many deals each group plays (200)")
    parser.add_argument("--bots", default="random,timid,greedy,careful", help="names of sample bots")
    arguments = parser.parse_args()
    bots = [load_bot(name, SAMPLES) for name in arguments.bots.split(",")]
    print_line("variance of blocks", "ratio", "groups")
    for game, players in product(GAMES, (2, 3, 4)):
        groups = list(combinations(bots, players))
        found = ratio(variances(scores(game, group, arguments.deals)) for group in groups)
        print_line(f"{game}, {players} players", f"{found:.2f}", f"{len(groups)}")


if __name__ == "__main__":
    main()

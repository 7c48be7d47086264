"""Prints whether style alone raises alarms: reports on sample bots, none of which helps another one.

    python -m benchmarks.simulations.styles [BLOCKS]

Seven bots play 2,400 blocks (by default) of each game, at tables of three and four. Each row is about parts of these
blocks of one size: how many reports there are, how many of them name a pair, and which pairs, with the change in 100
comparisons. Another column says how many would name one if scores were not measured by the usual scatter of the field.
"""

import sys
from collections.abc import Sequence
from math import erfc, sqrt
from random import Random

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.registry import GAME_NAMES, get_game
from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions.collusion import CollusionReport, find_collusion
from roost_sdk import LocalMatch, load_bot

BOTS = ("random", "timid", "greedy", "careful", "timid", "greedy", "careful")
LOADED = [load_bot(name, SAMPLES) for name in BOTS]
PARTS = (12, 6, 3, 1)

Block = list[MatchResult]


def play_block(game: str, number: int) -> Block:
    """A block; the size of the table and the group are drawn."""
    name = f"styles {game} {number}"
    rng = Random(name)
    group = rng.sample(range(len(BOTS)), rng.choice((3, 4)))
    matches: Block = []
    for turn in range(len(group)):
        seating = tuple(group[turn:] + group[:turn])
        match = LocalMatch(get_game(game), [LOADED[bot] for bot in seating], seed_of(name))
        matches.append(MatchResult(name, game, seating, match.play().places))
    return matches


def named_without_scatter(report: CollusionReport) -> bool:
    """Whether the clearest pair would be over the line by chance alone."""
    clearest = report.findings[0].shift if report.findings else report.clearest
    return bool(clearest and report.judged * erfc(abs(clearest.score) * report.scatter / sqrt(2)) <= report.doubt)


def print_rows(title: str, blocks: Sequence[Block]) -> None:
    """Print a row for each size of the parts."""
    for parts in PARTS:
        some = [find_collusion([match for block in blocks[part::parts] for match in block]) for part in range(parts)]
        shifts = [finding.shift for report in some for finding in report.findings]
        pairs = [f"{BOTS[shift.helper]} > {BOTS[shift.bot]} {100 * shift.change:+.0f}" for shift in shifts]
        counts = (len(blocks) // parts, parts, sum(bool(report.findings) for report in some))
        cells = (*counts, sum(map(named_without_scatter, some)))
        sys.stdout.write(f"{title:14}" + "".join(f"{cell:9}" for cell in cells) + f"   {', '.join(pairs)}\n")
    sys.stdout.flush()


def main() -> None:
    """Play the blocks of each game and print the table."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 2400
    sys.stdout.write(f"{'game':14}{'blocks':>9}{'reports':>9}{'named':>9}{'without':>9}   pairs\n")
    played: list[Block] = []
    for game in GAME_NAMES:
        blocks = [play_block(game, block) for block in range(number)]
        print_rows(game, blocks)
        played += blocks
    print_rows("all", played)


if __name__ == "__main__":
    main()

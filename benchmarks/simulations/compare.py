"""Prints how often a comparison is wrong: whole comparisons in simulated worlds, watched after every block.

    python -m benchmarks.simulations.compare [COMPARISONS]

Each row is one world, with COMPARISONS (1,000 by default) for equal bots, and as many for bots that differ by `elo1`.
The columns: equal bots called stronger; stronger bots missed; the mean number of blocks; how often the 95 % interval at
the end holds the truth; how often the estimate is above it. The last columns are the same for the plain mean and 1.96
standard errors, which ignore the stopping.
"""

import sys
from collections.abc import Iterator
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.compare import BlockObservation, ComparedTable, Comparison, Meeting, MeetingScore, Plan
from roost_ladder.rating.sprt import Sprt, Verdict
from tests.support.ladders.worlds import Floats, Indices, World, play

ELO = 400 / log(10)
CHUNK = 256
"""How many blocks are simulated at once."""
LONG = 300_000
"""How many blocks a very long run has."""
TEST = Sprt(alpha=0.05, beta=0.05)
FIELD = (2, 3, 4)
"""The numbers of the opponents, where there are any."""


class Case(NamedTuple):
    """A kind of comparison in a kind of world."""

    name: str
    players: int = 2
    world: World = World(())
    """Its strengths are not used."""
    against: tuple[float, ...] = ()
    """How much stronger than the old bot the opponents are, in Elo points; none: they are copies of it."""
    elo1: float = 20.0
    same: float = 0.0
    """In how many blocks both bots do the same, so that nothing differs."""


class Ended(NamedTuple):
    """How a comparison ended."""

    verdict: Verdict
    blocks: int
    covered: bool
    above: bool
    plainly_covered: bool
    plainly_above: bool


LUCKY = World((), luck=0.6)
STYLISH = World((), style=0.6)
ROUGH = World((), luck=0.3, style=0.3, seat=0.4, grid=0.4)
CASES = (
    *(Case("independent matches", players) for players in (2, 3, 4)),
    *(Case("luck shared by seat", players, LUCKY) for players in (2, 3, 4)),
    *(Case("deals that suit a bot", players, STYLISH) for players in (2, 4)),
    *(Case("both, seats, ties", players, ROUGH) for players in (2, 3, 4)),
    *(Case("against equals", players, LUCKY, (0.0,) * (players - 1)) for players in (2, 4)),
    Case("against weak and strong", 4, ROUGH, (-300.0, -100.0, 200.0)),
    Case("against much weaker", 2, LUCKY, (-300.0,)),
    *(Case("9 of 10 blocks tied", players, World(()), same=0.9) for players in (2, 4)),
    *(Case(f"elo1 = {elo}", 2, LUCKY, elo1=elo) for elo in (50, 100, 200)),
    Case("elo1 = 100, 4 against 3", 4, ROUGH, (-300.0, -100.0, 200.0), elo1=100),
)


def scores(case: Case, elo: float, rng: np.random.Generator, blocks: int) -> tuple[Floats, Floats]:
    """What the new and the old bot score, by block, rotation and opponent. The new bot is `elo` points stronger."""
    return (against_field if case.against else against_copies)(case, elo, rng, blocks)


def against_copies(case: Case, elo: float, rng: np.random.Generator, blocks: int) -> tuple[Floats, Floats]:
    """The new bot among copies of the old one, which would score half of everything in its place."""
    world = case.world._replace(strengths=(elo / ELO, *[0.0] * (case.players - 1)))
    new = candidate_scores(play(world, rng, groups(case, blocks)))
    new[rng.random(blocks) < case.same] = 0.5
    return new, np.full(new.shape, 0.5)


def against_field(case: Case, elo: float, rng: np.random.Generator, blocks: int) -> tuple[Floats, Floats]:
    """Both candidates play the same deals. Whether a deal suits the one says nothing about the other."""
    deals = case.world.fortunes(rng, 2, blocks, case.players)

    def candidate(strength: float) -> Floats:
        world = case.world._replace(strengths=(strength, *(points / ELO for points in case.against)))
        deals[1, :, 0] = world.fortunes(rng, blocks)
        return candidate_scores(play(world, rng, groups(case, blocks), deals))

    return candidate(elo / ELO), candidate(0.0)


def groups(case: Case, blocks: int) -> Indices:
    """The same table in each block."""
    return np.tile(np.arange(case.players), (blocks, 1))


def candidate_scores(places: Indices) -> Floats:
    """By block, rotation and opponent: what the first of the group scored."""
    players = places.shape[1]
    rotation = np.arange(players)[:, None]
    seats = (np.arange(players) - rotation) % players
    by_member = places[:, rotation, seats]
    margins: Floats = np.sign(by_member[:, :, 1:] - by_member[:, :, :1])
    return (1 + margins) / 2


def observations(case: Case, new: Floats, old: Floats) -> Iterator[BlockObservation]:
    """What each block tells."""
    table = ComparedTable("simulated", case.players)
    differences = (new.mean(axis=(1, 2)) - old.mean(axis=(1, 2))).tolist()
    totals = (new + old).sum(axis=1).tolist()
    for difference, of_block in zip(differences, totals, strict=True):
        opponents = zip(FIELD[: len(case.against)], of_block, strict=False)
        tallies = {Meeting(table, opponent): MeetingScore(total, 2 * case.players) for opponent, total in opponents}
        yield BlockObservation(difference, tallies)


def begin(case: Case) -> Comparison:
    """A comparison without blocks."""
    return Comparison(
        Plan((ComparedTable("simulated", case.players),), FIELD[: len(case.against)], b""), TEST, 0.0, case.elo1
    )


def compare(case: Case, elo: float, rng: np.random.Generator) -> Ended:
    """One comparison, to its end. A very long run would show a difference of 0 or of `elo1`."""
    comparison = begin(case)
    while comparison.verdict is Verdict.UNDECIDED:
        for observation in observations(case, *scores(case, elo, rng, CHUNK)):
            comparison.add(observation)
            if comparison.verdict is not Verdict.UNDECIDED:
                break
    truth = case.elo1 if elo else 0.0
    low, middle, high = comparison.elo
    plain, plain_low, plain_high = plain_estimate(comparison)
    within = low < truth < high, middle > truth, plain_low < truth < plain_high, plain > truth
    return Ended(comparison.verdict, comparison.sample.blocks, *within)


def plain_estimate(comparison: Comparison) -> Iterator[float]:
    """The mean, and 1.96 standard errors around it, as if the number of blocks had been fixed in advance."""
    sample = comparison.sample
    error = 1.96 * sqrt(sample.variance(sample.mean) / sample.blocks)
    return map(comparison.scale.elo, (sample.mean, sample.mean - error, sample.mean + error))


def strength_for(case: Case) -> float:
    """How much stronger a bot has to be so that a very long run shows `elo1`: seats and ties narrow the scale."""
    elo = case.elo1
    for _ in range(4 if case.world.seat or case.same else 0):
        comparison = begin(case)
        for observation in observations(case, *scores(case, elo, np.random.default_rng(1), LONG)):
            comparison.add(observation)
        elo *= case.elo1 / comparison.scale.elo(comparison.sample.mean)
    return elo


def equal_bots(case: Case, comparisons: int) -> list[Ended]:
    """How comparisons of bots that are equally strong end."""
    rng = np.random.default_rng(2)
    return [compare(case, 0.0, rng) for _ in range(comparisons)]


def stronger_bots(case: Case, comparisons: int) -> list[Ended]:
    """How comparisons end if the new bot is stronger by `elo1`."""
    rng = np.random.default_rng(3)
    elo = strength_for(case)
    return [compare(case, elo, rng) for _ in range(comparisons)]


def out(name: str, *cells: str) -> None:
    """Print a row."""
    sys.stdout.write(f"{name:32}" + "".join(f"{cell:>9}" for cell in cells) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print the table."""
    comparisons = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    out("world, players", "called", "missed", "blocks", "blocks", "covered", "above", "plainly", "above")
    for case in CASES:
        print_row(case, comparisons)


def print_row(case: Case, comparisons: int) -> None:
    """Play the comparisons of a case and print what came out."""
    equal, stronger = equal_bots(case, comparisons), stronger_bots(case, comparisons)
    called = np.mean([ended.verdict is Verdict.STRONGER for ended in equal])
    missed = np.mean([ended.verdict is Verdict.NOT_STRONGER for ended in stronger])
    lengths = [f"{np.mean([ended.blocks for ended in some]):.0f}" for some in (equal, stronger)]
    shares = [f"{share:.3f}" for share in np.mean([ended[2:] for ended in equal + stronger], axis=0)]
    out(f"{case.name}, {case.players}", f"{called:.3f}", f"{missed:.3f}", *lengths, *shares)


if __name__ == "__main__":
    main()

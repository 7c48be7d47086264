"""Prints how often a collusion report is wrong, and how much help it takes to be seen: whole fields, simulated.

    python -m benchmarks.simulations.collusion [FIELDS]

Each row is one kind of field, with 300 fields by default. Honest fields come first: which part of the pairs can be
judged, and in how many fields a pair is over the line. In the others bot 0 helps bot 1 when both are at the table: in
how many fields the pair is found, and in how many an innocent pair is over the line.
"""

import sys
from collections.abc import Iterator
from math import log
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions import SHARE
from roost_ladder.suspicions.collusion import CollusionReport, find_collusion
from tests.support.ladders.worlds import World, random_groups, results_of

ELO = 400 / log(10)
HELPER, HELPED = 0, 1


class Case(NamedTuple):
    """A kind of field."""

    name: str
    bots: int
    blocks: dict[int, int]
    """By number of players."""
    world: World = World(())
    """Its strengths are drawn again for each field, with this standard deviation in Elo points:"""
    spread: float = 150.0
    help: float = 0.0
    """By how many Elo points the helped bot is stronger with its helper at the table, and the helper weaker."""


LUCKY = World((), luck=0.6)
STYLISH = World((), style=0.6)
ROUGH = World((), luck=0.3, style=0.3, seat=0.4, grid=0.4)
OTHER = ROUGH._replace(normal=True)
SPARSE, SOME, HEAVY = {3: 50, 4: 50}, {3: 150, 4: 150}, {3: 600, 4: 600}
HONEST = (
    Case("independent matches, sparse", 8, SPARSE),
    Case("independent matches", 8, SOME),
    Case("luck shared by seat", 8, SOME, LUCKY),
    Case("deals that suit a bot", 8, SOME, STYLISH),
    Case("both, seats, ties, sparse", 8, SPARSE, ROUGH),
    Case("both, seats, ties", 8, SOME, ROUGH),
    Case("both, seats, ties, heavy", 8, HEAVY, ROUGH),
    Case("the same, other distribution", 8, SOME, OTHER),
    Case("the same, strengths far apart", 8, SOME, OTHER, spread=400),
    Case("tables of 3 only", 8, {3: 300}, ROUGH),
    Case("tables of 4 only, few bots", 5, {4: 200}, ROUGH),
    Case("many bots, sparse", 20, {3: 300, 4: 300}, ROUGH),
    Case("many bots, far apart", 20, HEAVY, OTHER, spread=400),
)
GUILTY = (
    *(Case("8 bots", 8, SOME, ROUGH, help=points) for points in (50, 100, 150, 200)),
    *(Case("8 bots", 8, HEAVY, ROUGH, help=points) for points in (50, 100)),
    *(Case("20 bots", 20, HEAVY, ROUGH, help=points) for points in (150, 200)),
    Case("20 bots", 20, {3: 1500, 4: 1500}, ROUGH, help=150),
)


def field(case: Case, rng: np.random.Generator) -> list[MatchResult]:
    """What a field of this kind plays."""
    strengths = rng.normal(scale=case.spread / ELO, size=case.bots)
    world = case.world._replace(strengths=tuple(strengths))
    strengths[[HELPER, HELPED]] += np.array([-case.help, case.help]) / ELO
    helping = world._replace(strengths=tuple(strengths))
    results: list[MatchResult] = []
    for players, blocks in case.blocks.items():
        groups = random_groups(world, rng, players, blocks)
        together = np.isin(groups, (HELPER, HELPED)).sum(axis=1) == 2
        results += results_of(world, rng, groups[~together], first_block=len(results))
        results += results_of(helping, rng, groups[together], first_block=len(results))
    return results


def reports(case: Case, fields: int) -> Iterator[CollusionReport]:
    """The reports on a number of fields."""
    rng = np.random.default_rng(1)
    for _ in range(fields):
        yield find_collusion(field(case, rng), SHARE)


def false_alarms(some: list[CollusionReport]) -> float:
    """In how many of these reports on honest bots somebody is accused."""
    return float(np.mean([bool(report.findings) for report in some]))


def found(report: CollusionReport) -> bool:
    """Whether the pair is there: the helped bot fares better, or its helper worse."""
    signs = {(finding.shift.helper, finding.shift.bot, finding.shift.change > 0) for finding in report.findings}
    return bool(signs & {(HELPER, HELPED, True), (HELPED, HELPER, False)})


def innocent_accused(report: CollusionReport) -> bool:
    """Whether anybody else is there."""
    return any({finding.shift.helper, finding.shift.bot} != {HELPER, HELPED} for finding in report.findings)


def out(name: str, *cells: str) -> None:
    """Print a row."""
    sys.stdout.write(f"{name:32}" + "".join(f"{cell:>10}" for cell in cells) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print both tables."""
    fields = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    out("honest", "bots", "blocks", "judged", "alarms")
    for case in HONEST:
        some = list(reports(case, fields))
        judged = np.mean([report.judged / report.pairs for report in some])
        out(case.name, str(case.bots), str(sum(case.blocks.values())), f"{judged:.2f}", f"{false_alarms(some):.3f}")
    out("one helps another", "points", "blocks", "found", "innocent")
    for case in GUILTY:
        some = list(reports(case, fields))
        shares = [np.mean([test(report) for report in some]) for test in (found, innocent_accused)]
        blocks = str(sum(case.blocks.values()))
        out(case.name, f"{case.help:.0f}", blocks, *(f"{share:.3f}" for share in shares))


if __name__ == "__main__":
    main()

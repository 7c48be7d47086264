"""Prints how often `sure` is wrong, and what its certainty costs: the tables of decision 7.

    python -m benchmarks.simulations.sure [LADDERS]

LADDERS (400 by default) are played for each row of the first table, a tenth of them for the others. The
ranking is looked at after every round. A ladder is wrong if at any of these looks two neighbours are separated that are
equal, or in the wrong order.
"""

import sys
from collections.abc import Iterator, Sequence
from math import inf, sqrt
from statistics import NormalDist, fmean, median
from time import process_time
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.certainty import half_widths
from roost_ladder.rating.elo import ELO
from roost_ladder.rating.estimates import DOUBT
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past
from roost_ladder.schedules.separation import Separation, difference_variances, known, separations
from roost_ladder.schedules.sure import Sure
from tests.support.ladders.worlds import World, run

ONCE = 1 - DOUBT / 2
"""The probability of superiority from which on the 95 % interval of a difference does not contain 0."""


class Case(NamedTuple):
    """A row of the first table."""

    name: str
    strengths: tuple[float, ...]
    sizes: tuple[int, ...]
    luck: float = 0.0
    style: float = 0.0
    seat: float = 0.0
    grid: float = 0.0
    normal: bool = False
    matches: int = 3000

    def world(self) -> World:
        return World(self.strengths, self.luck, self.style, self.seat, self.grid, self.normal)

    def field(self) -> Participants:
        return Participants(tuple(range(len(self.strengths))), tuple(Kind("simulated", size) for size in self.sizes))


PAIRS_OF_EQUALS = (1.5, 1.5, 0.5, 0.5, -0.5, -0.5, -1.5, -1.5)
CASES = (
    Case("2 equal bots", (0.0,) * 2, (2,)),
    Case("2 equal bots, luck by seat", (0.0,) * 2, (2,), luck=0.6),
    Case("2 equal bots, deals that suit", (0.0,) * 2, (2,), style=0.6),
    Case("3 equal bots at tables of 3", (0.0,) * 3, (3,), luck=0.3, style=0.3),
    Case("4 pairs of equal bots, tables of 2", PAIRS_OF_EQUALS, (2,), luck=0.3, style=0.3),
    Case("4 pairs of equal bots, tables of 2-4", PAIRS_OF_EQUALS, (2, 3, 4), luck=0.3, style=0.3),
    Case("the same; seats, ties, normal luck", PAIRS_OF_EQUALS, (2, 3, 4), 0.3, 0.3, 0.4, 0.4, normal=True),
    Case("8 equal bots, tables of 2", (0.0,) * 8, (2,), luck=0.3, style=0.3),
    Case("8 equal bots, tables of 4", (0.0,) * 8, (4,), luck=0.3, style=0.3),
    Case("20 equal bots, tables of 4", (0.0,) * 20, (4,), luck=0.3, style=0.3, matches=6000),
)


class Ladder(NamedTuple):
    """How a simulated ladder went."""

    wrong: bool
    """Whether `sure` ever separated two bots wrongly."""
    wrong_at_once: bool
    """Whether plain 95 % intervals of neighbours ever did, for somebody who looks every time."""
    ended: int | None
    """With how many matches it ended; none if its budget ended first."""
    all_apart: int | None
    """With how many matches all plain 95 % intervals of neighbours excluded 0 for the first time."""


def looks(case: Case, seed: int) -> Iterator[tuple[int, list[Separation]]]:
    """After each round: how many matches there have been, and what is known of the neighbours."""
    field, rng = case.field(), np.random.default_rng([7, seed])
    for past in run(Sure(seed.to_bytes(4)), field, case.world(), rng, case.matches):
        yield past.ended, separations(known(field.bots, past.record()))


def ladder(case: Case, seed: int) -> Ladder:
    """Run one ladder to its end and look at it after every round."""
    wrong = wrong_at_once = False
    ended = all_apart = None
    for matches, neighbours in looks(case, seed):
        bad = [pair for pair in neighbours if case.strengths[pair.upper] <= case.strengths[pair.lower]]
        wrong |= any(pair.separated for pair in bad)
        wrong_at_once |= any(pair.superiority > ONCE for pair in bad)
        if all(pair.separated for pair in neighbours):
            ended = matches
        if all_apart is None and all(pair.superiority > ONCE for pair in neighbours):
            all_apart = matches
    return Ladder(wrong, wrong_at_once, ended, all_apart)


def wrong_separations(ladders: int) -> None:
    """How many of 100 ladders have a wrong separation at some time."""
    out("wrong at some time, %", "sure", "plain 95 %", "± (sure)")
    for case in CASES:
        played = [ladder(case, seed) for seed in range(ladders)]
        ours = np.mean([each.wrong for each in played])
        plain = np.mean([each.wrong_at_once for each in played])
        margin = 1.96 * np.sqrt(max(float(ours), 1 / ladders) / ladders)
        out(case.name, f"{100 * ours:.1f}", f"{100 * plain:.1f}", f"{100 * margin:.1f}")


def cost(ladders: int) -> None:
    """With how many matches a ladder of different bots ends."""
    out("\nmatches, median", "sure", "plain 95 %", "one look")
    for bots, gap in ((2, 100), (2, 50), (2, 20), (8, 100), (8, 50)):
        case = steps(bots, gap)
        played = [ladder(case, seed) for seed in range(max(20, ladders // 10))]
        ended, apart = (median(getattr(each, what) or inf for each in played) for what in ("ended", "all_apart"))
        out(f"{bots} bots, {gap} points apart", f"{ended:,.0f}", f"{apart:,.0f}", f"{one_look(case):,.0f}")


def steps(bots: int, gap: float) -> Case:
    """Bots in equal steps of points; two at tables of two, more at tables of four."""
    strengths = tuple((-gap / ELO * np.arange(bots)).tolist())
    return Case("", strengths, (2,) if bots == 2 else (4,), luck=0.6, matches=100_000)


def one_look(case: Case) -> float:
    """How many matches separate all neighbours with a chance of one half, if one looks once and then.

    From what is known at the end of a ladder of `sure`, with the same sharing of the 5 % between the neighbours.
    """
    past = whole(case, seed=0)
    about = known(case.field().bots, past.record())
    neighbours = len(about.bots) - 1
    variances = difference_variances(about.fit.covariance)
    scores = [(case.strengths[at] - case.strengths[at + 1]) / sqrt(variances[at, at + 1]) for at in range(neighbours)]
    needed = NormalDist().inv_cdf(1 - DOUBT / 2 / neighbours) + NormalDist().inv_cdf(0.5 ** (1 / neighbours))
    return past.ended * (needed / fmean(scores)) ** 2


def whole(case: Case, seed: int) -> Past:
    """A ladder to its end."""
    *_, past = run(Sure(seed.to_bytes(4)), case.field(), case.world(), np.random.default_rng([8, seed]), case.matches)
    return past


def coverage(ladders: int) -> None:
    """How often 95 % intervals contain the truth in ladders of `sure`, and how much too far ratings are spread."""
    out("\n8 bots, luck by seat; matches at most:", "coverage", "spread")
    for matches in (500, 1500, 10_000):
        case = Case("", (0.9, 0.7, 0.5, 0.1, -0.1, -0.5, -0.7, -0.9), (2, 4), luck=0.4, matches=matches)
        truth = np.array(case.strengths)
        covered, spread = [], []
        for seed in range(max(20, ladders // 10)):
            found = known(case.field().bots, whole(case, seed).record()).fit
            strengths = found.strengths - found.strengths.mean()
            covered.append((np.abs(strengths - truth) < half_widths(found, np.full(8, 1 / 8))).mean())
            spread.append(strengths @ truth / (truth @ truth))
        out(f"{matches:,}", f"{np.mean(covered):.3f}", f"{np.mean(spread):.3f}")


class Timed(Sure):
    """Adds up how long it thinks."""

    spent = 0.0

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        started = process_time()
        pairings = super().next_round(field, past)
        Timed.spent += process_time() - started
        return pairings


def planning() -> None:
    """How long the planning of a large ladder takes."""
    case = Case("", tuple(np.linspace(1, -1, 50).tolist()), (2, 3, 4), luck=0.3, matches=100_000)
    for _ in run(Timed(), case.field(), case.world(), np.random.default_rng(9), case.matches):
        pass
    out("\nplanning for 50 bots, 100,000 matches", f"{Timed.spent:.1f} s")


def out(*cells: str) -> None:
    """A line of a table."""
    sys.stdout.write("".join(f"{cell:>13}" if column else f"{cell:40}" for column, cell in enumerate(cells)) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Print all tables."""
    ladders = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    wrong_separations(ladders)
    cost(ladders)
    coverage(ladders)
    planning()


if __name__ == "__main__":
    main()

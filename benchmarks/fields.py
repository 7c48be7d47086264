"""Prints how often fields of every kind are ranked wrongly, by schedule and by method.

    python -m benchmarks.fields [RUNS] [--fields WORD ...] [--tables sure schedules clone-proof]

RUNS (300 by default) are played for each row. A field is transitive, or bots beat each other in a circle, or they are
specialists, or some are copies. What is true is the strength against the field: every opponent counts the same, games
and table sizes as they were played.

- *sure*: a run is wrong if two neighbours were ever separated that are equal, or in the wrong order. *each opponent*
  is the fit as it is, *each match* is the fit of before, in which a pair counts for more the more often it meets.
- *schedules*: a run is wrong if the range of ranks of some bot is, after as many matches as the field gives. Elo has
  the deviations that it claims. OpenSkill (Plackett-Luce) needs `pip install openskill`.
- *clone-proof*: the ranking by the score against the mix that nothing beats, in fields at tables of two, after 300 and
  1000 matches of a round robin. *shown* is how often the field is measurably circular, so that people see it. Of these,
  a run is wrong if the range of ranks of some bot is; *moved* is how far scores are from the true ones, in
  percentage points on average, beside half the width of their intervals. Copies leave the true ones as they are.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from math import sqrt
from typing import NamedTuple

import numpy as np

from roost_ladder.rating.certainty import RankRange, half_widths, rank_ranges
from roost_ladder.rating.circles import circularity
from roost_ladder.rating.elo import ELO, MEAN_RATING, Elo
from roost_ladder.rating.fit import Fit, Method, fit
from roost_ladder.rating.lottery import LotteryScore, clone_proof, lottery_scores
from roost_ladder.rating.results import Floats, Indices, MatchResult, gather
from roost_ladder.rating.standings import ALL_KNOWN
from roost_ladder.schedules.cycles import RoundRobin
from roost_ladder.schedules.least_played import LeastPlayed
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.separation import known, separations
from roost_ladder.schedules.sure import Sure
from roost_ladder.schedules.swiss import Swiss

DUEL = Kind("duel", 2)
EQUAL = 1e-6


class Field(NamedTuple):
    """Who plays, and how matches go."""

    name: str
    chances: Mapping[Kind, Floats]
    """By kind of table: how often the bot of the row finishes ahead of the bot of the column.

    At tables of three and more, places are those of Plackett-Luce; then the chances have to follow from strengths.
    """
    matches: int = 3000

    @property
    def bots(self) -> int:
        """How many."""
        return len(next(iter(self.chances.values())))

    def participants(self) -> Participants:
        """Who takes part."""
        return Participants(tuple(range(self.bots)), tuple(self.chances))

    def play(self, rng: np.random.Generator, pairings: Sequence[Pairing], first: int) -> list[MatchResult]:
        """The matches of these blocks, numbered from `first`. Seats make no difference."""
        results = []
        for kind, chances in self.chances.items():
            some = [(block, each.group) for block, each in enumerate(pairings, first) if each.kind == kind]
            if some:
                places = _places(rng, chances, np.array([group for _, group in some])).tolist()
                results += [
                    (block, MatchResult(str(block), kind.game, group, tuple(of_match)))
                    for (block, group), of_block in zip(some, places, strict=True)
                    for of_match in of_block
                ]
        return [result for _, result in sorted(results, key=lambda each: each[0])]

    def truth(self, past: Past) -> Floats:
        """The strengths against the field, with a mean of 0."""
        told = [
            past.tally.blocks[kind] * kind.players**2 * (kind.players - 1) / (kind.players + 1) for kind in self.chances
        ]
        return _strengths(np.average(list(self.chances.values()), axis=0, weights=told).tobytes(), self.bots)


@cache
def _strengths(shares: bytes, bots: int) -> Floats:
    """Those with which every bot is expected to get the mean of its shares."""
    ahead = np.frombuffer(shares).reshape(bots, bots)
    strengths = np.zeros(bots)
    for _ in range(50):
        chance = 1 / (1 + np.exp(strengths - strengths[:, None]))
        links = chance * (1 - chance)
        curvature = np.diag(links.sum(axis=1)) - links + 1 / bots
        strengths += np.clip(np.linalg.solve(curvature, (ahead - chance).sum(axis=1)), -1, 1)
    centred: Floats = strengths - strengths.mean()
    return centred


def _places(rng: np.random.Generator, chances: Floats, groups: Indices) -> Indices:
    """By block, match and member. A block has as many matches as members."""
    blocks, players = groups.shape
    if players == DUEL.players:
        first = rng.random((blocks, players)) < chances[groups[:, 0], groups[:, 1]][:, None]
        return np.stack([2 - first, 1 + first], axis=-1)
    strengths = np.log(chances[:, 0] / (1 - chances[:, 0]))
    performance = strengths[groups][:, None] + rng.gumbel(size=(blocks, players, players))
    return np.asarray(1 + np.argsort(np.argsort(-performance, axis=-1), axis=-1))


def by_points(*points: float) -> Floats:
    """The chances of bots with these ratings."""
    strengths = np.array(points) / ELO
    chances: Floats = 1 / (1 + np.exp(strengths - strengths[:, None]))
    return chances


def steps(gap: float) -> Floats:
    """Six bots in equal steps of points."""
    return by_points(*(-gap * np.arange(6)))


def circle(bots: int, share: float) -> Floats:
    """Every bot beats those after it, up to half of the circle, and loses to those before it."""
    after = 2 * ((np.arange(bots) - np.arange(bots)[:, None]) % bots)
    return np.where((after == 0) | (after == bots), 0.5, np.where(after < bots, share, 1 - share))


def clusters() -> Floats:
    """Two groups of three. Who is strong in its own group is weak against the other one, and all are equal."""
    own = np.array([[0, 0.1, 0.1], [-0.1, 0, 0.1], [-0.1, -0.1, 0]])
    against = np.array([-1, 0, 1]) / 15
    across = against[:, None] - against
    return np.asarray(0.5 + np.block([[own, across], [-across.T, own]]))


def scissors(copies: int) -> Floats:
    """Rock, paper and scissors at 70 %, a bot that loses 60 % to each of them, and copies of scissors."""
    chances = np.full((4, 4), 0.5)
    chances[:3, :3], chances[:3, 3], chances[3, :3] = circle(3, 0.7), 0.6, 0.4
    kinds = np.array([0, 1, 2, 3, *[2] * copies])
    return np.asarray(chances[np.ix_(kinds, kinds)])


AT_ONE, AT_OTHER = by_points(90, -90, 40, -40, 0, 0), by_points(-90, 90, -40, 40, 0, 0)
FIELDS = (
    *(Field(f"steps of {gap}", {DUEL: steps(gap)}) for gap in (10, 50, 100, 200)),
    Field("steps of 10 to 200", {DUEL: by_points(0, -10, -60, -160, -360, -460)}, 6000),
    *(Field(f"circle of 3 at {share:.0%}", {DUEL: circle(3, share)}) for share in (0.55, 0.6, 0.65)),
    *(Field(f"circle of 6 at {share:.0%}", {DUEL: circle(6, share)}) for share in (0.55, 0.6, 0.65)),
    Field("two clusters", {DUEL: clusters()}),
    Field("specialists by game", {DUEL: AT_ONE, Kind("other", 2): AT_OTHER}),
    Field("specialists by size", {DUEL: AT_ONE, Kind("duel", 4): AT_OTHER}),
    *(Field(f"{copies} copies of scissors", {DUEL: scissors(copies)}) for copies in (0, 3, 6, 10)),
)


class Ladder(NamedTuple):
    """How a simulated ladder of `sure` went."""

    wrong: bool
    """Whether it ever separated two bots wrongly."""
    covered: float
    """The part of the 95 % intervals that hold the truth at the end."""
    ended: bool
    """Whether it ended by itself."""
    matches: int


def ladder(field: Field, method: Method, seed: int) -> Ladder:
    """Run one ladder and look at it after every round."""
    schedule, wrong = Sure(seed.to_bytes(4), None, method), False
    for past in play(field, schedule, seed):
        truth = field.truth(past)
        about = known(range(field.bots), past.record(), method)
        neighbours = separations(about)
        wrong |= any(each.separated and truth[each.upper] < truth[each.lower] + EQUAL for each in neighbours)
    return Ladder(wrong, covered(about.fit, truth), all(each.separated for each in neighbours), past.ended)


def play(field: Field, schedule: Schedule, seed: int) -> Iterator[Past]:
    """A run of a schedule: what has happened after each of its rounds, until it or the matches are at their end."""
    rng, past = np.random.default_rng([17, seed]), Past()
    while past.ended < field.matches and (pairings := schedule.next_round(field.participants(), past)):
        results = field.play(rng, pairings, past.given)
        for pairing in pairings:
            past.give(pairing)
        past.finish(results)
        yield past


def covered(found: Fit, truth: Floats) -> float:
    """The part of the intervals that hold the truth."""
    margin = half_widths(found, np.full(len(truth), 1 / len(truth)))
    return float((np.abs(found.strengths - found.strengths.mean() - truth) < margin).mean())


SCHEDULES: Mapping[str, Callable[[bytes], Schedule]] = {
    "round robin": partial(RoundRobin, times=None),
    "least played": LeastPlayed,
    "swiss": Swiss,
}


def by_elo(k: float, results: Sequence[MatchResult], bots: int) -> Fit:
    """Classic Elo, with the deviations that it claims."""
    elo = Elo(k)
    for each in results:
        elo.add(each)
    strengths = [(elo.rating(bot) - MEAN_RATING) / ELO for bot in range(bots)]
    deviations = [elo.deviation(bot) / ELO for bot in range(bots)]
    return Fit(np.array(strengths), np.diag(np.square(deviations)), np.full(bots, ALL_KNOWN))


def by_openskill(results: Sequence[MatchResult], bots: int) -> Fit:
    """OpenSkill's Plackett-Luce. Its scale is that of skill plus normal luck in each match."""
    model = import_module("openskill.models").PlackettLuce()
    rated = [model.rating() for _ in range(bots)]
    for each in results:
        teams = model.rate([[rated[bot]] for bot in each.bots], ranks=list(each.places))
        for bot, (after,) in zip(each.bots, teams, strict=True):
            rated[bot] = after
    scale = np.pi / sqrt(3) / (sqrt(2) * model.beta)
    strengths, deviations = (scale * np.array([getattr(each, what) for each in rated]) for what in ("mu", "sigma"))
    return Fit(strengths, np.diag(deviations**2), np.full(bots, ALL_KNOWN))


METHODS: Mapping[str, Callable[[Sequence[MatchResult], int], Fit]] = {
    "each opponent": lambda results, bots: fit(gather(results)),
    "each match": lambda results, bots: fit(gather(results), method=Method.EACH_MATCH),
    "Elo, K 16": partial(by_elo, 16),
    "Elo, K 32": partial(by_elo, 32),
    **({"OpenSkill": by_openskill} if find_spec("openskill") else {}),
}


def misranked(found: Fit, truth: Floats) -> bool:
    """Whether the range of some bot does not hold all ranks that it shares with its equals."""
    return out_of_range(rank_ranges(found), truth)


def out_of_range(ranges: Sequence[RankRange], truth: Floats) -> bool:
    """Whether some range does not hold all ranks that its bot shares with its equals."""
    best = 1 + (truth > truth[:, None] + EQUAL).sum(axis=1)
    worst = len(truth) - (truth < truth[:, None] - EQUAL).sum(axis=1)
    return any(each.best > first or each.worst < last for each, first, last in zip(ranges, best, worst, strict=True))


def table_of_sure(fields: Sequence[Field], runs: int) -> None:
    """How often `sure` is wrong, and what it needs."""
    columns = [
        f"{word}, {name}" for name in ("opponent", "match") for word in ("wrong %", "covered %", "sure %", "matches")
    ]
    out("sure", *columns)
    for field in fields:
        cells = []
        for method in reversed(Method):
            found = [ladder(field, method, seed) for seed in range(runs)]
            wrong, inside, ended, matches = np.mean(found, axis=0)
            cells += [f"{100 * wrong:.1f}", f"{100 * inside:.1f}", f"{100 * ended:.0f}", f"{matches:,.0f}"]
        out(field.name, *cells)


def table_of_schedules(fields: Sequence[Field], runs: int) -> None:
    """How often ranges of ranks are wrong, and intervals right."""
    out("wrong %, covered %", *METHODS)
    for field in fields:
        for name, schedule in SCHEDULES.items():
            cells: dict[str, list[tuple[bool, float]]] = {method: [] for method in METHODS}
            for seed in range(runs):
                results, truth = played(field._replace(matches=1000), schedule(seed.to_bytes(4)), seed)
                for method, rate in METHODS.items():
                    found = rate(results, field.bots)
                    cells[method].append((misranked(found, truth), covered(found, truth)))
            means = [100 * np.mean(each, axis=0) for each in cells.values()]
            out(f"{field.name}, {name}", *(f"{wrong:.1f}  {inside:.1f}" for wrong, inside in means))


def table_of_clone_proof(fields: Sequence[Field], runs: int) -> None:
    """How often the second ranking is shown, and is wrong."""
    out("clone-proof", "shown %", "wrong %", "covered %", "moved", "half width")
    for field in fields:
        if list(field.chances) != [DUEL]:
            continue
        truth = lottery_scores(field.chances[DUEL])
        for matches in (300, 1000):
            some = field._replace(matches=matches)
            found = [scores for seed in range(runs) if (scores := second_ranking(some, seed))]
            wrong = [out_of_range([RankRange(each.best_rank, each.worst_rank) for each in run], truth) for run in found]
            ends = np.array([[(each.low, each.score, each.high) for each in run] for run in found]).reshape(-1, 3)
            true = np.tile(truth, len(found))
            inside = (ends[:, 0] - EQUAL < true) & (true < ends[:, 2] + EQUAL)
            moved, half = np.abs(ends[:, 1] - true), (ends[:, 2] - ends[:, 0]) / 2
            cells = [f"{100 * len(found) / runs:.0f}"]
            if found:
                cells += [f"{100 * np.mean(each):.1f}" for each in (wrong, inside, moved, half)]
            out(f"{field.name}, {matches}", *cells)


def second_ranking(field: Field, seed: int) -> list[LotteryScore]:
    """After a run of a round robin, by the numbers of bots; empty if it is not shown."""
    record = gather(played(field, RoundRobin(seed.to_bytes(4), times=None), seed)[0])
    fitted = fit(record)
    return sorted(clone_proof(record, fitted)) if circularity(record, fitted) else []


def played(field: Field, schedule: Schedule, seed: int) -> tuple[list[MatchResult], Floats]:
    """All results of a run of a schedule, and what is true then."""
    rng, past, results = np.random.default_rng([18, seed]), Past(), []
    while past.ended < field.matches:
        pairings = schedule.next_round(field.participants(), past)
        results += (found := field.play(rng, pairings, past.given))
        for pairing in pairings:
            past.give(pairing)
        past.finish(found)
    return results, field.truth(past)


def out(*cells: str) -> None:
    """A line of a table."""
    sys.stdout.write("".join(f"{cell:>20}" if column else f"{cell:36}" for column, cell in enumerate(cells)) + "\n")
    sys.stdout.flush()


TABLES = {"sure": table_of_sure, "schedules": table_of_schedules, "clone-proof": table_of_clone_proof}


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int, nargs="?", default=300)
    parser.add_argument("--fields", nargs="*", default=[""], help="words in their names")
    parser.add_argument("--tables", nargs="*", default=list(TABLES), choices=TABLES)
    given = parser.parse_args()
    fields = [field for field in FIELDS if any(word in field.name for word in given.fields)]
    for name in given.tables:
        TABLES[name](fields, given.runs)


if __name__ == "__main__":
    main()

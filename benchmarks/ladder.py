"""How many matches it takes to know the order of bots: Roost's way beside others, over the same bots.

    python -m benchmarks.ladder [--tau 0.9] [--ladders 9] [--horizon 10000] [--bots 16] [--worlds TEXT] [--games GAME,…]

The count is the number of matches after which the ranking has a Kendall's tau of at least 0.9 with the true order, and
keeps it until four times as many matches have been played. Every way plays in the same world, several times, with the
same mix of table sizes. The table shows the median and, in brackets, the quartiles. The ways:

- Roost: blocks of rotated deals, the schedule `sure`, the fit;
- round robin: every group once and again, a new deal for every match, our fit;
- random tables, a new deal for every match, rated by OpenSkill (its Plackett-Luce model, without the drift that it adds
  for players who change) and by Elo with K = 16 and 32.

Worlds are simulated (`tests/support/ladders/worlds.py`), or with `--games` real: the sample bots play these games at
tables of 2 to 4 (`benchmarks/sample_field.py`), and the true order is that of a very long run. The column "blocks"
says how much the results of blocks vary, compared with as many independent matches: below 1 the rotations of a deal
cancel luck. `benchmarks/shared_luck.py` measures the same of the real games.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from itertools import count, islice
from math import inf, isfinite
from statistics import NormalDist
from typing import Any, NamedTuple, Protocol

import numpy as np

from benchmarks.sample_field import sample_fields
from benchmarks.shared_luck import ratio, scores_by_bot, variances
from roost_ladder.rating.elo import Elo
from roost_ladder.rating.fit import fit
from roost_ladder.rating.results import GrowingSums, MatchResult
from roost_ladder.schedules.cycles import RoundRobin
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.sure import Sure
from tests.support.ladders.worlds import World, play_pairings

STAYS = 4
"""The level must hold until this many times as many matches."""
STEP = 1.05
"""The factor between the numbers of matches at which the ranking is looked at."""
AT_ONCE = 500
"""How many random tables are drawn and played together."""


class Bots(Protocol):
    """The bots that play, simulated or real. They are numbered from 0, the strongest first."""

    @property
    def name(self) -> str:
        """Its name in the table."""

    @property
    def field(self) -> Participants:
        """Who plays at which tables."""

    def blocks(self, seed: int, pairings: list[Pairing], first_block: int) -> list[MatchResult]:
        """Plays these blocks, every deal in each rotation."""

    def matches(self, seed: int, pairings: list[Pairing], first_block: int) -> list[MatchResult]:
        """Plays one match for each of these, every one with a deal of its own."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """Bots of a simulated world."""

    name: str
    world: World
    field: Participants

    def blocks(self, seed: int, pairings: list[Pairing], first_block: int) -> list[MatchResult]:
        return play_pairings(self.world, np.random.default_rng([seed, first_block]), pairings, first_block)

    def matches(self, seed: int, pairings: list[Pairing], first_block: int) -> list[MatchResult]:
        played = {result.block_id: result for result in reversed(self.blocks(seed, pairings, first_block))}
        return list(reversed(played.values()))


# Who meets whom


def sure(bots: Bots, seed: int) -> Iterator[MatchResult]:
    """Blocks where the ranking is least certain; none if all of it is certain."""
    return scheduled(bots.field, Sure(seed.to_bytes(4)), partial(bots.blocks, seed))


def scheduled(
    field: Participants, schedule: Schedule, play: Callable[[list[Pairing], int], list[MatchResult]]
) -> Iterator[MatchResult]:
    """The matches of a schedule, to its end."""
    past = Past()
    while pairings := list(schedule.next_round(field, past)):
        results = play(pairings, past.given)
        for pairing in pairings:
            past.give(pairing)
        past.finish(results)
        yield from results


def round_robin(bots: Bots, seed: int) -> Iterator[MatchResult]:
    """Every group, again and again: a round robin for each kind of table."""
    schedule = RoundRobin(seed.to_bytes(4), times=None)
    by_kind = [
        scheduled(replace(bots.field, kinds=(kind,)), schedule, partial(bots.matches, seed + 1000 * kind.players))
        for kind in bots.field.kinds
    ]
    for index in drawn_kinds(bots, seed):
        result = next(by_kind[index])
        yield result._replace(block_id=f"{result.block_id} of {index}")


def random_tables(bots: Bots, seed: int) -> Iterator[MatchResult]:
    """Random groups."""
    rng = np.random.default_rng([seed, 1])
    kinds = (bots.field.kinds[index] for index in drawn_kinds(bots, seed))
    for given in count(step=AT_ONCE):
        groups = ((kind, rng.permutation(bots.field.bots)[: kind.players]) for kind in islice(kinds, AT_ONCE))
        yield from bots.matches(seed, [Pairing(kind, tuple(group.tolist())) for kind, group in groups], given)


def drawn_kinds(bots: Bots, seed: int) -> Iterator[int]:
    """Kinds of tables without end, each as often as in blocks: of n players, n matches for one of 1."""
    players = np.array([kind.players for kind in bots.field.kinds])
    rng = np.random.default_rng([seed, 2])
    while True:
        yield from rng.choice(len(players), AT_ONCE, p=players / players.sum()).tolist()


# Who is strongest


class Rater(Protocol):
    """A way to rate bots, told of one match after the other."""

    def add(self, results: list[MatchResult]) -> None:
        """These have been played."""

    def ratings(self) -> dict[int, float]:
        """Of those that have played."""


class Fitted:
    """Our fit."""

    def __init__(self) -> None:
        self._gathering = GrowingSums()

    def add(self, results: list[MatchResult]) -> None:
        self._gathering.add(results)

    def ratings(self) -> dict[int, float]:
        record = self._gathering.record()
        return dict(zip(record.bots.tolist(), fit(record).strengths.tolist(), strict=True))


class WalkedElo:
    """Classic Elo."""

    def __init__(self, k: float) -> None:
        self._elo = Elo(k)

    def add(self, results: list[MatchResult]) -> None:
        for result in results:
            self._elo.add(result)

    def ratings(self) -> dict[int, float]:
        return self._elo.ratings()


class OpenSkill:
    """OpenSkill's Plackett-Luce model, by its mean."""

    def __init__(self) -> None:
        self._model: Any = import_module("openskill.models").PlackettLuce(tau=0.0)
        self._ratings: dict[int, Any] = {}

    def add(self, results: list[MatchResult]) -> None:
        for result in results:
            teams = [[self._ratings.get(bot) or self._model.rating()] for bot in result.bots]
            rated = self._model.rate(teams, ranks=list(map(float, result.places)))
            self._ratings.update((bot, team[0]) for bot, team in zip(result.bots, rated, strict=True))

    def ratings(self) -> dict[int, float]:
        return {bot: rating.mu for bot, rating in self._ratings.items()}


class Way(NamedTuple):
    """A way to run a ladder."""

    name: str
    stream: Callable[[Bots, int], Iterator[MatchResult]]
    rater: Callable[[], Rater]


OURS = Way("Roost", sure, Fitted)
OTHERS = (
    Way("round robin, fit", round_robin, Fitted),
    Way("random, OpenSkill", random_tables, OpenSkill),
    Way("random, Elo 16", random_tables, lambda: WalkedElo(16)),
    Way("random, Elo 32", random_tables, lambda: WalkedElo(32)),
)


def tau(ratings: dict[int, float], bots: int) -> float:
    """Kendall's tau with the true order. A bot that has not played has the mean of the others."""
    mean = float(np.mean(list(ratings.values())))
    found = np.array([ratings.get(bot, mean) for bot in range(bots)])
    upper = np.triu_indices(bots, 1)
    return float(np.sign(found[upper[0]] - found[upper[1]]).mean())


class Aim(NamedTuple):
    """When a ladder has reached its end."""

    tau: float
    horizon: int
    """The number of matches after which it gives up."""
    ladders: int
    """How many are played."""


def needed(way: Way, bots: Bots, seed: int, aim: Aim) -> float:
    """With how many matches the order is known and stays so; infinite if that is not so within the horizon."""
    stream, rater = way.stream(bots, seed), way.rater()
    played, reached = 0, inf
    target = len(bots.field.bots)
    while played < STAYS * reached and (results := list(islice(stream, target - played))):
        rater.add(results)
        played += len(results)
        target = max(played + 1, int(played * STEP))
        good = tau(rater.ratings(), len(bots.field.bots)) >= aim.tau
        reached = min(reached, played) if good else inf
        if played > aim.horizon and reached > aim.horizon:
            return inf
    return reached


# Worlds


def population(bots: int, spread: float) -> tuple[float, ...]:
    """Strengths like those of a normal distribution with this standard deviation in points, the strongest first."""
    normal = NormalDist(0, spread * np.log(10) / 400)
    return tuple(normal.inv_cdf(1 - (rank + 0.5) / bots) for rank in range(bots))


def worlds(bots: int) -> list[Simulated]:
    """The rows of the table."""
    close, wide = population(bots, 120), population(bots, 240)
    mixed, twos, fours = (
        Participants(tuple(range(bots)), tuple(Kind("simulated", size) for size in sizes))
        for sizes in ((2, 3, 4), (2,), (4,))
    )
    return [
        Simulated("close field, luck as in our games", World(close, luck=0.3), mixed),
        Simulated("close field, independent matches", World(close), mixed),
        Simulated("close field, much luck by seat", World(close, luck=0.8), mixed),
        Simulated("close field, deals that suit a bot", World(close, style=0.3), mixed),
        Simulated("wide field, luck as in our games", World(wide, luck=0.3), mixed),
        Simulated("wide field, the same, tables of 2", World(wide, luck=0.3), twos),
        Simulated("wide field, the same, tables of 4", World(wide, luck=0.3), fours),
    ]


def variance_of_blocks(bots: Bots) -> float:
    """Of groups as they come in a round robin, 2000 deals each, compared with independent matches."""
    first = RoundRobin().next_round(bots.field, Past())[:6]
    return ratio(variances(np.array(block_scores(bots, pairing))) for pairing in first)


def block_scores(bots: Bots, pairing: Pairing, deals: int = 2000) -> list[list[list[float]]]:
    """By deal, rotation and bot."""
    results = bots.blocks(0, [pairing] * deals, 0)
    number = {bot: index for index, bot in enumerate(pairing.group)}
    scores = [scores_by_bot(tuple(number[bot] for bot in each.bots), each.places) for each in results]
    return [scores[at : at + len(number)] for at in range(0, len(scores), len(number))]


# The table


class Found(NamedTuple):
    """What several ladders of one way needed."""

    low: float
    median: float
    high: float

    def __str__(self) -> str:
        low, median, high = (f"{value:,.0f}" if isfinite(value) else "never" for value in self)
        return f"{median} ({low}–{high})"


def found(way: Way, bots: Bots, aim: Aim) -> Found:
    """Median and quartiles."""
    values = sorted(needed(way, bots, seed, aim) for seed in range(aim.ladders))
    return Found(*(values[round(part * (aim.ladders - 1))] for part in (0.25, 0.5, 0.75)))


def print_line(world: str, blocks: str, *cells: str) -> None:
    """A line of the table."""
    print(f"{world:36}{blocks:>7}", *(f"{cell:>23}" for cell in cells), sep="", flush=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Matches until the order of bots is known.")
    parser.add_argument("--tau", type=float, default=0.9, help="Kendall's tau that is to be reached (0.9)")
    parser.add_argument("--ladders", type=int, default=9, help="how many ladders each way plays in each world (9)")
    parser.add_argument("--horizon", type=int, default=10_000, help="matches after which a method gives up (10000)")
    parser.add_argument("--bots", type=int, default=16, help="how many bots there are (16)")
    parser.add_argument("--worlds", default="", help="only worlds with this in their name")
    parser.add_argument("--games", default="", help="the sample bots play these games, separated by commas")
    arguments = parser.parse_args()
    aim = Aim(arguments.tau, arguments.horizon, arguments.ladders)
    print_line(
        f"matches until tau stays at {aim.tau}", "blocks", *(way.name for way in (OURS, *OTHERS)), "best other / Roost"
    )
    for game in filter(None, arguments.games.split(",")):
        for field in sample_fields(game):
            print_ways(field, "", aim)
    for world in worlds(arguments.bots) if not arguments.games else ():
        if arguments.worlds in world.name:
            print_ways(world, f"{variance_of_blocks(world):.2f}", aim)


def print_ways(bots: Bots, blocks: str, aim: Aim) -> None:
    """What each way needs with these bots."""
    cells = [found(way, bots, aim) for way in (OURS, *OTHERS)]
    best = min(cell.median for cell in cells[1:])
    print_line(
        bots.name, blocks, *map(str, cells), f"{best / cells[0].median:.1f}" if isfinite(cells[0].median) else ""
    )


if __name__ == "__main__":
    main()

"""Fields of every kind, and ladders that are simulated in them: with an order, in circles, of specialists, with copies.

What is true is the strength against the field: every opponent counts the same, games and table sizes as they were
played. `python -m benchmarks.fields` prints how often they are ranked wrongly.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from roost_ladder.rating.certainty import RankRange, half_widths, rank_ranges
from roost_ladder.rating.elo import ELO
from roost_ladder.rating.fit import Fit, Method
from roost_ladder.rating.lottery import Flags
from roost_ladder.rating.results import Floats, Indices, MatchResult
from roost_ladder.schedules import sure
from roost_ladder.schedules.schedule import Kind, Pairing, Participants, Past, Schedule
from roost_ladder.schedules.separation import known, separations
from roost_ladder.schedules.sure import Sure

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
        blocks, players = (
            np.array(each)
            for each in zip(*((past.tally.blocks[kind], kind.players) for kind in self.chances), strict=True)
        )
        told = blocks * players**2 * (players - 1) / (players + 1)
        # With one kind the part is exactly 1, so that the truth is worked out once.
        shares = np.tensordot(told / told.sum(), list(self.chances.values()), axes=1)
        return strengths_against(shares, np.ones(self.bots))


def strengths_against(shares: Floats, field: Floats) -> Floats:
    """Those with which every bot is expected to get the mean of its shares, every bot being this part of an opponent.

    They are counted from the mean of these parts.
    """
    return _strengths(shares.tobytes(), field.tobytes())


@cache
def _strengths(shares: bytes, field: bytes) -> Floats:
    parts = np.frombuffer(field)
    ahead = np.frombuffer(shares).reshape(len(parts), len(parts))
    strengths = np.zeros(len(parts))
    for _ in range(50):
        chance = 1 / (1 + np.exp(strengths - strengths[:, None]))
        links = parts * chance * (1 - chance)
        # Each row is divided by the part of its own bot. The last term keeps the mean where it is.
        curvature = np.diag(links.sum(axis=1)) - links + parts
        strengths += np.clip(np.linalg.solve(curvature, ((ahead - chance) * parts).sum(axis=1)), -1, 1)
    centred: Floats = strengths - parts @ strengths / parts.sum()
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
SCALED = (
    Field("one order at two sizes", {DUEL: steps(60), Kind("duel", 4): steps(60)}),
    Field("closer together at four", {DUEL: steps(60), Kind("duel", 4): steps(36)}),
    Field("much closer at three and four", {DUEL: steps(60), Kind("duel", 3): steps(42), Kind("duel", 4): steps(24)}),
    Field("equal, two games, two sizes", {Kind(game, size): steps(0) for game in ("duel", "other") for size in (2, 4)}),
)
"""One order, but not one scale: fields without specialists."""


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
    # What is known after a round is what the next one is planned from: it is worked out once.
    about = known(range(field.bots), Past().record(), method)
    with patch.object(sure, "known", lambda *given: about):
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
    return float(within(found, truth).mean())


def within(found: Fit, truth: Floats) -> Flags:
    """Which intervals hold the truth, counted from the mean of the field that is meant."""
    zero = found.middle
    return np.asarray(np.abs(found.strengths - truth - zero @ (found.strengths - truth)) < half_widths(found, zero))


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


def misranked(found: Fit, truth: Floats) -> Flags:
    """By bot: whether its range does not hold all ranks that it shares with its equals."""
    return out_of_range(rank_ranges(found), truth)


def out_of_range(ranges: Sequence[RankRange], truth: Floats) -> Flags:
    """By bot: whether its range does not hold all ranks that it shares with its equals."""
    best = 1 + (truth > truth[:, None] + EQUAL).sum(axis=1)
    worst = len(truth) - (truth < truth[:, None] - EQUAL).sum(axis=1)
    first, last = np.array(ranges).T
    return np.asarray((first > best) | (last < worst))

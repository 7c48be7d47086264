"""Is a new version of a bot stronger? Paired blocks, and what they say.

A block is one deal, or one for each table if several games or numbers of players are compared. On a deal the new bot
plays every seat, against the same opponents, and then the old bot does: same deal, same seats, same opponents with the
same random numbers; only the candidate differs. A candidate's score in a match is the share of its opponents that it
finishes ahead of, a tie as half. The difference between the mean scores of the two candidates is the one number that
the block tells, and the sequential test in `sprt` decides about its mean.

If no opponents are named, they are copies of the old bot. Then the old bot's score needs no matches: among copies of
itself, over all seats, it is exactly 1/2. So a block has half the matches, and its difference about half the variance.
For two players this is simply new against old, in both seats.

From Elo to scores. The odds that a bot finishes ahead grow tenfold with 400 points. Against copies of the old bot, a
bot that is D points stronger scores 1 / (1 + 10^(-D/400)). Against other opponents their strength matters: a bot that
wins 95 % anyway has little room for more. So for each opponent the level between the two candidates is estimated from
all matches so far, the new bot is put D/2 above it and the old one D/2 below.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, tanh
from random import Random
from typing import NamedTuple

from roost_ladder.blocks import seed_of_block
from roost_ladder.rating.elo import ELO
from roost_ladder.rating.sprt import Hypotheses, Sample, SequentialEstimate, Sprt, Verdict, llr_of

NEW = 0
OLD = 1
"""The numbers of the candidates. Opponents have other numbers, unless they are copies of the old bot."""
EVEN = 0.5
MOST_ELO = 1000.0
"""Differences beyond this, a score of 99.7 %, are not told apart."""
PRECISION = 1e-6
"""The precision of a search for Elo points."""


class ComparedTable(NamedTuple):
    """A game, and how many play it."""

    game: str
    players: int

    @property
    def pairs(self) -> int:
        """How many scores against an opponent a candidate gets from a deal: one in each seat against each."""
        return self.players * (self.players - 1)


class PairedMatch(NamedTuple):
    """A match of a block."""

    table: ComparedTable
    seed: bytes
    seating: tuple[int, ...]
    """By seat: who plays."""
    seat: int
    """Where the candidate sits."""

    @property
    def candidate(self) -> int:
        """Whose score counts: the new or the old bot."""
        return self.seating[self.seat]


@dataclass(frozen=True, slots=True)
class Plan:
    """Which matches are to be played: the same for the same values, block by block, without end."""

    tables: tuple[ComparedTable, ...]
    opponents: tuple[int, ...]
    """Their numbers; none if the opponents are copies of the old bot. If there are more than seats, each block draws
    some of them; if there are fewer, each sits at the table equally often, if possible."""
    seed: bytes

    @property
    def candidates(self) -> tuple[int, ...]:
        """The candidates that have to play to be scored."""
        return (NEW, OLD) if self.opponents else (NEW,)

    @property
    def matches(self) -> int:
        """How many matches a block has."""
        return len(self.candidates) * sum(table.players for table in self.tables)

    def block(self, number: int) -> list[PairedMatch]:
        """The matches of a block; blocks are counted from 0."""
        return [match for table in self.tables for match in self._deal(table, number)]

    def _deal(self, table: ComparedTable, number: int) -> Iterator[PairedMatch]:
        seed = seed_of_block(self.seed, f"compare {table.game} {table.players} {number}")
        others = self._others(table.players - 1, Random(f"roost-compare/1:{seed.hex()}"))
        for candidate in self.candidates:
            group = (candidate, *others)
            for seat in range(table.players):
                yield PairedMatch(table, seed, group[-seat:] + group[:-seat], seat)

    def _others(self, seats: int, rng: Random) -> list[int]:
        others: list[int] = []
        while len(others) < seats:
            names = self.opponents or (OLD,)
            others += rng.sample(names, min(len(names), seats - len(others)))
        return others

    @property
    def largest(self) -> float:
        """No difference of a block is larger than this."""
        return 1.0 if self.opponents else 1 - EVEN


class Meeting(NamedTuple):
    """An opponent at a table."""

    table: ComparedTable
    opponent: int


class MeetingScore(NamedTuple):
    """How both candidates together fared against an opponent."""

    score: float = 0.0
    """Matches in which one finished ahead; a tie is half."""
    matches: int = 0

    def plus(self, other: "MeetingScore") -> "MeetingScore":
        """Both together."""
        return MeetingScore(self.score + other.score, self.matches + other.matches)

    @property
    def level(self) -> float:
        """How far the candidates are above the opponent, in natural logarithms of odds; with one more tie for each."""
        return log((self.score + 1) / (self.matches - self.score + 1))


class BlockObservation(NamedTuple):
    """What a block tells."""

    difference: float
    """The mean score of the new bot less that of the old one."""
    meetings: Mapping[Meeting, MeetingScore]


def observe(plan: Plan, number: int, places: Sequence[Sequence[int]]) -> BlockObservation:
    """What a finished block tells, from the places by match, in the order of the plan, and seat."""
    scores = {NEW: 0.0, OLD: 0.0 if plan.opponents else EVEN * len(plan.tables)}
    meetings: dict[Meeting, MeetingScore] = {}
    for match, of_match in zip(plan.block(number), places, strict=True):
        for opponent, won in _pairs(match, of_match):
            scores[match.candidate] += won / match.table.pairs
            meeting = Meeting(match.table, opponent)
            meetings[meeting] = meetings.get(meeting, MeetingScore()).plus(MeetingScore(won, 1))
    return BlockObservation((scores[NEW] - scores[OLD]) / len(plan.tables), meetings)


def _pairs(match: PairedMatch, places: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Each opponent, and what the candidate scored against it."""
    own = places[match.seat]
    for seat, (opponent, place) in enumerate(zip(match.seating, places, strict=True)):
        if seat != match.seat:
            yield opponent, EVEN if place == own else float(own < place)


class EloScale(NamedTuple):
    """Translates between Elo points and differences of scores."""

    levels: tuple[tuple[float, float], ...] = ()
    """For each meeting its level and its weight. None if the opponents are copies of the old bot."""

    def difference(self, elo: float) -> float:
        """The expected difference between candidates that differ by `elo` points."""
        gap = elo / ELO
        if not self.levels:
            return _chance(gap) - EVEN
        total = sum(weight * (_chance(level + gap / 2) - _chance(level - gap / 2)) for level, weight in self.levels)
        return total / sum(weight for _, weight in self.levels)

    def elo(self, difference: float) -> float:
        """The points that give this difference; at most 1000 either way."""
        below, above = -MOST_ELO, MOST_ELO
        while above - below > PRECISION:
            elo = (below + above) / 2
            below, above = (elo, above) if self.difference(elo) < difference else (below, elo)
        return (below + above) / 2


def _chance(strength: float) -> float:
    """The probability of finishing ahead of a bot that is weaker by `strength`, in natural logarithms of odds."""
    return (1 + tanh(strength / 2)) / 2


@dataclass(slots=True)
class Comparison:
    """What the blocks say so far. They are added in order, so it does not matter where or when they were played."""

    plan: Plan
    test: Sprt
    elo0: float
    """A lead of this many points is not enough to be called stronger."""
    elo1: float
    """A lead of this many points must not be missed."""
    sample: Sample = field(init=False)
    meetings: dict[Meeting, MeetingScore] = field(default_factory=dict, init=False)
    """All together, by table and opponent; left empty if the opponents are copies of the old bot."""

    def __post_init__(self) -> None:
        self.sample = Sample(self.plan.largest)

    def add(self, observation: BlockObservation) -> None:
        """One more block."""
        self.sample.add(observation.difference)
        if self.plan.opponents:
            for meeting, tally in observation.meetings.items():
                self.meetings[meeting] = self.meetings.get(meeting, MeetingScore()).plus(tally)

    @property
    def scale(self) -> EloScale:
        """What Elo points mean against these opponents. Every table has the same weight."""
        return EloScale(
            tuple((tally.level, tally.matches / meeting.table.pairs) for meeting, tally in self.meetings.items())
        )

    @property
    def llr(self) -> float:
        """The logarithm of the likelihood ratio of the hypotheses that the bots differ by `elo1` and by `elo0`."""
        return llr_of(self.sample, self._means(self.scale))

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return self.test.verdict(self.llr)

    @property
    def elo(self) -> SequentialEstimate:
        """The difference in Elo points and its 95 % interval, with the bounds of the test taken into account."""
        scale = self.scale
        low, middle, high = map(scale.elo, self.test.estimate(self.sample, self._means(scale)))
        return SequentialEstimate(low, middle, high)

    def _means(self, scale: EloScale) -> Hypotheses:
        return Hypotheses(scale.difference(self.elo0), scale.difference(self.elo1))

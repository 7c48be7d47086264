"""What every schedule is: a rule that plans the next blocks from the bots that take part and what has been played.

A schedule plans in rounds. It is asked for a round when all results of the rounds before are known. So its answer does
not depend on where its blocks are played, in what order or on how many cores. A run that is interrupted asks the same
questions again, gets the same answers, and continues where it stopped.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from random import Random
from typing import NamedTuple, Protocol, runtime_checkable

from roost_ladder.rating.results import GrowingSums, MatchResult, ResultSums
from roost_ladder.rating.results import Kind as Kind

GATHERED_AT_ONCE = 1000


class Pairing(NamedTuple):
    """A block that is to be played: who meets at what kind of table."""

    kind: Kind
    group: tuple[int, ...]
    """The bots in the order in which they sit in the first match."""


@dataclass(frozen=True, slots=True)
class Participants:
    """The bots that take part, and at which tables."""

    bots: tuple[int, ...]
    """By any numbers that identify them."""
    kinds: tuple[Kind, ...]
    owners: Mapping[int, str] = field(default_factory=dict)
    """Bots of one owner do not meet. A bot that is not named here may meet any other."""
    plays: Mapping[int, frozenset[Kind]] = field(default_factory=dict)
    """The kinds of tables that a bot sits down at. A bot that is not named here plays all of them."""

    def at(self, kind: Kind) -> list[int]:
        """The bots that sit down at tables of this kind, ascending; none if they cannot fill one."""
        willing = sorted({bot for bot in self.bots if bot not in self.plays or kind in self.plays[bot]})
        return willing if self.can_fill(kind, willing) else []

    def owner(self, bot: int) -> Hashable:
        """Who owns the bot: bots with different answers may meet."""
        return self.owners.get(bot, bot)

    def can_fill(self, kind: Kind, bots: Iterable[int]) -> bool:
        """Whether a table of this kind can be filled with some of these bots."""
        return len({self.owner(bot) for bot in bots}) >= kind.players

    def may_meet(self, group: Collection[int]) -> bool:
        """Whether all of these bots may sit at one table."""
        return len({self.owner(bot) for bot in group}) == len(group)


class Tally:
    """How often each bot, pair and group has played, in blocks."""

    __slots__ = ("blocks", "groups", "met", "played")

    def __init__(self) -> None:
        self.blocks: Counter[Kind] = Counter()
        self.played: defaultdict[Kind, Counter[int]] = defaultdict(Counter)
        """By kind of table and bot."""
        self.met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        """By bot and bot, at any table."""
        self.groups: defaultdict[Kind, Counter[tuple[int, ...]]] = defaultdict(Counter)
        """By kind of table and group; the bots of a group are ascending."""

    def count(self, pairing: Pairing) -> None:
        """One more block."""
        kind, group = pairing
        self.blocks[kind] += 1
        self.played[kind].update(group)
        self.groups[kind][tuple(sorted(group))] += 1
        for bot, other in permutations(group, 2):
            self.met[bot][other] += 1


class Past:
    """What has happened so far.

    It keeps counts, so that a schedule need not read everything again for every round, and no single matches: there may
    be millions. Only with `recorded` does it keep what ratings need, see `GrowingSums`.
    """

    __slots__ = ("_ahead", "_duels", "_gathering", "_news", "_opponents", "ended", "given", "recorded", "tally")

    def __init__(
        self, pairings: Iterable[Pairing] = (), results: Iterable[MatchResult] = (), *, recorded: bool = True
    ) -> None:
        self.recorded = recorded
        """Whether it can be asked for the `record`."""
        self.given = 0
        """How many blocks have been given out; also those that were voided or have not ended yet."""
        self.ended = 0
        """How many matches have ended that count."""
        self.tally = Tally()
        """Counts of the blocks that have been given out."""
        self._ahead: Counter[int] = Counter()
        self._opponents: Counter[int] = Counter()
        self._duels: Counter[tuple[int, int]] = Counter()
        """By bot and bot: how often the first finished ahead of the second at tables of two, in halves."""
        self._gathering = GrowingSums()
        self._news: list[MatchResult] = []
        """What has not been gathered yet: to gather many matches at once takes far less time for each."""
        for pairing in pairings:
            self.give(pairing)
        self.finish(results)

    def give(self, pairing: Pairing) -> None:
        """A block has been given out."""
        self.given += 1
        self.tally.count(pairing)

    def finish(self, results: Iterable[MatchResult]) -> None:
        """Blocks have ended, and these are all of their matches that count, in any order."""
        for result in results:
            self._count(result)
            if self.recorded:
                self._news.append(result)
        if len(self._news) > GATHERED_AT_ONCE:
            self._gather()

    def _count(self, result: MatchResult) -> None:
        bots, places = result.bots, result.places
        self.ended += 1
        for seat, (bot, place) in enumerate(zip(bots, places, strict=True)):
            behind = sum([(other > place) + (other >= place) for other in places]) - 1
            self._ahead[bot] += behind
            self._opponents[bot] += 2 * len(bots) - 2
            if len(bots) == 2:
                self._duels[bot, bots[1 - seat]] += behind

    def _gather(self) -> None:
        self._gathering.add(self._news)
        self._gathering.settle()
        self._news = []

    def record(self) -> ResultSums:
        """The results gathered by block. Only what has been added since the last time has to be read."""
        if not self.recorded:
            raise ValueError("this past keeps counts only; make it with recorded=True")
        self._gather()
        return self._gathering.record()

    def duels(self, bot: int, other: int) -> tuple[float, float]:
        """How many of their duels each of two bots finished ahead in; a tie is half."""
        return self._duels[bot, other] / 2, self._duels[other, bot] / 2

    def score(self, bot: int) -> float:
        """The share of its opponents that the bot finished ahead of, a tie as half; one half before its first match."""
        return self._ahead[bot] / self._opponents[bot] if self._opponents[bot] else 0.5


class Schedule(Protocol):
    """A way to choose blocks. It is a value: all that it remembers is in its arguments."""

    def next_round(self, field: Participants, past: Past) -> Sequence[Pairing]:
        """The blocks to play next, or none if the schedule has ended."""


@runtime_checkable
class Bounded(Schedule, Protocol):
    """A schedule that can tell how long it is."""

    def blocks_left(self, field: Participants, past: Past) -> int | None:
        """How many blocks follow those that have been given out, if no bot comes or goes. `None`: without end."""


def rng_for(seed: bytes, past: Past) -> Random:
    """The randomness of a round: it depends on the run's seed and on how many blocks have been given out."""
    return Random(f"roost-schedule/1:{seed.hex()}:{past.given}")


def shuffled(kind: Kind, group: Collection[int], rng: Random) -> Pairing:
    """A block for this group, with random seats in its first match."""
    return Pairing(kind, tuple(rng.sample(sorted(group), len(group))))

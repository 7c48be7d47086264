"""Prints how often the other questions of a suspicion report are wrong, and what they find: whole fields, simulated.

    python -m benchmarks.simulations.suspicions [FIELDS]

Each row is one kind of field, with 300 fields by default. `alarms` is the share of fields in which an innocent bot is
over the line, which chance alone may do in as many fields as `SHARE` says. In fields that are not honest, bot 0 is
guilty, and `found` is the share of those in which it is over the line. The fourth question is in `collusion`.
"""

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.simulations.collusion import ELO, out
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.results import MatchResult
from roost_ladder.suspicions import SHARE
from roost_ladder.suspicions.memory import find_memory
from roost_ladder.suspicions.thinking import find_thinking
from roost_ladder.suspicions.voids import VoidedMatch, find_voids
from tests.support.ladders.worlds import World, play, random_groups

CULPRIT = 0
Accused = set[int]
Chance = np.random.Generator
DAY = 240
"""How many blocks of a bot are played while the load of machines goes up and down once."""


class Memory(NamedTuple):
    """A field that plays duplicate deals."""

    name: str
    bots: int
    players: int
    blocks: int
    world: World
    gain: float = 0.0
    """By how many Elo points the culprit is stronger in later matches of a deal."""

    def accused(self, rng: Chance) -> Accused:
        """Who is over the line in one such field."""
        report = find_memory(self.results(rng), SHARE)
        return {finding.bot for finding in report.findings}

    def results(self, rng: Chance) -> Iterator[list[MatchResult]]:
        """The matches by block, each in its order."""
        strengths = rng.normal(scale=150 / ELO, size=self.bots)
        first = self.world._replace(strengths=tuple(strengths))
        strengths[CULPRIT] += self.gain / ELO
        later = first._replace(strengths=tuple(strengths))
        groups = random_groups(first, rng, self.players, self.blocks)
        deals = first.fortunes(rng, 2, *groups.shape)
        places = play(later, rng, groups, deals)
        places[:, 0] = play(first, rng, groups, deals)[:, 0]
        for block, (group, of_block) in enumerate(zip(groups.tolist(), places.tolist(), strict=True)):
            yield [
                MatchResult(f"block {block}", "simulated", tuple(group[turn:] + group[:turn]), tuple(of_match))
                for turn, of_match in enumerate(of_block)
            ]


class Voids(NamedTuple):
    """A field in which matches are voided by the arena's delays, sometimes several at once."""

    name: str
    bots: int
    moments: int
    at_once: int = 1
    """How many matches a delay voids."""
    caused: int = 0
    """How many more matches are voided by the culprit's doing."""

    def accused(self, rng: Chance) -> Accused:
        """Who is over the line in one such field."""
        takes = rng.lognormal(3, 1.5, self.bots)
        facts = [self._match(rng, takes) for _ in range(20 * self.bots)]
        report = find_voids(self._voided(rng, takes), facts, SHARE)
        return {finding.bot for finding in report.findings}

    def _match(self, rng: Chance, takes: NDArray[np.float64]) -> MatchFacts:
        bots = tuple(rng.choice(self.bots, 3, replace=False).tolist())
        times = tuple(30 * takes[list(bots)] * rng.lognormal(0, 0.3, 3))
        return MatchFacts("b", "simulated", bots, (1, 2, 3), (3, 2, 1), (0,) * 3, (False,) * 3, (30,) * 3, times)

    def _voided(self, rng: Chance, takes: NDArray[np.float64]) -> Iterator[VoidedMatch]:
        """A delay hits whom it hits. It lasts a while, and two are at least a minute apart."""
        for moment in range(self.moments + self.caused):
            caused = moment >= self.moments
            for match in range(1 if caused else self.at_once):
                bots = self._seated(rng, with_culprit=caused)
                shares = (takes[bots] + 1) / (takes[bots] + 1).sum()
                asked = 0 if caused else int(rng.choice(3, p=shares))
                yield VoidedMatch(60_000 * moment + 50 * match, "simulated", tuple(bots), (asked,))

    def _seated(self, rng: Chance, *, with_culprit: bool) -> list[int]:
        if not with_culprit:
            return list(rng.choice(self.bots, 3, replace=False).tolist())
        return [CULPRIT, *rng.choice(np.arange(1, self.bots), 2, replace=False).tolist()]


class Thinking(NamedTuple):
    """A field of bots that take their time."""

    name: str
    bots: int
    blocks: int
    """Of each bot."""
    spread: float = 0.5
    """Of the logarithm of the time in a block."""
    tails: float = 0.0
    """How often a block takes five times as long."""
    memory: float = 0.0
    """How much of the load of a bot's machine is still there in its next block."""
    daily: float = 0.0
    """By how much the arena is slower at noon than at midnight, for everybody; a logarithm."""
    factor: float = 1.0
    """By how much the culprit's time changes, somewhere in the middle half."""

    def accused(self, rng: Chance) -> Accused:
        """Who is over the line in one such field."""
        report = find_thinking(self.facts(rng), SHARE)
        return {finding.bot for finding in report.findings}

    def facts(self, rng: Chance) -> Iterator[MatchFacts]:
        """A block of one match for each two bots that are due, in two kinds of games."""
        typical = rng.normal(3, 1, (self.bots, 1))
        logarithms = typical + self.spread * rng.normal(size=(self.bots, self.blocks)) + self._load(rng)
        logarithms += np.log(5) * (rng.random(logarithms.shape) < self.tails)
        logarithms += self.daily * np.sin(2 * np.pi * np.arange(self.blocks) / DAY) ** 2
        changed = int(self.blocks * rng.uniform(0.25, 0.75))
        logarithms[CULPRIT, changed:] += np.log(self.factor)
        games = rng.random(self.blocks) < 0.5
        for block, times in enumerate(np.exp(logarithms + games).T.tolist()):
            for pair in np.array_split(rng.permutation(self.bots), self.bots // 2):
                bots, of_pair = tuple(pair.tolist()), tuple(20 * times[bot] for bot in pair)
                name, seats = f"block {block} {bots[0]}", len(bots)
                places, decisions, none = tuple(range(1, seats + 1)), (20,) * seats, (0,) * seats
                game = "long" if games[block] else "short"
                yield MatchFacts(name, game, bots, places, places, none, (False,) * seats, decisions, of_pair)

    def _load(self, rng: Chance) -> NDArray[np.float64]:
        load = np.zeros((self.bots, self.blocks))
        for block in range(1, self.blocks if self.memory else 0):
            load[:, block] = self.memory * load[:, block - 1] + 0.3 * rng.normal(size=self.bots)
        return load


Field = Memory | Voids | Thinking
DEALT = World((), luck=0.4, style=0.2, seat=0.4, grid=0.4)
HONEST: tuple[Field, ...] = (
    Memory("deals: tables of 2", 8, 2, 300, DEALT),
    Memory("deals: tables of 4", 8, 4, 300, DEALT),
    Memory("deals: tables of 4, few", 8, 4, 60, DEALT),
    Memory("deals: tables of 3, many bots", 30, 3, 900, DEALT._replace(normal=True)),
    Voids("voids: 10 alone", 8, 10),
    Voids("voids: 100 alone", 8, 100),
    Voids("voids: 20 times 10", 8, 20, at_once=10),
    Voids("voids: many bots", 30, 100),
    Thinking("thinking: 60 blocks", 8, 60),
    Thinking("thinking: 300 blocks", 8, 300),
    Thinking("thinking: rare long blocks", 8, 300, tails=0.05),
    Thinking("thinking: many bots", 30, 300, spread=1.0),
    Thinking("thinking: loaded machines", 8, 600, memory=0.5),
    Thinking("thinking: a loaded arena", 8, 600, daily=0.7),
    Thinking("thinking: two bots", 2, 300),
)
GUILTY: tuple[Field, ...] = (
    *(Memory("deals: tables of 2", 8, 2, blocks, DEALT, gain=200) for blocks in (100, 300)),
    *(Memory("deals: tables of 4", 8, 4, blocks, DEALT, gain=200) for blocks in (100, 300)),
    *(Voids("voids: 10 alone", 8, 10, caused=caused) for caused in (5, 10, 20)),
    Voids("voids: 20 times 10", 8, 20, at_once=10, caused=20),
    *(Thinking("thinking: 100 blocks", 8, 100, factor=factor) for factor in (1.5, 2.0)),
    *(Thinking("thinking: 600 blocks", 8, 600, factor=factor) for factor in (1.3, 1.5)),
    Thinking("thinking: loaded machines", 8, 600, memory=0.5, factor=2.0),
    Thinking("thinking: two bots", 2, 300, factor=2.0),
)


def shares(field: Field, fields: int, *tests: Callable[[Accused], bool]) -> list[float]:
    """In what share of fields of a kind each test holds."""
    rng = np.random.default_rng(1)
    accused = [field.accused(rng) for _ in range(fields)]
    return [float(np.mean([test(each) for each in accused])) for test in tests]


def found(accused: Accused) -> bool:
    """Whether the culprit is named."""
    return CULPRIT in accused


def innocent_accused(accused: Accused) -> bool:
    """Whether anybody else is named."""
    return bool(accused - {CULPRIT})


def main() -> None:
    """Print both tables."""
    fields = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    out("honest", "alarms")
    for field in HONEST:
        out(field.name, *(f"{share:.3f}" for share in shares(field, fields, bool)))
    out("bot 0 is guilty", "how much", "found", "alarms")
    for field in GUILTY:
        out(field.name, _guilt(field), *(f"{share:.3f}" for share in shares(field, fields, found, innocent_accused)))


def _guilt(field: Field) -> str:
    match field:
        case Memory():
            return f"{field.blocks}: {field.gain:.0f}"
        case Voids():
            return f"{field.caused} more"
        case Thinking():
            return f"x {field.factor}"


if __name__ == "__main__":
    main()

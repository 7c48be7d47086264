"""Runs a ladder: asks the schedule for rounds, has their blocks played, and keeps everything in a book.

    with local_executor(workers=2) as executor:
        ladder = Ladder(setup, MemoryBook())
        ladder.play(executor, Budget(blocks=100))
    table = standings(match.result() for match in ladder.facts)

A run is a function of its charter. Seeds derive from the run's seed and the number of the block. Blocks enter the book,
the statistics and the schedule in the order of the plan, no matter where and when they were played. So the number of
workers changes nothing, and a run that is resumed continues as if it had never been interrupted.

A bot that has to be stopped in three matches is benched: blocks with it that come later in the plan are left out. What
it has played until then counts, with its forfeits.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from roost_games.chance import seed_of
from roost_ladder.blocks import Block, Deals, Rotation, seed_of_block
from roost_ladder.rating.facts import MatchFacts
from roost_ladder.rating.fit import LATEST, Method
from roost_ladder.running.book import Book, Charter, FinishedBlock, Member
from roost_ladder.running.clock_needs import ClockNeeds
from roost_ladder.running.engine import Executor, Pace
from roost_ladder.running.entrants import Entrant
from roost_ladder.running.fixtures import STANDARD_LIMITS, Fixture, MatchLimits, PlayedMatch
from roost_ladder.running.rounds import Budget, Round, RunEnd
from roost_ladder.schedules.schedule import Bounded, Kind, Pairing, Participants, Past, Schedule
from roost_sdk.troubles.log import Trouble

STOPS_TO_BENCH = 3
"""A bot that has had to be stopped in this many matches is benched."""
SERIAL = "-"
"""What precedes the number of a block in its id."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What defines a run."""

    entrants: tuple[Entrant, ...]
    """Sorted by name. A bot's number in the run is its index here."""
    kinds: tuple[Kind, ...]
    seed: str
    schedule: Schedule
    schedule_name: str
    """With everything else that decides what it plans."""
    options: Mapping[str, Any]
    """The options of each game."""
    rotation: Rotation = Rotation.CYCLIC
    limits: MatchLimits = STANDARD_LIMITS
    hero: int | None = None
    """The bot of a gauntlet. Without it there is nothing left to play."""
    deals: Deals = Deals.OWN
    method: Method = LATEST
    """How the schedule weighs matches."""

    def charter(self) -> Charter:
        """What identifies the run."""
        return Charter(
            self.seed,
            tuple(Member(entrant.spec.name, entrant.spec.version) for entrant in self.entrants),
            tuple(f"{kind.game} {kind.players}" for kind in self.kinds),
            self.schedule_name,
            self.rotation.value,
            {game: plain for game, options in self.options.items() if (plain := options.to_json())},
            self.limits.clock,
            self.limits.max_faults,
            self.deals.value,
            self.method.value,
        )


class Ladder:
    """A run and what is known about it so far."""

    def __init__(
        self, setup: Setup, book: Book, tell: Callable[[Trouble, str], None] = lambda trouble, match: None
    ) -> None:
        """Resume what is in the book. Raises `UsageError` if that belongs to another run.

        `tell` is told what goes wrong in bots, and in which match.
        """
        self.setup = setup
        self.facts: list[MatchFacts] = []
        """The matches that count, in the order of the plan. Bots are named by their numbers."""
        self.blocks = 0
        """How many blocks these are."""
        self.planned: int | None = None
        """How many blocks the run will have when its schedule ends, if that is known and no other bot is benched."""
        self.new_matches = 0
        """How many matches have been played in this session."""
        self.benched: list[int] = []
        """The bots that had to be stopped too often, in this order."""
        self.workers: Callable[[], int] = lambda: 0
        """How many jobs are played at the same time, at the moment."""
        self.needs = ClockNeeds()
        """How the bots fared with the clock in this session."""
        self.budget = Budget()
        """The budget of this session."""
        self._book = book
        self._tell = tell
        self._past = Past()
        self._pace = Pace()
        self._stops: Counter[int] = Counter()
        self._master = seed_of(setup.seed)
        self._run_id = sha256(b"roost-ladder/1:" + self._master).hexdigest()[:8]
        self._recorded = {facts[0].block_id: facts for facts in book.begin(setup.charter())}
        self.recorded = len(self._recorded)
        """How many blocks were in the book before."""

    def play(
        self,
        executor: Executor,
        budget: Budget,
        look: Callable[[], None] = lambda: None,
    ) -> RunEnd:
        """Play to the end of the schedule or of the budget. `look` is called every moment.

        Even after an interruption, all matches in `facts` are in the book.
        """
        self.budget = budget
        self.workers = lambda: executor.workers
        deadline = math.inf if budget.seconds is None else time.monotonic() + budget.seconds
        while pairings := self._next_round():
            blocks = self._given(pairings)
            self.planned = self._planned(blocks)
            round_ = Round(self, executor, self.setup.limits, pace=self._pace, deadline=deadline, look=look)
            if ending := round_.play(blocks):
                return ending
        return RunEnd.SCHEDULE if self._can_go_on() else RunEnd.BENCHED

    def _next_round(self) -> Sequence[Pairing]:
        return self.setup.schedule.next_round(self._field(), self._past) if self._can_go_on() else ()

    def _can_go_on(self) -> bool:
        """Whether the bots that are not benched can still fill a table, with the hero if there is one."""
        field = self._field()
        return self.setup.hero not in self.benched and any(field.at(kind) for kind in field.kinds)

    def _field(self) -> Participants:
        setup = self.setup
        here = [number for number in range(len(setup.entrants)) if number not in self.benched]
        plays = {
            number: frozenset(kind for kind in setup.kinds if setup.entrants[number].plays(*kind)) for number in here
        }
        return Participants(tuple(here), setup.kinds, plays=plays)

    def _given(self, pairings: Sequence[Pairing]) -> list[Block]:
        blocks = []
        for pairing in pairings:
            block_id = f"{self._run_id}{SERIAL}{self._past.given}"
            self._past.give(pairing)
            seed = seed_of_block(self._master, block_id)
            how = self.setup.rotation, self.setup.deals
            blocks.append(Block(block_id, pairing.kind.game, pairing.group, seed, *how))
        return blocks

    def _planned(self, given: Sequence[Block]) -> int | None:
        schedule = self.setup.schedule
        left = schedule.blocks_left(self._field(), self._past) if isinstance(schedule, Bounded) else None
        return None if left is None else self.blocks + len(given) + left

    def take_recorded(self, block: Block) -> bool:
        facts = self._recorded.pop(block.block_id, None)
        if facts is None:
            return False
        self._count(facts)
        return True

    def finished(self, block: Block, played: Sequence[PlayedMatch]) -> FinishedBlock:
        options = self.setup.options[block.game].to_json()
        facts = [
            each.facts(block.block_id, block.game, block.seating(rotation)) for rotation, each in enumerate(played)
        ]
        return FinishedBlock(block, _serial(block), options, tuple(played), tuple(facts))

    def count(self, finished: FinishedBlock) -> None:
        self.new_matches += len(finished.played)
        for rotation, played in enumerate(finished.played):
            bots = [self.setup.entrants[bot].spec.name for bot in finished.block.seating(rotation)]
            self.needs.add(bots, played.needs)
            for trouble in played.troubles:
                self._tell(trouble, played.match)
        self._count(finished.facts)

    def write(self, blocks: Sequence[FinishedBlock]) -> None:
        self._book.add(blocks)

    def _count(self, facts: tuple[MatchFacts, ...]) -> None:
        self.blocks += 1
        self.facts += facts
        self._past.finish(match.result() for match in facts)
        for match in facts:
            if any(match.forfeited):
                self._count_stops(match)

    def _count_stops(self, match: MatchFacts) -> None:
        """A bot that forfeits with fewer faults than allowed was stopped, so the records alone decide this."""
        for bot, forfeited, faults in zip(match.bots, match.forfeited, match.faults, strict=True):
            if forfeited and faults < self.setup.limits.max_faults:
                self._stops[bot] += 1
                if self._stops[bot] == STOPS_TO_BENCH:
                    self.benched.append(bot)

    def bench_lines(self) -> list[str]:
        """A line for each bot that no longer plays."""
        names = (self.setup.entrants[bot].spec.name for bot in self.benched)
        return [f"{name} is benched: it had to be stopped in {STOPS_TO_BENCH} matches" for name in names]

    def is_benched(self, block: Block) -> bool:
        return any(bot in block.group for bot in self.benched)

    def has_room(self, block: Block, ahead: Sequence[Block] = ()) -> bool:
        blocks, matches, _ = self.budget
        if blocks is not None and self.blocks + len(ahead) >= blocks:
            return False
        return matches is None or len(self.facts) + sum(each.rotations for each in (*ahead, block)) <= matches

    def fixtures(self, block: Block) -> tuple[Fixture, ...]:
        entrants = self.setup.entrants
        return tuple(
            Fixture(
                f"{block.block_id}-{rotation}",
                block.game,
                tuple([entrants[bot].spec for bot in block.seating(rotation)]),
                block.seed_of(rotation),
                self.setup.options[block.game],
            )
            for rotation in range(block.rotations)
        )


def _serial(block: Block) -> int:
    """The number of a block in the plan."""
    return int(block.block_id.rpartition(SERIAL)[2])

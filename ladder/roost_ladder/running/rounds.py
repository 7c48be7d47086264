"""Plays the blocks of one round through an engine, and counts them in the order of the plan."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import dropwhile
from typing import NamedTuple, Protocol

from roost_ladder.blocks import Block
from roost_ladder.running.book import FinishedBlock
from roost_ladder.running.engine import Engine, Executor, Pace, Unit
from roost_ladder.running.fixtures import Fixture, MatchLimits, PlayedMatch

GRACE_SECONDS = 5.0
"""How long after the end of a budget running matches may still end."""
MOST_UNWRITTEN = 200
WRITE_SECONDS = 1.0
"""At most this many blocks wait to be written together, and at most this long."""


class Budget(NamedTuple):
    """When a run ends, unless its schedule ends first. Blocks and matches of earlier sessions count."""

    blocks: int | None = None
    matches: int | None = None
    """No block is started that would exceed this."""
    seconds: float | None = None
    """In this session."""


class RunEnd(StrEnum):
    """Why a run ended."""

    SCHEDULE = "the schedule has ended"
    BENCHED = "too few bots are left to play"
    BUDGET = "the budget is used up"
    TIME = "the time is up"


class Run(Protocol):
    """What a round needs to know about its run: the `Ladder`."""

    def take_recorded(self, block: Block) -> bool:
        """Count a block that was in the book before. False if it was not."""

    def count(self, finished: FinishedBlock) -> None:
        """Count a block that has just been played."""

    def write(self, blocks: Sequence[FinishedBlock]) -> None:
        """Keep blocks that have been counted."""

    def is_benched(self, block: Block) -> bool:
        """Whether the block is left out."""

    def has_room(self, block: Block, ahead: Sequence[Block] = ()) -> bool:
        """Whether the budget allows one more block, if those `ahead` are played too."""

    def fixtures(self, block: Block) -> tuple[Fixture, ...]:
        """The matches of a block."""

    def finished(self, block: Block, played: Sequence[PlayedMatch]) -> FinishedBlock:
        """A block whose matches have ended."""


class Round:
    """One round: the supply of an engine. `play` returns what cut it short, if anything did."""

    def __init__(
        self,
        plan: Run,
        executor: Executor,
        limits: MatchLimits,
        *,
        pace: Pace,
        deadline: float,
        look: Callable[[], None],
    ) -> None:
        self._plan = plan
        self._executor = executor
        self._engine = Engine(executor, self, limits, pace=pace, deadline=deadline, grace=GRACE_SECONDS, look=look)
        self._waiting: deque[Block] = deque()
        self._open: dict[str, Block] = {}
        """Handed out and not counted yet."""
        self._unwritten: list[FinishedBlock] = []
        self._written = time.monotonic()
        self._suspects: set[int] = set()
        """Bots that had to be stopped."""
        self._held: dict[str, Block] = {}
        """Blocks with suspects, which take long. Each is played when it is its turn: the bot may be benched by then."""
        self._awaited = ""
        """The block whose turn it is."""

    def play(self, blocks: Sequence[Block]) -> RunEnd | None:
        """Play these blocks. Even after an interruption, all that was counted is written."""
        new = list(dropwhile(self._is_settled, blocks))
        self._waiting.extend(new)
        try:
            endings = (self._play(block) for block in new if not self._plan.is_benched(block))
            return next(filter(None, endings), None)
        finally:
            self._write()

    def _is_settled(self, block: Block) -> bool:
        """Whether the book has the block, or lacks it only because a bot was benched."""
        return self._plan.take_recorded(block) or self._plan.is_benched(block)

    def _play(self, block: Block) -> RunEnd | None:
        """Wait for a block and count it, unless the budget ends first."""
        if not self._plan.has_room(block):
            return RunEnd.BUDGET
        self._awaited = block.block_id
        played = self._engine.result(block.block_id)
        if played is None:
            return RunEnd.TIME
        finished = self._plan.finished(self._open.pop(block.block_id), played)
        # This comes first: what is counted must be written, and an interruption may come in between.
        self._unwritten.append(finished)
        self._plan.count(finished)
        if len(self._unwritten) >= MOST_UNWRITTEN or time.monotonic() > self._written + WRITE_SECONDS:
            self._write()
        return None

    def _write(self) -> None:
        self._written = time.monotonic()
        if self._unwritten:
            self._plan.write(self._unwritten)
        self._unwritten = []

    def next_unit(self) -> Unit | None:
        """The next block that is neither benched nor held, if the budget has room for it."""
        if held := self._held.pop(self._awaited, None):
            return self._unit(held)
        while self._waiting:
            block = self._waiting[0]
            if self._is_suspect(block):
                self._held[block.block_id] = block
            elif not self._plan.is_benched(block):
                if not self._plan.has_room(block, self._ahead()):
                    return None
                self._waiting.popleft()
                return self._unit(block)
            self._waiting.popleft()
        return None

    def most_per_job(self) -> int:
        """So few that enough blocks are left for the other workers."""
        return max(1, len(self._waiting) // (2 * max(1, self._executor.workers)))

    def arrived(self, unit: Unit, played: Sequence[PlayedMatch]) -> None:
        """Note which bots had to be stopped."""
        block = self._open[unit.key]
        self._suspects.update(
            block.seating(rotation)[stop.seat] for rotation, each in enumerate(played) for stop in each.stops
        )

    def _unit(self, block: Block) -> Unit:
        self._open[block.block_id] = block
        return Unit(block.block_id, self._plan.fixtures(block))

    def _ahead(self) -> list[Block]:
        """What is being played or has not been counted yet, and will count."""
        return [block for block in self._open.values() if not self._plan.is_benched(block)]

    def _is_suspect(self, block: Block) -> bool:
        return not self._suspects.isdisjoint(block.group)

"""Plays the blocks of one round: handed out as workers are free, taken back in the order of the plan."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from enum import StrEnum
from itertools import dropwhile
from typing import NamedTuple, Protocol

from roost_ladder.blocks import Block
from roost_ladder.running.book import FinishedBlock
from roost_ladder.running.fixtures import Fixture, Limits, Played
from roost_ladder.running.workers import Job

JOB_SECONDS = 0.25
"""About so long a job takes. Shorter ones cost more to hand out, longer ones leave workers idle when a round ends."""
LOOK_SECONDS = 0.1
"""How often somebody who watches is told how far the run is."""
GRACE_SECONDS = 5.0
"""How long after the end of a budget what has been begun may still end."""
MOST_UNWRITTEN = 200
WRITE_SECONDS = 1.0
"""So many blocks wait to be written together, and for so long, at the most."""
FIRST_GUESS = 0.02
"""How many seconds a match may take before one has been played."""


class Budget(NamedTuple):
    """When a run ends, if its schedule does not end before. Blocks and matches of former sessions count."""

    blocks: int | None = None
    matches: int | None = None
    """No block is begun that would go beyond this."""
    seconds: float | None = None
    """In this session."""


class Ending(StrEnum):
    """Why a run ended."""

    SCHEDULE = "the schedule is at its end"
    BENCHED = "too few bots are left to play"
    BUDGET = "as many as asked for"
    TIME = "the time is up"


class Hands(NamedTuple):
    """Who plays."""

    submit: Callable[[Job], "Future[list[Played]]"]
    workers: int
    isolated: bool = False
    """Whether every bot has a process of its own in every match: slow, and for bots that cannot share one."""


class Plan(Protocol):
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

    def finished(self, block: Block, played: Sequence[Played]) -> FinishedBlock:
        """A block whose matches are over."""


class Pace:
    """How long matches take, as far as is known."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[str, int], float] = {}

    def of(self, block: Block) -> float:
        """How many seconds the block may take."""
        return self._seconds.get((block.game, len(block.group)), FIRST_GUESS) * block.rotations

    def learn(self, block: Block, played: Sequence[Played]) -> None:
        """So long it took."""
        took = sum(each.ended_ms - each.started_ms for each in played) / 1000 / len(played)
        kind = block.game, len(block.group)
        former = self._seconds.get(kind, took)
        self._seconds[kind] = former + 0.1 * (took - former)


class Round:
    """One round. `play` says what ended it before its end, if something did."""

    def __init__(
        self, plan: Plan, hands: Hands, limits: Limits, pace: Pace, deadline: float, look: Callable[[], None]
    ) -> None:
        self._plan = plan
        self._hands = hands
        self._limits = limits
        self._pace = pace
        self._deadline = deadline
        self._look = look
        self._waiting: deque[Block] = deque()
        self._running: dict[Future[list[Played]], list[Block]] = {}
        self._done: dict[str, FinishedBlock] = {}
        self._unwritten: list[FinishedBlock] = []
        self._written = time.monotonic()
        self._suspects: set[int] = set()
        """Bots that had to be stopped. Matches with them are played in isolation at once."""
        self._held: set[str] = set()
        """Blocks with suspects, which take long. They are played when it is their turn, since then it may be clear that
        the bot is benched."""

    def play(self, blocks: Sequence[Block]) -> Ending | None:
        """Play these blocks. Whatever interrupts it, all that was counted is written."""
        new = list(dropwhile(self._is_settled, blocks))
        self._waiting.extend(new)
        try:
            endings = (self._play(block) for block in new if not self._plan.is_benched(block))
            return next(filter(None, endings), None)
        finally:
            self._write()

    def _is_settled(self, block: Block) -> bool:
        """Whether the book, which holds the beginning of the plan, has the block, or has none because of a bench."""
        return self._plan.take_recorded(block) or self._plan.is_benched(block)

    def _play(self, block: Block) -> Ending | None:
        """Wait for a block and count it, unless the budget ends before."""
        if not self._plan.has_room(block):
            return Ending.BUDGET
        while block.block_id not in self._done:
            self._hand_out()
            if block.block_id in self._held and time.monotonic() < self._deadline:
                self._held.remove(block.block_id)
                self._submit([block], isolated=True)
            if not self._await():
                return Ending.TIME
        finished = self._done.pop(block.block_id)
        # First this: an interruption may come in between, and what is counted must be written.
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

    def _hand_out(self) -> None:
        """Keep a job ready for each worker beside the one that it is at."""
        while len(self._running) < 2 * self._hands.workers and time.monotonic() < self._deadline:
            if not (blocks := self._next_blocks()):
                return
            self._submit(blocks, isolated=self._hands.isolated)

    def _submit(self, blocks: list[Block], isolated: bool) -> None:
        fixtures = tuple(fixture for block in blocks for fixture in self._plan.fixtures(block))
        self._running[self._hands.submit(Job(fixtures, self._limits, isolated))] = blocks

    def _next_blocks(self) -> list[Block]:
        """Blocks for a job: as many as take a moment, but leave enough for the other workers."""
        most = max(1, len(self._waiting) // (2 * self._hands.workers))
        ahead = self._ahead()
        blocks: list[Block] = []
        seconds = 0.0
        while self._waiting and len(blocks) < most and seconds < JOB_SECONDS:
            block = self._waiting[0]
            if self._is_suspect(block):
                self._held.add(block.block_id)
            elif not self._plan.is_benched(block):
                if not self._plan.has_room(block, ahead + blocks):
                    break
                blocks.append(block)
                seconds += self._pace.of(block)
            self._waiting.popleft()
        return blocks

    def _ahead(self) -> list[Block]:
        """What is being played or has not been counted yet, and will count."""
        running = [block for blocks in self._running.values() for block in blocks]
        done = [finished.block for finished in self._done.values()]
        return [block for block in running + done if not self._plan.is_benched(block)]

    def _is_suspect(self, block: Block) -> bool:
        return not self._suspects.isdisjoint(block.group)

    def _await(self) -> bool:
        """Wait a moment for what is being played. False if there is nothing, or the time has been up for long."""
        if not self._running or time.monotonic() > self._deadline + GRACE_SECONDS:
            return False
        done, _ = wait(self._running, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            self._take(self._running.pop(future), future.result())
        self._look()
        return True

    def _take(self, blocks: Sequence[Block], played: Sequence[Played]) -> None:
        first = 0
        for block in blocks:
            own = played[first : first + block.rotations]
            first += block.rotations
            self._pace.learn(block, own)
            self._done[block.block_id] = self._plan.finished(block, own)
            self._suspects.update(
                block.seating(rotation)[stop.seat] for rotation, each in enumerate(own) for stop in each.stops
            )

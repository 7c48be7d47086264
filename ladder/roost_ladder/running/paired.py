"""Plays the blocks of a comparison through an executor, and gives them back in their order.

Several blocks are played at the same time, and which of them ends first is chance. But a block is given only after all
before it, so whoever looks at them one by one sees the same whatever the number of workers.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any, NamedTuple

from roost_ladder.rating.compare import Plan
from roost_ladder.running.fixtures import BotSpec, Fixture, Limits, Played
from roost_ladder.running.workers import Job
from roost_sdk.version import source_files

JOB_SECONDS = 0.25
"""About so long a job takes: shorter ones cost more to hand out, longer ones end later."""
LOOK_SECONDS = 0.1
"""How often somebody who watches can look, while nothing happens."""
MOST_BLOCKS = 64
"""In a job. What has been begun when the comparison ends is dropped."""


class Team(NamedTuple):
    """Who plays, and how."""

    bots: Mapping[int, BotSpec]
    """By the numbers of the plan."""
    options: Mapping[str, Any]
    """The options of each game."""
    limits: Limits = Limits(recording=False)
    isolated: bool = False
    """Whether every bot has a process of its own. It is slow, and for bots that cannot share one."""

    def fixtures(self, plan: Plan, block: int) -> list[Fixture]:
        """The matches of a block."""
        return [
            Fixture(
                f"compare-{block}-{number}",
                match.table.game,
                tuple([self.bots[bot] for bot in match.seating]),
                match.seed,
                self.options[match.table.game],
            )
            for number, match in enumerate(plan.block(block))
        ]


class FinishedBlock(NamedTuple):
    """A block whose matches are over, in the order of the plan."""

    number: int
    played: Sequence[Played]


def get_in_each_others_way(bots: Iterable[BotSpec]) -> bool:
    """Whether different modules of the same name lie beside two of the bots, such as two versions of a helper.

    In one process only one of them could be imported, and the other bot would play with the wrong one.
    """
    found: dict[Path, bytes] = {}
    for file in {bot.file for bot in bots if bot.file is not None}:
        for path in source_files(file) - {file.resolve()}:
            code = path.read_bytes()
            if found.setdefault(path.relative_to(file.resolve().parent), code) != code:
                return True
    return False


def play_blocks(
    plan: Plan,
    team: Team,
    submit: Callable[[Job], "Future[list[Played]]"],
    *,
    workers: int,
    deadline: float,
    look: Callable[[], None] = lambda: None,
) -> Iterator[FinishedBlock]:
    """Blocks from number 0 on, without end, or until `deadline` by the monotonic clock. `look` is called while waiting.

    Raises `UsageError` if a bot cannot be loaded.
    """
    running: deque[tuple[range, Future[list[Played]]]] = deque()
    blocks, first = 1, 0
    while time.monotonic() < deadline:
        while len(running) < 2 * workers:
            numbers = range(first, first := first + blocks)
            fixtures = tuple(fixture for number in numbers for fixture in team.fixtures(plan, number))
            running.append((numbers, submit(Job(fixtures, team.limits, team.isolated))))
        numbers, future = running[0]
        if wait([future], timeout=LOOK_SECONDS).done:
            running.popleft()
            played = future.result()
            for position, number in enumerate(numbers):
                yield FinishedBlock(number, played[position * plan.matches : (position + 1) * plan.matches])
            blocks = _blocks_of_a_job(played, len(numbers))
        look()


def _blocks_of_a_job(played: Sequence[Played], blocks: int) -> int:
    """How many blocks the next job should have, if they take as long as these did."""
    seconds = sum(match.ended_ms - match.started_ms for match in played) / 1000
    return max(1, min(MOST_BLOCKS, int(JOB_SECONDS * blocks / max(seconds, 0.001))))

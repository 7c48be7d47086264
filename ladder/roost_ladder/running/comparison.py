"""Plays the blocks of a comparison through an engine, and gives them back in their order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from roost_ladder.rating.compare import Plan
from roost_ladder.running.engine import Engine, Executor, Pace, Unit
from roost_ladder.running.fixtures import BotSpec, Fixture, Limits, Played
from roost_sdk.version import source_files

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

    def fixtures(self, plan: Plan, block: int) -> tuple[Fixture, ...]:
        """The matches of a block."""
        return tuple(
            Fixture(
                f"compare-{block}-{number}",
                match.table.game,
                tuple([self.bots[bot] for bot in match.seating]),
                match.seed,
                self.options[match.table.game],
            )
            for number, match in enumerate(plan.block(block))
        )


class ComparedBlock(NamedTuple):
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


class _Blocks:
    """The supply of a comparison: blocks from number 0 on, without end."""

    def __init__(self, plan: Plan, team: Team) -> None:
        self._plan = plan
        self._team = team
        self._numbers = count()

    def next_unit(self) -> Unit:
        number = next(self._numbers)
        return Unit(str(number), self._team.fixtures(self._plan, number), self._team.isolated)

    def most_per_job(self) -> int:
        return MOST_BLOCKS

    def arrived(self, unit: Unit, played: Sequence[Played]) -> None:
        pass


def play_blocks(
    plan: Plan, team: Team, executor: Executor, *, deadline: float, look: Callable[[], None] = lambda: None
) -> Iterator[ComparedBlock]:
    """Blocks from number 0 on, without end, or until `deadline` by the monotonic clock. `look` is called while waiting.

    Raises `UsageError` if a bot cannot be loaded.
    """
    engine = Engine(executor, _Blocks(plan, team), team.limits, pace=Pace(), deadline=deadline, look=look)
    for number in count():
        played = engine.result(str(number))
        if played is None:
            return
        yield ComparedBlock(number, played)

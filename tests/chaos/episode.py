"""One competition under chaos, from its announcement to the checks."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from roost_server.store import open_store
from tests.chaos.checks import Outcome, everything_wrong
from tests.chaos.disk import disk_at
from tests.chaos.plan import Fault, Kind, make_plans
from tests.chaos.supervisor import Supervisor
from tests.chaos.world import DISK, Games, database_url, prepare

STOP_SECONDS = 180.0
BAD_SIGNS = ("internal error", "Traceback")
"""What an arena must never say."""


@dataclass(frozen=True)
class Episode:
    """How long things take, and how much goes wrong."""

    seed: int
    ladder_seconds: float
    finals_seconds: float
    games: Games = field(default_factory=lambda: {"karteneck": (2, 3), "haecmaec": (2,)})
    rounds: int = 1
    each: int = 1
    """How often everything goes wrong in either phase."""
    mount: bool = False
    """Whether a file system may be mounted to be filled."""

    def plans(self) -> tuple[list[Fault], list[Fault]]:
        """For the ladder, and for the finals."""
        return make_plans(self.seed, self.ladder_seconds, self.finals_seconds, self.each)


@dataclass(frozen=True)
class Report:
    """What came of it."""

    wrong: list[str]
    faults: Counter[Kind]
    matches: int
    blocks: Counter[str]
    """By phase and state."""
    arena_starts: int
    log: Sequence[str]


def run_episode(episode: Episode, folder: Path, tell: Callable[[str], None], patience: float = 300.0) -> Report:
    """Run a competition in `folder`, and check it. Raises `TimeoutError` if it does not come to its end."""
    with disk_at(folder / DISK, mount=episode.mount) as disk:
        tell(f"seed {episode.seed}; the disk is {disk.how}")
        prepare(folder, episode.seed, episode.games, episode.rounds)
        supervisor = Supervisor(folder, disk, tell)
        asyncio.run(_run(supervisor, episode, patience))
        with open_store(database_url(folder)) as store:
            outcome = Outcome.of(folder, store)
            wrong = [*_wrong_ends(supervisor), *everything_wrong(outcome, episode.games, episode.rounds)]
    return Report(
        wrong,
        supervisor.done,
        len(outcome.replays),
        Counter(f"{block.phase} {block.state}" for block in outcome.blocks),
        supervisor.arena.starts,
        supervisor.log,
    )


async def _run(supervisor: Supervisor, episode: Episode, patience: float) -> None:
    async with asyncio.timeout(patience), supervisor.running():
        ladder, finals = episode.plans()
        await supervisor.everybody_plays()
        await supervisor.follow(ladder)
        await supervisor.silence_noticed()
        await supervisor.begin_finals()
        await asyncio.gather(supervisor.follow(finals), supervisor.finished())
        async with asyncio.timeout(STOP_SECONDS):
            await supervisor.stop()


def _wrong_ends(supervisor: Supervisor) -> list[str]:
    """The arena ends when it is killed or told to, or if it cannot start with a full disk; and it never falls."""
    said = [line for line in supervisor.log if any(sign in line for sign in BAD_SIGNS)]
    odd = {code for code in supervisor.arena.ends if code not in (0, -9, 1)}
    wrong = [f"the arena says: {line}" for line in said]
    wrong += [f"the arena ended with code {code}" for code in odd]
    if not supervisor.arena.ends[0]:
        wrong.append("the arena did not shut down cleanly")
    return wrong

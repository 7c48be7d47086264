"""An arena that runs for an hour among bots that come, go, fall silent and lose their connections: is its memory flat?

    make soak                                   # 60 minutes
    python -m tests.soak.arena --minutes 3

The arena is never killed, since that would hide what it gathers. Its size after a tenth of the time is compared with
that at the end, each as the median of several looks. Exits with 1 if it has grown by more than a fifth, or if anything
is on record that could not have happened.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from itertools import count
from pathlib import Path

from rich.console import Console

from roost_server.store import Store, open_store, queries
from tests.chaos.disk import disk_at
from tests.chaos.plan import Fault, Kind, make_plans
from tests.chaos.supervisor import Supervisor
from tests.chaos.world import DISK, database_url, prepare
from tests.misbehaving.hall import check_records

GAMES = {"karteneck": (2, 3), "haecmaec": (2,)}
WARM_UP = 0.1
"""This part of the time does not count: caches fill, and every bot comes for the first time."""
LOOKS = 9
MOST_GROWTH = 1.2
PLAN_SECONDS = 60.0
LINE_SECONDS = 60.0
DEADLY = frozenset({Kind.KILL_ARENA})


def resident_mb(pid: int) -> float:
    """How much memory a process has in use."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def typical_mb(pid: int) -> float:
    """The same as the median of several looks, some of which may come upon a busy moment."""
    looks = []
    for _ in range(LOOKS):
        looks.append(resident_mb(pid))
        await asyncio.sleep(0.5)
    return statistics.median(looks)


def plan_of_minute(minute: int) -> list[Fault]:
    """What goes wrong in a minute, but for what would end the arena."""
    faults, _ = make_plans(minute, PLAN_SECONDS, PLAN_SECONDS)
    return [fault for fault in faults if fault.kind not in DEADLY]


async def trouble(supervisor: Supervisor) -> None:
    """Minute by minute, for ever."""
    for minute in count():
        begun = asyncio.get_running_loop().time()
        await supervisor.follow(plan_of_minute(minute))
        await asyncio.sleep(max(0.0, begun + PLAN_SECONDS - asyncio.get_running_loop().time()))


async def tell(supervisor: Supervisor, console: Console) -> None:
    """A line every minute, for ever."""
    while True:
        await asyncio.sleep(LINE_SECONDS)
        console.print(f"{resident_mb(supervisor.arena.pid):7.1f} MB, {supervisor.done.total()} faults")


async def soak(supervisor: Supervisor, minutes: float, console: Console) -> tuple[float, float]:
    """Run for so long. Returns the size of the arena after the warm-up, and at the end, in MB."""
    async with supervisor.running():
        await supervisor.everybody_plays()
        pid = supervisor.arena.pid
        beside = [asyncio.create_task(each) for each in (trouble(supervisor), tell(supervisor, console))]
        await asyncio.sleep(60 * minutes * WARM_UP)
        warm = await typical_mb(pid)
        await asyncio.sleep(60 * minutes * (1 - WARM_UP))
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        end = await typical_mb(pid)
        if supervisor.arena.starts > 1:
            console.print("the arena did not stay up:", *supervisor.log[-20:], sep="\n", soft_wrap=True)
        await supervisor.stop()
    return warm, end


def summary(store: Store, supervisor: Supervisor) -> str:
    matches = sum(1 for _ in queries.results(store, voided=True))
    faults = ", ".join(f"{kind}: {times}" for kind, times in sorted(supervisor.done.items()))
    return f"{matches:,} matches; {faults or 'no faults'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes: float = parser.parse_args().minutes
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory(prefix="roost-soak-") as name:
        folder = Path(name)
        with disk_at(folder / DISK, mount=False) as disk:
            prepare(folder, 1, GAMES, rounds=1)
            supervisor = Supervisor(folder, disk, lambda _: None)
            warm, end = asyncio.run(soak(supervisor, minutes, console))
            with open_store(database_url(folder)) as store:
                check_records(store)
                console.print(summary(store, supervisor))
    grown = end / warm
    console.print(
        f"the arena had {warm:.1f} MB after the warm-up and {end:.1f} MB at the end: {grown:.2f} times as much"
    )
    return int(grown > MOST_GROWTH or supervisor.arena.starts > 1)


if __name__ == "__main__":
    sys.exit(main())

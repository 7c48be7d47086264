"""Arenas that run for an hour: is their memory flat?

    make soak                                   # 60 minutes
    python -m benchmarks.soak.arena --minutes 3

There are two. The *troubled* one hosts a competition of bots that come, go, fall silent, flood it and lose their
connections; it is never killed, since that would hide what it gathers. At the *busy* one bots play one match after the
other, without any trouble. Their caches are cut short, see `small_caches`. There is a line every minute; those after
the warm-up are judged, see `growth`. Exits with 1 if an arena grows or does not stay up, or if anything is on record
that could not have happened.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import median

from rich.console import Console
from sqlalchemy import func, select

from benchmarks.soak.growth import Growth, Look, growth
from roost_server.store import StoreError, open_store
from roost_server.store.models import MATCH
from tests.chaos.disk import disk_at
from tests.chaos.plan import Fault, Kind, make_plans
from tests.chaos.supervisor import Kept, Supervisor
from tests.chaos.world import DISK, database_url, prepare
from tests.support.arenas.hall import check_records
from tests.support.ports import free_port

GAMES = {"karteneck": (2, 3), "haecmaec": (2,)}
WARM_UP = 0.4
"""This part of the time does not count: every kind of trouble comes for the first time, and takes its room."""
LOOK_SECONDS = 2.0
LINE_SECONDS = 60.0
MOST_LINES = 12
"""A run of fewer minutes prints a line more often than every minute."""
PLAN_SECONDS = 60.0
DEADLY = frozenset({Kind.KILL_ARENA})
ARENA = "benchmarks.soak.small_caches"


class Troubled(Supervisor):
    """The competition that goes through chaos, at an arena with small caches."""

    def _arena_command(self) -> tuple[str, ...]:
        python, option, _, *arguments = super()._arena_command()
        return (python, option, ARENA, *arguments)


@asynccontextmanager
async def busy_arena(url: str) -> AsyncIterator[Kept]:
    """An arena without accounts that is kept busy."""
    listen = f"127.0.0.1:{free_port()}"
    serve = (ARENA, "serve", "--listen", listen, "--db", url, "--log-level", "warning")
    arena = Kept("busy arena", (sys.executable, "-m", *serve), lambda _: None)
    bots = Kept("busy bots", (sys.executable, "-m", "benchmarks.soak.many_matches", listen), lambda _: None)
    try:
        await arena.up.wait()
        yield arena
    finally:
        await bots.let_go()
        await arena.let_go()


def plan_of_minute(minute: int) -> list[Fault]:
    """What goes wrong in a minute, but for what would end the arena."""
    faults, _ = make_plans(minute, PLAN_SECONDS, PLAN_SECONDS)
    return [fault for fault in faults if fault.kind not in DEADLY]


async def trouble(supervisor: Supervisor) -> None:
    """Minute by minute, without end."""
    for minute in count():
        begun = asyncio.get_running_loop().time()
        await supervisor.follow(plan_of_minute(minute))
        await asyncio.sleep(max(0.0, begun + PLAN_SECONDS - asyncio.get_running_loop().time()))


class Watch:
    """Looks at an arena all the time, and every minute notes what it has seen."""

    def __init__(self, name: str, arena: Kept, url: str, seconds: float) -> None:
        self.name = name
        self.arena = arena
        self._url = url
        self._seconds = seconds
        self._line_seconds = min(LINE_SECONDS, seconds / MOST_LINES)
        self._looks: list[Look] = []

    async def watch(self, console: Console) -> None:
        """Until the time is over. A minute in which the records cannot be read, with a full disk, is left out."""
        now = asyncio.get_running_loop().time
        begun = now()
        while now() < begun + self._seconds:
            size = await self._typical_size()
            with suppress(StoreError):
                matches = await asyncio.to_thread(_recorded, self._url)
                self._looks.append(Look(now() - begun, matches, size))
                console.print(self._line())

    async def _typical_size(self) -> float:
        """The median of a minute, some moments of which may be busy ones."""
        sizes = []
        for _ in range(max(1, round(self._line_seconds / LOOK_SECONDS))):
            await asyncio.sleep(min(LOOK_SECONDS, self._line_seconds))
            sizes.append(_resident_bytes(self.arena.pid))
        return median(sizes)

    def _line(self) -> str:
        seconds, matches, size = self._looks[-1]
        line = f"{seconds / 60:5.1f} min  {self.name:8}  {size / 1e6:7.1f} MB  {matches:8,} matches"
        return f"{line}  {self.growth().per_match:+8,.0f} bytes a match" if self._can_tell() else f"{line}  warm-up"

    def _warm(self) -> list[Look]:
        return [look for look in self._looks if look.seconds > WARM_UP * self._seconds]

    def _can_tell(self) -> bool:
        warm = self._warm()
        return len(warm) > 1 and warm[-1].matches > warm[0].matches

    def growth(self) -> Growth:
        """How the arena has grown since the warm-up."""
        return growth(self._warm())


def _resident_bytes(pid: int) -> int:
    """How much memory a process has in use."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _recorded(url: str) -> int:
    """How many matches are on record. Raises `StoreError` while the disk is full: to read needs some space, too."""
    with open_store(url, read_only=True) as store, store.reading() as connection:
        return connection.scalar(select(func.max(MATCH.c.number))) or 0


async def soak(supervisor: Supervisor, busy_url: str, minutes: float, console: Console) -> list[Watch]:
    """Run for this long, and watch both arenas."""
    async with supervisor.running(), busy_arena(busy_url) as busy:
        await supervisor.everybody_plays()
        faults = asyncio.create_task(trouble(supervisor))
        watches = [
            Watch("troubled", supervisor.arena, database_url(supervisor.folder), 60 * minutes),
            Watch("busy", busy, busy_url, 60 * minutes),
        ]
        await asyncio.gather(*(each.watch(console) for each in watches))
        faults.cancel()
        await asyncio.gather(faults, return_exceptions=True)
        # What was cancelled may have been about to do this. An arena that cannot record does not stop by itself.
        supervisor.disk.free(supervisor.arena.pid)
        if supervisor.arena.starts > 1:
            console.print("the arena did not stay up:", *supervisor.log[-20:], sep="\n", soft_wrap=True)
        await supervisor.stop()
    return watches


def main() -> int:
    """Run both arenas; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    minutes: float = parser.parse_args().minutes
    console = Console(highlight=False, soft_wrap=True)
    with tempfile.TemporaryDirectory(prefix="roost-soak-") as name:
        folder = Path(name)
        busy_url = f"sqlite:///{folder / 'busy.db'}"
        with disk_at(folder / DISK, mount=False) as disk:
            prepare(folder, 1, GAMES, rounds=1)
            supervisor = Troubled(folder, disk, lambda _: None)
            watches = asyncio.run(soak(supervisor, busy_url, minutes, console))
            with open_store(database_url(folder)) as store:
                check_records(store)
    console.print(", ".join(f"{kind}: {times}" for kind, times in sorted(supervisor.done.items())) or "no faults")
    for each in watches:
        console.print(f"{each.name:8}  {each.growth()}")
    return int(any(each.growth().goes_on or each.arena.starts > 1 for each in watches))


if __name__ == "__main__":
    sys.exit(main())

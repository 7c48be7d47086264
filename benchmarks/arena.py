"""How many decisions a second go through an arena, beside what the same machine does without one.

    python -m benchmarks.arena [--seconds 3] [--rounds 2] [--at-once 1 64 256] [--sdk-only] [--before PYTHON]

The arena runs in one process with everything recorded, and bots that answer at once in another. It is compared, in the
same run and also between two processes, with a bare grpc.aio echo that sends batches of as many messages, built to the
same shape field by field. Others are bare ping-pong with a ready-made message, a POST over HTTP for every move, and
JSON lines over a pipe. Rows take turns, and each shows the best of its rounds, because the machine may be noisy. Look
at the ratios.

The rows with the SDK are two programs of it. `--before` names an interpreter in which an older Roost is installed: its
arena takes turns with ours, and so do its programs, at its own arena. A last table shows how soon a program pongs whose
bot computes 200 ms.
"""

import argparse
import asyncio
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from subprocess import PIPE, Popen
from time import perf_counter

import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena_rivals import (
    RawBot,
    echo_batches,
    echo_streams,
    http_per_move,
    json_lines,
    serve_echo,
    serve_http,
)
from benchmarks.arena_sdk import pong_times, sdk_rate
from roost_games.referee import Clock
from roost_sdk import Bot
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import grpc_links
from roost_server.accounts.limits import CallLimits
from roost_server.serving.server import ArenaServer, Hosting, collect_garbage_seldom
from roost_server.settings import Rules, Settings, tables_of
from roost_server.store import open_store

ALONE = Path(__file__).with_name("arena_alone.py")
CONCURRENT = (1, 4, 16, 64, 256)
IDLE_BOTS = 1000
BATCHED_STREAMS = 2
"""As many as there are bots in the arena's rows."""
PATIENT = Clock(decision_ms=60_000, bank_ms=600_000)


Play = Callable[[str, int, float], Awaitable[float]]
Rows = dict[str, Callable[[], Awaitable[float]]]
"""How each row is measured, by name."""


class AtOnce(Bot):
    """Answers at once with the last legal move: matches of a usual length, without any thinking."""

    def choose(self, view: object, legal: object) -> object:
        return legal[-1]  # type: ignore[index]


def arena_process(pipe: Connection, database: Path | None = None, tables: Sequence[Rules] = ()) -> None:
    """Be an arena until told to stop; answers every message with the size of this process in bytes.

    By default it has a new database, and tables of two for Karteneck.
    """
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{database or Path(folder) / 'arena.db'}"
        asyncio.run(_arena(pipe, url, tuple(tables) or tables_of(("karteneck",), (2,))))


async def _arena(pipe: Connection, url: str, tables: tuple[Rules, ...]) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    settings = Settings(
        tables, clock=PATIENT, max_matches_per_bot=1024, matches_at_once=1024, drain_seconds=0
    ).unpaced()
    with open_store(url) as store:
        server = ArenaServer(store, settings, "127.0.0.1:0", Hosting(calls=CallLimits(most=1_000_000)))
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(resident_bytes())
        await server.stop()


def resident_bytes() -> int:
    """How much memory this process has in use."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Process:
    """A process at the other end of a pipe, which first says where it listens."""

    def __init__(self, target: Callable[[Connection], None]) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=target, args=(theirs,))
        self._process.start()
        self._pid = self._process.pid or 0
        self.address = str(self.pipe.recv())

    def cpu(self) -> float:
        """How many seconds of a processor it has used."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """It does nothing while the block lasts."""
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)

    def memory(self) -> int:
        """How much memory it has in use."""
        self.pipe.send("memory")
        return int(self.pipe.recv())

    def stop(self) -> None:
        """End it."""
        self.pipe.send("stop")
        self._process.join(30)
        self._process.kill()


@contextmanager
def running(target: Callable[[Connection], None]) -> Iterator[Process]:
    """A process, which ends with the block."""
    process = Process(target)
    try:
        yield process
    finally:
        process.stop()


def spread(ratios: list[float]) -> str:
    """The median, and between which values half of them are."""
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


async def play_at_arena(address: str, matches: int, seconds: float) -> float:
    """Decisions a second in `matches` matches at once of two bots that speak the protocol and do little else."""
    bots = [RawBot(f"bot{number}", matches) for number in range(BATCHED_STREAMS)]
    playing = [asyncio.create_task(bot.play(address)) for bot in bots]
    return await _rate(lambda: [(bot.matches, bot.decisions) for bot in bots], playing, matches, seconds)


async def _rate(
    counts: Callable[[], list[tuple[int, int]]], playing: list[asyncio.Task[None]], matches: int, seconds: float
) -> float:
    """Decisions a second. `counts` gives the matches and decisions of each bot so far."""
    # Matches that begin together end together. After two of each, beginnings and ends are spread out.
    while not all(ended > 2 * matches for ended, _ in counts()):
        await asyncio.sleep(0.05)
    before, started = sum(decisions for _, decisions in counts()), perf_counter()
    await asyncio.sleep(seconds)
    rate = (sum(decisions for _, decisions in counts()) - before) / (perf_counter() - started)
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return rate


async def arena_rate(play: Play, matches: int, seconds: float) -> float:
    """A new arena, so that every row starts alike."""
    return await with_process(arena_process, lambda address: play(address, matches, seconds))


async def older_rate(play: Play, matches: int, seconds: float, python: str) -> float:
    """The same at an arena of another version, in whose interpreter it runs."""
    with Popen([python, str(ALONE)], stdin=PIPE, stdout=PIPE, text=True) as arena:
        assert arena.stdout is not None  # noqa: S101  it is a pipe
        address = arena.stdout.readline().strip()
        try:
            return await play(address, matches, seconds)
        finally:
            arena.communicate("")


async def with_process(target: Callable[[Connection], None], measure: Callable[[str], Awaitable[float]]) -> float:
    """Measure against a process that serves."""
    process = Process(target)
    try:
        return await measure(process.address)
    finally:
        process.stop()


def sdk_rows(seconds: float, at_once: Sequence[int], before: str | None) -> Rows:
    """The rows with the SDK, and with an older arena and SDK beside it."""
    table: Rows = {}
    for matches in at_once:
        if before is not None:
            older = partial(older_rate, partial(sdk_rate, python=before), matches, seconds, before)
            table[f"arena and SDK before, {matches} at once"] = older
        table[f"arena and SDK, {matches} at once"] = partial(arena_rate, sdk_rate, matches, seconds)
    return table


def rows(seconds: float, at_once: Sequence[int], before: str | None) -> Rows:
    """What else is measured, by name. What is compared runs side by side, so that a slow moment affects both."""
    table: Rows = {}
    for matches in at_once:
        if before is not None:
            older = partial(older_rate, play_at_arena, matches, seconds, before)
            table[f"arena before, {matches} at once"] = older
        table[f"arena, {matches} at once"] = partial(arena_rate, play_at_arena, matches, seconds)
        echo = partial(echo_batches, streams=BATCHED_STREAMS, at_once=matches, seconds=seconds)
        table[f"echo in batches, {matches} at once"] = partial(with_process, serve_echo, echo)
        if matches == 1:
            table["ping-pong, 1 stream"] = partial(
                with_process, serve_echo, partial(echo_streams, streams=1, seconds=seconds)
            )
    table["ping-pong, 64 streams"] = partial(
        with_process, serve_echo, partial(echo_streams, streams=64, seconds=seconds)
    )
    table["HTTP per move"] = partial(with_process, serve_http, partial(http_per_move, seconds=seconds))
    table["JSON lines over a pipe"] = partial(asyncio.to_thread, json_lines, seconds)
    return table


async def idle_memory(arena: Process, bots: int) -> float:
    """Bytes of the arena for each connected bot that has nothing to do."""
    before = arena.memory()
    clients = [Client(AtOnce, name=f"idle{n}", version="1", player_counts=[7]) for n in range(bots)]
    running = [asyncio.create_task(client.run(grpc_links(arena.address))) for client in clients]
    while not all(client.stats.connected for client in clients):
        await asyncio.sleep(0.1)
    await asyncio.sleep(2)
    grown = arena.memory() - before
    for client in clients:
        client.stop()
    await asyncio.gather(*running, return_exceptions=True)
    return grown / bots


async def match_memory(arena: Process, matches: int) -> float:
    """Bytes of the arena for each running match."""
    before = arena.memory()
    clients = [Client(AtOnce, name=f"busy{n}", version="1", max_matches=matches) for n in range(2)]
    running = [asyncio.create_task(client.run(grpc_links(arena.address))) for client in clients]
    await asyncio.sleep(3)
    grown = arena.memory() - before
    for client in clients:
        client.stop()
    await asyncio.gather(*running, return_exceptions=True)
    return grown / matches


async def memory_rows() -> dict[str, float]:
    """Kibibytes of the arena's memory."""
    arena = Process(arena_process)
    try:
        return {
            "running match (256 at once)": await match_memory(arena, 256) / 1024,
            f"idle bot ({IDLE_BOTS} connected)": await idle_memory(arena, IDLE_BOTS) / 1024,
        }
    finally:
        arena.stop()


def show(console: Console, best: dict[str, float]) -> None:
    """Print the rates and what they are of what they are compared with."""
    table = Table(
        "what", "decisions/s", "of the batched echo", "of ping-pong", "of 64 streams", "of HTTP", "now / before"
    )
    for name, rate in best.items():
        what, _, at_once = name.rpartition(", ")
        compared = (
            f"echo in batches, {at_once}",
            "ping-pong, 1 stream",
            "ping-pong, 64 streams",
            "HTTP per move",
            f"{what} before, {at_once}",
        )
        ratios = [f"{rate / best[other]:.2f}" if other in best else "" for other in compared]
        table.add_row(name, f"{rate:,.0f}", *(ratios if name.startswith("arena") else ()))
    console.print(table)


async def show_pongs(console: Console, pythons: dict[str, str]) -> None:
    """Print how many milliseconds pongs take of a program whose bot computes."""
    table = Table("pongs of a bot that computes 200 ms", "median", "99th percentile", "longest")
    for name, python in pythons.items():
        times = await pong_times(python)
        shown = times[len(times) // 2], times[len(times) * 99 // 100], times[-1]
        table.add_row(name, *(f"{ms:.1f} ms" for ms in shown))
    console.print(table)


async def show_memory(console: Console) -> None:
    """Print what connected bots and running matches take."""
    memory = Table("memory of the arena", "KiB")
    for name, size in (await memory_rows()).items():
        memory.add_row(name, f"{size:,.0f}")
    console.print(memory)


async def measure_all(console: Console, given: argparse.Namespace) -> None:
    """Measure everything and print it."""
    measured: dict[str, float] = {}
    asked = given.seconds, given.at_once, given.before
    wanted = {**({} if given.sdk_only else rows(*asked)), **sdk_rows(*asked)}
    for _ in range(given.rounds):
        for name, measure in wanted.items():
            console.print(f"measuring {name} ...", style="dim")
            measured[name] = max(measured.get(name, 0.0), await measure())
    show(console, measured)
    await show_pongs(console, {**({"before": given.before} if given.before else {}), "now": sys.executable})
    if not given.sdk_only:
        await show_memory(console)


def main() -> None:
    """Read the arguments, then measure in one event loop: gRPC does not like to be moved to another."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--at-once", type=int, nargs="+", default=CONCURRENT, help="how many matches at once")
    parser.add_argument("--sdk-only", action="store_true", help="measure only programs of the SDK")
    parser.add_argument("--before", metavar="PYTHON", help="an interpreter with an older Roost, to measure beside it")
    given = parser.parse_args()
    asyncio.run(measure_all(Console(), given))


if __name__ == "__main__":
    main()

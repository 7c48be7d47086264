"""What hosting costs: keys, TLS and metrics; how soon an arena is back after kill -9; how it serves crowds, and floods.

    python -m benchmarks.hosting [decisions|recovery|crowds|floods ...] [--seconds 3] [--rounds 2]

Rows that are compared take turns, and each shows the best of its rounds, because the machine may be noisy. Look at the
ratios. The arena is a process of its own, and what it needs of the processor for a decision is shown beside the rate:
that is hardly disturbed by other programs. A flood has five turns a round, each of a third of the seconds. Databases
are filled with copies of one match, with ids, bots and places of their own but without replays, which nothing here
reads.
"""

import argparse
import asyncio
import multiprocessing
import os
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import AtOnce
from benchmarks.crowd import show_crowds
from benchmarks.floods import show_floods
from roost_games.referee import Clock
from roost_sdk.arena import client
from roost_sdk.arena.client import Client
from roost_sdk.arena.credentials import Credentials
from roost_sdk.arena.link import grpc_links
from roost_server.accounts.keys import Scope, make_key
from roost_server.accounts.owners import add_bot, add_owner
from roost_server.competition import ledger
from roost_server.competition.file import parse_competition
from roost_server.serving.server import ArenaServer, Hosting, collect_garbage_seldom
from roost_server.serving.tls import make_certificate, server_credentials
from roost_server.settings import Settings, tables_of
from roost_server.store import Store, open_store

NAMES = ("one", "other")
MATCHES_AT_ONCE = 64
PATIENT = Clock(decision_ms=60_000, bank_ms=600_000)
COMPETITION = "bench"
FILE = f"""\
name = "{COMPETITION}"
games = [{{ game = "karteneck", players = [2] }}]
clock = {{ decision_ms = 60000, bank_ms = 600000 }}
spectators = {{ public = true }}
pace = {{ matches_per_hour = 100000000, matches_per_bot_hour = 100000000, arena_seconds_per_hour = 3600000 }}
phases = [{{ phase = "ladder" }}, {{ phase = "done" }}]
"""
FEW, MANY = 1_000, 100_000
BOTS = 20
BLOCKS = """
WITH RECURSIVE k(b) AS (SELECT 0 UNION ALL SELECT b + 1 FROM k WHERE b + 1 < :blocks)
INSERT INTO block (id, game, options, players, seed, rotation, created_ms, state, competition_id, phase, serial)
SELECT :name || '-ladder-' || b, 'karteneck', '{}', 2, :seed, 'cyclic', b, 'done', 1, 'ladder', b FROM k
"""
MEMBERS = """
INSERT INTO block_member (block_id, position, version_id)
SELECT id, p.position, 1 + (serial + p.position * (1 + (serial / :bots) % (:bots - 1))) % :bots
FROM block, (SELECT 0 AS position UNION ALL SELECT 1) AS p
"""
MATCHES = """
INSERT INTO match (number, id, block_id, rotation, game, options, players, seed, started_ms, ended_ms, termination)
SELECT 1 + 2 * serial + r.rotation, 'copy-' || serial || '-' || r.rotation, id, r.rotation, game, options, players,
    seed, serial, serial + 1, 'finished'
FROM block, (SELECT 0 AS rotation UNION ALL SELECT 1) AS r
"""
SEATS = """
INSERT INTO match_seat (match_number, seat, version_id, place, score, forfeited, faults, decisions, thinking_ms)
SELECT number, (p.position + rotation) % 2, CASE p.position WHEN 0 THEN a.version_id ELSE b.version_id END,
    1 + (p.position <> (number * 7919 % 97 >= 48 + a.version_id - b.version_id)), 5, 0, 0, 20, 2.0
FROM match
JOIN block_member AS a ON a.block_id = match.block_id AND a.position = 0
JOIN block_member AS b ON b.block_id = match.block_id AND b.position = 1,
(SELECT 0 AS position UNION ALL SELECT 1) AS p
"""


def prepare(folder: Path, matches: int = 0) -> dict[str, str]:
    """A database with a competition and finished matches on its ladder. Returns the keys of two more bots.

    Every bot has met every other one, and the later it came the better it is.
    """
    path = folder / "roost.db"
    with open_store(f"sqlite:///{path}") as store:
        for number in range(1, BOTS + 1):
            store.register_version(f"bot{number}", "1")
        competition = ledger.draw_up(store, parse_competition(FILE), FILE)
        keys = {name: _enter(store, competition, name) for name in NAMES}
    with closing(sqlite3.connect(path)) as connection, connection:
        names = {"blocks": matches // 2, "name": COMPETITION, "seed": "5e" * 32, "bots": BOTS}
        connection.execute("PRAGMA synchronous = OFF")
        for statement in (BLOCKS, MEMBERS, MATCHES, SEATS) if matches else ():
            connection.execute(statement, names)
    return keys


def _enter(store: Store, competition: ledger.Competition, name: str) -> str:
    add_owner(store, f"owner of {name}", "benchmark")
    bot = add_bot(store, f"owner of {name}", name, "benchmark")
    ledger.enter(store, competition, bot.id, bot.owner_id)
    return make_key(store, Scope.BOT, "benchmark", bot=name)


@dataclass(frozen=True)
class Hosted:
    """What is on."""

    keys: bool = False
    tls: bool = False
    metrics: bool = False


ROWS = {
    "open arena": Hosted(),
    "keys": Hosted(keys=True),
    "TLS": Hosted(tls=True),
    "metrics": Hosted(metrics=True),
    "keys, TLS and metrics": Hosted(keys=True, tls=True, metrics=True),
}


def arena_process(pipe: Connection, folder: Path, hosted: Hosted) -> None:
    """Be an arena until told to stop; answers every message with the time that the processor has spent here."""
    asyncio.run(_arena(pipe, folder, hosted))


async def _arena(pipe: Connection, folder: Path, hosted: Hosted) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    tables = tables_of(("karteneck",), (2,))
    settings = Settings(
        tables, clock=PATIENT, max_matches_per_bot=1024, matches_at_once=1024, drain_seconds=0
    ).unpaced()
    with open_store(f"sqlite:///{folder / 'roost.db'}") as store:
        hosting = Hosting(
            competitions=(ledger.find(store, COMPETITION),) if hosted.keys else (),
            credentials=server_credentials(*_certificate(folder)) if hosted.tls else None,
            metrics="127.0.0.1:0" if hosted.metrics else None,
        )
        server = ArenaServer(store, settings, "127.0.0.1:0", hosting)
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(process_time())
        server.hurry()
        await server.stop()


def _certificate(folder: Path) -> tuple[Path, Path]:
    return folder / "roost-cert.pem", folder / "roost-key.pem"


@dataclass(frozen=True)
class Rate:
    """How quick an arena was."""

    decisions: float
    """In a second."""
    cpu_us: float
    """Of the arena, for each."""


async def decision_rate(hosted: Hosted, seconds: float) -> Rate:
    """Decisions a second between two bots of the SDK that answer at once, in many matches."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = prepare(folder)
        make_certificate(folder, ["127.0.0.1"])
        pipe, theirs = multiprocessing.Pipe()
        process = multiprocessing.get_context("spawn").Process(target=arena_process, args=(theirs, folder, hosted))
        process.start()
        try:
            return await _measure(str(pipe.recv()), pipe, _credentials(hosted, keys, folder), seconds)
        finally:
            pipe.send("stop")
            process.join(30)
            process.kill()


def _credentials(hosted: Hosted, keys: dict[str, str], folder: Path) -> dict[str, Credentials]:
    ca = _certificate(folder)[0].read_bytes() if hosted.tls else None
    return {name: Credentials(key if hosted.keys else None, hosted.tls, ca) for name, key in keys.items()}


async def _measure(address: str, pipe: Connection, shown: dict[str, Credentials], seconds: float) -> Rate:
    bots = [Client(AtOnce, name=name, version="1", max_matches=MATCHES_AT_ONCE) for name in shown]
    playing = [asyncio.create_task(bot.run(grpc_links(address, shown[bot.name]))) for bot in bots]
    while not all(bot.stats.matches > 2 * MATCHES_AT_ONCE for bot in bots):
        await asyncio.sleep(0.05)
    begun = _reading(bots, pipe)
    await asyncio.sleep(seconds)
    decisions, cpu, passed = (after - before for after, before in zip(_reading(bots, pipe), begun, strict=True))
    for task in playing:
        task.cancel()
    await asyncio.gather(*playing, return_exceptions=True)
    return Rate(decisions / passed, cpu / decisions * 1e6)


def _reading(bots: list[Client], pipe: Connection) -> tuple[float, float, float]:
    """Decisions, the arena's processor time, the time."""
    pipe.send("how much")
    return sum(bot.stats.decisions for bot in bots), float(pipe.recv()), perf_counter()


async def show_decisions(console: Console, seconds: float, rounds: int) -> None:
    """What keys, TLS and metrics cost."""
    best: dict[str, Rate] = {}
    for _ in range(rounds):
        for name, hosted in ROWS.items():
            console.print(f"measuring {name} ...", style="dim")
            rate, before = await decision_rate(hosted, seconds), best.get(name)
            best[name] = (
                rate if before is None else Rate(max(rate.decisions, before.decisions), min(rate.cpu_us, before.cpu_us))
            )
    plain = best["open arena"]
    table = Table("hosting", "decisions/s", "of the open arena", "arena's CPU us/decision", "of the open arena")
    for name, rate in best.items():
        table.add_row(
            name,
            f"{rate.decisions:,.0f}",
            f"{rate.decisions / plain.decisions:.2f}",
            f"{rate.cpu_us:.1f}",
            f"{rate.cpu_us / plain.cpu_us:.2f}",
        )
    console.print(table)


@dataclass(frozen=True)
class Recovery:
    """How many seconds after the start of the process."""

    listening: float
    first_match: float


async def recovery(matches: int) -> Recovery:
    """Kill -9 an arena with a number of finished matches under load, and start it again."""
    client.LONGEST_PAUSE = 0.2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = prepare(folder, matches)
        (folder / "competition.toml").write_text(FILE)
        arena, address, _ = await _start(folder, "127.0.0.1:0")
        bots = [Client(AtOnce, name=name, version="1", max_matches=8) for name in keys]
        playing = [asyncio.create_task(bot.run(grpc_links(address, Credentials(keys[bot.name])))) for bot in bots]
        while not all(bot.stats.matches > 50 for bot in bots):
            await asyncio.sleep(0.05)
        arena.send_signal(signal.SIGKILL)
        await arena.wait()
        ended = bots[0].stats.matches
        begun = perf_counter()
        arena, _, listening = await _start(folder, address)
        while bots[0].stats.matches == ended:
            await asyncio.sleep(0.01)
        first_match = perf_counter() - begun
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        arena.kill()
        await arena.wait()
        return Recovery(listening, first_match)


async def _start(folder: Path, listen: str) -> tuple[asyncio.subprocess.Process, str, float]:
    """An arena, where it listens, and how many seconds it took to."""
    begun = perf_counter()
    command = (sys.executable, "-m", "roost_cli", "serve", str(folder / "competition.toml"), "--listen", listen)
    arena = await asyncio.create_subprocess_exec(
        *(*command, "--db", f"sqlite:///{folder / 'roost.db'}", "--log-level", "error"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert arena.stdout is not None  # noqa: S101  it is a pipe
    line = (await arena.stdout.readline()).decode()
    return arena, line.removeprefix("listening at ").partition(",")[0], perf_counter() - begun


async def show_recovery(console: Console, _: float, rounds: int) -> None:
    """How soon an arena is back."""
    best: dict[int, Recovery] = {}
    for _round in range(rounds):
        for matches in (FEW, MANY):
            console.print(f"killing an arena with {matches:,} matches ...", style="dim")
            found, before = await recovery(matches), best.get(matches)
            best[matches] = (
                found
                if before is None
                else Recovery(min(found.listening, before.listening), min(found.first_match, before.first_match))
            )
    table = Table("finished matches", "listening after s", "first match ended after s")
    for matches, each in best.items():
        table.add_row(f"{matches:,}", f"{each.listening:.2f}", f"{each.first_match:.2f}")
    few, many = best[FEW], best[MANY]
    table.add_row("ratio", f"{many.listening / few.listening:.2f}", f"{many.first_match / few.first_match:.2f}")
    console.print(table)


SECTIONS: dict[str, Callable[[Console, float, int], Awaitable[None]]] = {
    "decisions": show_decisions,
    "recovery": show_recovery,
    "crowds": show_crowds,
    "floods": show_floods,
}


async def measure(console: Console, names: list[str], seconds: float, rounds: int) -> None:
    """The sections asked for, in one event loop: gRPC does not like to be moved to another."""
    for name in names or SECTIONS:
        await SECTIONS[name](console, seconds, rounds)


def main() -> None:
    """Read the arguments, then measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    asyncio.run(measure(Console(), given.sections, given.seconds, given.rounds))


if __name__ == "__main__":
    main()

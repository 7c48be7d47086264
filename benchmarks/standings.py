"""How long standings take after a start, and what it costs to keep what they are made of.

    python -m benchmarks.standings [first|recording ...] [--matches 100000 1000000] [--seconds 12] [--rounds 2]

- first: the first answer of a process that opens a database. Before, it read all matches; now it begins with the sums
  that the database keeps. Both are timed side by side, and the ratings are compared. Then how long an answer takes when
  nothing is new, and how long an older database takes to be added up once.
- recording: matches recorded per second, in commits of 100, without and with sums that are saved every 5 seconds.
  Nothing else is done here, and an arena does much more for a match than record it, so this is the worst case.

Databases are filled with made-up results, without replays, which nothing here reads. The machine may be busy, so CPU
seconds are shown beside the clock.
"""

import argparse
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from itertools import count, product
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from roost.v1 import arena_pb2
from roost_ladder.rating.standings import Standing, standings
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.serving.saving import KEEP_SECONDS
from roost_server.store import BlockClosed, BlockState, NewBlock, Store, open_store, results
from roost_server.store.records import Change
from tests.support.records.matches import finished, played

EVERYTHING = arena_pb2.GetStandingsRequest()
SEED = "5e" * 32
COMMIT = 100
"""Matches per commit."""


class Field(NamedTuple):
    """Who plays at which tables."""

    players: int
    bots: int

    def __str__(self) -> str:
        return f"{self.bots} bots at tables of {self.players}"


FIELDS = (Field(2, 20), Field(4, 50))


class Spent(NamedTuple):
    """Seconds."""

    clock: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.clock:.2f} ({self.cpu:.2f})"


def spent(work: Callable[[], object]) -> Spent:
    """How long it takes."""
    clock, cpu = perf_counter(), process_time()
    work()
    return Spent(perf_counter() - clock, process_time() - cpu)


def fill(path: Path, field: Field, matches: int) -> None:
    """A database with finished blocks of random groups. The later a bot came the better it is."""
    with open_store(f"sqlite:///{path}") as store:
        for number in range(1, field.bots + 1):
            store.register_version(f"bot{number}", "1")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        rng = np.random.default_rng(1)
        for first in range(0, matches // field.players, 10_000):
            _add(connection, rng, field, range(first, min(first + 10_000, matches // field.players)))


def _add(connection: sqlite3.Connection, rng: np.random.Generator, field: Field, blocks: range) -> None:
    players = field.players
    groups = np.argsort(rng.random((len(blocks), field.bots)), axis=1)[:, :players]
    rotated = (np.arange(players)[:, None] + np.arange(players)) % players
    bots = groups[:, rotated]
    places = 1 + np.argsort(np.argsort(-(bots * 0.02 + rng.gumbel(size=bots.shape)), axis=2), axis=2)
    ids = [f"block {number}" for number in blocks]
    connection.executemany(
        "INSERT INTO block (id, game, options, players, seed, rotation, created_ms, state) "
        "VALUES (?, 'karteneck', '{}', ?, ?, 'cyclic', 0, 'done')",
        [(id, players, SEED) for id in ids],
    )
    numbers = [number * players + turn + 1 for number in blocks for turn in range(players)]
    connection.executemany(
        "INSERT INTO match (number, id, block_id, rotation, game, options, players, seed, started_ms, ended_ms, "
        "termination) VALUES (?, ?, ?, ?, 'karteneck', '{}', ?, ?, ?, ?, 'finished')",
        [
            (number, f"match {number}", block, turn, players, SEED, number * 100, number * 100)
            for number, (block, turn) in zip(numbers, product(ids, range(players)), strict=True)
        ],
    )
    seats = np.stack([bots + 1, places], axis=3).reshape(-1, players, 2).tolist()
    connection.executemany(
        "INSERT INTO match_seat (match_number, seat, version_id, place, score, forfeited, faults, decisions, "
        "thinking_ms) VALUES (?, ?, ?, ?, 5, 0, 0, 20, 2.0)",
        [
            (number, seat, bot, place)
            for number, table in zip(numbers, seats, strict=True)
            for seat, (bot, place) in enumerate(table)
        ],
    )


def show_first(console: Console, sizes: list[int]) -> None:
    """First answers, before and now."""
    table = Table("first standings, seconds (CPU)", "before", "now", "before / now", "nothing new ms", "added up once")
    for field in FIELDS:
        for matches in sizes:
            with tempfile.TemporaryDirectory() as name:
                path = Path(name) / "roost.db"
                console.print(f"filling a database: {matches:,} matches, {field} ...", style="dim")
                fill(path, field, matches)
                table.add_row(f"{matches:,} matches, {field}", *_compared(f"sqlite:///{path}"))
    console.print(table)


def _compared(url: str) -> list[str]:
    with open_store(url) as store:
        once = spent(Ratings(store).keep)
    with open_store(url, read_only=True) as store:
        found: list[list[Standing]] = []
        before = spent(lambda: found.append(_from_all_matches(store)))
        live = LiveAnswers(store)
        answers: list[arena_pb2.GetStandingsResponse] = []
        now = spent(lambda: answers.append(live.standings_of(EVERYTHING)))
        again = min(spent(lambda: live.standings_of(EVERYTHING)).clock for _ in range(5))
    worst = max(abs(one.rating - each.rating) for one, each in zip(answers[0].standings, found[0], strict=True))
    if worst > 1e-6:
        raise SystemExit(f"ratings differ by {worst}")
    return [str(before), str(now), f"{before.clock / now.clock:.0f}", f"{again * 1000:.1f}", str(once)]


def _from_all_matches(store: Store) -> list[Standing]:
    with store.reading() as reading:
        return standings([facts.result() for facts in results.facts(reading)])


def blocks_to_record() -> Iterator[list[Change]]:
    """Commits without end: blocks of two among 20 bots, all with the replay of one real match."""
    serial, rng, replay = count(), np.random.default_rng(1), played("sample")
    while True:
        changes: list[Change] = []
        for number in (next(serial) for _ in range(COMMIT // 2)):
            one, other = (1 + rng.permutation(20)[:2]).tolist()
            block = NewBlock(f"block {number}", "karteneck", {}, SEED, "cyclic", (one, other), number)
            matches = [replace(replay, match=f"{block.id} {turn}") for turn in range(2)]
            changes += [block, *(finished(match, block, turn) for turn, match in enumerate(matches))]
            changes.append(BlockClosed(block.id, BlockState.DONE))
        yield changes


@contextmanager
def keeping(store: Store) -> Iterator[None]:
    """Sums are saved every few seconds, as beside an arena, and at the end."""
    ratings, over = Ratings(store), threading.Event()

    def keep_on() -> None:
        while not over.wait(KEEP_SECONDS):
            ratings.keep()

    thread = threading.Thread(target=keep_on)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        ratings.keep()


class Rate(NamedTuple):
    """How fast matches are recorded."""

    matches: float
    """A second."""
    cpu_us: float
    """A match."""


def recorded(seconds: float, keep: bool) -> Rate:
    """Record for this time."""
    with tempfile.TemporaryDirectory() as name, open_store(f"sqlite:///{name}/roost.db") as store:
        for number in range(20):
            store.register_version(f"bot{number}", "1")
        commits, done = blocks_to_record(), 0
        clock, cpu = perf_counter(), process_time()
        with keeping(store) if keep else nullcontext():
            while perf_counter() < clock + seconds:
                store.commit(next(commits))
                done += COMMIT
        return Rate(done / (perf_counter() - clock), (process_time() - cpu) / done * 1e6)


def show_recording(console: Console, seconds: float, rounds: int) -> None:
    """Recording without and with sums; the rows take turns, and each shows its best round."""
    rates: dict[str, list[Rate]] = {"matches alone": [], f"sums saved every {KEEP_SECONDS:.0f} s": []}
    for _ in range(rounds):
        for number, found in enumerate(rates.values()):
            console.print("recording ...", style="dim")
            found.append(recorded(seconds, keep=bool(number)))
    best = {name: Rate(max(r.matches for r in found), min(r.cpu_us for r in found)) for name, found in rates.items()}
    plain = best["matches alone"]
    table = Table("recording", "matches/s", "of matches alone", "CPU us/match", "of matches alone")
    for name, rate in best.items():
        shares = (f"{rate.matches / plain.matches:.2f}", f"{rate.cpu_us / plain.cpu_us:.2f}")
        table.add_row(name, f"{rate.matches:,.0f}", shares[0], f"{rate.cpu_us:.1f}", shares[1])
    console.print(table)


def main() -> None:
    """Read the arguments, then measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=["first", "recording", []], metavar="SECTION")
    parser.add_argument("--matches", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=12.0)
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args()
    console = Console()
    if "first" in given.sections or not given.sections:
        show_first(console, given.matches)
    if "recording" in given.sections or not given.sections:
        show_recording(console, given.seconds, given.rounds)


if __name__ == "__main__":
    main()

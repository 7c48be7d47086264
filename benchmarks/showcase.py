"""How many matches bots should play at once: what the arena finds by measuring, beside fixed numbers.

    python -m benchmarks.showcase [--seconds 10] [--rounds 3] [--fields 0 1 2 3] [--fixed 1 4 16 64 128]

An arena and light bots of the SDK, each a process of its own, play Karteneck for two on this machine. Then two of the
bots think, one for 30 ms and one for 300 ms. What was late is counted by kind of bot, so that it can be compared with
what is late when a bot plays one match at a time. Every round plays all ways one after the other, in another order each
time, so that other work of the machine affects all of them.
"""

import argparse
import asyncio
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from random import Random
from statistics import median
from typing import Any, NamedTuple

import structlog
from rich.console import Console
from rich.table import Table

from benchmarks.arena import Process
from roost_sdk import Bot, Client
from roost_sdk.program import play
from roost_server.serving.server import ArenaServer, collect_garbage_seldom
from roost_server.settings import Settings, tables_of
from roost_server.store import open_store

FIXED = (1, 4, 16, 64, 128)
"""The numbers that are tried; 4 was the default of older versions."""
WARM_UP_SECONDS = 3.0
"""How long bots play before anything is counted: the arena begins with one match for each."""


class Light(Bot):
    """Answers at once."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return legal[-1]


class Thinks30(Light):
    """Computes for 30 ms."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return _thought(0.03, legal)


class Thinks300(Light):
    """Computes for 300 ms."""

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        return _thought(0.3, legal)


def _thought(seconds: float, legal: Sequence[Any]) -> Any:
    until = time.process_time() + seconds
    while time.process_time() < until:
        sum(number * number for number in range(100))
    return legal[-1]


FIELDS: dict[str, Sequence[type[Bot]]] = {
    "four light bots": (Light,) * 4,
    "eight light bots": (Light,) * 8,
    "four light bots, one that thinks 30 ms, one 300 ms": (*(Light,) * 4, Thinks30, Thinks300),
    "eight light bots, one that thinks 30 ms, one 300 ms": (*(Light,) * 8, Thinks30, Thinks300),
}


class Score(NamedTuple):
    """What was recorded while it was counted."""

    matches: Counter[str]
    """By kind of bot, the matches that its bots finished."""
    late: Counter[str]
    """By kind of bot, the answers that were too late."""


def arena_process(pipe: Connection, at_once: int | None) -> None:
    """Be an arena until told to stop; answers every message with what has been recorded."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_arena(pipe, Path(folder), at_once))


async def _arena(pipe: Connection, folder: Path, at_once: int | None) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    settings = Settings(tables_of(("karteneck",), (2,)), matches_at_once=at_once, drain_seconds=0).unpaced()
    matches, late = Counter[str](), Counter[str]()
    with open_store(f"sqlite:///{folder / 'arena.db'}") as store:
        server = ArenaServer(store, settings, "127.0.0.1:0")

        def recorded(replay: Any, _: float, *, named: bool = True) -> None:
            kinds = [seat.bot.rpartition("-")[0] for seat in replay.seats]
            matches.update(kinds)
            late.update(kinds[fault.seat] for fault in replay.result.faults if fault.kind == "late")

        server.arena.metrics.match_recorded = recorded  # type: ignore[assignment, method-assign]
        collect_garbage_seldom()
        await server.start()
        pipe.send(server.address)
        while await asyncio.to_thread(pipe.recv) != "stop":
            pipe.send(Score(Counter(matches), Counter(late)))
        server.hurry()
        await server.stop()


def bot_process(kind: type[Bot], number: int, address: str) -> None:
    """Be a bot until killed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    play(Client(kind, name=f"{kind.__name__}-{number}", version="1"), address)


def measure(field: Sequence[type[Bot]], at_once: int | None, seconds: float) -> Score:
    """What these bots play in `seconds`, with this many matches at once or by measure."""
    arena = Process(partial(arena_process, at_once=at_once))
    context = get_context("spawn")
    bots: list[SpawnProcess] = [
        context.Process(target=bot_process, args=(kind, number, arena.address)) for number, kind in enumerate(field)
    ]
    for bot in bots:
        bot.start()
    try:
        while not all(_score(arena).matches[kind.__name__] for kind in set(field) if kind is Light):
            time.sleep(0.1)
        time.sleep(WARM_UP_SECONDS)
        before = _score(arena)
        time.sleep(seconds)
        after = _score(arena)
    finally:
        for bot in bots:
            bot.kill()
            bot.join()
        arena.stop()
    return Score(after.matches - before.matches, after.late - before.late)


def _score(arena: Process) -> Score:
    arena.pipe.send("score")
    score: Score = arena.pipe.recv()
    return score


def show(
    console: Console, title: str, field: Sequence[type[Bot]], seconds: float, rounds: int, fixed: Sequence[int]
) -> None:
    """Play all ways in turn, and print the medians."""
    scores: defaultdict[int | None, list[Score]] = defaultdict(list)
    order = Random(title)
    for _ in range(rounds):
        ways = [None, *fixed]
        order.shuffle(ways)
        for at_once in ways:
            scores[at_once].append(measure(field, at_once, seconds))
    rates = {way: median(sum(score.matches.values()) / 2 / seconds for score in of) for way, of in scores.items()}
    totals = {way: Score(*(sum(counts, Counter()) for counts in zip(*of, strict=True))) for way, of in scores.items()}
    console.print(f"\n{title}; medians of {rounds} rounds of {seconds:.0f} s, with finished seats of each kind in all")
    console.print(_table(sorted({kind.__name__ for kind in field}), rates, totals))
    if 1 in fixed:
        console.print(late_beside_one_match(totals[None], totals[1]))


def _table(kinds: Sequence[str], rates: Mapping[int | None, float], totals: Mapping[int | None, Score]) -> Table:
    best = max(rate for way, rate in rates.items() if way is not None)
    of_kinds = [f"{kind}: {what}" for kind in kinds for what in ("matches", "late")]
    table = Table("at once", "matches/s", "of the best fixed number", *of_kinds)
    for way in sorted(rates, key=lambda way: way or 0):
        counts = [str(count[kind]) for kind in kinds for count in totals[way]]
        named = "by measure" if way is None else str(way)
        table.add_row(named, f"{rates[way]:.1f}", f"{rates[way] / best:.2f}", *counts)
    return table


def late_beside_one_match(measured: Score, one: Score) -> str:
    """Which kinds of bots are late in a larger share of their matches than when each plays one match at a time."""
    worse = [
        f"{kind} ({late} in {measured.matches[kind]} matches; one at a time: {one.late[kind]} in {one.matches[kind]})"
        for kind, late in sorted(measured.late.items())
        if late * one.matches[kind] > one.late[kind] * measured.matches[kind] or not one.late[kind]
    ]
    return f"Late more often by measure than with one match at a time: {', '.join(worse) or 'no kind of bot'}"


def main() -> None:
    """Print a table for each field."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    every = range(len(FIELDS))
    parser.add_argument("--fields", type=int, nargs="+", default=every, choices=every, help="which of the fields")
    parser.add_argument("--fixed", type=int, nargs="+", default=FIXED, help="which fixed numbers are tried")
    given = parser.parse_args()
    for number in given.fields:
        title, field = list(FIELDS.items())[number]
        show(Console(), title, field, given.seconds, given.rounds, given.fixed)


if __name__ == "__main__":
    main()

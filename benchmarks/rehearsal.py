"""Whole competitions from their file to a verified export, without a hand, beside what was forecast for them.

    python -m benchmarks.rehearsal [sixty|fours|knockout ...]

Bots answer at once. They share one process with the arena, so hours say little by themselves: they are compared with
the forecast at the pace that the ladder had in the same run. Exits with 1 if an export has a flaw, the finals were not
played as forecast, or pairs of a round robin met more often than others.
"""

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from math import comb
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import grpc
import structlog
from rich.console import Console
from rich.table import Table

from roost.v1 import play_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk.arena.credentials import Credentials
from roost_server.accounts.keys import Scope, make_key
from roost_server.accounts.owners import add_bot, add_owner
from roost_server.competition import ledger
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.forecast import PhaseForecast, check, forecast
from roost_server.competition.history import measured_pace
from roost_server.export.checker import check_export
from roost_server.export.writer import export
from roost_server.serving.server import ArenaServer, Hosting
from roost_server.settings import Settings
from roost_server.store import Store, open_store, queries

BOTS_PER_CHANNEL = 50
"""A connection carries the streams of this many bots."""
POLL_SECONDS = 0.2
NAME = "rehearsal"
FILE = """\
name = "rehearsal"
{games}
[clock]
decision_ms = 60000
[[phases]]
phase = "registration"
[[phases]]
phase = "ladder"
starts = {ladder}
[[phases]]
phase = "freeze"
starts = {freeze}
[[phases]]
phase = "finals"
starts = {finals}
{plan}
[[phases]]
phase = "done"
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A competition to rehearse."""

    bots: int
    games: str
    plan: str
    registration_seconds: float
    ladder_seconds: float

    def text(self, now: datetime) -> str:
        """Its file, if its arena starts now."""
        ladder = now + timedelta(seconds=self.registration_seconds)
        freeze = ladder + timedelta(seconds=self.ladder_seconds)
        times = {"ladder": ladder, "freeze": freeze, "finals": freeze + timedelta(seconds=2)}
        moments = {phase: at.isoformat(timespec="milliseconds") for phase, at in times.items()}
        return FILE.format(games=self.games, plan=self.plan, **moments)


CASES = {
    "sixty": Case(60, '[[games]]\ngame = "karteneck"\nplayers = [2]', 'schedule = "round-robin"', 8, 30),
    "fours": Case(64, '[[games]]\ngame = "karteneck"\nplayers = [4]', 'schedule = "round-robin"', 8, 30),
    "knockout": Case(500, '[[games]]\ngame = "karteneck"\nplayers = [2]', 'schedule = "knockout"', 60, 60),
}


class Outcome(NamedTuple):
    """What was forecast, and what happened."""

    forecast: PhaseForecast
    """Of the finals, at the pace of the ladder."""
    blocks: int
    matches: int
    hours: float
    disk_bytes: int
    export_bytes: int
    winner: str
    flaws: list[str]

    @property
    def as_forecast(self) -> bool:
        """Whether the finals had the blocks that were forecast; a knockout may have more."""
        wanted, most = self.forecast.matches or 0, self.forecast.most_matches or 0
        return wanted <= self.matches <= most and (wanted < most or self.blocks == self.forecast.blocks)


class InstantBot:
    """A bot that plays a random legal move at once."""

    def __init__(self, channel: grpc.aio.Channel, name: str, key: str) -> None:
        stub: Any = ArenaStub(channel)  # type: ignore[no-untyped-call,unused-ignore]
        self._call = stub.Play(metadata=Credentials(key).metadata())
        self._rng = Random(name)
        self._hello = play_pb2.Hello(name=name, version="1", wants_legal=True, max_matches=2)

    async def play(self) -> None:
        """Until the arena ends the stream."""
        try:
            await self._call.write(play_pb2.BotMessage(hello=self._hello))
            while (message := await self._call.read()) is not grpc.aio.EOF:
                await self._answer(message)
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            return

    async def _answer(self, message: play_pb2.ArenaMessage) -> None:
        answers = [
            play_pb2.Answer(match=each.match, request=each.request, move=self._rng.choice(each.legal))
            for each in message.decisions
        ]
        ready = [started.match for started in message.started]
        if answers or ready or message.ping:
            await self._call.write(play_pb2.BotMessage(ready=ready, answers=answers, pong=message.ping))


@asynccontextmanager
async def bots_at(address: str, keys: Sequence[tuple[str, str]]) -> AsyncIterator[None]:
    """All bots play, several on a connection."""
    own = (("grpc.use_local_subchannel_pool", 1),)
    channels = [grpc.aio.insecure_channel(address, options=own) for _ in range(0, len(keys), BOTS_PER_CHANNEL)]
    bots = [InstantBot(channels[at // BOTS_PER_CHANNEL], *key) for at, key in enumerate(keys)]
    playing = [asyncio.create_task(bot.play()) for bot in bots]
    try:
        yield
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        for channel in channels:
            await channel.close()


def enter(store: Store, competition: ledger.Competition, number: int) -> tuple[str, str]:
    """One more bot, of an owner of its own. Returns its name and key."""
    name = f"bot-{number:03}"
    add_owner(store, f"owner of {name}", "rehearsal")
    bot = add_bot(store, f"owner of {name}", name, "rehearsal")
    ledger.enter(store, competition, bot.id, bot.owner_id)
    return name, make_key(store, Scope.BOT, "rehearsal", bot=name)


async def rehearse(case: Case, folder: Path) -> Outcome:
    """Play a competition in a new database in `folder`, export and verify it."""
    text = case.text(datetime.now(UTC))
    file = parse_competition(text)
    check(forecast(file, [f"owner {number}" for number in range(case.bots)]))
    with open_store(f"sqlite:///{folder}/roost.db") as store:
        competition = ledger.draw_up(store, file, text)
        keys = [enter(store, competition, number) for number in range(case.bots)]
        server = ArenaServer(store, Settings(), "127.0.0.1:0", Hosting(competitions=(competition,)))
        await server.start()
        try:
            async with bots_at(server.address, keys):
                await _phase(store, PhaseName.FINALS)
                before, pace = store.size(), measured_pace(store)
                await _phase(store, PhaseName.DONE)
        finally:
            server.hurry()
            await server.stop()
        expected = forecast(file, [f"owner {number}" for number in range(case.bots)], *([pace] if pace else []))
        return await asyncio.to_thread(_outcome, store, expected.phases[-1], before, folder)


async def _phase(store: Store, phase: PhaseName) -> None:
    while ledger.find(store, NAME).phase != phase:
        await asyncio.sleep(POLL_SECONDS)


def _outcome(store: Store, expected: PhaseForecast, before: int, folder: Path) -> Outcome:
    size = store.size() - before
    export(store, NAME, folder / "export")
    with store.reading() as reading:
        competition = ledger.read(reading, NAME)
        begun = {phase: at for phase, at, _ in ledger.phase_changes(reading, competition.id)}
        finals = [b for b in queries.finished_blocks(reading, competition.id) if b.phase == PhaseName.FINALS]
    matches = sum(len(block.matches) for block in finals)
    lines = (folder / "export/matches.jsonl").read_bytes()
    of_export = len(lines) * matches / lines.count(b"\n")
    result = (folder / "export/result.csv").read_text(encoding="utf-8").splitlines()
    flaws = [str(flaw) for flaw in check_export(folder / "export")]
    return Outcome(
        forecast=expected,
        blocks=len(finals),
        matches=matches,
        hours=(begun[PhaseName.DONE] - begun[PhaseName.FINALS]).total_seconds() / 3600,
        disk_bytes=size,
        export_bytes=int(of_export),
        winner=result[1].split(",")[1],
        flaws=[*flaws, *(_uneven(finals) if expected.schedule == "round-robin" else ())],
    )


def _uneven(blocks: Sequence[queries.BlockOnRecord]) -> Iterator[str]:
    """What is wrong if not all pairs of bots have met equally often at each size of table."""
    for players in sorted({len(block.version_ids) for block in blocks}):
        at_table = [block.version_ids for block in blocks if len(block.version_ids) == players]
        met = Counter(frozenset(pair) for group in at_table for pair in combinations(group, 2))
        bots = len({bot for group in at_table for bot in group})
        if len(met) < comb(bots, 2) or len(set(met.values())) > 1:
            yield f"at tables of {players}, pairs have met {min(met.values())} to {max(met.values())} times"


def show(console: Console, name: str, case: Case, outcome: Outcome) -> None:
    """The forecast of the finals beside what happened."""
    table = Table(title=f"{name}: {case.bots} bots, won by {outcome.winner}, {len(outcome.flaws)} flaws")
    for column in ("finals", "forecast", "happened", "ratio"):
        table.add_column(column, justify="left" if column == "finals" else "right")
    expected = outcome.forecast
    rows = [
        ("blocks", expected.blocks or 0, outcome.blocks),
        ("matches", expected.matches or 0, outcome.matches),
        ("minutes, at the ladder's pace", (expected.hours or 0) * 60, outcome.hours * 60),
        ("megabytes in the database", expected.disk_bytes / 1e6, outcome.disk_bytes / 1e6),
        ("megabytes in the export", expected.export_bytes / 1e6, outcome.export_bytes / 1e6),
    ]
    for what, said, true in rows:
        table.add_row(what, f"{said:,.4g}", f"{true:,.4g}", f"{true / said:.2f}" if said else "")
    console.print(table)
    for flaw in outcome.flaws:
        console.print(f"WRONG: {flaw}", style="red", soft_wrap=True)


def main() -> int:
    """Rehearse the cases that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; all of them by default")
    asked = parser.parse_args().cases or list(CASES)
    if unknown := sorted(set(asked) - CASES.keys()):
        parser.error(f"there is no case {unknown[0]}; the cases are: {', '.join(CASES)}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    console, right = Console(highlight=False), True
    for name in asked:
        with tempfile.TemporaryDirectory(prefix="roost-rehearsal-") as folder:
            outcome = asyncio.run(rehearse(CASES[name], Path(folder)))
        show(console, name, CASES[name], outcome)
        right &= outcome.as_forecast and not outcome.flaws
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

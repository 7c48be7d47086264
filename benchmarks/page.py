"""How many pages a second an arena's page serves, and what its visitors cost the arena.

    python -m benchmarks.page [pages|visitors ...] [--matches 100000] [--seconds 4] [--rounds 3] [--turns 20]

- pages: standings, a match and a bot with 100,000 matches on record, at an arena that goes on recording. Beside each, a
  plain FastAPI page that returns the same bytes ready-made from the same web server: what there is to reach.
- visitors: the arena's decisions a second without visitors, and while 500 people watch one live match and others look
  at pages. Visitors, page and arena share one machine here, so the same crowd also visits a plain page that never asks
  the arena: what the arena's page costs beyond that is what it asks.

Arena, page and visitors are processes of their own. In the second section the page has the low priority that
`roost serve --web` gives it, and the visitors too, because they would be elsewhere. The machine may be noisy, so what
is compared takes turns. In the first section each row shows the best of its rounds. In the second, visitors and page
are frozen every few seconds, until the match that they watch is over. Each row shows medians; for the ratios of
neighbouring turns it also shows the quartiles. Processor time is disturbed less by other programs. Look at the ratios.
"""

import argparse
import asyncio
import logging
import os
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from threading import Thread
from time import perf_counter
from typing import Any, NamedTuple

import grpc
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, StreamingResponse
from rich.console import Console
from rich.table import Table

from benchmarks.arena import Process, arena_process, running, spread
from benchmarks.arena_rivals import RawBot
from benchmarks.page_visitors import Browser, Crowd, Heard, Visit, crowded, visitors
from benchmarks.standings import Field, fill
from roost.v1 import arena_pb2
from roost.v1.arena_pb2_grpc import ArenaStub
from roost_sdk import Bot
from roost_sdk.arena.client import Client
from roost_sdk.arena.link import grpc_links
from roost_server.serving.children import PAGE_PRIORITY
from roost_server.settings import tables_of
from roost_web.app import create_app
from roost_web.serving import listen, serve_page, url_of
from roost_web.settings import PageSettings

FIELD = Field(2, 20)
TABLES = (*tables_of(("karteneck",), (2,)), *tables_of(("bratwurmeck",), (7,)))
PACKED = ("Accept-Encoding: gzip",)
VIEWERS = 500
PAGES_PER_SECOND = 100.0
MATCHES_AT_ONCE = 64
STEPS_LATER = 5
"""The first event of a match that one begins to watch has everything so far; later ones have a step."""
LIVE_SECONDS = 0.2
"""Between two steps of the match that is watched, and between two events of the plain page."""
SETTLE_SECONDS = 0.5
"""After visitors have come or gone."""


NICE = int(PAGE_PRIORITY[-1])
SERIAL = count()


class Paced(Bot):
    """Takes its time, so that a match can be watched."""

    pause = LIVE_SECONDS

    async def choose(self, view: Any, legal: Any) -> Any:
        await asyncio.sleep(self.pause)
        return legal[-1]


class Quicker(Paced):
    """Ends a match every second or so."""

    pause = 0.02


def page_process(pipe: Connection, server: str, nice: int = 0) -> None:
    """Be the page of an arena until told to stop."""
    os.nice(nice)
    _serve(pipe, create_app(PageSettings(server)))


def plain_process(pipe: Connection, bodies: Mapping[str, bytes], event: bytes, nice: int = 0) -> None:
    """Be a plain FastAPI application with ready-made pages, and a stream of events, until told to stop."""
    os.nice(nice)
    app = FastAPI()

    @app.get("/live")
    async def live() -> StreamingResponse:
        return StreamingResponse(_events(event), media_type="text/event-stream")

    @app.get("/{name}")
    async def page(name: str) -> HTMLResponse:
        return HTMLResponse(bodies[name])

    _serve(pipe, app)


async def _events(event: bytes) -> AsyncIterator[bytes]:
    while True:
        yield event
        await asyncio.sleep(LIVE_SECONDS)


def _serve(pipe: Connection, app: FastAPI) -> None:
    logging.disable()
    Thread(target=_stop_when_told, args=(pipe,), daemon=True).start()
    with listen("127.0.0.1:0") as listener:
        pipe.send(url_of(listener).removeprefix("http://").rstrip("/"))
        serve_page(app, listener)


def _stop_when_told(pipe: Connection) -> None:
    with suppress(EOFError):
        pipe.recv()
    os.kill(os.getpid(), signal.SIGTERM)


@asynccontextmanager
async def playing(address: str, bot: type[Bot], game: str, players: int, bots: int) -> AsyncIterator[list[Client]]:
    """Bots of the SDK that play one game while the block lasts."""
    clients = [
        Client(bot, name=f"paced{next(SERIAL)}", version="1", games=[game], player_counts=[players], max_matches=2)
        for _ in range(bots)
    ]
    tasks = [asyncio.create_task(client.run(grpc_links(address))) for client in clients]
    try:
        yield clients
    finally:
        for client in clients:
            client.stop()
        await asyncio.gather(*tasks, return_exceptions=True)


async def a_match(address: str, request: arena_pb2.ListMatchesRequest, besides: str = "") -> str:
    """The newest match like this, once there is another one than `besides`."""
    async with grpc.aio.insecure_channel(address) as channel:
        newest = besides
        while newest == besides:
            await asyncio.sleep(0.1)
            newest = next((each.match_id for each in (await ArenaStub(channel).ListMatches(request)).matches), besides)
        return newest


class Speed(NamedTuple):
    """How fast pages come."""

    pages: float
    """A second."""
    cpu_us: float
    """The server's processor time for a page."""


async def speed(crowd: Process, server: Process, visit: Visit) -> Speed:
    """Ask for a page as fast as it comes."""
    before = server.cpu()
    crowd.pipe.send(visit)
    pages = float(await asyncio.to_thread(crowd.pipe.recv))
    return Speed(pages, (server.cpu() - before) / (pages * visit.seconds) * 1e6)


async def body_of(address: str, path: str, headers: tuple[str, ...] = ()) -> bytes:
    """What a page sends."""
    browser = Browser(address)
    await browser.connect()
    status, body = await browser.get(path, headers)
    browser.leave()
    if status != 200:
        raise SystemExit(f"{path}: status {status}")
    return body


class Row(NamedTuple):
    """A page to ask for."""

    path: str
    headers: tuple[str, ...] = ()


async def show_pages(console: Console, database: Path, seconds: float, rounds: int) -> None:
    """Pages a second, each beside a plain page."""
    with running(partial(arena_process, database=database, tables=TABLES)) as arena:
        async with playing(arena.address, Quicker, "karteneck", 2, 2) as bots:
            match_id = await a_match(arena.address, arena_pb2.ListMatchesRequest(limit=1, bot=bots[0].name))
            rows = {
                "standings": Row("/standings"),
                "standings, compressed": Row("/standings", PACKED),
                "a match": Row(f"/matches/{match_id}", PACKED),
                "a bot": Row("/bots/bot1", PACKED),
            }
            with running(partial(page_process, server=arena.address)) as page:
                found = await _alternating(console, page, rows, seconds, rounds)
    table = Table("pages", "bytes", "pages/s", "plain", "of plain", "CPU us/page", "plain", "of plain")
    for name, (size, ours, plain) in found.items():
        table.add_row(
            name,
            f"{size:,}",
            *(f"{ours.pages:,.0f}", f"{plain.pages:,.0f}", f"{ours.pages / plain.pages:.2f}"),
            *(f"{ours.cpu_us:,.0f}", f"{plain.cpu_us:,.0f}", f"{plain.cpu_us / ours.cpu_us:.2f}"),
        )
    console.print(table)


async def _alternating(
    console: Console, page: Process, rows: Mapping[str, Row], seconds: float, rounds: int
) -> dict[str, tuple[int, Speed, Speed]]:
    """By page: its size, its best speed, and that of a plain page."""
    sizes = {name: await body_of(page.address, row.path, row.headers) for name, row in rows.items()}
    bodies = {str(number): body for number, body in enumerate(sizes.values())}
    found: dict[str, tuple[list[Speed], list[Speed]]] = {name: ([], []) for name in rows}
    with running(partial(plain_process, bodies=bodies, event=b"")) as plain, running(visitors) as crowd:
        for _ in range(rounds):
            for number, (name, row) in enumerate(rows.items()):
                console.print(f"{name} ...", style="dim")
                ours, theirs = found[name]
                ours.append(await speed(crowd, page, Visit(page.address, row.path, row.headers, seconds)))
                theirs.append(await speed(crowd, plain, Visit(plain.address, f"/{number}", (), seconds)))
    return {name: (len(sizes[name]), _best(ours), _best(theirs)) for name, (ours, theirs) in found.items()}


def _best(speeds: list[Speed]) -> Speed:
    return Speed(max(each.pages for each in speeds), min(each.cpu_us for each in speeds))


class Load(NamedTuple):
    """What an arena did in some seconds."""

    decisions: float
    """A second."""
    cpu_us: float
    """The arena's processor time for a decision."""


class Visited(NamedTuple):
    """An arena without and with visitors, in turns, and what these were sent."""

    turns: list[tuple[Load, Load]]
    heard: Heard


async def show_visitors(console: Console, database: Path, seconds: float, turns: int) -> None:
    """Decisions a second, without and with visitors."""
    with (
        running(partial(arena_process, database=database, tables=TABLES)) as arena,
        running(partial(visitors, nice=NICE)) as people,
        running(partial(page_process, server=arena.address, nice=NICE)) as page,
    ):
        async with (
            playing(arena.address, Paced, "bratwurmeck", 7, 7) as watched,
            answering_at_once(arena.address) as bots,
        ):
            found = {}
            async for name, server, crowd, match_id in _crowds(arena, page, watched[0].name):
                console.print(f"visitors of {name} come ...", style="dim")
                loads: list[tuple[Load, Load]] = []
                async with crowded(people, crowd) as heard:
                    while len(loads) < turns:
                        turn = await _turn(arena, bots, (server, people), seconds)
                        if match_id and not await _runs(arena.address, match_id):
                            break  # there was nothing left to watch in this turn
                        loads.append(turn)
                found[name] = Visited(loads, heard[0])
    _show_visited(console, found)


async def _crowds(arena: Process, page: Process, bot: str) -> AsyncIterator[tuple[str, Process, Crowd, str | None]]:
    """The same visitors, of a plain page and of the arena's. These watch a match of this bot, and need it to go on."""
    request = arena_pb2.ListMatchesRequest(limit=1, bot=bot, running=True)
    match_id = await a_match(arena.address, request)
    live, paths = _watching(match_id)
    bodies = {str(number): await body_of(page.address, path) for number, path in enumerate(paths)}
    event = await _an_event(page.address, live)
    with running(partial(plain_process, bodies=bodies, event=event, nice=NICE)) as plain:
        ready_made = tuple(f"/{name}" for name in bodies)
        yield "a plain page", plain, Crowd(plain.address, "/live", VIEWERS, ready_made, PAGES_PER_SECOND), None
    match_id = await a_match(arena.address, request, besides=match_id)  # one that has just begun
    live, paths = _watching(match_id)
    yield "the arena's page", page, Crowd(page.address, live, VIEWERS, paths, PAGES_PER_SECOND), match_id


def _watching(match_id: str) -> tuple[str, tuple[str, ...]]:
    """What viewers of a match ask for, and the pages of others."""
    return f"/matches/{match_id}/live", ("/standings", f"/matches/{match_id}", "/bots/bot1")


async def _an_event(address: str, path: str) -> bytes:
    """What a viewer is sent for a step of a running match."""
    browser = Browser(address)
    await browser.connect()
    browser.ask(path)
    seen = 0
    while some := await browser.some():
        seen += b"data:" in some
        if seen == STEPS_LATER:
            browser.leave()
            return b"data:" + some.partition(b"data:")[2].rpartition(b"\n\n")[0] + b"\n\n"
    raise SystemExit(f"{path} ended: the match is over")


@asynccontextmanager
async def answering_at_once(address: str) -> AsyncIterator[list[RawBot]]:
    """Two bots that keep the arena busy while the block lasts."""
    bots = [RawBot(f"raw{next(SERIAL)}", MATCHES_AT_ONCE) for _ in range(2)]
    tasks = [asyncio.create_task(bot.play(address)) for bot in bots]
    while any(bot.matches < 2 * MATCHES_AT_ONCE for bot in bots):
        await asyncio.sleep(0.05)
    yield bots
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _turn(
    arena: Process, bots: list[RawBot], visiting: tuple[Process, Process], seconds: float
) -> tuple[Load, Load]:
    """Without visitors, because they and their page are frozen, and then with them."""
    with ExitStack() as frozen:
        for process in visiting:
            frozen.enter_context(process.frozen())
        without = await _load(arena, bots, seconds)
    return without, await _load(arena, bots, seconds)


async def _load(arena: Process, bots: list[RawBot], seconds: float) -> Load:
    await asyncio.sleep(SETTLE_SECONDS)
    before, cpu, started = sum(bot.decisions for bot in bots), arena.cpu(), perf_counter()
    await asyncio.sleep(seconds)
    decisions, took = sum(bot.decisions for bot in bots) - before, perf_counter() - started
    return Load(decisions / took, (arena.cpu() - cpu) / max(decisions, 1) * 1e6)


async def _runs(address: str, match_id: str) -> bool:
    async with grpc.aio.insecure_channel(address) as channel:
        answer = await ArenaStub(channel).GetMatch(arena_pb2.GetMatchRequest(match_id=match_id))
    return not answer.match.HasField("result")


def _show_visited(console: Console, found: Mapping[str, Visited]) -> None:
    table = Table(
        "visitors of", "turns", "decisions/s", "with them", "ratio", "CPU us/decision", "with them", "ratio", "sent"
    )
    for name, (every, heard) in found.items():
        # In a turn without any decision other programs had all processors.
        turns = [turn for turn in every if all(load.decisions for load in turn)]
        without, visited = zip(*turns, strict=True)
        table.add_row(
            name,
            str(len(turns)),
            *(f"{median(load.decisions for load in loads):,.0f}" for loads in (without, visited)),
            spread([two.decisions / one.decisions for one, two in turns]),
            *(f"{median(load.cpu_us for load in loads):.1f}" for loads in (without, visited)),
            spread([two.cpu_us / one.cpu_us for one, two in turns]),
            f"{heard.events:,} events, {heard.pages:,} pages",
        )
    console.print(table)
    if any(visited.heard.refused for visited in found.values()):
        raise SystemExit("some pages were refused")


async def measure(sections: list[str], matches: int, seconds: float, rounds: int, turns: int) -> None:
    """Fill a database, then measure."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "roost.db"
        console.print(f"filling a database: {matches:,} matches, {FIELD} ...", style="dim")
        fill(database, FIELD, matches)
        if "pages" in sections or not sections:
            await show_pages(console, database, seconds, rounds)
        if "visitors" in sections or not sections:
            await show_visitors(console, database, seconds, turns)


def main() -> None:
    """Read the arguments, then measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=["pages", "visitors", []], metavar="SECTION")
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=20, help="at most")
    given = parser.parse_args()
    asyncio.run(measure(given.sections, given.matches, given.seconds, given.rounds, given.turns))


if __name__ == "__main__":
    main()

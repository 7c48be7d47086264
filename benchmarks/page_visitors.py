"""Visitors for `benchmarks/page.py`: a process that asks for pages and watches matches, as cheaply as it can."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from time import perf_counter
from typing import NamedTuple

from benchmarks.arena import Process

CONNECTIONS = 8
LENGTH = b"content-length: "
NOT_MODIFIED = b"HTTP/1.1 304"


class Visit(NamedTuple):
    """Ask for a page again and again, as fast as it comes."""

    address: str
    path: str
    headers: tuple[str, ...] = ()
    seconds: float = 3.0


class Crowd(NamedTuple):
    """Watch a match while others look at pages at an even pace, until told to stop."""

    address: str
    live: str
    """The path of the stream of the match."""
    viewers: int
    paths: tuple[str, ...]
    pages_per_second: float


class Heard(NamedTuple):
    """What the crowd was sent."""

    events: int
    """Pieces of a running match, by all viewers."""
    pages: int
    refused: int
    """Pages with an error instead."""


def visitors(pipe: Connection, nice: int = 0) -> None:
    """Visit what is told, until `stop`."""
    os.nice(nice)
    pipe.send("ready")
    while (told := pipe.recv()) != "stop":
        if isinstance(told, Visit):
            pipe.send(asyncio.run(_visit(told)))
        else:
            pipe.send(asyncio.run(_gather(told, pipe)))


class Browser:
    """A connection that is kept open."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def connect(self) -> None:
        """Connect."""
        host, _, port = self._address.rpartition(":")
        self._reader, self._writer = await asyncio.open_connection(host, int(port))

    async def get(self, path: str, headers: tuple[str, ...] = ()) -> tuple[int, bytes]:
        """Status and body of a page."""
        self.ask(path, headers)
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head[9:12])
        if head.startswith(NOT_MODIFIED):
            return status, b""
        start = head.lower().index(LENGTH) + len(LENGTH)
        return status, await self._reader.readexactly(int(head[start : head.index(b"\r", start)]))

    def ask(self, path: str, headers: tuple[str, ...] = ()) -> None:
        """Send a request."""
        lines = (f"GET {path} HTTP/1.1", f"Host: {self._address}", *headers, "", "")
        self._writer.write("\r\n".join(lines).encode())

    async def some(self) -> bytes:
        """What comes next; nothing at the end."""
        return await self._reader.read(65536)

    def leave(self) -> None:
        """Close the connection."""
        self._writer.close()


async def _visit(visit: Visit) -> float:
    """Pages a second."""
    done, started = 0, perf_counter()
    end = started + visit.seconds

    async def one() -> None:
        nonlocal done
        browser = Browser(visit.address)
        await browser.connect()
        while perf_counter() < end:
            status, _ = await browser.get(visit.path, visit.headers)
            if status not in (200, 304):
                raise SystemExit(f"{visit.path}: status {status}")
            done += 1
        browser.leave()

    await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return done / (perf_counter() - started)


async def _gather(crowd: Crowd, pipe: Connection) -> Heard:
    """Everybody at once. Says when all are there."""
    watching = Watching(crowd)
    await watching.begin()
    pipe.send("all are there")
    looking = asyncio.create_task(watching.look_at_pages())
    await asyncio.to_thread(pipe.recv)
    looking.cancel()
    await watching.end()
    return Heard(watching.events, watching.pages, watching.refused)


class Watching:
    """The crowd."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._tasks: list[asyncio.Task[None]] = []
        self.events = self.pages = self.refused = 0

    async def begin(self) -> None:
        """Wait until every viewer has been sent something."""
        there = [asyncio.Event() for _ in range(self._crowd.viewers)]
        self._tasks = [asyncio.create_task(self._watch(each)) for each in there]
        for each in there:
            await each.wait()

    async def _watch(self, there: asyncio.Event) -> None:
        while True:
            browser = Browser(self._crowd.address)
            await browser.connect()
            browser.ask(self._crowd.live)
            while some := await browser.some():
                there.set()
                self.events += some.count(b"data:")
            browser.leave()
            await asyncio.sleep(1.0)

    async def look_at_pages(self) -> None:
        """Several people, each at an even pace; pages that are late are not made up for."""
        await asyncio.gather(*(self._look(number) for number in range(CONNECTIONS)))

    async def _look(self, number: int) -> None:
        browser, paths = Browser(self._crowd.address), self._crowd.paths
        await browser.connect()
        while True:
            next_one = asyncio.get_running_loop().time() + CONNECTIONS / self._crowd.pages_per_second
            status, _ = await browser.get(paths[number % len(paths)])
            self.pages += 1
            self.refused += status != 200
            number += 1
            await asyncio.sleep(next_one - asyncio.get_running_loop().time())

    async def end(self) -> None:
        """Everybody leaves."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def crowded(process: Process, crowd: Crowd) -> AsyncIterator[list[Heard]]:
    """The crowd is there while the block lasts; what it was sent is in the list afterwards."""
    heard: list[Heard] = []
    process.pipe.send(crowd)
    await asyncio.to_thread(process.pipe.recv)
    yield heard
    process.pipe.send("leave")
    heard.append(await asyncio.to_thread(process.pipe.recv))

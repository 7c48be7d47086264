"""Records without an arena, for the page: the reading half of the contract on loopback, and the page beside it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import grpc

from roost_games.errors import RoostError
from roost_sdk.processes import GuardedProcess, Processes
from roost_sdk.replay_files import Progress
from roost_server.answers.ratings import Ratings, everything
from roost_server.export.loader import loaded
from roost_server.serving.children import Children, PageBeside, kept_running
from roost_server.serving.logs import warnings_only
from roost_server.serving.reading import ReadingService
from roost_server.serving.server import CLOSE_SECONDS, LOCAL_PORT, STOP_SIGNALS
from roost_server.store import Store, open_store


def records_in(folder: Path | None, url: str, progress: Progress) -> AbstractContextManager[Store]:
    """The export of a competition in a folder, or else the records of a database; to be opened."""
    return open_store(url, read_only=True) if folder is None else loaded(folder, progress)


@asynccontextmanager
async def records_served(store: Store, ratings: Ratings | None = None) -> AsyncIterator[str]:
    """Answer what anybody may ask an arena from a store alone, on this machine only. Gives the address."""
    server = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    service = ReadingService(store, ratings=ratings)
    server.add_generic_rpc_handlers((service.handler(),))
    port = server.add_insecure_port(LOCAL_PORT)
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(CLOSE_SECONDS)
        service.close()


def show_records(records: AbstractContextManager[Store], page: PageBeside, begin: Callable[[], None]) -> None:
    """Show records on a page until SIGTERM or SIGINT. Raises `RoostError` if they cannot be read.

    `begin` is called when they are shown.
    """
    with warnings_only(), kept_running() as children, records as store:
        asyncio.run(_show(store, loaded_ratings(store), page, children, begin))


def write_records(records: AbstractContextManager[Store], web: Sequence[str], folder: Path) -> str:
    """Write records as files into a new folder, given the words that run `roost web`. Returns what that prints.

    Raises `RoostError` with the reason if the records cannot be read, or the files not written.
    """
    with warnings_only(), Processes() as processes, records as store:
        ratings = loaded_ratings(store)
        words = (*web, "--static", str(folder), "--server")
        return asyncio.run(_ask(store, ratings, lambda address: processes.start("page", (*words, address))))


async def _ask(store: Store, ratings: Ratings, start: Callable[[str], GuardedProcess]) -> str:
    async with records_served(store, ratings) as address:
        process = start(address)
        await asyncio.to_thread(process.wait)
        if process.code:
            raise RoostError(process.last_words())
        return process.first_line()


def loaded_ratings(store: Store) -> Ratings:
    """The ratings of these records, made before anybody asks, so that no visitor waits for them.

    What was made for one page alone has no sums for its standings yet.
    """
    ratings = Ratings(store)
    if not store.read_only:
        ratings.keep()
    ratings.rated(everything())
    return ratings


async def _show(
    store: Store, ratings: Ratings, page: PageBeside, children: Children, begin: Callable[[], None]
) -> None:
    told_to_stop = asyncio.Event()
    for each in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(each, told_to_stop.set)
    async with records_served(store, ratings) as address:
        children.start([page.child(address)])
        begin()
        await told_to_stop.wait()

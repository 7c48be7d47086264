"""Two worlds with one past, which differ only in results that are held back."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from structlog.testing import capture_logs

from roost_server.accounts import owners, rulings
from roost_server.answers.ratings import Ratings
from roost_server.competition import ledger, staging
from roost_server.competition.file import PhaseName
from roost_server.store import Store, open_store, queries
from roost_server.store.measures.quarantine import QuarantineRecord, begin_quarantine
from tests.support.records.export_world import Play


class World(NamedTuple):
    """Records in which the finals are held back."""

    store: Store
    finals: list[str]
    """The ids of the matches of the finals."""


async def _until_finals(play: Play) -> None:
    await play.begin()
    await play.phase(PhaseName.LADDER, rounds=2)


async def _finals(play: Play, store: Store, rounds: int | None, *, over: bool) -> None:
    play.restored(store)
    await play.begin()
    await play.phase(PhaseName.FINALS, rounds)
    if over:
        await play.end()
    else:
        await play.recorder.aclose()


def two_worlds(folder: Path, schedule: str, results: str, rounds: int | None, *, over: bool) -> Iterator[World]:
    """Two worlds whose finals differ in everything."""
    with open_store(f"sqlite:///{folder}/one.db") as store, capture_logs():
        play = Play(store, schedule, results)
        owners.add_owner(store, "Zoe", "test")
        asyncio.run(_until_finals(play))
        Ratings(store).keep()
    shutil.copy(folder / "one.db", folder / "two.db")
    for name, seed in (("one", 1), ("two", 2)):
        with open_store(f"sqlite:///{folder}/{name}.db") as store, capture_logs():
            play.rng = Random(seed)
            asyncio.run(_finals(play, store, rounds if seed == 1 else None, over=over))
            if seed == 2:
                begin_quarantine(store, QuarantineRecord(1, "faults in 5 matches in a row", 5))
                rulings.void_match(store, finals_of(store)[0], "power cut", "host")
            staging.seal(store, ledger.find(store, "cup"))
            Ratings(store).keep()
            yield World(store, finals_of(store))


def finals_of(store: Store) -> list[str]:
    with store.reading() as reading:
        blocks = queries.finished_blocks(reading, 1)
    return [match for block in blocks if block.phase == "finals" for match, _ in block.matches]

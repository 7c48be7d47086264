"""kill -9 of the arena under load, again and again: no match that a bot was told about is lost, and blocks go on.

The bots are a process of their own and reconnect by themselves. ROOST_KILL_ROUNDS=100 makes a soak of it.
"""

import asyncio
import os
import random
from pathlib import Path

import pytest

from roost.v1 import arena_pb2
from roost_server.answers.standings import LiveAnswers
from roost_server.store import open_store, queries
from tests.support.arenas.arena_program import address_of, program
from tests.support.arenas.hall import bounded, check_records, replays, until
from tests.support.ports import free_port
from tests.support.records.matches import counted
from tests.support.records.random_record import check_answer, worked_out

ROUNDS = int(os.environ.get("ROOST_KILL_ROUNDS", "3"))
SECONDS_PER_ROUND = 20.0


class Reports:
    """What the bots were told: the matches that ended, as they say it."""

    def __init__(self, bots: "asyncio.subprocess.Process") -> None:
        assert bots.stdout is not None
        self._output = bots.stdout
        self.matches: list[str] = []
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while line := await self._output.readline():
            self.matches.append(line.decode().strip())

    async def wait_for(self, count: int) -> None:
        """Wait until this many more results were told."""
        enough = len(self.matches) + count
        await until(lambda: len(self.matches) >= enough)


async def kill_arenas(database: Path, listen: str, reports: Reports) -> None:
    for _ in range(ROUNDS):
        async with program("arena_program", database, listen, 0.0) as arena:
            assert await address_of(arena) == listen
            await reports.wait_for(random.randint(5, 60))
            await asyncio.sleep(random.uniform(0.0, 0.05))
            arena.kill()


def open_block_ids(database: Path) -> set[str]:
    with open_store(f"sqlite:///{database}", read_only=True) as store:
        return {block.id for block in queries.unfinished_blocks(store)}


@pytest.mark.long
def test_nothing_that_was_told_is_lost(tmp_path: Path) -> None:
    database = tmp_path / "roost.db"

    async def script() -> None:
        listen = f"127.0.0.1:{free_port()}"
        async with program("bots_program", listen) as bots:
            reports = Reports(bots)
            await kill_arenas(database, listen, reports)
            left_open = open_block_ids(database)
            async with program("arena_program", database, listen, 0.0) as arena:
                await address_of(arena)
                await until(lambda: not left_open & open_block_ids(database))
                await reports.wait_for(1)
                arena.terminate()
                assert await arena.wait() == 0
            bots.kill()
            await reports.reading
        with open_store(f"sqlite:///{database}") as store:
            check_records(store)
            request = arena_pb2.GetStandingsRequest()
            check_answer(LiveAnswers(store).standings_of(request), worked_out(store, request))
            assert set(reports.matches) <= {replay.match for replay in replays(store)}
            rotations = [(row.block_id, row.facts.bots) for row in counted(store) if row.facts]
            assert len(set(rotations)) == len(rotations)

    bounded(script, seconds=60.0 + ROUNDS * SECONDS_PER_ROUND)

"""kill -9 at any moment: no match that was reported is lost, there is no half match, and kept sums are right.

The test starts this file as a program. That forks arenas one after the other on the same database and kills each with
SIGKILL at a random moment. An arena reports the id of each match when the writer says that it is on the disk.
"""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import pytest

from roost.v1 import arena_pb2
from roost_games.replay import Replay
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.store import BlockState, GroupWriter, NewBlock, open_store, queries
from roost_server.store.sums.kept import kept_through
from tests.support.records.matches import SEED, finished, played
from tests.support.records.random_record import check_answer, worked_out

ROUNDS = 8
EVERYTHING = arena_pb2.GetStandingsRequest()
COMPLETENESS = """
    SELECT id, players,
        (SELECT count(*) FROM match_seat WHERE match_number = number),
        (SELECT count(*) FROM replay WHERE match_number = number)
    FROM match
"""


@pytest.mark.long
def test_matches_survive_sigkill_whole(tmp_path: Path) -> None:
    path = tmp_path / "roost.db"
    program = [sys.executable, "-m", "tests.server.test_store_kill", str(path)]
    done = subprocess.run(program, cwd=Path(__file__).parents[2], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    reported = set(done.stdout.split())
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        rows = database.execute(COMPLETENESS).fetchall()
    assert {(players, seats, replays) for _, players, seats, replays in rows} == {(2, 2, 1)}
    assert reported
    assert reported <= {id for id, *_ in rows}
    with open_store(f"sqlite:///{path}") as store:
        assert len(list(queries.replays(store))) == len(rows)
        open_blocks = queries.unfinished_blocks(store)
        check_answer(LiveAnswers(store).standings_of(EVERYTHING), worked_out(store, EVERYTHING))
        with store.reading() as reading:
            assert kept_through(reading) > 0
    # Ten tables played one block each when an arena was killed, and nothing else was left undone.
    assert max(Counter(block.id.split("-")[0] for block in open_blocks).values(), default=0) <= 10


async def play_for_ever(path: str, number: int, replay: Replay) -> None:
    """An arena with ten tables. Each plays one block after the other, two matches in each."""
    store = open_store(f"sqlite:///{path}")
    ids = tuple(store.register_version(f"bot{seat}", "v1") for seat in range(2))
    writer = GroupWriter(store)

    async def table(worker: int) -> None:
        for turn in count():
            block = NewBlock(f"{number}-{worker}-{turn}", "karteneck", {}, SEED, "all", ids, turn)
            await writer.open_block(block)
            for rotation in range(2):
                match = finished(replace(replay, match=f"{block.id}-{rotation}"), block, rotation)
                await writer.save(match)
                os.write(1, f"{match.replay.match}\n".encode())
            await writer.close_block(block.id, BlockState.DONE)

    async def keep_sums() -> None:
        ratings = Ratings(store)
        while True:
            await asyncio.to_thread(ratings.keep)

    await asyncio.gather(keep_sums(), *map(table, range(10)))


def kill_arenas(path: str) -> None:
    """Start an arena and kill it, again and again: some soon, perhaps while they open the database, some at work."""
    replay = played("sample")
    for number in range(ROUNDS):
        output, arena_output = os.pipe()
        arena = os.fork()
        if not arena:
            os.dup2(arena_output, 1)
            asyncio.run(play_for_ever(path, number, replay))
        os.close(arena_output)
        with open(output, "rb") as reports:
            if number % 3:
                sys.stdout.buffer.writelines(islice(reports, random.randint(1, 50)))
            time.sleep(random.uniform(0, 0.05))
            os.kill(arena, signal.SIGKILL)
            sys.stdout.buffer.writelines(reports)
        if not os.WIFSIGNALED(os.waitpid(arena, 0)[1]):
            sys.exit("an arena stopped by itself")


if __name__ == "__main__":
    kill_arenas(sys.argv[1])

"""What exists keeps working: old databases migrate, old replays and exports verify, bots of the last version play."""

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from roost.v1 import arena_pb2
from roost_cli.main import run
from roost_games.registry import GAME_NAMES
from roost_games.replay import Replay
from roost_games.verify import verify
from roost_server.answers.ratings import Ratings
from roost_server.answers.standings import LiveAnswers
from roost_server.store import models, open_store, queries
from roost_server.store.sums.kept import kept_through
from tests.support import old
from tests.support.arenas.hall import Hall, bounded, hall, settings
from tests.support.records.random_record import check_answer, worked_out

BOT = """
from roost_sdk import Bot, __file__ as where, run

class Middle(Bot):
    def choose(self, view, legal):
        return legal[len(legal) // 2]

assert "bot-0.1.0.zip" in where
run(Middle)
"""
Rows = dict[str, list[dict[str, Any]]]


def rows(path: Path) -> Rows:
    """Every row of every table but the schema's number, as a mapping from columns to values."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'roost_schema'")
        return {name: [dict(row) for row in database.execute(f'SELECT * FROM "{name}"')] for (name,) in tables}  # noqa: S608


@pytest.mark.parametrize("name", old.DATABASES)
def test_an_old_database_migrates_and_loses_nothing(name: str, tmp_path: Path) -> None:
    path = old.restore(name, tmp_path / "roost.db")
    before = rows(path)
    open_store(f"sqlite:///{path}").close()
    open_store(f"sqlite:///{path}", read_only=True).close()
    after = rows(path)
    for table, kept in before.items():
        columns = set(kept[0]) if kept else set()
        assert [{column: row[column] for column in columns} for row in after[table]] == kept, table
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT version_num FROM roost_schema").fetchall() == [(f"{models.SCHEMA:04}",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize(("name", "matches"), [("schema2_arena", 16), ("schema2_ladder", 4)])
def test_the_matches_of_an_old_database_are_read(name: str, matches: int, tmp_path: Path) -> None:
    path = old.restore(name, tmp_path / "roost.db")
    with open_store(f"sqlite:///{path}") as store:
        replays = [Replay.from_line(line) for line in queries.replays(store)]
    assert len(replays) == matches
    played = [replay for replay in replays if not replay.match.startswith("open-")]  # those are sketches, not matches
    assert len(played) == {"schema2_arena": 14, "schema2_ladder": 4}[name]
    for replay in played:
        assert verify(replay) is None


@pytest.mark.parametrize("name", old.DATABASES)
def test_the_standings_of_an_old_database_are_added_up(name: str, tmp_path: Path) -> None:
    path, everything = old.restore(name, tmp_path / "roost.db"), arena_pb2.GetStandingsRequest()
    with open_store(f"sqlite:///{path}") as store:
        Ratings(store).keep()
    with open_store(f"sqlite:///{path}", read_only=True) as store, store.reading() as reading:
        assert kept_through(reading) == queries.match_count(store)
        assert check_answer(LiveAnswers(store).standings_of(everything), worked_out(store, everything)) > 1


def test_old_replays_verify(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", str(old.REPLAYS)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("6 of 6 matches recorded by an older version, without `forfeited`")
    assert said[1].startswith("6 matches checked")


def test_an_old_export_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(old.EXPORT, tmp_path / "export")
    assert run(["verify", str(folder)]) == 0
    said = capsys.readouterr().out
    assert "14 of 14 matches recorded by an older version" in said
    assert "14 matches checked" in said
    assert "e09cc752266ae29691939cc2d76be5fe0362ab70ffb06b9c23a72746cb84fd23" in said


@asynccontextmanager
async def last_bot(folder: Path, place: Hall, name: str) -> AsyncIterator["asyncio.subprocess.Process"]:
    """A program of the last version's SDK at the arena. At the end it is told to leave."""
    program = folder / f"{name}.py"
    program.write_text(BOT)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, program, "--server", place.address, "--name", name, "--matches-at-once", "2"),
        env={**os.environ, "PYTHONPATH": str(old.LAST_SDK)},
    )
    try:
        yield process
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@pytest.mark.short(1)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_bots_of_the_last_version_play(game: str, tmp_path: Path) -> None:
    async def script() -> None:
        async with (
            hall(tmp_path, settings(game)) as place,
            last_bot(tmp_path, place, "one"),
            last_bot(tmp_path, place, "two"),
        ):
            for replay in await place.matches(4):
                assert {seat.bot for seat in replay.seats} == {"one", "two"}
                assert replay.result.faults == ()

    bounded(script)

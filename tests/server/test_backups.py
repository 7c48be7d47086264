"""Backups by the clock, and the drill that shows that one is good."""

import asyncio
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from roost_games.errors import RoostError, UsageError
from roost_server.export.drill import drill
from roost_server.metrics import Metrics
from roost_server.serving.backups import BackupPlan, BackupSchedule
from roost_server.store import Store, StoreError, open_store
from roost_server.store.copies.backup import back_up
from tests.support.records.matches import block, finished, played

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
HOURS = 3600.0


class Clock:
    """A time of day that a test sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as opened:
        opened.commit([finished(played("m1"), block(opened))])
        yield opened


def schedule(store: Store, folder: Path, clock: Clock, keep: int = 2) -> BackupSchedule:
    return BackupSchedule(store, BackupPlan(6 * HOURS, keep, folder), Metrics(), clock)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_the_newest_backups_are_kept_and_other_files_are_left_alone(store: Store, tmp_path: Path) -> None:
    folder, clock = tmp_path / "backups", Clock()
    folder.mkdir()
    (folder / "mine.db").touch()
    backups = schedule(store, folder, clock)
    for _ in range(4):
        with capture_logs() as logged:
            assert backups.back_up_now()
        assert [entry["event"] for entry in logged] == ["backup made"]
        clock.now += timedelta(hours=6)
    assert names(folder) == ["2027-03-02T00-00-00Z.db", "2027-03-02T06-00-00Z.db", "mine.db"]


def test_a_schedule_goes_on_after_a_restart(store: Store, tmp_path: Path) -> None:
    folder, clock = tmp_path / "backups", Clock()
    folder.mkdir()
    assert schedule(store, folder, clock).seconds_left() == 0.0
    with capture_logs():
        schedule(store, folder, clock).back_up_now()
    clock.now += timedelta(hours=4)
    assert schedule(store, folder, clock).seconds_left() == 2 * HOURS
    clock.now += timedelta(hours=40)
    assert schedule(store, folder, clock).seconds_left() == 0.0


def test_what_a_killed_arena_left_unfinished_is_removed(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "2027-03-01T06-00-00Z.db.part").write_text("half a copy")
    (folder / "2027-03-01T06-00-00Z.db.part-journal").write_text("")

    async def run() -> None:
        backups = schedule(store, folder, Clock())
        backups.start()
        while names(folder) != ["2027-03-01T12-00-00Z.db"]:
            await asyncio.sleep(0.01)
        await backups.stop()

    with capture_logs():
        asyncio.run(run())
    assert drill(folder / "2027-03-01T12-00-00Z.db").matches == 1


def test_a_failure_is_logged_and_counted_and_leaves_nothing(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    backups = schedule(store, folder, Clock())
    with capture_logs() as logged:
        assert not backups.back_up_now()
    assert [(entry["event"], entry["log_level"]) for entry in logged] == [("backup failed", "warning")]
    assert not folder.exists()


def test_a_plan_that_cannot_be_followed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least a minute"):
        BackupPlan(5.0, 8, tmp_path).check()


def test_a_drill_finds_what_is_wrong(store: Store, tmp_path: Path) -> None:
    good, torn, lost = tmp_path / "good.db", tmp_path / "torn.db", tmp_path / "lost.db"
    back_up(store.backend, good)
    assert drill(good).matches == 1
    torn.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    with pytest.raises(StoreError, match="malformed"):
        drill(torn)
    lost.write_bytes(good.read_bytes())
    with sqlite3.connect(lost) as database:
        database.execute("DELETE FROM block")
    database.close()
    with pytest.raises(RoostError, match="rows refer to missing ones"):
        drill(lost)
    before = good.read_bytes()
    drill(good)
    assert good.read_bytes() == before, "a drill changes nothing"

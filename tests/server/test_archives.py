"""Replays in archives: smaller, found by everything that reads replays, and missed when they are gone."""

import asyncio
import lzma
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select
from structlog.testing import capture_logs

from roost_games.errors import UsageError
from roost_sdk.replay_files import verify_files
from roost_server.answers.database import archive_phase
from roost_server.competition.file import PhaseName
from roost_server.export.arena_checker import verify_database
from roost_server.export.writer import export
from roost_server.store import Store, StoreError, open_store, queries
from roost_server.store.copies import archives
from roost_server.store.models import MATCH, REPLAY
from tests.support.records.export_world import Play, complaints, play_and_export


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("archives"), "swiss").parent


@pytest.fixture
def database(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path, dirs_exist_ok=True)) / "roost.db"


def url(database: Path) -> str:
    return f"sqlite:///{database}"


def in_database(store: Store) -> int:
    with store.reading() as reading:
        return reading.scalar(select(func.count()).select_from(REPLAY)) or 0


def asked(database: Path) -> tuple[list[str], list[str]]:
    """Every replay, in order and one by one."""
    with open_store(url(database), read_only=True) as store:
        with store.reading() as reading:
            ids = reading.scalars(select(MATCH.c.id).order_by(MATCH.c.number)).all()
        return list(queries.replays(store)), [queries.replay(store, match_id) for match_id in ids]


def test_archived_replays_are_found_as_before(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "PART", 3)
    before = asked(database)
    written = archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    assert written.file == tmp_path / "archive" / "cup-ladder.jsonl.xz"
    with lzma.open(written.file, "rt", encoding="utf-8") as lines:
        assert [line.rstrip("\n") for line in lines] == before[0][: written.matches]
    assert asked(database) == before
    with open_store(url(database), read_only=True) as store:
        assert in_database(store) == len(before[0]) - written.matches
        export(store, "cup", tmp_path / "again")
    assert complaints(tmp_path / "again") == []
    assert (tmp_path / "again" / "matches.jsonl").read_bytes() == (tmp_path / "cup" / "matches.jsonl").read_bytes()
    assert verify_database(url(database)).findings == []
    checked = verify_files([written.file])
    assert (checked.matches, checked.findings) == (written.matches, [])


def test_the_database_becomes_smaller(database: Path, tmp_path: Path) -> None:
    before = database.stat().st_size
    written = archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    assert database.stat().st_size + written.bytes < before


def test_database_and_archive_can_be_moved_together(database: Path, tmp_path: Path) -> None:
    before = asked(database)
    archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    database.rename(elsewhere / database.name)
    (tmp_path / "archive").rename(elsewhere / "archive")
    assert asked(elsewhere / database.name) == before


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("harm", "told"),
    [(Path.unlink, "is missing, and replays were moved there; put it back"), (cut, "is damaged: ")],
)
def test_an_archive_that_is_gone_or_damaged_is_named(
    database: Path, tmp_path: Path, harm: Callable[[Path], None], told: str
) -> None:
    written = archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    harm(written.file)
    with pytest.raises(StoreError) as error:
        asked(database)
    assert str(error.value).startswith(f"{written.file} ")
    assert told in str(error.value)


def test_what_was_interrupted_is_completed(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arena's machine fails when the file is complete, and the replays are still in the database."""
    before = asked(database)

    def fail(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as failing:
        failing.setattr(archives, "_remove", fail)
        with pytest.raises(KeyboardInterrupt):
            archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    assert asked(database) == before
    again = archive_phase(url(database), "cup", "ladder", tmp_path / "archive")
    with open_store(url(database), read_only=True) as store:
        assert in_database(store) == len(before[0]) - again.matches
    assert asked(database) == before


def test_a_file_that_is_there_is_left_alone(database: Path, tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "cup-ladder.jsonl.xz").write_text("mine")
    with pytest.raises(StoreError, match="already exists; move it away"):
        archive_phase(url(database), "cup", "ladder", tmp_path / "archive")


def test_only_what_is_over_is_archived(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, capture_logs():
        play = Play(store, "swiss")

        async def ladder() -> None:
            await play.begin()
            await play.phase(PhaseName.LADDER, rounds=1)
            await play.recorder.aclose()

        asyncio.run(ladder())
    with pytest.raises(UsageError, match="the ladder of cup is not over"):
        archive_phase(f"sqlite:///{tmp_path}/roost.db", "cup", "ladder", tmp_path / "archive")
    with pytest.raises(UsageError, match="nothing is played in the phase 'freeze'"):
        archive_phase(f"sqlite:///{tmp_path}/roost.db", "cup", "freeze", tmp_path / "archive")

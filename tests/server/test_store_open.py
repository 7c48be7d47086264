"""Opening a database: what is created, what is refused and in which words, and who may have it open together."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from roost_server.store import StoreError, open_store, queries
from roost_server.store.copies.backup import back_up, restore
from roost_server.store.sqlite import open_to_read
from tests.support.records.matches import block, counted, finished, sketch

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roost.db"


def url(path: Path) -> str:
    return f"sqlite:///{path}"


def refusal(url: str, *, read_only: bool = False) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(url, read_only=read_only)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_new_database_is_made_and_found_again(path: Path) -> None:
    with open_store(url(path)) as store:
        store.commit([finished(sketch("m1"), block(store))])
    with open_store(url(path)) as store:
        assert [row.id for row in counted(store)] == ["m1"]


def modes(folder: Path) -> dict[str, int]:
    return {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir() if not each.name.endswith("-lock")}


def test_only_its_owner_can_read_a_database_and_its_copies(path: Path) -> None:
    """The master seeds of competitions are in there."""
    with open_store(url(path)) as store:
        store.commit([finished(sketch("m1"), block(store))])
        back_up(store.backend, path.with_name("copy.db"))
        assert not store.backend.exposed()
        assert modes(path.parent) == dict.fromkeys(("roost.db", "roost.db-wal", "roost.db-shm", "copy.db"), 0o600)
    restore(path.with_name("copy.db"), store.backend, lambda _: None)
    assert modes(path.parent)["roost.db"] == 0o600


def test_a_database_that_others_can_read_is_left_as_it_is(path: Path) -> None:
    open_store(url(path)).close()
    path.chmod(0o644)
    with open_store(url(path)) as store:
        assert store.backend.exposed()
    assert modes(path.parent)["roost.db"] == 0o644


def test_a_relative_file_and_an_empty_one_will_do(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    path.touch()
    open_store("sqlite:///roost.db").close()
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_a_name_full_of_odd_characters_will_do(tmp_path: Path) -> None:
    path = tmp_path / "#1 & the über=arena.db"
    open_store(url(path)).close()
    assert path.exists()


@pytest.mark.usefixtures("usual_databases")
def test_commits_wait_for_the_disk_and_references_are_checked(path: Path) -> None:
    with open_store(url(path)) as store, store.writing() as connection:
        settings = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in settings]
    assert found == ["wal", 2, 1, 5_000]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("roost.db", "'roost.db' is not a database URL; write sqlite:///roost.db"),
        ("", "'' is not a database URL; write sqlite:///roost.db"),
        ("://", "'://' is not a database URL; write sqlite:///roost.db"),
        ("sqlite://", "the records need a file; write sqlite:///roost.db"),
        ("sqlite:///:memory:", "the records need a file; write sqlite:///roost.db"),
        ("sqlite:///a.db?mode=ro", "write the file alone, relative or absolute: sqlite:///a.db"),
        ("sqlite:///a.db?", "write the file alone, relative or absolute: sqlite:///a.db"),
        ("sqlite://host/a.db", "write the file alone, relative or absolute: sqlite:///a.db"),
        (
            "mysql://u:secret@host/db",
            "Roost keeps its records in SQLite or PostgreSQL, not mysql; write sqlite:///roost.db",
        ),
    ],
)
def test_a_url_that_names_no_file_is_refused(url: str, says: str) -> None:
    assert refusal(url) == says


@pytest.mark.parametrize("read_only", [False, True])
def test_a_folder_and_a_file_that_is_no_database_are_refused(tmp_path: Path, read_only: bool) -> None:
    garbage = tmp_path / "notes.txt"
    garbage.write_text("to be or not to be\n" * 100)
    assert refusal(url(garbage), read_only=read_only) == f"{garbage}: it is not a database; give another file"
    assert refusal(url(tmp_path), read_only=read_only).startswith(
        f"{tmp_path} is a folder; name a file in it: sqlite:///"
    )
    assert (
        refusal(url(garbage / "roost.db"), read_only=read_only) == f"{garbage}/roost.db cannot be read: Not a directory"
    )
    assert os.listdir(tmp_path) == ["notes.txt"]


def test_a_damaged_database_is_refused(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\x00" + b"\x17" * 5_000)
    assert refusal(url(path)) == f"{path}: it is not a database; give another file"


@pytest.mark.parametrize("read_only", [False, True])
def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, read_only: bool) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE alembic_version (version_num TEXT)")
    other.close()
    before = path.read_bytes()
    assert refusal(url(path), read_only=read_only) == f"{path} belongs to another program; give another file"
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["other.db"]


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        "UPDATE roost_schema SET version_num = 'abc'",
        "UPDATE roost_schema SET version_num = '-001'",
        "UPDATE roost_schema SET version_num = '0000'",
        "INSERT INTO roost_schema VALUES ('0001')",
        "DELETE FROM roost_schema",
    ],
)
def test_a_database_without_a_schema_number_is_refused(path: Path, read_only: bool, change: str) -> None:
    open_store(url(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    assert refusal(url(path), read_only=read_only) == (
        f"{path} is damaged, or not a database of Roost: roost_schema holds no schema number; restore a copy"
    )


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "arenas"
    assert refusal(url(folder / "roost.db")) == f"there is no folder {folder} for roost.db; create it first"


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without a superuser's rights: to that one no file is closed."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # noqa: S103
        yield Path(name)


def test_a_folder_that_may_not_be_written_is_refused(open_folder: Path) -> None:
    open_folder.chmod(0o555)
    with as_nobody():
        message = refusal(url(open_folder / "roost.db"))
    open_folder.chmod(0o755)
    assert message == f"{open_folder}/roost.db-lock cannot be written: Permission denied"


def test_a_file_that_may_not_be_written_is_refused(open_folder: Path) -> None:
    path = open_folder / "roost.db"
    open_store(url(path)).close()
    open_folder.chmod(0o777)
    path.chmod(0o444)
    (open_folder / "roost.db-lock").chmod(0o666)
    with as_nobody():
        message = refusal(url(path))
    assert message == f"{path}: SQLite needs to write even when it only reads; check the permissions"


def test_a_reader_changes_nothing_and_writes_nothing(path: Path) -> None:
    assert refusal(url(path), read_only=True) == (f"there is no file {path}; name the database of an arena")
    assert not path.exists()
    path.touch()
    assert refusal(url(path), read_only=True).startswith(f"{path} holds no matches yet; start an arena with it: roost")
    open_store(url(path)).close()
    before = path.read_bytes()
    with open_store(url(path), read_only=True) as store:
        assert queries.versions(store) == []
        with pytest.raises(StoreError, match="was opened for reading only"):
            store.register_version("a", "v1")
    assert path.read_bytes() == before


def test_a_second_arena_is_refused_until_the_first_is_gone(path: Path) -> None:
    first = open_store(url(path))
    assert refusal(url(path)) == (
        f"{path} is in use by another arena (process {os.getpid()}); stop that one or give another file"
    )
    link = path.with_name("alias.db")
    link.symlink_to(path)
    assert "in use by another arena" in refusal(url(link))
    open_store(url(path), read_only=True).close()
    first.close()
    first.close()
    open_store(url(path)).close()


def test_an_arena_that_was_killed_does_not_block_the_next(path: Path) -> None:
    program = "import sys, roost_server.store as s; a = s.open_store(sys.argv[1]); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, url(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as arena:
        assert arena.stdout is not None
        assert arena.stdout.readline() == b"open\n"
        assert f"in use by another arena (process {arena.pid})" in refusal(url(path))
        arena.kill()
    open_store(url(path)).close()


def test_a_change_that_was_cut_off_is_undone_first(tmp_path: Path) -> None:
    """As an arena leaves it that is killed while it makes the file, before that is in WAL mode: with a hot journal."""
    path, cut_off = tmp_path / "roost.db", tmp_path / "cut-off.db"
    open_store(f"sqlite:///{path}").close()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = DELETE")
        database.execute("PRAGMA cache_size = 1")  # so that the change is in the file before it is committed
        database.execute("BEGIN")
        database.execute("CREATE TABLE half_done (text)")
        database.executemany("INSERT INTO half_done VALUES (?)", [("x" * 4000,)] * 50)
        for suffix in ("", "-journal"):
            shutil.copy(f"{path}{suffix}", f"{cut_off}{suffix}")
    with pytest.raises(sqlite3.OperationalError, match="readonly"), closing(open_to_read(cut_off)) as reader:
        reader.execute("SELECT * FROM roost_schema").fetchall()
    open_store(f"sqlite:///{cut_off}").close()
    with closing(open_to_read(cut_off)) as reader:
        assert reader.execute("SELECT count(*) FROM sqlite_master WHERE name = 'half_done'").fetchall() == [(0,)]

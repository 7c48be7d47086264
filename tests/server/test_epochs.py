"""Epochs: records that go on where they ended stay in theirs, and a copy that takes their place begins another one."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import select

from roost_server.store import BlockState, Store, open_store
from roost_server.store.copies.backup import back_up, restore
from roost_server.store.copies.epochs import LostRecordsError, epochs, go_on, note_progress, present_epoch
from roost_server.store.models import BLOCK
from tests.support.records.matches import block, finished, sketch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roost.db"


def opened(path: Path) -> Store:
    return open_store(f"sqlite:///{path}")


def play(store: Store, name: str) -> None:
    store.commit([finished(sketch(name), block(store, f"block of {name}"))])


def played(path: Path, *names: str) -> None:
    """An arena plays these matches, and shuts down cleanly."""
    with opened(path) as store:
        go_on(store)
        for name in names:
            play(store, name)
        note_progress(store)


def causes(path: Path) -> list[str]:
    """Why epochs began after the first, once an arena has opened the database."""
    with opened(path) as store:
        go_on(store)
        with store.reading() as reading:
            return [epoch.cause for epoch in epochs(reading)]


def test_records_that_go_on_stay_in_their_epoch(path: Path) -> None:
    played(path, "m1")
    played(path, "m2")
    assert causes(path) == []
    with opened(path) as store:
        assert present_epoch(store) == 0


def test_an_arena_that_was_killed_goes_on_in_its_epoch(path: Path) -> None:
    """It has noted less than it has recorded."""
    with opened(path) as store:
        go_on(store)
        play(store, "m1")
    assert causes(path) == []


def put_back_with_restore(copy: Path, path: Path) -> None:
    with opened(path) as store:
        backend = store.backend
    restore(copy, backend, lambda _: None)


def put_back_by_hand(copy: Path, path: Path) -> None:
    shutil.copyfile(copy, path)


@pytest.mark.parametrize("put_back", [put_back_with_restore, put_back_by_hand])
def test_a_backup_that_is_put_back_begins_an_epoch_each_time(
    path: Path, put_back: Callable[[Path, Path], None]
) -> None:
    copy = path.with_name("copy.db")
    played(path, "m1")
    with opened(path) as store:
        back_up(store.backend, copy)
    began = []
    for number in (2, 3):
        put_back(copy, path)
        assert causes(path) == ["restored"]
        with opened(path) as store:
            began.append(present_epoch(store))
            play(store, f"m{number}")
    assert 0 < began[0] < began[1]


def test_a_file_that_was_copied_by_hand_and_put_back_is_noticed(path: Path) -> None:
    copy = path.with_name("copy.db")
    played(path, "m1")
    shutil.copyfile(path, copy)
    played(path, "m2")
    shutil.copyfile(copy, path)
    with opened(path) as store:
        with pytest.raises(LostRecordsError, match="lacks 1 match, 1 block that had been recorded"):
            go_on(store)
        go_on(store, accept_loss=True)
    assert causes(path) == ["records were lost"], "another start is no other epoch, and needs no acceptance"


def test_a_file_of_another_epoch_is_noticed(path: Path) -> None:
    played(path, "m1")
    note = path.with_name("roost.db-epoch")
    note.write_text(note.read_text().replace(note.read_text().split()[0], "another"))
    assert causes(path) == ["replaced by hand"]


def test_a_file_that_was_moved_alone_begins_an_epoch(path: Path, tmp_path: Path) -> None:
    played(path, "m1")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(path, elsewhere / path.name)
    assert causes(elsewhere / path.name) == ["without its note"]


def test_a_new_database_of_the_same_name_is_of_the_first_epoch(path: Path) -> None:
    played(path, "m1")
    path.unlink()
    assert causes(path) == []


def test_what_was_open_in_a_copy_is_voided(path: Path) -> None:
    """Its deals were played on after the copy was made, and a block is never dealt in two epochs."""
    copy = path.with_name("copy.db")
    with opened(path) as store:
        go_on(store)
        play(store, "m1")
        store.close_block("block of m1", BlockState.DONE)
        play(store, "m2")
        back_up(store.backend, copy)
    put_back_by_hand(copy, path)
    causes(path)
    with opened(path) as store, store.reading() as reading:
        states = {row.id: row.state for row in reading.execute(select(*BLOCK.c["id", "state"]))}
    assert states == {"block of m1": "done", "block of m2": "voided"}


def test_tables_that_postgresql_made_again_are_noticed(postgresql: str) -> None:
    """As `pg_restore` does: the tables of a restored database are other ones than those that were dumped."""
    with open_store(postgresql) as store:
        assert go_on(store) is None
        with store.writing() as connection:
            connection.exec_driver_sql("CREATE TABLE again (LIKE match INCLUDING ALL)")
            connection.exec_driver_sql("ALTER TABLE match RENAME TO before")
            connection.exec_driver_sql("ALTER TABLE again RENAME TO match")
        begun = go_on(store)
        assert begun is not None
        assert begun.cause == "replaced by hand"
        assert go_on(store) is None

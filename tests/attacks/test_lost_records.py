"""What bots were told is gone from the records: the log of a database was removed or damaged, or a file replaced.

An arena would deal cards again that somebody has seen, and forget results that were announced.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from roost_cli.main import run
from roost_server.store import Store, open_store, queries
from roost_server.store.copies.epochs import LostRecordsError, epochs, go_on, note_progress
from tests.support.records.matches import block, finished, sketch


def opened(file: Path) -> Store:
    return open_store(f"sqlite:///{file}")


def killed(file: Path, folder: Path) -> Path:
    """What is on the disk when an arena is killed now."""
    folder.mkdir()
    for part in file.parent.glob(f"{file.name}*"):
        shutil.copyfile(part, folder / part.name)
    return folder / file.name


def log_of(file: Path) -> Path:
    return file.with_name(f"{file.name}-wal")


def removed(log: Path) -> None:
    log.unlink()


def emptied(log: Path) -> None:
    log.write_bytes(b"")


def cut_in_half(log: Path) -> None:
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def overwritten(log: Path) -> None:
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0xFF
    log.write_bytes(content)


@pytest.fixture
def running(tmp_path: Path) -> Path:
    """The files of an arena that was killed after eight matches, of which it has noted half on the disk."""
    file = tmp_path / "roost.db"
    with opened(file) as store:
        go_on(store)
        for number in range(8):
            store.commit([finished(sketch(f"m{number}"), block(store, f"b{number}"))])
            if number == 3:
                note_progress(store)
        return killed(file, tmp_path / "killed")


def test_an_arena_that_was_killed_goes_on(running: Path) -> None:
    with opened(running) as store:
        assert go_on(store) is None
        assert queries.match_count(store) == 8


@pytest.mark.parametrize("damage", [removed, emptied, cut_in_half, overwritten])
def test_an_arena_refuses_to_go_on_without_its_log(running: Path, damage: Callable[[Path], None]) -> None:
    damage(log_of(running))
    with opened(running) as store:
        with pytest.raises(LostRecordsError, match=r"lacks \d match.* that had been recorded there: .*--accept-loss"):
            go_on(store)
        begun = go_on(store, accept_loss=True)
        assert begun is not None
        assert begun.cause == "records were lost"
        assert go_on(store) is None
    with opened(running) as store, store.reading() as reading:
        assert [epoch.began_ms for epoch in epochs(reading)] == [begun.began_ms]


def test_the_command_refuses_and_names_the_remedies(running: Path, capsys: pytest.CaptureFixture[str]) -> None:
    removed(log_of(running))
    for _ in range(2):
        assert run(["serve", "--db", str(running), "--listen", "127.0.0.1:0"]) == 1
        said = capsys.readouterr().err
        assert "lacks 8 matches, 4 blocks that had been recorded there" in said
        assert "--accept-loss" in said
        assert said.count("\n") == 1


def test_what_a_power_cut_leaves_at_the_end_of_the_note_is_no_loss(running: Path) -> None:
    note = running.with_name(f"{running.name}-epoch")
    note.write_bytes(note.read_bytes() + b"999\n\0\0\0\0\xff")
    with opened(running) as store:
        assert go_on(store) is None


def test_the_note_stays_small(running: Path) -> None:
    with opened(running) as store:
        go_on(store)
        note = running.with_name(f"{running.name}-epoch")
        before = note.read_text().count("\n")
        for number in range(8, 20):
            store.commit([finished(sketch(f"m{number}"), block(store, f"b{number}"))])
        assert note.read_text().count("\n") > before
        note_progress(store)
        assert note.read_text().count("\n") <= 2

"""The attack: with an administrator's key that leaked, a copy of the database is written where it does harm."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_games.errors import UsageError
from roost_server.serving.backups import file_for
from roost_server.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path / 'roost.db'}") as opened:
        yield opened


@pytest.mark.parametrize(
    "named",
    ["../copy.db", "/etc/cron.d/copy", "..", ".", "", "out/copy.db", "a/../../copy.db", "roost.db/..", "circle/x"],
)
def test_a_copy_is_written_below_the_folder_for_backups_only(store: Store, tmp_path: Path, named: str) -> None:
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "out").symlink_to(tmp_path)
    (folder / "circle").symlink_to("circle")
    with pytest.raises(UsageError, match=r"below .*copies only; name a file there|name a file for the copy"):
        file_for(store, folder, named)


def test_what_cannot_be_a_file_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a file for the copy"):
        file_for(store, tmp_path, "a\0b")
    with pytest.raises(UsageError, match="is a name for backups by the clock"):
        file_for(store, tmp_path, "2027-03-01T18-00-00Z.db")


def test_files_below_the_folder_may_be_named_in_either_way(store: Store, tmp_path: Path) -> None:
    usual = tmp_path / "roost-backups"
    assert file_for(store, None, "monday.db") == usual / "monday.db"
    assert file_for(store, None, str(usual / "monday.db")) == usual / "monday.db"
    assert usual.is_dir()

"""What docs/formats/database.md says is so: its queries answer, its program exports, and no column is left out."""

import re
import runpy
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from roost_games.replay import read_replays
from roost_server.store import BlockState, open_store
from roost_server.store.models import BaseRow
from tests.support.records.matches import block, finished, sketch

PAGE = (Path(__file__).parents[2] / "docs/formats/database.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a database `roost.db`: a block of two matches, a voided one and an open one."""
    monkeypatch.chdir(tmp_path)
    with open_store("sqlite:///roost.db") as store:
        done = block(store, "done")
        store.commit([finished(sketch("m1", (1, 2)), done, 0), finished(sketch("m2", (1, 2)), done, 1)])
        store.commit([finished(sketch("m3", (2, 1)), block(store, "gone"))])
        store.commit([finished(sketch("m4", (), termination="voided"), block(store, "open"))])
        store.close_block("done", BlockState.DONE)
        store.close_block("gone", BlockState.VOIDED)
    return tmp_path


def test_the_queries_answer_what_they_promise(folder: Path) -> None:
    with closing(sqlite3.connect("roost.db")) as database:
        newest, thinking, unfinished = (database.execute(query).fetchall() for query in blocks("sql"))
    assert newest == [
        ("m2", "karteneck", 2, "finished", "1970-01-01 00:00:02"),
        ("m1", "karteneck", 2, "finished", "1970-01-01 00:00:02"),
    ]
    assert thinking == [("bot0", "v1", 2, 1.0, 2.5), ("bot1", "v1", 2, 2.0, 2.5)]
    assert unfinished == [("open", "bot0, bot1", 1)]


def test_the_program_exports_every_replay(folder: Path) -> None:
    (program,) = blocks("python")
    (folder / "export.py").write_text(program)
    runpy.run_path("export.py")
    with open("replays.jsonl", "rb") as lines:
        assert [replay.match for replay in read_replays(lines)] == ["m1", "m2", "m3", "m4"]


@pytest.mark.parametrize("table", sorted(BaseRow.metadata.tables))
def test_every_column_is_explained(table: str) -> None:
    section = PAGE.split(f"### `{table}`\n")[1].split("\n## ")[0].split("\n### ")[0]
    columns = [column.name for column in BaseRow.metadata.tables[table].columns]
    assert [name for name in columns if f"`{name}`" not in section] == []

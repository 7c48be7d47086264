"""Whatever stands in the files of an export: what is not as it should be is named, and nothing breaks."""

import json
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

from roost_server.export.checker import Wrong, check_export
from roost_server.export.files import (
    BLOCKS_FILE,
    COMPETITION_FILE,
    MANIFEST_FILE,
    MATCHES_FILE,
)
from tests.support.records.export_world import change, complaints, play_and_export


@pytest.fixture
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


SOURCES = [COMPETITION_FILE, BLOCKS_FILE, MATCHES_FILE, "competition.toml"]


@pytest.mark.parametrize("name", [*SOURCES, MANIFEST_FILE])
@pytest.mark.parametrize(
    "content", [b"[1,2]", b"{}", b"7", b"", b"\xff", b"[" * 100_000, b'{"sha256": [], "format": 1}']
)
def test_a_file_that_is_something_else_is_named(exported: Path, name: str, content: bytes) -> None:
    (exported / name).write_bytes(content)
    assert any(each.startswith(name) for each in complaints(exported))


@pytest.mark.parametrize("name", SOURCES)
def test_a_file_that_all_else_depends_on_is_missing(exported: Path, name: str) -> None:
    (exported / name).unlink()
    assert f"{name}: is missing" in complaints(exported)


OTHERS: tuple[Any, ...] = (None, [], {}, "x", -1, 99)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in an object of JSON; of long lists only the first few."""
    yield path
    for key in data if isinstance(data, dict) else range(min(len(data), 2)) if isinstance(data, list) else ():
        yield from places(data[key], (*path, key))


@pytest.mark.short(1)
@pytest.mark.parametrize("name", [COMPETITION_FILE, BLOCKS_FILE, MANIFEST_FILE])
def test_whatever_stands_in_a_file_it_is_read_or_named(name: str, exported: Path) -> None:
    text = (exported / name).read_text()
    first, rest = text.split("\n", 1) if name.endswith("jsonl") else (text, "")
    for path in places(json.loads(first)):
        for other in OTHERS:
            changed = json.loads(first)
            if path:
                *way, last = path
                reduce(lambda data, key: data[key], way, changed)[last] = other
            else:
                changed = other
            (exported / name).write_text(json.dumps(changed) + "\n" + rest)
            assert all(isinstance(each, Wrong) for each in check_export(exported, matches=False))


@pytest.mark.short(1)
@pytest.mark.parametrize("key", ["places", "scores", "forfeits", "faults", "termination"])
def test_whatever_a_match_ended_with_it_is_named(exported: Path, key: str) -> None:
    original = json.loads((exported / MATCHES_FILE).read_text().splitlines()[0])["result"][key]
    for other in ([], [1], [1, 1, 1], [-1, 2**62], [9, 9], "voided", "x", None):
        change(exported, MATCHES_FILE, lambda lines: lines[0]["result"].update({key: other}))  # noqa: B023  at once
        assert bool(complaints(exported)) is (other != original)

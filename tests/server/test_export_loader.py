"""An export as records again: the same competition, and a clear word about a damaged folder."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from roost.v1 import arena_pb2
from roost_games.errors import RoostError, UsageError
from roost_sdk.replay_files import Advance
from roost_server.answers import competitions, matches
from roost_server.answers.standings import standings_of
from roost_server.competition import ledger
from roost_server.export.files import BLOCKS_FILE, COMPETITION_FILE, MANIFEST_FILE, MATCHES_FILE
from roost_server.export.loader import loaded
from roost_server.export.writer import export
from roost_server.store import open_store
from tests.support.records.export_world import NAMES, change, complaints, play_and_export


@pytest.fixture(params=["round-robin", "knockout"])
def exported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), request.param)


def test_it_answers_as_the_arena_it_came_from(exported: Path) -> None:
    for_finals = arena_pb2.GetStandingsRequest(competition="cup", phase="finals")
    latest = arena_pb2.ListMatchesRequest(limit=1000)
    bracket = arena_pb2.GetBracketRequest(competition="cup")
    with open_store(f"sqlite:///{exported.parent}/roost.db", read_only=True) as there, loaded(exported) as here:
        assert standings_of(here, for_finals) == standings_of(there, for_finals)
        assert matches.matches(here, latest) == matches.matches(there, latest)
        assert competitions.competitions(here) == competitions.competitions(there)
        assert competitions.bracket(here, bracket) == competitions.bracket(there, bracket)
        entered = ledger.entrants(here, 1)
        assert [each.name for each in entered] == list(NAMES)
        assert entered == ledger.entrants(there, 1)


def test_it_can_be_exported_again(exported: Path, tmp_path: Path) -> None:
    with loaded(exported) as store:
        export(store, "cup", tmp_path / "again")
    names = sorted(file.name for file in exported.iterdir())
    assert sorted(file.name for file in (tmp_path / "again").iterdir()) == names
    for name in names:
        assert (tmp_path / "again" / name).read_bytes() == (exported / name).read_bytes(), name
    assert complaints(tmp_path / "again") == []


def test_an_export_of_before_has_no_times(exported: Path) -> None:
    change(exported, BLOCKS_FILE, lambda lines: [line.pop("times") for line in lines])
    assert complaints(exported) == []
    with loaded(exported) as store:
        (latest,) = matches.matches(store, arena_pb2.ListMatchesRequest(limit=1)).matches
    assert (latest.started_ms, latest.ended_ms) == (0, 0)


def test_nothing_is_left_of_it(exported: Path) -> None:
    with loaded(exported) as store:
        place = Path(store.name).parent
        assert place.is_dir()
    assert not place.exists()


def test_progress_is_told(exported: Path) -> None:
    totals: list[int] = []
    read: list[int] = []

    @contextmanager
    def progress(_: str, total: int) -> Iterator[Advance]:
        totals.append(total)
        yield read.append

    with loaded(exported, progress):
        pass
    assert totals == [sum(read)] == [len((exported / MATCHES_FILE).read_bytes().splitlines())]


def test_a_folder_of_something_else_is_told(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with (
            pytest.raises(UsageError, match="is not the export of a competition; `roost export` writes one"),
            loaded(folder),
        ):
            pass


def complaint(folder: Path) -> str:
    with pytest.raises(RoostError) as caught, loaded(folder):
        pass
    told = str(caught.value)
    assert told.startswith(f"{folder} is damaged: ")
    assert told.endswith(f"; `roost verify {folder}` says everything")
    return told.removeprefix(f"{folder} is damaged: ").rpartition(";")[0]


def test_a_changed_file_is_told(exported: Path) -> None:
    with (exported / MATCHES_FILE).open("a") as file:
        file.write("\n")
    assert complaint(exported) == "matches.jsonl: was changed: its hash is not that of the manifest"


def test_a_missing_file_is_told(exported: Path) -> None:
    (exported / BLOCKS_FILE).unlink()
    assert complaint(exported) == "blocks.jsonl: is missing"


def test_a_manifest_that_is_none_is_told(exported: Path) -> None:
    (exported / MANIFEST_FILE).write_text("{")
    assert complaint(exported).startswith("manifest.json: is not what it should be: ")


def test_a_match_too_few_or_too_many_is_told(exported: Path) -> None:
    gone: list[str] = []
    change(exported, MATCHES_FILE, lambda lines: gone.append(lines.pop()["match"]))
    assert complaint(exported) == f"matches.jsonl: match {gone[0]} is missing"
    change(exported, MATCHES_FILE, lambda lines: lines.insert(0, {**lines[0], "match": "strange"}))
    assert complaint(exported) == "matches.jsonl: line 1: match strange does not fit any block"


def test_a_match_of_others_is_told(exported: Path) -> None:
    change(exported, MATCHES_FILE, lambda lines: lines[0]["seats"][0].update(bot="mallory"))
    assert complaint(exported).endswith("does not fit any block")


def test_a_line_that_is_no_match_is_told(exported: Path) -> None:
    change(exported, MATCHES_FILE, lambda lines: lines[1].pop("seats"))
    assert complaint(exported).startswith("matches.jsonl: line 2: ")


def test_two_bots_with_one_number_are_told(exported: Path) -> None:
    def twice(lines: list[dict[str, object]]) -> None:
        bots = lines[0]["bots"]
        assert isinstance(bots, list)
        bots.append({**bots[0], "version": "v2"})

    change(exported, COMPETITION_FILE, twice)
    assert "UNIQUE constraint failed: bot_version.id" in complaint(exported)


def test_times_that_do_not_match_are_told(exported: Path) -> None:
    change(exported, BLOCKS_FILE, lambda lines: lines[0]["times"].pop())
    assert complaint(exported) == "blocks.jsonl: line 1: there cannot be such a block"


def test_the_files_are_as_documented(exported: Path) -> None:
    block = json.loads((exported / BLOCKS_FILE).read_text().splitlines()[0])
    assert block["times"] == [[1, 2]] * len(block["matches"])

"""What was held back cannot be changed before it is released: the seals show it, to two checkers."""

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from roost_server.competition import ledger, staging
from roost_server.competition.file import PhaseName
from roost_server.export.checker import check_export, verify_folder
from roost_server.export.writer import export
from roost_server.store import open_store
from tests.independent.check_export import wrong_with
from tests.support.records.export_world import Play, change, complaints

NOTED = "noted.json"
Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A competition, sealed while it was held back, exported before and after each release, and what was published."""
    folder = tmp_path_factory.mktemp("sealed")
    with open_store(f"sqlite:///{folder}/roost.db") as store, capture_logs():
        play = Play(store, "knockout", '"rounds"')
        seals = []

        async def whole() -> None:
            await play.begin()
            await play.phase(PhaseName.LADDER, rounds=1)
            await play.phase(PhaseName.FINALS, 1)
            seals.extend(staging.seal(store, ledger.find(store, "cup")))
            contest = play.director.contest
            assert contest is not None
            while await play.round(contest):
                pass
            await play.end()

        asyncio.run(whole())
        export(store, "cup", folder / "held", everything=False)
        staging.release(store, "cup", "", "host")
        export(store, "cup", folder / "first", everything=False)
        staging.release(store, "cup", "", "host")
        export(store, "cup", folder / "cup", everything=False)
    (folder / NOTED).write_text(json.dumps([seal.digest for seal in seals]))
    return folder


@pytest.fixture
def cup(released: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(released / "cup", tmp_path / "cup"))


def seals_in(folder: Path) -> Lines:
    return [json.loads(line) for line in (folder / "seals.jsonl").read_text().splitlines()]


def noted(released: Path) -> list[str]:
    return list(json.loads((released / NOTED).read_text()))


@pytest.mark.parametrize("name", ["held", "first", "cup"])
def test_exports_before_and_after_a_release_are_in_order(released: Path, name: str) -> None:
    folder = released / name
    assert complaints(folder) == []
    assert list(wrong_with(folder)) == []
    assert set(noted(released)) <= {seal["digest"] for seal in seals_in(folder)}


def test_each_release_opens_what_was_sealed(released: Path) -> None:
    sealed = {name: [seal["blocks"] for seal in seals_in(released / name)] for name in ("held", "first", "cup")}
    assert sealed["held"] == [None, None]
    first, then = sealed["first"]
    assert first == sealed["cup"][0]
    assert then is None or "" in {block for block, _ in then}
    assert all(block for seal in sealed["cup"] for block, _ in seal)


def test_a_noted_seal_has_to_be_there(released: Path) -> None:
    (digest,) = noted(released)
    assert list(check_export(released / "cup", seals=[digest])) == []
    (wrong,) = check_export(released / "cup", seals=["0" * 64])
    assert str(wrong) == f"seals.jsonl: does not have the seal {'0' * 64} that was published"
    remarks = verify_folder(released / "held").remarks
    assert "results of the finals are held back, and not in this export" in remarks


def slower(replays: Lines) -> None:
    """Somebody thought for longer in the last match: nothing else follows from that."""
    next(step for step in replays[-1]["steps"] if "seat" in step)["ms"] = 77.0


def without_block(seals: Lines) -> None:
    seals[-1]["blocks"].pop()


def without_seal(seals: Lines) -> None:
    del seals[0]


def later(seals: Lines) -> None:
    seals[0]["at_ms"] += 1


def test_a_changed_record_is_found(cup: Path) -> None:
    last = json.loads((cup / "matches.jsonl").read_text().splitlines()[-1])["match"]
    block = next(
        each["id"]
        for each in map(json.loads, (cup / "blocks.jsonl").read_text().splitlines())
        if last in {match for match, _ in each["matches"]}
    )
    change(cup, "matches.jsonl", slower)
    found = [each for each in complaints(cup) if each.startswith(block)]
    assert found == [f"{block}: is not what seal 1 of the finals was put on: it was changed since"]
    assert f"{block}: was changed after it was sealed" in list(wrong_with(cup))


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (without_block, "seal 1 of the finals: does not follow from its blocks and the seal before it"),
        (without_seal, "seal 0 of the finals: is missing"),
        (later, "seal 0 of the finals: does not follow from its blocks and the seal before it"),
    ],
)
def test_changed_seals_are_found(cup: Path, edit: Callable[[Lines], None], said: str) -> None:
    change(cup, "seals.jsonl", edit)
    assert said in complaints(cup)
    assert list(wrong_with(cup))

"""`roost verify` with the export of a competition: exit codes, and what is said besides the findings."""

import shutil
from pathlib import Path

import pytest

from roost_server.export.records import MANIFEST_FILE, MATCHES_FILE
from tests.cli.command import Roost
from tests.server.export_world import play_and_export


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


@pytest.fixture
def copy(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "cup"))


def test_an_export_in_order(roost: Roost, exported: Path) -> None:
    code, out, err = roost("verify", exported)
    assert (code, err) == (0, "")
    assert out.endswith(" matches checked, all in order\n")


def test_a_manifest_that_is_none_is_named(roost: Roost, copy: Path) -> None:
    (copy / MANIFEST_FILE).write_text("[1,2]")
    code, out, err = roost("verify", copy)
    assert (code, err) == (1, "")
    assert out.startswith(f"{copy / MANIFEST_FILE}: is not what it should be: ")
    assert out.endswith("0 matches checked, 1 not in order\n")


def test_an_export_without_its_matches_is_not_in_order(roost: Roost, copy: Path) -> None:
    (copy / MATCHES_FILE).unlink()
    code, out, _ = roost("verify", copy)
    assert code == 1
    assert out.startswith(f"{copy / MATCHES_FILE}: is missing\n")

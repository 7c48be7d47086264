"""`roost verify` with the export of a competition: exit codes, and what is said besides the findings."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roost_server.export.files import COMPETITION_FILE, MANIFEST_FILE, MATCHES_FILE
from tests.support import old
from tests.support.commands.roost import Roost
from tests.support.records.export_world import play_and_export


@pytest.fixture
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


def test_an_export_in_order(roost: Roost, exported: Path) -> None:
    code, out, err = roost("verify", exported)
    assert (code, err) == (0, "")
    assert out.endswith(" matches checked, no problems found\n")


def test_the_commitment_is_shown_to_be_compared(roost: Roost, exported: Path) -> None:
    commitment = json.loads((exported / COMPETITION_FILE).read_text())["commitment"]
    line = f"cup: commitment {commitment}; compare it with what was published"
    for where in ([exported], ["--db", exported.parent / "roost.db"]):
        assert roost("verify", *where).out.splitlines()[0] == line
    assert json.loads(roost("verify", exported, "--json").out)["commitments"] == {"cup": commitment}


def test_another_commitment_than_the_published_one(roost: Roost, exported: Path) -> None:
    """A competition that was played again with another master seed has an export that is consistent in itself."""
    commitment = json.loads((exported / COMPETITION_FILE).read_text())["commitment"]
    assert roost("verify", exported, "--commitment", commitment.upper()).code == 0
    for name in ("commitment", "seal"):
        code, _, err = roost("verify", exported, f"--{name}", commitment[:12])
        assert code == 2
        assert f"a {name} has 64 hexadecimal digits; give --{name} all of them, not '{commitment[:12]}'" in err
    code, out, _ = roost("verify", exported, "--commitment", "00" * 32)
    assert code == 1
    assert out.startswith(f"{exported / COMPETITION_FILE}: the commitment is {commitment}, not the published one\n")


def test_a_commitment_needs_a_competition(roost: Roost, exported: Path) -> None:
    for where in ([exported / MATCHES_FILE], ["--db", exported.parent / "roost.db"]):
        code, _, err = roost("verify", *where, "--commitment", "00")
        assert code == 2
        assert "--commitment belongs to one competition" in err


def test_a_manifest_that_is_none_is_named(roost: Roost, exported: Path) -> None:
    (exported / MANIFEST_FILE).write_text("[1,2]")
    code, out, err = roost("verify", exported)
    assert (code, err) == (1, "")
    assert out.startswith(f"{exported / MANIFEST_FILE}: is not what it should be: ")
    assert out.endswith("0 matches checked, 1 problem found\n")


def test_an_export_without_its_matches_is_not_in_order(roost: Roost, exported: Path) -> None:
    (exported / MATCHES_FILE).unlink()
    code, out, _ = roost("verify", exported)
    assert code == 1
    assert out.startswith(f"{exported / MATCHES_FILE}: is missing\n")


def test_the_check_of_a_folder_needs_neither_an_arena_nor_a_database() -> None:
    """Checking a result needs neither trust in the program that made it nor the time to load it."""
    program = (
        "import sys; from roost_cli.main import run; code = run(['verify', sys.argv[1]]); "
        "print(code, *sys.modules, sep='\\n')"
    )
    ran = subprocess.run([sys.executable, "-c", program, old.EXPORT], capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    assert "0" in lines
    loaded = lines[lines.index("0") :]
    assert "roost_server.export.checker" in loaded
    assert not {"grpc", "structlog", "sqlalchemy", "sqlmodel"}.intersection(loaded)
    unneeded = ("roost_server.play", "roost_server.store", "roost_server.accounts", "roost_server.answers")
    assert not [name for name in loaded if name.startswith(unneeded)]


def test_one_phase_is_exported_and_what_cannot_be_checked_is_said(roost: Roost, exported: Path, tmp_path: Path) -> None:
    database = exported.parent / "roost.db"
    assert roost("export", tmp_path / "finals", "--phase", "finals", "--db", database).code == 0
    said = roost("verify", tmp_path / "finals")
    assert said.code == 0
    assert said.out.startswith("the seeding of the finals comes from the ladder, which is not in this export\n")
    refused = roost("export", tmp_path / "no", "--phase", "freeze", "--db", database)
    assert (refused.code, "it may be ladder or finals" in refused.err) == (2, True)


def test_archived_replays_are_shown_and_verified(roost: Roost, exported: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported.parent, tmp_path / "host"))
    said = roost("admin", "archive", "cup", "--db", folder / "roost.db")
    file = folder / "archive" / "cup-ladder.jsonl.xz"
    assert said.out.startswith(f"moved the replays of cup's ladder to {file}: ")
    again = roost("admin", "archive", "cup", "--db", folder / "roost.db")
    assert again.out.startswith(f"nothing is left to move: the replays of cup's ladder are in {file}: ")
    first = json.loads((exported / MATCHES_FILE).read_text().splitlines()[0])["match"]
    shown = roost("replay", first, "--db", folder / "roost.db", "--json")
    assert json.loads(shown.out)["match"] == first
    assert json.loads(roost("replay", f"{file}:1", "--json").out)["match"] == first
    assert roost("verify", file).code == 0
    assert roost("verify", "--db", folder / "roost.db").code == 0
    file.write_bytes(file.read_bytes()[:-100])
    damaged = roost("verify", file)
    assert (damaged.code, damaged.err.startswith(f"roost: cannot read {file}: ")) == (2, True)

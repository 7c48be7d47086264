"""docs/hosting/competition.md and operations.md are true: their commands run as written.

The commands about accounts run at an arena of their own.
"""

import json
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from roost_server.competition import file as parts
from roost_server.competition.demands import QualificationPart
from roost_server.competition.file_errors import FilePart
from tests.support.commands.hosted_page import Reader, shown
from tests.support.commands.roost import until
from tests.support.cups import cup

DOCS = Path(__file__).parents[2] / "docs"
COMPETITION = (DOCS / "hosting/competition.md").read_text(encoding="utf-8")
OPERATIONS = (DOCS / "hosting/operations.md").read_text(encoding="utf-8")
HOSTING, ACCOUNTS = COMPETITION.split("\n## Accounts and keys\n")
SPRING_CUP = cup("ladder", "done", name="spring-cup")


@pytest.mark.long
def test_hosting_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("name,email\nDot,dot@example.org\nEve,eve@example.org\n")
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack, capsys)
        for command in (*shown(HOSTING), *shown(OPERATIONS)):
            if command.words[:2] == ["admin", "backup"]:
                until(lambda: phase_of(reader) == "done")
                check_result(reader)
            reader.follow(command)
    assert (tmp_path / "roost.db.before-restore-1").exists()


def competition(reader: Reader) -> dict[str, object]:
    (found,) = json.loads("\n".join(reader.run("competition", "list", "--json")))["competitions"]
    assert isinstance(found, dict)
    return found


def phase_of(reader: Reader) -> object:
    return competition(reader)["phase"]


def check_result(reader: Reader) -> None:
    """The finals are played out: three bots in pairs and all together, twice, at two games."""
    said = json.loads(
        "\n".join(reader.run("standings", "--competition", "my-competition", "--phase", "finals", "--json"))
    )
    assert {row["name"]: row["blocks"] for row in said["standings"]} == dict.fromkeys(
        ("careful", "greedy", "timid"), 2 * 2 * (2 + 1)
    )
    assert competition(reader)["seed"]


@pytest.mark.long
def test_accounts_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cup.toml").write_text(SPRING_CUP)
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack, capsys)
        reader.run("admin", "key", "make", "--admin", "--db", "roost.db", "--save", "admin.key")
        reader.serve("cup.toml")
        reader.run("admin", "invite", "--key-file", "admin.key")
        for command in shown(ACCOUNTS):
            reader.follow(command)
        keys = json.loads("\n".join(reader.run("account", "--json", "--key-file", "ann.key")))["keys"]
        reader.prefix = next(key["prefix"] for key in keys if key["bot"] == "careful")
        (said,) = reader.run("account", "revoke", "PREFIX", "--key-file", "ann.key")
        assert said == f"revoked key {reader.prefix}"


@pytest.mark.parametrize(
    "part",
    [
        parts.CompetitionFile,
        parts.GameTable,
        parts.ClockPart,
        parts.EntryPart,
        parts.FaultPart,
        parts.PacePart,
        parts.ChallengePart,
        parts.SpectatorPart,
        parts.PhasePart,
        QualificationPart,
    ],
    ids=lambda part: part.__name__,
)
def test_every_setting_is_explained_with_its_default(part: type[FilePart]) -> None:
    rows: dict[str, str] = dict(re.findall(r"^\| `([\w.]+)` \|.*\|(.*)\|$", HOSTING, re.MULTILINE))
    prefix = "qualification." if part is QualificationPart else ""
    inner = {"games", "phases", "clock", "entry", "faults", "pace", "challenges", "spectators"}
    for name, field in part.model_fields.items():
        if name == "forfeits":  # only older competitions may still have it
            continue
        if name == "qualification":
            assert "[phases.qualification]" in HOSTING
            continue
        if part is parts.CompetitionFile and name in inner:
            assert f"[{name}]" in HOSTING
            continue
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        written = "" if default is None else f"`{json.dumps(default)}`"
        assert rows[prefix + name].strip() in (written, "the first of these", "by the clock", "by measure"), name

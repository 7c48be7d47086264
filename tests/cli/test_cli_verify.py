"""`roost verify`: exit codes, and a line for each match that does not verify."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.commands.roost import Roost


@pytest.fixture
def record(roost: Roost, tmp_path: Path) -> Path:
    """Three matches of different games."""
    file = tmp_path / "record.jsonl"
    for game in ("karteneck", "bratwurmeck", "haecmaec"):
        roost("play", game, "random", "random", "--seed", "verify", "--replay", file)
    return file


def with_line(file: Path, number: int, change: dict[str, object]) -> str:
    """Change a line of the file; returns the id of its match."""
    lines = file.read_text().splitlines()
    data = json.loads(lines[number - 1])
    data.update(change)
    lines[number - 1] = json.dumps(data)
    file.write_text("\n".join(lines) + "\n")
    return str(data["match"])


def test_matches_in_order(roost: Roost, record: Path) -> None:
    assert roost("verify", record) == (0, "3 matches checked, no problems found\n", "")
    assert roost("verify", record, record).out == "6 matches checked, no problems found\n"


def test_blank_lines_are_no_matches(roost: Roost, record: Path) -> None:
    record.write_text("\n\n" + record.read_text() + "\n")
    assert roost("verify", record) == (0, "3 matches checked, no problems found\n", "")


def test_a_deviation_is_named_with_line_match_and_step(roost: Roost, record: Path) -> None:
    data = json.loads(record.read_text().splitlines()[1])
    wrong = 1 - data["steps"][0]["outcome"]
    match = with_line(record, 2, {"steps": [{"chance": "starter", "outcome": wrong}, *data["steps"][1:]]})
    code, out, err = roost("verify", record)
    assert (code, err) == (1, "")
    finding, summary = out.splitlines()
    assert finding.startswith(f"{record}:2 match {match}: step 0: chance 'starter' gives {wrong}")
    assert summary == "3 matches checked, 1 problem found"


def test_a_wrong_result_has_no_step(roost: Roost, record: Path) -> None:
    data = json.loads(record.read_text().splitlines()[2])
    match = with_line(record, 3, {"result": {**data["result"], "scores": [99, 99]}})
    out = roost("verify", record).out
    assert out.startswith(f"{record}:3 match {match}: the scores are ")


def test_a_truncated_record_is_found_and_the_rest_is_checked(roost: Roost, record: Path) -> None:
    record.write_text(record.read_text()[:-300])
    code, out, _ = roost("verify", record)
    assert code == 1
    assert out.startswith(f"{record}:3: not JSON at character ")
    assert out.endswith("3 matches checked, 1 problem found\n")


def test_even_a_single_truncated_line_is_a_deviation(roost: Roost, record: Path) -> None:
    record.write_text(record.read_text()[:200])
    code, out, _ = roost("verify", record)
    assert code == 1
    assert out.startswith(f"{record}:1: not JSON at character ")


def test_a_line_of_garbage_between_records_is_a_deviation(roost: Roost, record: Path) -> None:
    record.write_bytes(b"\xff\xfe\n" + record.read_bytes())
    code, out, _ = roost("verify", record)
    assert code == 1
    assert out.startswith(f"{record}:1: not UTF-8")


def test_json_for_programs(roost: Roost, record: Path) -> None:
    assert json.loads(roost("verify", record, "--json").out) == {"matches": 3, "in_order": 3, "findings": []}
    match = with_line(record, 1, {"commitment": "00" * 32})
    code, out, _ = roost("verify", record, "--json")
    assert code == 1
    assert json.loads(out) == {
        "matches": 3,
        "in_order": 2,
        "findings": [
            {
                "file": str(record),
                "line": 1,
                "match": match,
                "step": None,
                "what": "the commitment is not the SHA-256 of the seed",
            }
        ],
    }


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (b"\n \n", "it is empty"),
        (b"hello\nworld\n", "line 1 is not JSON"),
        (b"[1, 2]\n", "line 1 is"),
        (b"\x00\xff\x00", "line 1 is not UTF-8"),
    ],
)
def test_a_file_without_replays_is_refused(roost: Roost, tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    code, out, err = roost("verify", file)
    assert (code, out) == (2, "")
    assert err.startswith(f"roost: {file} holds no replays: {why}")
    assert err.count("\n") == 1


def test_a_database_is_named_and_not_read_as_text(roost: Roost, tmp_path: Path) -> None:
    file = tmp_path / "roost.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE matches (replay TEXT)")
        database.execute("INSERT INTO matches VALUES (?)", ("\n{}\n" * 100,))
        database.commit()
    code, out, err = roost("verify", file)
    assert (code, out, err) == (2, "", f"roost: {file} is a database; write roost verify --db {file}\n")


def test_a_record_of_faults_is_in_order(roost: Roost, tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("from roost_sdk import Bot\nclass Bad(Bot):\n    def choose(self, view, legal):\n        return 7\n")
    file = tmp_path / "faults.jsonl"
    for game in ("karteneck", "bratwurmeck", "haecmaec"):
        roost("play", game, bad, "random", "random", "--replay", file)
    assert roost("verify", file).out == "3 matches checked, no problems found\n"

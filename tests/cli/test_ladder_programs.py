"""`roost ladder` with programs that connect to an arena by themselves."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.support.commands.roost import Roost

SMALL = ("--games", "karteneck", "--players", "2,3", "--schedule", "least-played", "--seed", "spring")
PROGRAM = """
import os, sys
from roost_sdk import Bot, run

class Mine(Bot):
    decisions = 0
    player_counts = {counts}

    def choose(self, view, legal):
        Mine.decisions += 1
        if Mine.decisions == {last}:
            os._exit(3)
        return legal[-1]

if __name__ == "__main__":
    run(Mine, ["--server", os.environ["ROOST_SERVER"], "--name", os.environ["ROOST_NAME"]])
"""


def program(tmp_path: Path, last: int = 0, counts: tuple[int, ...] = ()) -> str:
    """A command for a program that is told by its environment where to go; it ends at its `last` decision."""
    file = tmp_path / "mine.py"
    file.write_text(PROGRAM.format(last=last, counts=counts), encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"


@pytest.mark.long
def test_programs_play_on_the_same_schedule_with_the_same_deals(roost: Roost, tmp_path: Path) -> None:
    database = tmp_path / "l.db"
    done = roost("ladder", "random", "greedy", f"cmd:{program(tmp_path)}", *SMALL, "--blocks", 5, "--db", database)
    assert done.code == 0, done.err
    assert "12 matches in 5 blocks of karteneck" in done.out
    assert roost("verify", "--db", database).out == "12 matches checked, no problems found\n"
    local = tmp_path / "local.db"
    roost("ladder", "random", "greedy", tmp_path / "mine.py", *SMALL, "--blocks", 5, "--db", local)
    assert deals(roost, database) == deals(roost, local)


@pytest.mark.long
def test_a_program_sits_only_at_tables_that_it_plays_at(roost: Roost, tmp_path: Path) -> None:
    command = f"cmd:mine={program(tmp_path, counts=(2,))}"
    done = roost("ladder", "random", "greedy", "timid", command, *SMALL, "--blocks", 12, "--json")
    rows = {row["name"]: row for row in json.loads(done.out)["standings"]}
    assert [place["players"] for place in rows["mine"]["places"]] == [2]
    assert [place["players"] for place in rows["greedy"]["places"]] == [2, 3]
    assert rows["mine"]["faults"] == 0


def deals(roost: Roost, database: Path) -> list[tuple[str, list[str], str]]:
    """Who sat where in which match, and what was dealt."""
    found = []
    for match in json.loads(roost("matches", "--db", database, "--json").out)["matches"]:
        replay = json.loads(roost("replay", match["match_id"], "--db", database, "--json").out)
        found.append((match["match_id"], match["bots"], replay["seed"]))
    return found


@pytest.mark.long
def test_a_program_that_ends_is_started_again_and_at_last_benched(roost: Roost, tmp_path: Path) -> None:
    done = roost("ladder", "random", "greedy", f"cmd:mine={program(tmp_path, last=3)}", *SMALL, "--blocks", 8, "--json")
    data = json.loads(done.out)
    assert data["benched"] == ["mine"]
    assert "mine ended and is started again" in done.err
    assert data["blocks"] == 8

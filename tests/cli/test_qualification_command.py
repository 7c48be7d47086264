"""`roost competition show` and `roost matches` about bots that have to qualify."""

import json
from pathlib import Path

import pytest

from tests.support.arenas.hall import bounded
from tests.support.arenas.qualifying_world import CUP, Faulty, qualifying
from tests.support.commands.roost import Roost


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The records of an arena at which one bot has qualified, and another one has not."""
    folder = tmp_path_factory.mktemp("qualified")

    async def script() -> None:
        async with qualifying(folder) as there:
            await there.open_house()
            await there.come("bob", "Bob", Faulty)
            await there.come("ann", "Ann")
            await there.qualified("Ann")

    bounded(script)
    return folder / "roost.db"


def test_how_far_everybody_is(roost: Roost, database: Path) -> None:
    code, out, err = roost("competition", "show", "cup", "--db", database)
    assert (code, err) == (0, "")
    assert "qualified with" in out
    shown = json.loads(roost("competition", "show", "cup", "--db", database, "--json").out)["qualifications"]
    assert {row["bot"]: row["qualified"] for row in shown} == {"ann": True, "bob": False, "house": True}


def test_the_matches_are_marked(roost: Roost, database: Path) -> None:
    listed = roost("matches", "--competition", "cup", "--phase", "qualification", "--db", database, "--json").out
    assert {match["phase"] for match in json.loads(listed)["matches"]} == {"qualification"}
    assert "not rated)" in roost("matches", "--db", database).out
    rated = roost("standings", "--db", database, "--json").out
    assert json.loads(rated)["standings"] == []


def test_a_file_with_a_qualification_is_explained(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    code, out, _ = roost("competition", "check", tmp_path / "cup.toml")
    assert code == 0
    assert "it shows 4 matches in a row without a fault against house in karteneck at a table of 2" in out

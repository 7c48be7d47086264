"""Changed code is submitted while the old one plays: the old process plays its matches to the end, and exits."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands.roost import Roost, arena, roost_process, until

BOT = """
from roost_sdk import Bot

class Mine(Bot):
    def choose(self, view, legal):
        return legal[{}]
"""


def write(folder: Path, move: int) -> Path:
    folder.mkdir()
    (folder / "mybot.py").write_text(BOT.format(move))
    return folder / "mybot.py"


@pytest.mark.long
def test_a_new_version_takes_over_without_a_lost_match(tmp_path: Path, roost: Roost) -> None:
    old, new = write(tmp_path / "old", 0), write(tmp_path / "new", -1)
    with (
        arena(tmp_path, "--games", "karteneck", "--players", 2, "--bots", "random") as (_, address),
        roost_process("submit", old, "--server", address, folder=tmp_path) as first,
    ):

        def matches() -> list[Any]:
            found: list[Any] = json.loads(roost("matches", "--server", address, "--json").out)["matches"]
            return found

        until(lambda: matches() != [])
        with roost_process("submit", new, "--server", address, folder=tmp_path):
            assert first.end() == 0
            (told,) = [line for line in first.err.lines if "takes over" in line]
            assert " of this bot takes over; " in told
            newest = matches()[0]["match_id"]
            until(lambda: matches()[0]["match_id"] != newest)
            assert not any(match["forfeits"] for match in matches())

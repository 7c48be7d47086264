"""The bracket of a knockout in its export: it is the result, and follows from the duels."""

import asyncio
import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from roost.v1 import arena_pb2
from roost_games.errors import UsageError
from roost_server.answers import competitions
from roost_server.competition.file import PhaseName
from roost_server.export.files import BLOCKS_FILE, BRACKET_FILE, MATCHES_FILE
from roost_server.export.writer import export
from roost_server.store import open_store
from tests.support.records.export_world import Play, change, complaints, play_and_export, sign_again


@pytest.fixture
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play_and_export(tmp_path_factory.mktemp("export"), "knockout")


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def duels(folder: Path) -> Counter[tuple[str, str]]:
    """How often the first finished ahead of the second in the finals, from the replays; a tie is half."""
    finals = {
        match for block in lines(folder / BLOCKS_FILE) if block["phase"] == "finals" for match, _ in block["matches"]
    }
    won: Counter[tuple[str, str]] = Counter()
    for replay in lines(folder / MATCHES_FILE):
        if replay["match"] in finals:
            (one, other), (place, place_other) = (seat["bot"] for seat in replay["seats"]), replay["result"]["places"]
            share = 0.5 if place == place_other else float(place < place_other)
            won[one, other] += share  # type: ignore[assignment]
            won[other, one] += 1 - share  # type: ignore[assignment]
    return won


def test_the_bracket_follows_from_seeding_and_duels(exported: Path) -> None:
    standings = json.loads((exported / "standings-ladder.json").read_text())["standings"]
    first, second, third, fourth = (standing["name"] for standing in standings)
    found = json.loads((exported / BRACKET_FILE).read_text())
    semifinals, (final,) = found["rounds"]
    assert [(tie["high"], tie["low"]) for tie in semifinals] == [(first, fourth), (second, third)]
    assert {final["high"], final["low"]} == {tie["winner"] for tie in semifinals}
    won = duels(exported)
    for tie in (*semifinals, final):
        score = won[tie["high"], tie["low"]], won[tie["low"], tie["high"]]
        assert (tie["score_high"], tie["score_low"]) == score
        assert tie["winner"] == (tie["low"] if score[1] > score[0] else tie["high"])
    assert found["champion"] == final["winner"]


def test_the_table_says_the_same(exported: Path) -> None:
    with (exported / "bracket.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    rounds = json.loads((exported / BRACKET_FILE).read_text())["rounds"]
    expected = [{"round": number, **tie} for number, ties in enumerate(rounds, 1) for tie in ties]
    assert rows == [{key: str(value) for key, value in row.items()} for row in expected]


def test_another_champion_is_noticed(exported: Path) -> None:
    change(exported, BRACKET_FILE, lambda objects: objects[0].update(champion="nobody"))
    (found,) = complaints(exported)
    assert found.startswith("bracket.json: line 2 says ")


def test_a_bracket_that_is_missing_is_noticed(exported: Path) -> None:
    (exported / "bracket.csv").unlink()
    change(exported, "manifest.json", lambda objects: objects[0]["sha256"].pop("bracket.csv"))
    assert complaints(exported) == ["bracket.csv: is missing"]


def test_other_finals_have_no_bracket(tmp_path: Path) -> None:
    folder = play_and_export(tmp_path, "swiss")
    assert not (folder / BRACKET_FILE).exists()
    (folder / BRACKET_FILE).write_text("{}")
    sign_again(folder)
    assert "bracket.json: is not part of this export" in complaints(folder)


def test_a_running_knockout_is_asked_for_its_bracket(tmp_path: Path) -> None:
    """There is none during the ladder. After a round of finals it is that of the duels so far, without a champion."""
    with open_store(f"sqlite:///{tmp_path}/roost.db") as store, capture_logs():
        play = Play(store, "knockout")
        request = arena_pb2.GetBracketRequest(competition="cup")

        async def play_a_round() -> None:
            await play.begin()
            await play.phase(PhaseName.LADDER, 2)
            assert not competitions.bracket(store, request).rounds
            await play.phase(PhaseName.FINALS, 1)
            await play.recorder.aclose()

        asyncio.run(play_a_round())
        bracket = competitions.bracket(store, request)
        export(store, "cup", tmp_path / "cup")
        with pytest.raises(UsageError, match="there is no competition 'cap'; the competitions are: cup"):
            competitions.bracket(store, arena_pb2.GetBracketRequest(competition="cap"))
    won = duels(tmp_path / "cup")
    assert bracket.rounds
    assert not bracket.champion
    for tie in bracket.rounds[0].ties:
        assert (tie.score_high, tie.score_low) == (won[tie.high, tie.low], won[tie.low, tie.high])
        ahead = tie.high if tie.score_high > tie.score_low else tie.low
        assert tie.score_high == tie.score_low or tie.winner == ahead

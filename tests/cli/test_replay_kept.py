"""`roost replay FILE` with the journal of a match: as its bot saw it, and with the arena's record beside it."""

import json
from pathlib import Path

import pytest

from roost_games.replay import Decision
from roost_sdk.arena.kept import fetch_record, read_kept
from tests.support.commands.roost import Roost, arena, roost_process, until
from tests.support.records.journals import OneMatch, kept_of


def test_a_match_is_shown_as_its_bot_saw_it(tmp_path: Path, roost: Roost) -> None:
    replay, kept = kept_of(tmp_path)
    ran = roost("replay", kept.file, "--show")
    own = [step for step in replay.steps if isinstance(step, Decision) and step.seat == 1]
    assert (ran.code, ran.out.count("Decision "), ran.out.count("its hand: ")) == (0, len(own), len(own))
    assert "as seat 1 saw it" in ran.out
    for options in (["--mine"], ["--json"], ["--html", "x.html"]):
        refused = roost("replay", kept.file, *options)
        assert refused.code == 2
        assert "--server HOST:PORT fetches the record" in refused.err


@pytest.mark.long
def test_a_bot_has_the_luck_of_its_journal(tmp_path: Path, roost: Roost) -> None:
    """At an arena no seed tells what `self.rng` gave; the journal does."""
    replay, kept = kept_of(tmp_path)
    fetch_record(kept, OneMatch(replay))
    asked = ("replay", kept.file, "--mine", "--bot", "random", "--weigh", 2, "--json")
    said = json.loads(roost(*asked).out)
    assert (said["seat"], said["differences"]) == (1, [])
    (tmp_path / "r.jsonl").write_text(replay.to_line())
    other = json.loads(roost("replay", tmp_path / "r.jsonl", "--bot", "random", "--seat", 1, "--json").out)
    assert other["differences"] != []


RANDOM_BOT = """
from roost_sdk import Bot

class Mine(Bot):
    def choose(self, view, legal):
        return self.rng.choice(legal)
"""


@pytest.mark.long
def test_the_record_is_fetched_in_one_command(tmp_path: Path, roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot keeps its matches at an arena; one command then fetches, verifies and looks into one of them."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(RANDOM_BOT)
    with arena(tmp_path, "--players", "2") as (_, address):
        server = ("--server", address)
        with (
            roost_process("submit", "timid", *server, folder=tmp_path),
            roost_process("submit", "mine.py", "--keep", "kept", *server, folder=tmp_path),
        ):
            until(lambda: any('"result"' in file.read_text() for file in Path("kept").glob("*.jsonl")))
        kept = next(file for file in Path("kept").glob("*.jsonl") if '"result"' in file.read_text())
        ran = roost("replay", kept, *server, "--mine", "--weigh", 2, "--json")
    said = json.loads(ran.out)
    assert (ran.code, said["bot"], said["differences"]) == (0, "mine", [])
    assert "has the record of the match; it was replayed, and says what the journal says" in ran.err
    assert roost("verify", read_kept(kept).record_file).code == 0

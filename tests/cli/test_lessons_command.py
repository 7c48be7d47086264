"""`roost lessons`: the losses of a bot, from a file, from journals, or played now."""

import json
from pathlib import Path

import pytest

from roost_bots import SAMPLES, playing_on, strongest
from roost_ladder.workshop.losses import LossOptions, Tutors, study_losses
from roost_sdk import LoadedBot
from roost_sdk.arena.kept import fetch_record
from tests.support.commands.roost import Roost
from tests.support.records.journals import OneMatch, kept_of
from tests.support.records.matches import recorded

QUITTER = """
from roost_games.karteneck import PASS
from roost_sdk import Bot

class Quitter(Bot):
    player_counts = (2,)
    def karteneck(self, view, legal):
        return PASS
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quitter.py").write_text(QUITTER)


@pytest.mark.long
def test_matches_that_are_played_now(roost: Roost) -> None:
    asked = ("lessons", "quitter.py", "--matches", 5, "--worlds", 1)
    said = json.loads(roost(*asked, "--html", "l.html", "--json").out)
    assert (said["bot"], said["better_bot"], said["losses"]) == ("quitter", "strong", 5)
    assert said["lessons"][0]["kind"] == "leaves without a worm while others are in"
    assert said["lessons"][0]["cost"]["mean"] > 0
    assert "just now against careful" in said["remarks"][0]
    assert "leaves without a worm while others are in" in Path("l.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_file_of_replays(roost: Roost) -> None:
    """Of two matches between these bots `careful` has lost one, as it is called there."""
    bots = [LoadedBot("timid", SAMPLES["timid"]), LoadedBot("mine", SAMPLES["careful"])]
    replays = [recorded("bratwurmeck", bots, str(seed)) for seed in range(8)]
    Path("r.jsonl").write_text("".join(f"{each.to_line()}\n" for each in replays))
    lost = sum(each.result.places[1] > 1 for each in replays)
    ran = roost("lessons", "careful", "--name", "mine", "--file", "r.jsonl", "--worlds", 1, "--json")
    assert json.loads(ran.out)["losses"] == lost > 0
    none = roost("lessons", "careful", "--file", "r.jsonl")
    assert (none.code, none.err) == (1, "roost: 0 matches lost by careful, from r.jsonl.\n")


def test_journals_need_their_records(roost: Roost) -> None:
    replay, kept = kept_of(Path("kept"))
    lost = replay.result.places[1] > 1
    ran = roost("lessons", "random", "--kept", "kept", "--worlds", 1, "--json")
    assert ran.code == 1
    assert "1 more lack their records, which --server fetches" in ran.err
    Path("kept/20260314T150926Z-karteneck-3f2a.jsonl").write_text('{"format": "roost-kept/1"}\n')
    ran = roost("lessons", "random", "--kept", "kept", "--worlds", 1)
    assert "1 journal left out, the first because kept/20260314T150926Z-karteneck-3f2a.jsonl is not the" in ran.err
    fetch_record(kept, OneMatch(replay))
    ran = roost("lessons", "random", "--kept", "kept", "--worlds", 1, "--json")
    assert (json.loads(ran.out)["losses"] if lost else 0) == lost


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--file", "r.jsonl", "--db", "x.db"], "--file names the matches"),
        (["--kept", "nowhere"], "there is no folder nowhere; roost submit --keep nowhere makes one"),
        (["--file", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (["--game", "haecmaec"], "quitter and careful play no game together"),
        (["--html", "nowhere/l.html"], "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_studied(options: list[str], told: str, roost: Roost) -> None:
    ran = roost("lessons", "quitter.py", *options)
    assert (ran.code, told in ran.err) == (2, True), ran.err


def test_ctrl_c_leaves_what_was_found() -> None:
    bots = [LoadedBot("timid", SAMPLES["timid"]), LoadedBot("mine", SAMPLES["random"])]
    replays = [recorded("karteneck", bots, str(seed)) for seed in range(6)]
    Path("r.jsonl").write_text("".join(f"{each.to_line()}\n" for each in replays))
    seen: list[int] = []

    def advance(done: int) -> None:
        seen.append(done)
        if len(seen) == 2:
            raise KeyboardInterrupt

    options = LossOptions("random", "mine", file=Path("r.jsonl"), worlds=1)
    found = study_losses(options, Tutors(SAMPLES, strongest, playing_on), None, 1e9, advance)
    assert (found.interrupted, found.study.losses) == (True, 2)

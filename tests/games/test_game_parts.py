"""Every registered game is complete: a test for each part fails by its name, and CONTRIBUTING.md lists these parts."""

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from roost_bots.starters import start_folder
from roost_games.chance import Quick, seed_of
from roost_games.narrator import Frame, Narrator
from roost_games.referee import Referee, Seat
from roost_games.registry import GAME_NAMES, all_games, rules_of
from roost_games.situations import policies_of, situations_of
from roost_sdk.pettingzoo import coding_for
from roost_sdk.viewing.frames import Recorded
from roost_sdk.wire import codec_for
from tests.support.games.parts import ONEOFS, PARTS, ROOT, Part, has, lacking
from tests.support.games.toy import TOY, play_out
from tests.support.games.toy_parts import FILES, list_toy, play_proto
from tests.support.games.values import text_of


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.where)
@pytest.mark.parametrize("game", GAME_NAMES)
def test_a_registered_game_has(game: str, part: Part) -> None:
    assert has(part, game), f"{game} lacks {part.where}: see 'Adding a game' in CONTRIBUTING.md"


def test_the_list_in_contributing_is_complete() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Adding a game\n")[2]
    files = set(re.findall(r"`([^`\s]+/[^`\s]*)`", text.partition("\n## ")[0]))
    assert files == {part.where for part in PARTS} | {"games/roost_games/registry.py"}


@pytest.fixture
def toy_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout in which the toy is listed and complete."""
    known = set(sys.modules)
    list_toy(tmp_path, monkeypatch)
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - known:
        if ".toy" in name and not name.startswith("tests."):
            del sys.modules[name]


def test_a_complete_game_lacks_nothing(toy_root: Path) -> None:
    assert lacking("toy", toy_root) == []


@pytest.mark.parametrize("file", FILES)
def test_what_a_game_lacks_is_named(file: str, toy_root: Path) -> None:
    (toy_root / file).unlink()
    where = "tests/golden/" if file.startswith("tests/golden/") else file.replace("toy", "GAME")
    found = lacking("toy", toy_root)
    # Without the package itself nothing can be told about the game but what has its name.
    assert where in found if file == "games/roost_games/toy/__init__.py" else found == [where]


@pytest.mark.parametrize("told", ["move", "event", "board", "points", "round", "mark"])
def test_a_narration_that_does_not_tell_everything_is_named(told: str, toy_root: Path) -> None:
    file = toy_root / "games/roost_games/toy/narration.py"
    file.write_text(file.read_text(encoding="utf-8").replace(f"def {told}(", f"def no_{told}("), encoding="utf-8")
    assert lacking("toy", toy_root) == ["games/roost_games/GAME/narration.py"]


@pytest.mark.parametrize("oneof", ONEOFS)
def test_a_game_that_is_not_in_the_envelope_is_named(oneof: str, toy_root: Path) -> None:
    play_proto(toy_root, without=oneof)
    assert lacking("toy", toy_root) == ["proto/roost/v1/play.proto"]


@pytest.mark.parametrize(
    ("file", "wrong"),
    [
        ("games/roost_games/toy/__init__.py", "GAME = None"),
        ("games/roost_games/toy/narration.py", "NARRATION = object"),
        ("games/roost_games/toy/situations.py", "SITUATIONS = POLICIES = ()"),
        ("client_sdk/roost_sdk/wire/toy.py", "CODEC = None"),
        ("client_sdk/roost_sdk/pettingzoo/toy.py", "CODING = object"),
        ("sample_bots/roost_bots/starters/toy.py", "from roost_sdk import Bot\nclass MyBot(Bot):\n    games = ()"),
        ("viewer/roost_viewer/boards/toy.js", "export const styles = '';"),
        ("viewer/roost_viewer/chance.js", "const DEALS = {\n};\nconst TITLES = {\n  toy: 1,\n};\n"),
        ("docs/formats/chance.md", "toy\n"),
    ],
)
def test_an_empty_file_is_not_enough(file: str, wrong: str, toy_root: Path) -> None:
    (toy_root / file).write_text(wrong, encoding="utf-8")
    assert file.replace("toy", "GAME") in lacking("toy", toy_root)


def test_a_listed_game_is_found_by_everything(toy_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing has to be told about it anywhere else."""
    assert [game.name for game in all_games()][-1] == "toy"
    assert rules_of("toy") == "# Toy\n"
    assert codec_for("toy").game is TOY
    assert [situation.name for situation in situations_of("toy", {})] == ["fewer than no points"]
    state = TOY.start(2, TOY.options({}), Quick(Random(1)))
    (seat,) = state.to_move
    view, legal = state.observe(seat), state.legal(seat)
    (policy,) = policies_of("toy")
    assert policy(Random(1), view, legal) in legal
    assert coding_for(view).mask(view, legal).sum() == len(legal) == 2
    monkeypatch.chdir(toy_root)
    assert "class Clever(Bot)" in (start_folder("clever", TOY) / "clever.py").read_text(encoding="utf-8")


def test_a_listed_game_is_shown(toy_root: Path) -> None:
    """Frames need nothing of a game but its rules and its narration."""
    referee = Referee(TOY, [Seat("ann"), Seat("bob")], seed_of("shown"))
    play_out(referee, Random(1))
    document: Any = Recorded(referee.replay()).document(1)
    frames = document["frames"]
    assert [frame["round"] for frame in frames] == [1, 1, 2, 2, 3, 3, 4, 4, 4]
    assert [len(frame["moves"]) for frame in frames] == [0, 1, 2, 1, 2, 1, 2, 1, 2]
    assert tuple(frames[-1]["points"]) == referee.replay().result.scores
    assert all(frame["view"]["hands"][0] is None for frame in frames)


def test_a_listed_game_is_told(toy_root: Path) -> None:
    frames: list[Frame] = []
    narrator = Narrator("toy", ["ann", "bob"], frames.append)
    referee = Referee(TOY, [Seat("ann"), Seat("bob")], seed_of("told"), listener=narrator.listen)
    narrator.begin(referee)
    play_out(referee, Random(1))
    told = [text_of(line.words) for frame in frames for line in frame.lines]
    assert told[0] == "c3 is worth three; only you see all hands."
    assert len([line for line in told if " shows c" in line]) == 4
    assert len([line for line in told if " scores " in line]) == 4

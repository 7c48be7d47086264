"""From what a person names to bots that take part."""

from pathlib import Path

import pytest

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES
from roost_ladder.running.entrants import Entrant, find_entrants
from roost_sdk import fingerprint

BOT = "from roost_sdk import Bot\n\nclass {name}(Bot):\n    def {game}(self, view, legal):\n        return legal[0]\n"


def write(file: Path, name: str = "Mine", game: str = "choose") -> str:
    file.parent.mkdir(exist_ok=True)
    file.write_text(BOT.format(name=name, game=game), encoding="utf-8")
    return str(file)


def find(*texts: str) -> list[Entrant]:
    return find_entrants(texts, SAMPLES).bots


def test_bots_are_sorted_by_name_and_know_what_they_play(tmp_path: Path) -> None:
    one, *others = find("timid", write(tmp_path / "mine.py", game="haecmaec"), "greedy")
    greedy, mine, timid = one, *others
    assert [entrant.spec.name for entrant in (greedy, mine, timid)] == ["greedy", "mine", "timid"]
    assert mine.games == {"haecmaec"}
    assert greedy.games == set(GAME_NAMES)
    assert greedy.spec.version == fingerprint(SAMPLES["greedy"])
    assert mine.spec.load().bot_class.__name__ == "Mine"


def test_bots_know_at_which_tables_they_play(tmp_path: Path) -> None:
    file = Path(write(tmp_path / "mine.py", game="karteneck"))
    file.write_text(file.read_text(encoding="utf-8") + "    player_counts = {2, 4}\n", encoding="utf-8")
    greedy, mine = find("greedy", str(file))
    assert [count for count in range(2, 5) if mine.plays("karteneck", count)] == [2, 4]
    assert not mine.plays("bratwurmeck", 2)
    assert all(greedy.plays("karteneck", count) for count in range(2, 5))


def test_files_of_one_name_are_called_after_their_folders(tmp_path: Path) -> None:
    texts = [write(tmp_path / owner / "bot.py") for owner in ("alice", "bob")]
    assert [entrant.spec.name for entrant in find(*texts, "random")] == ["alice/bot", "bob/bot", "random"]


@pytest.mark.parametrize("again", ["bots/mine.py", "bots/mine.py:Mine", "bots"])
def test_nobody_takes_part_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "bots" / "mine.py")
    with pytest.raises(UsageError, match=r"mine.* takes part twice"):
        find("bots", again)


@pytest.mark.parametrize(
    ("text", "name", "command"),
    [
        ("cmd:node bot.js --name {name}", "node", "node bot.js --name {name}"),
        ("cmd:mine=./bot --depth=3", "mine", "./bot --depth=3"),
        ("cmd:./bot --depth=3", "bot", "./bot --depth=3"),
    ],
)
def test_a_command_has_a_name(text: str, name: str, command: str) -> None:
    (entrant,) = find(text)
    assert entrant.is_command
    assert entrant.spec.name == name
    assert entrant.spec.source == f"cmd:{command}"


def test_an_empty_folder_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no bot in"):
        find(str(tmp_path))


def test_a_folder_of_folders_is_all_bots_in_them(tmp_path: Path) -> None:
    for file in ("alice/bot.py", "bob/bot.py", "carol.py", ".venv/hidden.py", "shared/__init__.py", "shared/part.py"):
        write(tmp_path / file)
    assert [entrant.spec.name for entrant in find(str(tmp_path))] == ["alice/bot", "bob/bot", "carol"]

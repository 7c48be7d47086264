"""What a bot keeps of its matches: all that happened is in the files, and nothing that happens to them harms it."""

import asyncio
import errno
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import pytest

from roost_bots import SAMPLES
from roost_games.errors import UsageError
from roost_games.registry import GAME_NAMES, get_game
from roost_games.replay import Decision, Result
from roost_sdk import Bot
from roost_sdk.arena.journal import LONGEST_LOG_LINE, MOST_LOGGED, About, Journal
from roost_sdk.testing import ScriptedMatch
from tests.support.commands.stdio_programs import program
from tests.support.records.journals import play_kept

ABOUT = About("m1", "karteneck", {}, 0, 2, ["a", "b"], "seed")
RESULT = Result((1, 2), (20, 10), "finished")
Lines = list[dict[str, Any]]


def read(folder: Path) -> list[Lines]:
    """The files of a folder, by seat."""
    files = [[json.loads(line) for line in file.read_text().splitlines()] for file in sorted(folder.glob("*.jsonl"))]
    return sorted(files, key=lambda lines: int(lines[0]["seat"]))


@pytest.mark.parametrize("game", GAME_NAMES)
def test_every_decision_is_kept_as_the_arena_recorded_it(game: str, tmp_path: Path) -> None:
    replay = play_kept(SAMPLES["random"], game, tmp_path, players=3)
    files = read(tmp_path)
    assert [lines[0]["seat"] for lines in files] == [0, 1, 2]
    for seat, lines in enumerate(files):
        recorded = [step.move for step in replay.steps if isinstance(step, Decision) and step.seat == seat]
        assert [line["move"] for line in lines if "decision" in line] == recorded
        assert lines[-1]["result"]["places"] == list(replay.result.places)


def test_what_stands_in_a_file(tmp_path: Path) -> None:
    play_kept(SAMPLES["random"], "haecmaec", tmp_path, players=3, slap=True)
    head, first, *_ = read(tmp_path)[1]
    assert head["format"] == "roost-kept/1"
    assert (head["match"], head["game"], head["options"]) == ("scripted-2", "haecmaec", {"slap": True})
    assert (head["seat"], head["players"], head["bots"], head["version"]) == (1, 3, ["bot0", "bot1", "bot2"], "v7")
    assert first["view"]["seat"] == 1
    assert {"ms", "latency_ms", "at"} < set(first)


class Talker(Bot):
    """Prints, logs, and writes to stderr."""

    def start(self) -> None:
        sys.stdout.write("half a line")

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        sys.stdout.write(f", now whole at {self.seat}\n")
        sys.stderr.write(f"to stderr at {self.seat}\n")
        logging.getLogger("talker").warning("logged at %d", self.seat)
        return legal[0]


class AsyncTalker(Talker):
    """The same, with a pause in the middle."""

    async def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        await asyncio.sleep(0)
        return super().choose(view, legal)


@pytest.mark.parametrize("bot_class", [Talker, AsyncTalker])
def test_log_lines_are_in_the_file_of_their_match(bot_class: type[Bot], tmp_path: Path) -> None:
    play_kept(bot_class, "karteneck", tmp_path)
    for seat, lines in enumerate(read(tmp_path)):
        logged = [line["log"] for line in lines if "log" in line]
        expected = [f"half a line, now whole at {seat}", f"to stderr at {seat}", f"WARNING logged at {seat}"]
        assert logged[:3] == expected
        assert all(line.endswith(f"at {seat}") for line in logged)


def test_the_log_of_a_program_is_kept(tmp_path: Path) -> None:
    bot = program(tmp_path, "chatty", "log('I am ' + str(line['seat']))\ntime.sleep(0.01)\nsay('0')")
    play_kept(bot.bot_class, "karteneck", tmp_path / "kept")
    for seat, lines in enumerate(read(tmp_path / "kept")):
        assert {line["log"] for line in lines if "log" in line} == {f"I am {seat}"}


class Broken(Bot):
    """Sends nonsense first, then crashes."""

    def start(self) -> None:
        self.asked = 0

    def choose(self, view: Any, legal: Sequence[Any]) -> Any:
        self.asked += 1
        if self.asked == 1:
            return {"a": object}
        raise ValueError("oops")


def test_mistakes_are_kept(tmp_path: Path) -> None:
    play_kept(Broken, "karteneck", tmp_path)
    first, second, *_ = (line for lines in read(tmp_path) for line in lines if "decision" in line)
    assert "object" in first["sent"]
    assert second["error"] == "ValueError: oops"
    assert 'raise ValueError("oops")' in second["where"]


def test_a_question_without_an_answer_is_kept(tmp_path: Path) -> None:
    game = get_game("karteneck")
    match = ScriptedMatch("karteneck", 2)
    with Journal(tmp_path) as journal:
        notes = journal.begin(ABOUT)
        notes.asked(1, match.referee.view(0))
        notes.close()
    (lines,) = read(tmp_path)
    assert lines[-1]["unanswered"] is True
    assert len(lines[-1]["view"]["hand"]) == 6
    assert game.name in next(tmp_path.iterdir()).name


def test_the_oldest_files_go_first_and_only_our_own(tmp_path: Path) -> None:
    """Three files of 0.6 MB with room for 1 MB: the two oldest go, but not what somebody else put there."""
    names = [f"2026010{day}T000000Z-karteneck-m{day}.jsonl" for day in (1, 2, 3)]
    for name in (*names, "notes.jsonl"):
        (tmp_path / name).write_bytes(b"x" * 600_000)
    with Journal(tmp_path, most_mb=1) as journal:
        journal.begin(ABOUT).ended(RESULT)
    left = {file.name for file in tmp_path.iterdir()}
    assert left >= {"notes.jsonl", names[2]}
    assert not left & set(names[:2])


def test_running_matches_are_not_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Journal(tmp_path, most_mb=1) as journal:
        running = journal.begin(ABOUT)
        over = journal.begin(ABOUT._replace(match="m2"))
        for _ in range(1500):
            over.log("x" * 1000)
        over.close()
        for _ in range(1500):
            running.log("x" * 1000)
    assert [file.name.endswith("m1.jsonl") for file in tmp_path.iterdir()] == [True]


def test_a_talkative_bot_fills_no_disk(tmp_path: Path) -> None:
    with Journal(tmp_path) as journal:
        notes = journal.begin(ABOUT)
        for number in range(10_000):
            notes.log(f"{number} " + "x" * 10_000)
        notes.ended(RESULT)
    (lines,) = read(tmp_path)
    logged = [line["log"] for line in lines if "log" in line]
    assert len(logged) == MOST_LOGGED + 1
    assert max(map(len, logged)) <= LONGEST_LOG_LINE
    assert "the rest is not kept" in logged[-1]


def test_what_cannot_be_written_in_time_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_sdk.arena.journal.MOST_WAITING", 10)
    monkeypatch.setattr("roost_sdk.arena.journal.WRITE_SECONDS", 60.0)
    with Journal(tmp_path) as journal:
        notes = journal.begin(ABOUT)
        for _ in range(100):
            notes.log("line")
        notes.ended(RESULT)
    (lines,) = read(tmp_path)
    assert len(lines) == 11
    assert lines[-1]["left_out"] == 91


def no_space(path: Path, mode: str = "r", **options: Any) -> IO[Any]:
    """`Path.open` on a disk that is full."""
    if mode == "ab":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return open(path, mode, **options)


def test_a_full_disk_is_said_once_and_the_bot_plays_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("roost_sdk.arena.journal.WRITE_SECONDS", 0.01)
    monkeypatch.setattr(Path, "open", no_space)
    replay = play_kept(SAMPLES["random"], "karteneck", tmp_path)
    assert replay.result.faults == ()
    told = [record.message for record in caplog.records if "cannot keep" in record.message]
    assert told == [f"cannot keep matches in {tmp_path}: No space left on device; the bot plays on"]


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot keep matches in"):
        Journal(tmp_path / "file")

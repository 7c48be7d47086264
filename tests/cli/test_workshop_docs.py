"""The pages for bot authors are true: docs/bots/ and games.md are followed literally.

A page is one session in a shell: `cd` counts for what comes after it, and a block that begins with the name of a file
is saved as that file.
"""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from roost_games.bratwurmeck import GAME, Tile, View
from roost_sdk import plain, stdio
from roost_sdk.arena import journal
from tests.support.commands.pages import Block, blocks, blocks_in, commands, matches, run
from tests.support.commands.roost import arena, roost_process, until

DOCS = Path(__file__).parents[2] / "docs"
STDIO = DOCS / "bots/other-languages.md"
IMPROVE = (DOCS / "bots/improve.md").read_text(encoding="utf-8")
JOURNAL = IMPROVE.split("\n## Journals\n")[1]
RUN_ELSEWHERE = "roost try --listen"
"""`test_node_bot.py` has a bot to connect."""
FILE_NAME = re.compile(r"(?:#|//) (\S+\.\w+)\n")


class Session:
    """A reader who follows a page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def follow(self, block: Block) -> None:
        named = FILE_NAME.match(block.text)
        if block.language == "console":
            self._type(block)
        elif block.language == "json":
            json.loads(block.text)
        else:
            assert named, f"nobody checks a block marked {block.language!r}"
            (self.folder / named[1]).write_text(block.text, encoding="utf-8")

    def _type(self, block: Block) -> None:
        for command in commands(block):
            if command.line.startswith(RUN_ELSEWHERE):
                continue
            if command.line.startswith("cd "):
                self.folder /= command.line.removeprefix("cd ")
                continue
            printed = run(command.line, self.folder).splitlines()
            if command.expected:
                assert matches(_shortened(printed, command.expected), command.expected), "\n".join(printed)


def _shortened(printed: list[str], expected: list[str]) -> list[str]:
    """Lines that the page ends with three dots, cut where the page cuts them."""
    begun = [line.removesuffix("...") for line in expected if line.endswith("...") and line != "..."]
    return [next((f"{start}..." for start in begun if line.startswith(start)), line) for line in printed]


@pytest.mark.long
@pytest.mark.parametrize("page", ["bots/start.md", "bots/other-languages.md", "games.md"])
def test_a_page_followed_literally(page: str, tmp_path: Path) -> None:
    session = Session(tmp_path)
    for block in blocks(DOCS / page):
        session.follow(block)


def test_the_samples_have_ten_lines() -> None:
    samples = [block.text for block in blocks(STDIO) if block.language in ("python", "javascript")]
    assert len(samples) == 2
    for sample in samples:
        assert len([line for line in sample.splitlines() if line]) <= 10


def test_the_example_of_a_decision_could_be_one() -> None:
    """The keys are those that the bridge writes, and the legal moves are those of the view."""
    (example,) = [json.loads(block.text) for block in blocks(STDIO) if block.language == "json"]
    view = example["view"]
    assert [*view] == [*View._fields]
    tiles = {"grill", "turned"}
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in view.items()}
    values |= {name: tuple(map(_tile, view[name])) for name in tiles}
    values["stacks"] = tuple(tuple(map(_tile, stack)) for stack in view["stacks"])
    legal = GAME.legal(View(**values))
    assert plain.plain_legal("bratwurmeck", legal) == example["legal"]
    assert example["legal_count"] == len(legal)
    assert plain.plain_view(View(**values)) == view


def _tile(data: dict[str, int]) -> Tile:
    return Tile(**data)


def test_the_numbers_on_the_pages_are_those_of_the_code() -> None:
    program = STDIO.read_text(encoding="utf-8")
    assert f"within {stdio.ANSWER_SECONDS:g} seconds" in program
    assert f"at most {plain.MOST_LISTED} of them" in program
    assert stdio.SECONDS_TO_END == 2.0
    assert "still running two seconds later is killed" in program
    assert f"at most {journal.DEFAULT_MB} MB together" in JOURNAL
    assert f"At most {journal.MOST_WAITING:,} lines wait" in JOURNAL
    assert f"cut after {journal.LONGEST_LOG_LINE} characters" in JOURNAL
    assert f"a match keeps {journal.MOST_LOGGED} of them" in JOURNAL


@pytest.mark.long
def test_the_section_about_journals(tmp_path: Path) -> None:
    """At an arena of this test: the command of the page, its keys, and its Python."""
    page = blocks_in(JOURNAL)
    bot = (DOCS.parent / "sample_bots/roost_bots/starters/karteneck.py").read_text(encoding="utf-8")
    (tmp_path / "mybot.py").write_text(bot.replace("if PASS_AND", "print('hm')\n        if PASS_AND"))
    (console,) = [block for block in page if block.language == "console"]
    (command,) = (command.line.split()[1:] for command in commands(console))
    with arena(tmp_path, "--games", "karteneck", "--players", "2") as (_, address):
        server = ("--server", address)
        with (
            roost_process("submit", "timid", *server, folder=tmp_path),
            roost_process(*command, *server, folder=tmp_path) as submitted,
        ):
            until(lambda: any('"result"' in text for text in _texts(tmp_path)))
            submitted.press_until_end(signal.SIGINT)
    lines = [json.loads(line) for text in _texts(tmp_path) for line in text.splitlines()]
    documented = {
        key for row in re.findall(r"^\| (`.*?) \|", JOURNAL, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)
    }
    written = {key for line in lines for key in line}
    assert written <= documented
    assert documented - written <= {"sent", "error", "where", "unanswered", "left_out"}
    assert {line["log"] for line in lines if "log" in line} == {"hm"}
    (reader,) = [block for block in page if block.language == "python"]
    (tmp_path / "read.py").write_text(reader.text)
    run("python read.py", tmp_path)


def _texts(folder: Path) -> list[str]:
    return [file.read_text() for file in sorted((folder / "kept").glob("*.jsonl"))]

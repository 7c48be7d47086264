"""docs/bots/tutorial.md: its steps are the files beside the samples, its commands run, and each is an improvement."""

import re
from pathlib import Path

import pytest

from benchmarks.tutorial import STEPS, rows
from tests.support.commands.pages import ROOT, blocks, commands, run

PAGE = ROOT / "docs/bots/tutorial.md"
FILES = ROOT / "sample_bots/roost_bots/tutorial"
ROW = re.compile(r"^\| (\d) \| .*? \| (.*?) \| (.*?) \|$", re.MULTILINE)


def as_in_a_folder(source: str) -> str:
    """A step as an author has it: beside the first bot, with no docstring above it."""
    code = source.split('"""\n', 1)[1]
    code = code.replace("roost_bots.starters.karteneck", "mybot").replace("roost_bots.tutorial.", "")
    return code.replace("MyBot", "Mybot")


def parts(code: str) -> tuple[set[str], list[str]]:
    """The imports, in any order, and the other lines."""
    lines = [line for line in code.splitlines() if line]
    imports = {line for line in lines if line.startswith("from ")}
    return imports, [line for line in lines if line not in imports]


def test_the_page_shows_the_steps() -> None:
    shown = [block.text for block in blocks(PAGE) if block.language == "python"]
    assert len(shown) == STEPS
    for step, text in enumerate(shown, 1):
        head, _, code = text.partition("\n")
        assert head == f"# step{step}.py"
        assert parts(code) == parts(as_in_a_folder((FILES / f"step{step}.py").read_text(encoding="utf-8")))


@pytest.mark.long
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    """With a few blocks for each comparison: how they end is measured below."""
    folder = tmp_path
    for block in blocks(PAGE):
        if block.language == "python":
            (folder / block.text.split()[1]).write_text(block.text, encoding="utf-8")
            continue
        for command in commands(block):
            if command.line.startswith("cd "):
                folder /= command.line.removeprefix("cd ")
            elif command.line.startswith("roost compare"):
                assert "LLR" in run(f"{command.line} --blocks 4 || test $? = 2", folder)
            else:
                run(command.line, folder)


@pytest.mark.long
def test_each_step_is_an_improvement() -> None:
    """The figures are those of the page, and no interval reaches 0; the last bot beats `careful`."""
    shown = {int(step): (before, careful) for step, before, careful in ROW.findall(PAGE.read_text(encoding="utf-8"))}
    assert sorted(shown) == list(range(1, STEPS + 1))
    for step, before, careful in rows(sorted(shown)):
        assert (str(before), str(careful)) == shown[step]
        assert before.stronger
        assert before.low > 0
    assert careful.stronger
    assert careful.low > 0

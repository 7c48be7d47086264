"""The documentation is true: its commands run and print what it says, its Python runs, its links lead somewhere.

Each page is played from top to bottom in a folder of its own, so that a later block can use what an earlier one made.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from roost_games.replay import Replay

ROOT = Path(__file__).parents[2]
DOCS = sorted((ROOT / "docs").glob("*.md"))
SECONDS = 120
"""No command of a page may take longer."""


def other_tests_about(page: Path) -> list[Path]:
    """The other tests that are about a page: they know how to run what needs more than an empty folder."""
    others = [file for file in (ROOT / "tests").rglob("test_*.py") if file.name != Path(__file__).name]
    return [file for file in others if page.name in file.read_text(encoding="utf-8")]


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(page for page in DOCS if not other_tests_about(page))]
"""The pages that are played here."""
NOT_RUN = {
    "make": "it would set up an environment, or run these tests inside themselves",
}
"""Commands that are shown but not run, by name, and why."""
ANYTHING = "..."
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")


class Block(NamedTuple):
    language: str
    text: str


class Command(NamedTuple):
    line: str
    expected: list[str]
    """The lines it prints; empty if the page does not say."""


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def commands(block: Block) -> Iterator[Command]:
    if block.language == "bash":
        yield from (Command(line, []) for line in block.text.splitlines() if line.strip())
        return
    for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        first, *rest = piece.splitlines()
        yield Command(first, rest)


def environment() -> dict[str, str]:
    """`roost` and `python` are those that run the tests; output as for a pipe of 80 columns."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    folder = str(Path(sys.executable).parent)
    return {**kept, "PATH": os.pathsep.join((folder, kept.get("PATH", ""))), "COLUMNS": "80", "PYTHONUTF8": "1"}


def run(line: str, folder: Path) -> str:
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def matches(printed: list[str], expected: list[str]) -> bool:
    """Whether the lines are the same; a line of three dots stands for any number of lines."""
    if not expected:
        return not printed
    if expected[0] == ANYTHING:
        return any(matches(printed[skipped:], expected[1:]) for skipped in range(len(printed) + 1))
    return bool(printed) and printed[0].rstrip() == expected[0].rstrip() and matches(printed[1:], expected[1:])


def play_command(command: Command, folder: Path) -> None:
    name = command.line.split()[0]
    if name in NOT_RUN:
        return
    printed = run(command.line, folder).splitlines()
    if command.expected:
        assert matches(printed, command.expected), "\n".join((command.line, *printed))


def play_python(block: Block, folder: Path) -> None:
    named = re.match(r"# (\w+\.py)\n", block.text)
    file = folder / (named[1] if named else "block.py")
    file.write_text(block.text, encoding="utf-8")
    run(f"python {file.name}", folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_true_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.language in ("console", "bash"):
            for command in commands(block):
                play_command(command, tmp_path)
        elif block.language == "python":
            play_python(block, tmp_path)
        else:
            assert block.language == "json", f"nobody checks a block marked {block.language!r}"
            json.loads(block.text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"^make (\S+)", "\n".join(block.text for block in blocks(page)), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target}"


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS, ROOT / "CHANGELOG.md"], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        file = page.parent / target
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file), f"{target}#{anchor}"


def headings(file: Path) -> set[str]:
    """The anchors of a page, made as usual: lower case, no punctuation, dashes for spaces."""
    found = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def test_the_first_bot_is_short() -> None:
    (bot,) = [block for block in blocks(ROOT / "README.md") if block.language == "python"]
    assert len(bot.text.splitlines()) < 20


def test_the_documented_example_of_a_replay_names_every_key() -> None:
    """What the code writes is what the page describes, and the other way round."""
    page = (ROOT / "docs" / "replays.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    (example,) = [json.loads(block.text) for block in blocks(ROOT / "docs" / "replays.md") if block.language == "json"]
    written = set(example) | set(example["result"]) | set(example["result"]["faults"][0])
    written |= {key for step in example["steps"] for key in step}
    assert written | {"reason"} == described
    assert set(example["seats"][0]) == {"bot", "version", "owner"}
    assert example["commitment"] == hashlib.sha256(bytes.fromhex(example["seed"])).hexdigest()
    assert Replay.from_json(example).to_json() == example

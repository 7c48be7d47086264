"""Pages of the documentation: their blocks, their commands, and what these print."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.commands.roost import ENVIRONMENT

ROOT = Path(__file__).parents[3]

SECONDS = 300
"""No command of a page may take longer."""

ANYTHING = "..."

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    language: str
    text: str


class Command(NamedTuple):
    line: str
    expected: list[str]
    """The lines it prints; empty if the page does not say."""


def blocks(page: Path) -> list[Block]:
    return blocks_in(page.read_text(encoding="utf-8"))


def blocks_in(text: str) -> list[Block]:
    return [Block(*found) for found in BLOCK.findall(text)]


def commands(block: Block) -> Iterator[Command]:
    if block.language == "bash":
        yield from (Command(line, []) for line in block.text.splitlines() if line.strip())
        return
    text = block.text.replace("\n> ", " ")  # a command that goes on in the next line
    for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *rest = piece.splitlines()
        yield Command(first, rest)


def environment() -> dict[str, str]:
    """`roost` and `python` are those that run the tests; output as for a pipe of 80 columns."""
    path = os.pathsep.join((str(Path(sys.executable).parent), ENVIRONMENT.get("PATH", "")))
    return {**ENVIRONMENT, "PATH": path, "PYTHONUTF8": "1"}


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

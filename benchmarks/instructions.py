"""How many instructions a match takes in each part of Roost: a figure that nothing else on the machine can move.

    python -m benchmarks.instructions [--matches 20] [--before PYTHON]

valgrind counts them (`apt-get install valgrind`). What is counted begins when two matches have been played, so starting
Python, importing Roost and filling caches is not in it. `bare rules` is the bare loop (view, legal moves, bot, move),
`local ladder` the same matches with a referee and a record, `arena` all from what a bot says to the next question but
for the network, `record` all from the referee's notes to the disk but for the disk's own work, and `bots` all from a
question to the answer of a program of the SDK. A second table is about commands that only start and show their help;
there, starting Python is what is counted. `--before` names an interpreter in which an older Roost is installed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.recorded_matches import PARTS
from roost_games.registry import GAME_NAMES

PROGRAM = Path(__file__).with_name("recorded_matches.py")
MARK = "PyRun_SimpleStringFlags"
"""The function of the interpreter between whose begin and end is counted."""
COUNTING = ("valgrind", "--tool=callgrind", f"--toggle-collect={MARK}", f"--dump-after={MARK}")
STARTS = ("--help", "play --help", "ladder --help")
"""Commands that do nothing but start."""
MISSING = "this counts instructions with valgrind, which is not installed; on Debian: apt-get install valgrind"


class Counted(NamedTuple):
    """What was counted in the matches of a game."""

    decisions: int
    instructions: tuple[int, ...]
    """By part, as in `PARTS`."""

    def thousands(self, part: int) -> float:
        """Thousands of instructions for a decision."""
        return self.instructions[part] / self.decisions / 1000


def count(python: str, game: str, matches: int) -> Counted:
    """Count with an interpreter in which some version of Roost is installed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        steady = {**os.environ, "PYTHONHASHSEED": "0"}
        talks = str(folder / "talks")
        program = (python, str(PROGRAM))
        subprocess.run([*program, "write", talks, game, str(matches)], env=steady, check=True)
        counting = (*COUNTING, f"--callgrind-out-file={folder / 'out'}", *program, "take", talks, game)
        done = subprocess.run(counting, env=steady, check=True, capture_output=True, text=True)
        totals = tuple(_total(folder / f"out.{number}") for number in range(1, len(PARTS) + 1))
        return Counted(int(done.stdout), totals)


def count_start(python: str, words: str) -> int:
    """How many instructions a command takes that only starts."""
    with tempfile.TemporaryDirectory() as name:
        steady = {**os.environ, "PYTHONHASHSEED": "0"}
        command = python, "-m", "roost_cli", *words.split()
        # Once before, so that everything is compiled.
        subprocess.run(command, env=steady, check=True, capture_output=True)
        dump = Path(name) / "out"
        counting = (*COUNTING[:2], f"--callgrind-out-file={dump}", *command)
        subprocess.run(counting, env=steady, check=True, capture_output=True)
        return _total(dump)


def _total(dump: Path) -> int:
    found = re.search(r"^totals: (\d+)$", dump.read_text(), re.MULTILINE)
    assert found is not None  # noqa: S101  every dump has that line
    return int(found[1])


def show(console: Console, counted: dict[str, Sequence[Counted]]) -> None:
    """Print thousands of instructions for a decision, and what they are of those before."""
    table = Table("thousands of instructions for a decision", *PARTS)
    for game, (now, *before) in counted.items():
        table.add_row(game, *(f"{now.thousands(part):.1f}" for part in range(len(PARTS))))
        for older in before:
            table.add_row("  before", *(f"{older.thousands(part):.1f}" for part in range(len(PARTS))))
            table.add_row("  now / before", *(f"{a / b:.2f}" for a, b in zip(now[1], older[1], strict=True)))
    console.print(table)


def show_starts(console: Console, counted: dict[str, Sequence[int]]) -> None:
    """Print millions of instructions for a command, and what they are of those before."""
    table = Table("millions of instructions", "now", "before", "now / before")
    for words, (now, *before) in counted.items():
        older = [cell for each in before for cell in (f"{each / 1e6:.0f}", f"{now / each:.2f}")]
        table.add_row(f"roost {words}", f"{now / 1e6:.0f}", *older)
    console.print(table)


def main() -> None:
    """Count every game and every start, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=20, help="how many matches are counted (20)")
    parser.add_argument("--before", metavar="PYTHON", help="an interpreter with an older Roost, to count beside it")
    parser.add_argument("--games", nargs="*", default=GAME_NAMES, choices=GAME_NAMES)
    given = parser.parse_args()
    if shutil.which(COUNTING[0]) is None:
        sys.exit(MISSING)
    pythons = [sys.executable, *([given.before] if given.before else [])]
    if given.games:
        show(Console(), {game: [count(python, game, given.matches) for python in pythons] for game in given.games})
    show_starts(Console(), {words: [count_start(python, words) for python in pythons] for words in STARTS})


if __name__ == "__main__":
    main()

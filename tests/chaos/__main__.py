"""Competitions under chaos, one after the other, each from a seed: `python -m tests.chaos [--seed N] [--minutes M]`.

Prints the plan of each and what is wrong afterwards. Exits with 1 if anything is. Everything that a bad one left behind
stays where the last line says.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from time import monotonic

from rich.console import Console

from tests.chaos.episode import Episode, Report, run_episode

LADDER_SECONDS = 30.0
FINALS_SECONDS = 30.0


def show(console: Console, report: Report) -> None:
    blocks = ", ".join(f"{count} blocks {what}" for what, count in sorted(report.blocks.items()))
    console.print(
        f"{report.faults.total()} faults, {report.arena_starts} starts of the arena, {report.matches} matches"
    )
    console.print(blocks)
    for each in report.wrong:
        console.print(f"WRONG: {each}", style="red", soft_wrap=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first competition; each next has the next one")
    parser.add_argument("--minutes", type=float, default=10.0, help="for how long new competitions are started")
    given = parser.parse_args()
    console = Console(highlight=False)
    until = monotonic() + 60 * given.minutes
    seed = given.seed
    while seed == given.seed or monotonic() < until:
        episode = Episode(seed, LADDER_SECONDS, FINALS_SECONDS, rounds=2, each=2, mount=True)
        folder = Path(tempfile.mkdtemp(prefix="roost-chaos-"))
        report = run_episode(episode, folder, console.print)
        show(console, report)
        if report.wrong:
            (folder / "arena.log").write_text("\n".join(report.log))
            console.print(f"everything is in {folder}")
            return 1
        shutil.rmtree(folder)
        seed += 1
    console.print(f"{seed - given.seed} competitions, and nothing is wrong")
    return 0


if __name__ == "__main__":
    sys.exit(main())

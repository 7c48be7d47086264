"""Regenerates the golden playthroughs: `make golden`. Read the difference before you commit it."""

from pathlib import Path

from roost_games.playthrough import playthrough
from tests.golden.cases import Case, all_cases

FOLDER = Path(__file__).parent
SEED = "golden"
MOST_BYTES = 60_000
DETAILED = 60
"""A match whose text would be longer than `MOST_BYTES` is shown in full for this many decisions only."""


def golden_file(case: Case) -> Path:
    """Where the playthrough of `case` is kept."""
    return FOLDER / f"{case.name}.txt"


def golden_text(case: Case) -> str:
    """The playthrough of `case` as the code plays it now."""
    full = playthrough(case.game, case.players, options=case.options, seed=SEED)
    if len(full.encode()) <= MOST_BYTES:
        return full
    return playthrough(case.game, case.players, options=case.options, seed=SEED, detailed=DETAILED)


def main() -> None:
    """Rewrite every file, and remove those that belong to no case."""
    for file in FOLDER.glob("*.txt"):
        file.unlink()
    for case in all_cases():
        golden_file(case).write_text(golden_text(case), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The golden playthroughs: what each game shows and allows, step by step, is what was read and committed."""

import pytest

from roost_games.playthrough import playthrough
from tests.golden.cases import Case, all_cases
from tests.golden.regenerate import FOLDER, MOST_BYTES, golden_file, golden_text

CASES = all_cases()
HOW = "run `make golden` and read the difference"


@pytest.mark.short(6)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_playthrough(case: Case) -> None:
    file = golden_file(case)
    assert file.exists(), f"{file.name} is missing: {HOW}"
    assert golden_text(case) == file.read_text(encoding="utf-8"), HOW


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_files_are_short_enough_to_read(case: Case) -> None:
    assert golden_file(case).stat().st_size <= MOST_BYTES


def test_no_file_is_left_over() -> None:
    assert {file.name for file in FOLDER.glob("*.txt")} == {golden_file(case).name for case in CASES}


def test_a_shortened_playthrough_ends_the_same() -> None:
    """What is left out does not change the match: the last lines, merits and places, are those of the full text."""
    full = playthrough(CASES[0].game, CASES[0].players)
    short = playthrough(CASES[0].game, CASES[0].players, detailed=10)
    assert "decisions from 10 on, moves only" in short
    assert len(short) < len(full)
    assert short.splitlines()[-2:] == full.splitlines()[-2:]

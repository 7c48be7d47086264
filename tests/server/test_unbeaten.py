"""Margins over the mix that nothing beats, worked out by hand: whole numbers in, fractions out."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from roost_ladder.rating.lottery import lottery_scores
from roost_ladder.rating.results import Indices
from roost_server.competition.unbeaten import unbeaten_margins


def margins(bots: int, *rows: int) -> Indices:
    """From the part above the diagonal, row by row."""
    found = np.zeros((bots, bots), np.intp)
    for (one, other), margin in zip(combinations(range(bots), 2), rows, strict=True):
        found[one, other], found[other, one] = margin, -margin
    return found


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (margins(1), [0]),
        (margins(3, 20, 80, 60), [0, -20, -80]),
        # A circle with the margins 60, 20 and 40: the mix has 20, 40 and 60 parts in 120. The fourth is 80 ahead of the
        # first, and as much behind the others: (20 * 80 - 40 * 80 - 60 * 80) / 120.
        (margins(4, 60, -40, -80, 20, 80, 80), [0, 0, 0, Fraction(-160, 3)]),
        # The first two are even, and each alone is unbeaten: the middle of 80 and 20.
        (margins(3, 0, 80, 20), [0, 0, -50]),
        # The third alone is unbeaten, or with up to four fifths of the second: the first is at -80, or at 0.
        (margins(3, 20, -80, 0), [-40, 0, 0]),
        # The first with at least half of it, the rest of the second: the third is from -20 to 0.
        (margins(3, 0, 20, -20), [0, 0, -10]),
        (margins(4, 0, 0, 0, 0, 0, 0), [0] * 4),
    ],
)
def test_by_hand(field: Indices, expected: list[Fraction]) -> None:
    assert unbeaten_margins(field) == expected


@pytest.mark.parametrize("copied", range(4))
def test_copies_move_nobody_at_all(copied: int) -> None:
    for field in (margins(4, 60, -40, -80, 20, 80, 80), margins(4, 0, 20, 7, -20, 7, 7)):
        of = [0, 1, 2, 3, *[copied] * 5]
        alone = unbeaten_margins(field)
        assert unbeaten_margins(field[np.ix_(of, of)]) == [alone[bot] for bot in of]


def test_it_agrees_with_the_scores_that_are_shown() -> None:
    """Small whole margins, of which many are even, so that often several mixes are unbeaten."""
    rng = np.random.default_rng(1)
    for bots in (3, 4, 6, 9, 15):
        for _ in range(10):
            above = np.triu(rng.integers(-3, 4, (bots, bots)), 1)
            field = above - above.T
            found = [0.5 + float(each) / 8 for each in unbeaten_margins(field)]
            assert found == pytest.approx(lottery_scores(0.5 + field / 8), abs=1e-9)

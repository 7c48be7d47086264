"""Whole comparisons in simulated worlds: the rates of error are those that were asked for.

`python -m benchmarks.simulations.compare` measures the same more closely and for more worlds.
"""

import numpy as np
import pytest

from benchmarks.simulations.compare import LUCKY, ROUGH, STYLISH, Case, equal_bots, stronger_bots
from roost_ladder.rating.sprt import Verdict

COMPARISONS = 200
MOST = 0.05 + 2.5 * (0.05 * 0.95 / COMPARISONS) ** 0.5
"""A rate of 5 % stays below this in that many comparisons, except in 1 case of 160."""
CASES = [
    Case("luck shared by seat", 4, LUCKY, elo1=40),
    Case("deals that suit a bot", 2, STYLISH, elo1=60),
    Case("against weak and strong", 3, LUCKY, (-200.0, 100.0), elo1=60),
]


@pytest.mark.short(1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rates_of_error_and_intervals(case: Case) -> None:
    equal, stronger = equal_bots(case, COMPARISONS), stronger_bots(case, COMPARISONS)
    assert np.mean([ended.verdict is Verdict.STRONGER for ended in equal]) <= MOST
    assert np.mean([ended.verdict is Verdict.NOT_STRONGER for ended in stronger]) <= MOST
    # With few blocks intervals are wide rather than narrow.
    assert np.mean([ended.covered for ended in equal + stronger]) >= 0.93
    assert 0.43 <= np.mean([ended.above for ended in equal + stronger]) <= 0.57


def test_equal_bots_with_seat_advantages_and_ties() -> None:
    ended = equal_bots(Case("both, seats, ties", 3, ROUGH, elo1=60), COMPARISONS)
    assert np.mean([each.verdict is Verdict.STRONGER for each in ended]) <= MOST


def test_stopping_early_saves_blocks_and_needs_its_own_intervals() -> None:
    """A test of fixed length with these rates needs (2 * 1.645)^2 v / m^2 blocks; v is 1/8 here, m 0.057."""
    ended = equal_bots(Case("independent matches", 2, elo1=40), COMPARISONS)
    fixed = (2 * 1.645) ** 2 / 8 / 0.0573**2
    assert np.mean([each.blocks for each in ended]) < 0.65 * fixed
    assert np.mean([each.plainly_covered for each in ended]) < 0.94 < np.mean([each.covered for each in ended])

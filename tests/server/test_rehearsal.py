"""Small rehearsals: competitions that run by the clock alone, from their file to a verified export."""

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from benchmarks.rehearsal import Case, rehearse

DUELS = '[[games]]\ngame = "karteneck"\nplayers = [2]'
MIXED = '[[games]]\ngame = "karteneck"\nplayers = [2, 3]'


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "blocks"),
    [
        # 7 bots have 21 pairs and 35 trios. With 30 groups at most, trios are sampled: those of the Fano plane.
        (Case(7, MIXED, "most_groups = 30", 2, 3), 21 + 7),
        (Case(6, DUELS, 'schedule = "knockout"', 2, 3), 5),
        (Case(4, DUELS, 'schedule = "sure"\nbudget = 12', 2, 3), 12),
    ],
    ids=["round-robin", "knockout", "sure"],
)
def test_a_competition_runs_as_forecast_without_a_hand(tmp_path: Path, case: Case, blocks: int) -> None:
    """A knockout may have more blocks, if ties are level, and `sure` fewer, if it is sure earlier."""
    with capture_logs():
        outcome = asyncio.run(asyncio.wait_for(rehearse(case, tmp_path), 300))
    assert outcome.flaws == []
    assert outcome.forecast.blocks == blocks
    assert outcome.winner.startswith("bot-")
    if "sure" in case.plan:
        assert outcome.blocks <= blocks
    else:
        assert outcome.as_forecast
    assert 0.3 < outcome.export_bytes / outcome.forecast.export_bytes * blocks / outcome.blocks < 3

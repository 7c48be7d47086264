"""Standings that are asked for again and again must be those of a fresh start."""

import numpy as np
import pytest

from roost_games.errors import UsageError
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import LiveStandings, Standing, standings
from tests.support.ladders.worlds import World, ladder

WORLD = World((1.0, 0.3, 0.0, -0.4, -0.9), luck=0.4)
RESULTS = ladder(WORLD, np.random.default_rng(1), {2: 20, 3: 20, 4: 10})


def assert_same(live: list[Standing], fresh: list[Standing]) -> None:
    assert [row.bot for row in live] == [row.bot for row in fresh]
    for one, other in zip(live, fresh, strict=True):
        assert one[:4] == pytest.approx(other[:4])
        assert one[4:10] == other[4:10]


def test_results_in_parts() -> None:
    live = LiveStandings()
    for start in range(0, len(RESULTS), 30):
        live.add(RESULTS[start : start + 30])
        assert_same(live.standings(), standings(RESULTS[: start + 30]))
    assert_same(live.standings(anchor=2), standings(RESULTS, anchor=2))


def test_a_bot_that_joins_late() -> None:
    late = [MatchResult(f"late {block}", "g", (0, 99), (1, 2)) for block in range(5)]
    live = LiveStandings()
    live.add(RESULTS)
    live.standings()
    live.add(late)
    assert_same(live.standings(), standings(RESULTS + late))


def test_a_block_that_is_voided() -> None:
    live = LiveStandings()
    live.add(RESULTS)
    live.standings()
    block = RESULTS[0].block_id
    live.drop(block)
    assert_same(live.standings(), standings([result for result in RESULTS if result.block_id != block]))


def test_nothing_yet() -> None:
    assert LiveStandings().standings() == []
    with pytest.raises(UsageError, match="has not played"):
        LiveStandings().standings(anchor=1)

"""The three ways to rate, behind one interface."""

from math import log

import numpy as np
import pytest

from roost_games.errors import UsageError
from roost_ladder.rating.results import MatchResult
from roost_ladder.rating.standings import RATERS, find_rater, standings
from tests.support.ladders.worlds import World, ladder

ELO = 400 / log(10)
STRENGTHS = (1.0, 0.5, 0.0, -0.5, -1.0)
ONE_DUEL = [MatchResult("b", "g", (1, 2), (1, 2))]


@pytest.mark.parametrize("name", RATERS)
def test_every_rater_finds_the_order(name: str) -> None:
    results = ladder(World(STRENGTHS), np.random.default_rng(1), {2: 900})
    table = standings(results, rater=find_rater(name))
    assert [standing.bot for standing in table] == [0, 1, 2, 3, 4]
    assert sum(standing.rating for standing in table) == pytest.approx(5 * 1500)
    assert all(standing.low < standing.rating < standing.high for standing in table)
    # 2 units of strength are 347 points.
    assert 250 < table[0].rating - table[4].rating < 450


@pytest.mark.parametrize("name", RATERS)
def test_every_rater_can_be_anchored(name: str) -> None:
    (first, second) = standings(ONE_DUEL, anchor=2, rater=find_rater(name))
    assert second[:4] == (2, 1500, 1500, 1500)
    assert first.rating > 1500


def test_elo_by_hand() -> None:
    """Half of K = 20. The second bot's rating counts from the mean of the two."""
    first, second = standings(ONE_DUEL, rater=find_rater("elo"))
    assert (first.rating, second.rating) == pytest.approx((1510, 1490))


def test_names() -> None:
    assert list(RATERS) == ["fit", "elo"]
    with pytest.raises(UsageError, match="the ratings are: fit, elo"):
        find_rater("glicko")

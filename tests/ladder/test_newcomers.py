"""Bots that have played little: they count only in part in the field, and hardly widen the intervals of others."""

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest

from roost_ladder.rating.certainty import half_widths
from roost_ladder.rating.estimates import student_quantile
from roost_ladder.rating.fit import Fit, Method, fit
from roost_ladder.rating.results import MatchResult, gather
from roost_ladder.rating.standings import Standing, newcomers_line, standings
from tests.support.records.results import duels

ELO = 400 / log(10)


def fitted(results: list[MatchResult], method: Method = Method.EACH_KIND) -> Fit:
    return fit(gather(results), method=method)


def veterans(*bots: int, blocks: int = 40) -> list[MatchResult]:
    """Every two of them have split all their blocks."""
    return [each for pair in combinations(bots, 2) for each in duels([1] * blocks, bots=pair)]


def test_how_much_of_an_opponent_a_newcomer_is_by_hand() -> None:
    """The bots have played 162, 160, 160 and 2 matches, 121 on average; half of that makes a whole opponent."""
    table = standings([*veterans(1, 2, 3), *duels([2], bots=(1, 4))])
    parts = {each.bot: each.in_field for each in table}
    assert parts == pytest.approx({1: 1, 2: 1, 3: 1, 4: 2 / 60.5})
    assert sum(parts[each.bot] * (each.rating - 1500) for each in table) == pytest.approx(0, abs=1e-9)


def test_the_interval_beside_a_newcomer_by_hand() -> None:
    """Two bots split 40 blocks, and a third split one block with the first: all strengths are 0.

    A match between equals has the curvature 1/4, and so has a virtual match. No block shows any variance, so what is
    left is one block more for each pair, of two matches, and the virtual matches.
    """
    found = fitted([*veterans(1, 2), *duels([1], bots=(1, 3))])
    curvature = np.array([[20 + 0.5 + 0.25, -20, -0.5], [-20, 20 + 0.25, 0], [-0.5, 0, 0.5 + 0.25]])
    noise = np.array([[0.5 + 0.5 + 0.25, -0.5, -0.5], [-0.5, 0.5 + 0.25, 0], [-0.5, 0, 0.5 + 0.25]])
    # 82, 80 and 2 matches are 164/3 on average.
    part = 2 / (164 / 6)
    apart = np.array([0, 1, 0]) - np.array([1, 1, part]) / (2 + part)
    step = np.linalg.solve(curvature, apart)
    # The second bot has 40 equal blocks, and one more.
    half = student_quantile(41) * sqrt(step @ noise @ step)
    assert half_widths(found, found.middle)[1] == pytest.approx(half)
    assert half_widths(found, np.full(3, 1 / 3))[1] > 5 * half, "with the newcomer as a whole bot in the mean"
    assert half_widths(found, found.middle)[2] * ELO > 500, "its own interval says that nobody knows it"


def test_a_bot_with_half_the_matches_of_the_average_counts_like_any_other() -> None:
    """Bots 1 to 3 have 60 or 50 matches, bot 4 has 30: 50 on average, and more than half of it."""
    results = [*veterans(1, 2, 3, blocks=10), *duels([1] * 5, bots=(1, 4)), *duels([1] * 5, bots=(2, 4))]
    assert [each.in_field for each in standings(results)] == [1] * 4


def test_a_field_of_newcomers_is_a_field() -> None:
    assert [each.in_field for each in standings(veterans(1, 2, 3, blocks=1))] == [1] * 3


def test_the_fit_of_before_has_a_plain_mean() -> None:
    """So what is verified of an older export is as it was."""
    found = fitted([*veterans(1, 2, 3), *duels([2], bots=(1, 4))], Method.EACH_MATCH)
    assert found.middle.tolist() == [0.25] * 4


def test_in_a_circle_a_newcomer_does_not_make_all_others_doubtful() -> None:
    """Five of eight matches each. What the newcomer would do to each of the three is not asked for."""
    circle = [each for pair in ((1, 2), (2, 3), (3, 1)) for each in duels([2, 1, 1, 1] * 10, bots=pair)]
    alone, beside = fitted(circle), fitted([*circle, *duels([1], bots=(1, 4))])
    assert beside.misfit.found > 0.1
    widths = [half_widths(each, each.middle)[:3] for each in (alone, beside)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


def test_it_is_said_who_has_played_little() -> None:
    def table(*parts: float) -> list[Standing]:
        return [Standing(bot, 1500, 1400, 1600, 1, 9, 2, 1, 1, (), None, part) for bot, part in enumerate(parts)]

    names = dict(enumerate(("ann", "bob", "carl", "dora", "emil")))
    ending = " played little yet, and until then a bot counts only in part in the field of the others"
    assert newcomers_line(table(1, 0.6), names) == ""
    assert newcomers_line(table(1, 0.06), names) == "bob (6 %) has" + ending
    assert newcomers_line(table(0.2, 0.06, 1), names) == "ann (20 %) and bob (6 %) have" + ending
    assert newcomers_line(table(0.2, 0.06, 0.1, 0.1, 0.3), names) == (
        "emil (30 %), ann (20 %), carl (10 %) and 2 more have" + ending
    )

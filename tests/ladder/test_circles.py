"""Circles: which three bots are named, and what is said of them."""

import pytest

from roost_ladder.rating.circles import InCircle, circle_line, circularity
from roost_ladder.rating.fit import Method, fit
from roost_ladder.rating.results import MatchResult, gather
from tests.support.records.results import duels


def meeting(one: int, other: int, won: int, split: int) -> list[MatchResult]:
    """Blocks of two matches that the first wins as a whole, and blocks in which each wins one."""
    return duels([2] * won + [1] * split, bots=(one, other))


CIRCLE = [*meeting(1, 2, 11, 39), *meeting(2, 3, 13, 37), *meeting(3, 1, 10, 40)]
"""61:39, 63:37 and 60:40 in 100 matches."""


def test_a_circle_is_named_with_what_each_did_to_the_next() -> None:
    record = gather(CIRCLE)
    found = circularity(record, fit(record))
    assert found is not None
    assert found.circle == (InCircle(1, 0.61), InCircle(2, 0.63), InCircle(3, 0.60))
    assert 0 < found.low < found.strength < found.high
    # The mean of what is beyond a half, beside the standard deviation of a match, which is a half.
    assert found.strength == pytest.approx(2 * (0.11 + 0.13 + 0.10) / 3, abs=0.01)


def test_it_is_said_in_a_line() -> None:
    circle = [("ann", 0.61), ("bob", 0.63), ("carl", 0.6)]
    assert circle_line(0.214, 0.149, 0.274, circle) == (
        "ann beats bob 61:39, bob beats carl 63:37, carl beats ann 60:40: "
        "no single order fits; cycle strength 0.21 (0.15–0.27)"
    )
    assert circle_line(0.214, 0.149, 0.274, []) == (
        "pairs stray from the ratings, but no three bots surely beat each other in a circle; "
        "cycle strength 0.21 (0.15–0.27)"
    )


def test_of_several_circles_the_one_without_a_weak_side_is_named() -> None:
    """Bots 1, 2 and 4 are a circle too, with one pair that is barely sure."""
    results = [*CIRCLE, *meeting(2, 4, 30, 20), *meeting(4, 1, 5, 45), *meeting(3, 4, 25, 25)]
    record = gather(results)
    found = circularity(record, fit(record))
    assert found is not None
    assert [each.bot for each in found.circle] == [1, 2, 3]


def test_an_order_is_no_circle() -> None:
    record = gather([*meeting(1, 2, 11, 39), *meeting(2, 3, 13, 37), *meeting(1, 3, 22, 28)])
    assert circularity(record, fit(record)) is None


def test_the_fit_of_before_knows_no_circles() -> None:
    """So what is verified of an older export is as it was."""
    record = gather(CIRCLE)
    assert circularity(record, fit(record, method=Method.EACH_MATCH)) is None

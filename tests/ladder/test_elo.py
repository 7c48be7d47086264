"""Classic Elo by hand: two, three and four seats, and ties."""

from math import sqrt

import numpy as np
import pytest

from roost_ladder.rating.elo import Elo, K, changes
from roost_ladder.rating.results import MatchResult
from tests.support.ladders.worlds import World, ladder


def duel(*places: int, bots: tuple[int, ...] = (1, 2)) -> MatchResult:
    return MatchResult("b", "g", bots, places)


def test_k_is_as_documented() -> None:
    assert K == 20


def test_two_equal_bots() -> None:
    """Expected 1/2, so the winner takes half of K."""
    assert changes([1500, 1500], [1, 2], k=32) == pytest.approx([16, -16])
    assert changes([1500, 1500], [1, 1], k=32) == pytest.approx([0, 0])


def test_two_bots_400_points_apart() -> None:
    """The stronger one is expected to score 10 / 11."""
    assert changes([1900, 1500], [1, 2], k=22) == pytest.approx([2, -2])
    assert changes([1900, 1500], [2, 1], k=22) == pytest.approx([-20, 20])
    assert changes([1900, 1500], [1, 1], k=22) == pytest.approx([-9, 9])


def test_a_published_example() -> None:
    """Wikipedia's player of 1613 expects 0.506, 0.686, 0.785, 0.539 and 0.351 points against five opponents."""
    expected = {1609: 0.506, 1477: 0.686, 1388: 0.785, 1586: 0.539, 1720: 0.351}
    for opponent, share in expected.items():
        assert changes([1613, opponent], [2, 1], k=32)[0] == pytest.approx(-32 * share, abs=0.02)


def test_three_equal_bots() -> None:
    """Two opponents, each for K / 2: first wins both, second one, third none."""
    assert changes([1500] * 3, [1, 2, 3], k=20) == pytest.approx([10, 0, -10])
    assert changes([1500] * 3, [1, 2, 2], k=20) == pytest.approx([10, -5, -5])
    assert changes([1500] * 3, [1, 1, 3], k=20) == pytest.approx([5, 5, -10])
    assert changes([1500] * 3, [1, 1, 1], k=20) == pytest.approx([0, 0, 0])


def test_three_bots_of_different_strength() -> None:
    """1900 expects 10/11 against each, 1500 expects 1/11 and 1/2. The weak ones finish first and second."""
    favourite = 11 * (0 - 10 / 11 + 0 - 10 / 11)
    first = 11 * (1 - 1 / 11 + 1 - 1 / 2)
    second = 11 * (1 - 1 / 11 + 0 - 1 / 2)
    assert changes([1900, 1500, 1500], [3, 1, 2], k=22) == pytest.approx([favourite, first, second])
    assert favourite + first + second == pytest.approx(0)


def test_four_equal_bots() -> None:
    """Three opponents, each for K / 3, less the expected 3/2."""
    assert changes([1500] * 4, [1, 2, 3, 4], k=18) == pytest.approx([9, 3, -3, -9])
    assert changes([1500] * 4, [1, 1, 3, 3], k=18) == pytest.approx([6, 6, -6, -6])
    assert changes([1500] * 4, [1, 2, 2, 2], k=18) == pytest.approx([9, -3, -3, -3])


def test_four_bots_of_different_strength() -> None:
    """1900, 1500, 1500, 1100: expected shares are 10/11, 100/101 and their counterparts, and 1/2."""
    upper, far = 10 / 11, 100 / 101
    by_hand = [
        3 - (2 * upper + far) - 3 + 0,  # last: none beaten
        3 - (1 - upper + 1 / 2 + upper),  # first
        2 - (1 - upper + 1 / 2 + upper),  # second
        1 - (1 - far + 2 * (1 - upper)),  # third
    ]
    assert changes([1900, 1500, 1500, 1100], [4, 1, 2, 3], k=3) == pytest.approx(by_hand)


def test_ratings_follow_the_matches() -> None:
    """After one win 1510 and 1490: the second win is worth 20 / (1 + 10 ** (20 / 400)) = 9.4251."""
    elo = Elo(k=20)
    elo.add(duel(1, 2))
    assert (elo.rating(1), elo.rating(2)) == pytest.approx((1510, 1490))
    elo.add(duel(2, 1, bots=(2, 1)))
    assert elo.rating(1) == pytest.approx(1510 + 9.4251, abs=1e-3)
    assert elo.rating(3) == 1500
    assert elo.ratings() == {1: elo.rating(1), 2: elo.rating(2)}


def test_a_match_uses_the_ratings_from_before_it() -> None:
    """All four change at once, so the order of the seats does not matter."""
    results = [MatchResult("b", "g", (1, 2, 3, 4), (2, 1, 4, 3)), MatchResult("b", "g", (2, 4, 1, 3), (1, 2, 3, 4))]
    turned = [result._replace(bots=result.bots[::-1], places=result.places[::-1]) for result in results]
    one, other = Elo(), Elo()
    for result, same in zip(results, turned, strict=True):
        one.add(result)
        other.add(same)
    assert one.ratings() == pytest.approx(other.ratings())
    assert sum(one.ratings().values()) == pytest.approx(6000)


def test_deviation_by_hand() -> None:
    """Of 350 points, the share 1 - 20 ln 10 / 1600 stays; luck adds 20 points by the deviation of a coin, 1/2."""
    elo = Elo(k=20)
    assert elo.deviation(1) == 350
    elo.add(duel(1, 2))
    assert elo.deviation(1) == pytest.approx(sqrt((350 * (1 - 20 * 2.302585 / 1600)) ** 2 + 10**2))


@pytest.mark.parametrize("players", [2, 4])
def test_the_deviation_is_how_far_ratings_stray(players: int) -> None:
    """Many independent matches among equal bots. The opponents stray too, so the truth is a little more."""
    elo = Elo(k=32)
    strayed = []
    for number, result in enumerate(ladder(World((0.0,) * 20), np.random.default_rng(1), {players: 2500})):
        elo.add(result)
        if number > 2000 and number % 40 == 0:
            strayed += [rating - 1500 for rating in elo.ratings().values()]
    assert np.std(strayed) == pytest.approx(elo.deviation(0), rel=0.15)

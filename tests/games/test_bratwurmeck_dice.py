"""Bratwurmeck against figures from outside: fair dice, and the published odds of a turn that is played perfectly.

The solver below knows no rules. Which moves a roll allows, what they set aside and what it counts: that is the game's.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

import pytest

from roost_games.bratwurmeck import GAME, Options, Rolled, Take
from roost_games.bratwurmeck.dice import DICE, FACE_INDEX, FACES, Roll, roll_of
from roost_games.bratwurmeck.moves import legal_moves
from roost_games.chance import Tape, seed_of

CHI_SQUARE_LIMIT = 20.515
"""Five degrees of freedom: fair dice exceed it once in a thousand times."""


class Point(NamedTuple):
    """A point in a turn, after dice were set aside."""

    used: int
    dice: int
    total: int


class Choice(NamedTuple):
    """A move on some roll: where it leads, and whether it stops there."""

    to: Point
    stops: bool


class Solved(NamedTuple):
    """The best that can be had from a point, and how often the turn succeeds. Of equal values the safer is better."""

    value: float
    succeeds: float


FAILURE = Solved(0.0, 0.0)
Payoff = Callable[[int], float]
"""What a stop with a worm and this total is worth."""


def test_dice_are_fair() -> None:
    counts: Counter[str] = Counter()
    for match in range(3000):
        counts.update(GAME.start(2, Options(), Tape(seed_of("fair", match))).observe(None).roll)
    assert counts.total() == 24_000
    assert chi_square(counts) < CHI_SQUARE_LIMIT


def test_later_rolls_are_fair_too() -> None:
    counts: Counter[str] = Counter()
    for match in range(3000):
        state = GAME.start(2, Options(), Tape(seed_of("fair again", match)))
        state.events = []
        (seat,) = state.to_move
        state.apply(seat, state.legal(seat)[0])
        for event in state.events:
            if isinstance(event, Rolled):
                counts.update(event.dice)
    assert chi_square(counts) < CHI_SQUARE_LIMIT


def chi_square(counts: Counter[str]) -> float:
    expected = counts.total() / 6
    return sum((counts[face] - expected) ** 2 / expected for face in FACES)


@cache
def rolls(dice: int) -> list[tuple[float, Roll]]:
    """Every roll of this many dice with its probability."""
    found = []
    for faces in combinations_with_replacement(FACES, dice):
        orders = factorial(dice) / prod(factorial(count) for count in Counter(faces).values())
        found.append((orders / 6**dice, roll_of(faces)))
    return found


def choice(point: Point, roll: Roll, move: Take) -> Choice:
    face = FACE_INDEX[move.face]
    to = Point(point.used | 1 << face, point.dice - len(roll.runs[face]), point.total + roll.gains[face])
    return Choice(to, move.then == "stop")


@cache
def futures(point: Point) -> dict[tuple[Choice, ...], float]:
    """What a roll at `point` may offer, with the probability of each offer."""
    offers: defaultdict[tuple[Choice, ...], float] = defaultdict(float)
    for probability, roll in rolls(point.dice):
        moves = legal_moves(roll, point.used, point.total, targets=0)
        offers[tuple(choice(point, roll, move) for move in moves)] += probability
    return offers


def solve(payoff: Payoff) -> Solved:
    """The greatest expected payoff of a turn, a failure paying nothing."""
    worm = 1 << FACE_INDEX["W"]

    @cache
    def stop(point: Point) -> Solved:
        value = payoff(point.total) if point.used & worm else 0.0
        return Solved(value, 1.0 if value else 0.0)

    @cache
    def roll(point: Point) -> Solved:
        value = succeeds = 0.0
        for offer, probability in futures(point).items():
            best = max((stop(to) if stops else roll(to) for to, stops in offer), default=FAILURE)
            value += probability * best.value
            succeeds += probability * best.succeeds
        return Solved(value, succeeds)

    return roll(Point(0, DICE, 0))


@pytest.mark.parametrize(
    ("least", "published"),
    [
        (21, 0.89303),
        (22, 0.85560),
        (23, 0.80774),
        (24, 0.74837),
        (25, 0.68033),
        (26, 0.60699),
        (27, 0.52476),
        (28, 0.43542),
        (29, 0.34629),
        (30, 0.26379),
        (31, 0.19401),
        (32, 0.13581),
        (33, 0.08678),
        (34, 0.05262),
        (35, 0.02891),
        (36, 0.01568),
    ],
)
@pytest.mark.short(4)
def test_the_odds_of_a_total_at_least(least: int, published: float) -> None:
    assert solve(lambda total: float(total >= least)).value == pytest.approx(published, abs=6e-6)


@pytest.mark.parametrize(("exactly", "published"), [(21, 0.43960), (28, 0.22148), (36, 0.00924)])
def test_the_odds_of_an_exact_total(exactly: int, published: float) -> None:
    assert solve(lambda total: float(total == exactly)).value == pytest.approx(published, abs=6e-6)


def test_the_greatest_expectation_of_worms() -> None:
    def worms(total: int) -> float:
        within = [tile.worms for tile in Options().tiles if tile.value <= total]
        return float(within[-1]) if within else 0.0

    solved = solve(worms)
    assert solved.value == pytest.approx(1.64473, abs=6e-6)
    assert 1 - solved.succeeds == pytest.approx(0.2322, abs=6e-5)

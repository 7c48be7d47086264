"""Names for decisions: every decision has one, they say what happened, and there are few enough to add up."""

from collections import Counter
from random import Random

import pytest

from roost_games.chance import Tape, seed_of
from roost_games.decisions import grade, kind_of
from roost_games.game import Variant
from roost_games.karteneck import PASS, Lay
from roost_games.karteneck.sheet import Card, Portion
from roost_games.registry import GAME_NAMES, get_game
from roost_games.situations import policies_of

MOST_KINDS = 100
"""More names than that cannot be added up over a hundred matches."""
TABLES = [(game, variant) for game in GAME_NAMES for variant in get_game(game).variants]


def kinds(game: str, variant: Variant) -> Counter[str]:
    """The names of all decisions in some matches, steered into rare positions too."""
    found = get_game(game)
    counted: Counter[str] = Counter()
    for number in range(30):
        rng = Random(number)
        policy = policies_of(game)[number % len(policies_of(game))]
        state = found.start(3, found.options(variant.options), Tape(seed_of(str(number))))
        while state.to_move:
            moves = [(seat, policy(rng, state.observe(seat), state.legal(seat))) for seat in state.to_move]
            for seat, move in moves:
                counted[kind_of(game, state.observe(seat), move)] += 1
                state.apply(seat, move)
    return counted


@pytest.mark.parametrize(("game", "variant"), TABLES)
def test_every_decision_has_a_short_name(game: str, variant: Variant) -> None:
    named = kinds(game, variant)
    assert 10 < len(named) < MOST_KINDS
    assert all(0 < len(name) < 70 and name[0].islower() and not name.endswith(".") for name in named), list(named)


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "fewer than 6"), (5, "fewer than 6"), (6, "6 to 9"), (9, "6 to 9"), (10, "10"), (11, "11+")],
)
def test_grades(number: int, name: str) -> None:
    assert grade(number, (6, 10, 11)) == name


def test_a_hand_counted_position() -> None:
    """Seat 0 of a new match leaves without a worm, or lays one of its two fives."""
    game = get_game("karteneck")
    view = game.start(2, game.options({}), Tape(seed_of("names"))).observe(0)
    hand = tuple(map(Card, ("5", "5", "1", "W7", "2", "2")))
    view = view._replace(hand=hand, seat=0, grill=(Portion(21, 1), Portion(40, 4)))
    assert kind_of("karteneck", view, PASS) == "leaves without a worm while others are in"
    assert kind_of("karteneck", view, Lay((Card("5"),))) == "lays one of its fours or fives while others are in"
    assert kind_of("karteneck", view, Lay(hand[:2])) == "lays all fours or fives while others are in"
    last = view._replace(status=("in", "invalid"), totals=(17, 30), displays=((Card("W1"),), ()))
    assert kind_of("karteneck", last, PASS) == "leaves in the lead on 15 to 24 points when the others are out"

"""The solver of a turn of Bratwurmeck against published figures, and the bots that play by it in positions by hand."""

from random import Random

import pytest

from roost_bots.exact import ExactBot
from roost_bots.thinking.dice_turn import FAILED, MOST_POINTS, NOTHING_ASIDE, Turn, place_of
from roost_bots.thinking.outlook import DiceTable, chance_ahead, ends, turn_of
from roost_games.bratwurmeck import GAME, BratwurmeckState, Options, Take, Tile, View
from roost_games.chance import Quick
from roost_sdk.seat import seat_bot

TOTALS = range(MOST_POINTS + 1)
AT_LEAST = {
    21: 0.89303,
    22: 0.85560,
    23: 0.80774,
    24: 0.74837,
    25: 0.68033,
    26: 0.60699,
    27: 0.52476,
    28: 0.43542,
    29: 0.34629,
    30: 0.26379,
    31: 0.19401,
    32: 0.13581,
    33: 0.08678,
    34: 0.05262,
    35: 0.02891,
    36: 0.01568,
}
EXACTLY = {21: 0.43960, 28: 0.22148, 36: 0.00924}
TO_THE_DIGIT = 5.1e-6
T21, T25, T29, T33, T36 = Tile(21, 1), Tile(25, 2), Tile(29, 3), Tile(33, 4), Tile(36, 4)


def worms_at(total: int) -> float:
    """What a total takes from a full grill."""
    return max((float(tile.worms) for tile in Options().tiles if tile.value <= total), default=0.0)


@pytest.mark.parametrize("least", AT_LEAST)
def test_the_published_odds_of_a_total_at_least(least: int) -> None:
    turn = Turn([float(total >= least) for total in TOTALS], {}, 0.0)
    assert turn.rolling(NOTHING_ASIDE) == pytest.approx(AT_LEAST[least], abs=TO_THE_DIGIT)


@pytest.mark.parametrize("total", EXACTLY)
def test_the_published_odds_of_an_exact_total(total: int) -> None:
    turn = Turn([0.0] * len(TOTALS), {total: 1.0}, 0.0)
    assert turn.rolling(NOTHING_ASIDE) == pytest.approx(EXACTLY[total], abs=TO_THE_DIGIT)


def test_the_published_worms_of_a_turn_and_how_often_it_fails() -> None:
    turn = Turn([worms_at(total) for total in TOTALS], {}, 0.0)
    assert turn.rolling(NOTHING_ASIDE) == pytest.approx(1.64473, abs=TO_THE_DIGIT)
    found = turn.totals()
    assert sum(found.values()) == pytest.approx(1.0)
    fails = found[FAILED] + sum(chance for total, chance in found.items() if 0 <= total < 21)
    assert fails == pytest.approx(0.2322, abs=0.00005)
    assert sum(chance * worms_at(total) for total, chance in found.items()) == pytest.approx(1.64473, abs=TO_THE_DIGIT)


def test_a_turn_brings_with_dice_what_it_promises() -> None:
    """The mean of many turns lies within four standard errors of the published expectation."""
    rng = Random(8)
    turn = Turn([worms_at(total) for total in TOTALS], {}, 0.0)
    won = []
    for _ in range(3000):
        state = GAME.start(2, Options(), Quick(rng))
        (seat,) = state.to_move
        while (view := state.observe(seat)).turn == 0 and state.to_move == (seat,):
            state.apply(seat, turn.best(view, state.legal(seat)))
        won.append(state.merits()[seat][0])
    mean = sum(won) / len(won)
    spread = (sum((each - mean) ** 2 for each in won) / len(won)) ** 0.5
    assert abs(mean - 1.64473) < 4 * spread / len(won) ** 0.5


def test_where_a_turn_stands() -> None:
    assert place_of(()) == NOTHING_ASIDE
    assert place_of(("W", "W", "4")) == (0b101000, 5, 14)
    assert NOTHING_ASIDE.after(face=5, count=2).after(face=3, count=1) == place_of(("W", "W", "4"))


def shown(grill: tuple[Tile, ...], stacks: tuple[tuple[Tile, ...], ...], aside: str, roll: str) -> View:
    """A view of seat 0 in the middle of a turn of a match of two."""
    total = sum(5 if die == "W" else int(die) for die in aside)
    return View(0, 2, (0,), 0, 40, 200, 1, grill, (), stacks, tuple(aside), total, tuple(roll))


def decision(view: View) -> Take:
    bot = seat_bot(ExactBot, "bratwurmeck", 0, 2, Random(1))
    assert isinstance(bot, ExactBot)
    return bot.bratwurmeck(view, GAME.legal(view))


def test_exact_steals_rather_than_taking_what_the_grill_has() -> None:
    assert decision(shown((T21,), ((), (T25,)), "WWWW", "5")) == Take("5", "stop", True)


def test_exact_stops_when_one_die_can_ruin_more_than_it_can_win() -> None:
    """31 points take three worms. Of the faces of the last die four fail, one changes nothing, one wins a worm more."""
    assert decision(shown((T25, T29, T33), ((T21,), ()), "WW443", "255")) == Take("5", "stop")


def test_exact_rolls_when_there_is_nothing_to_lose() -> None:
    """Without a worm a stop is a failure, and so is the worst that a roll can bring."""
    assert decision(shown((T21,), ((), ()), "5544", "3321")).then == "roll"


def table_of(state: BratwurmeckState) -> DiceTable:
    view = state.observe(None)
    return DiceTable(view.grill, view.stacks, tuple(score for score, _ in state.merits()))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_the_ends_of_a_turn_are_those_of_the_rules(players: int) -> None:
    """Random matches: whatever a turn led to is among the ends that were foreseen, under its total."""
    rng = Random(players)
    for _ in range(30):
        state = GAME.start(players, Options(), Quick(rng))
        while state.to_move:
            before, view = table_of(state), state.observe(None)
            (seat,) = state.to_move
            move = rng.choice(state.legal(seat))
            aside = view.aside + (move.face,) * view.roll.count(move.face)
            state.apply(seat, move)
            if state.observe(None).turn == view.turn:
                continue
            foreseen = ends(before, seat)
            if move.then == "roll" or "W" not in aside:
                expected = foreseen.failed
            elif move.steal:
                expected = foreseen.thefts[place_of(aside).total]
            else:
                expected = foreseen.grill[place_of(aside).total]
            if state.observe(None).turn == view.turn + 1:  # the next seat may have failed at once as well
                assert table_of(state) == expected


def test_the_last_tile_decides() -> None:
    """Taking it ends the match, so it is worth nothing to a seat that stays behind, and everything to one that wins."""
    behind = turn_of(shown((T21,), ((), (T33,)), "", ""), 0)
    assert behind.grill[21] == 0.5  # a seat is level with itself
    assert behind.failure > behind.grill[21]
    assert behind.thefts[33] > behind.failure
    ahead = turn_of(shown((T21,), ((T36,), (T33,)), "", ""), 0)
    assert ahead.grill[21] == 1.5
    assert ahead.failure < 1.5


def test_a_lead_is_worth_more_when_fewer_tiles_are_open() -> None:
    assert chance_ahead(0, 7) == 0.5
    assert 0.5 < chance_ahead(2, 16) < chance_ahead(2, 3) < chance_ahead(2, 0) == 1.0
    assert chance_ahead(-2, 5) == pytest.approx(1 - chance_ahead(2, 5))

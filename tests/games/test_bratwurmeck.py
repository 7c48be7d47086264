"""The rules of Bratwurmeck, sentence by sentence, in positions made by hand and with scripted dice.

The mover is seat 0 unless a test says otherwise. Dice are written as text: "WW5" is two worms and a five.
"""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest

from roost_games.bratwurmeck import (
    GAME,
    BratwurmeckState,
    Failed,
    Options,
    Rolled,
    SetAside,
    Stole,
    Take,
    Tile,
    TookTile,
    View,
)
from roost_games.errors import IllegalMove, UsageError
from roost_games.game import places

T = TypeVar("T")

WORMS = {value: worms for worms, first in ((1, 21), (2, 25), (3, 29), (4, 33)) for value in range(first, first + 4)}
POINTS = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "W": 5}
ALL_ONES = "11111111"
FAIL = Take("1", "stop")
"""What there is to do on `ALL_ONES`, and it has no worm."""


class Scripted:
    """Chance that rolls what a test says, then only ones, and notes its purposes."""

    def __init__(self, *rolls: str, starter: int = 0) -> None:
        self.rolls = list(rolls)
        self.starter = starter
        self.purposes: list[str] = []

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        self.purposes.append(purpose)
        return items[self.starter]

    def draw(self, purpose: str, items: Sequence[T], count: int) -> list[T]:
        raise AssertionError("there is nothing to draw in this game")

    def dice(self, purpose: str, faces: Sequence[str], count: int) -> bytes:
        self.purposes.append(purpose)
        roll = self.rolls.pop(0) if self.rolls else "1" * count
        assert len(roll) == count, f"{count} dice are rolled, but the script says {roll}"
        return bytes(faces.index(face) for face in roll)


def tiles(*values: int) -> tuple[Tile, ...]:
    return tuple(Tile(value, WORMS[value]) for value in values)


def position(
    grill: Sequence[int],
    *stacks: Sequence[int],
    aside: str = "",
    roll: str,
    coming: Sequence[str] = (),
    turn: int = 0,
) -> BratwurmeckState:
    """Seat 0 (turn 0 is its own) has set dice aside and sees a roll. Two players unless more stacks are given."""
    owned = tuple(tiles(*stack) for stack in (*stacks, (), ())[: max(2, len(stacks))])
    players = len(owned)
    assert len(aside) + len(roll) == 8
    view = View(
        seat=0,
        players=players,
        to_move=(turn % players,),
        starter=0,
        turn=turn,
        horizon=100 * players,
        roll_number=len(set(aside)),
        grill=tiles(*grill),
        turned=(),
        stacks=owned,
        aside=tuple(aside),
        total=sum(POINTS[face] for face in aside),
        roll=tuple(sorted(roll)),
    )
    state = GAME.determinise(view, Random(0))
    state.chance = Scripted(*coming)
    state.events = []
    return state


def start(*rolls: str, players: int = 2, starter: int = 0) -> BratwurmeckState:
    return GAME.start(players, Options(), Scripted(*rolls, starter=starter))


def grill_of(state: BratwurmeckState) -> list[int]:
    return [tile.value for tile in state.observe(None).grill]


def stacks_of(state: BratwurmeckState) -> list[list[int]]:
    return [[tile.value for tile in stack] for stack in state.observe(None).stacks]


def turned_of(state: BratwurmeckState) -> list[int]:
    return [tile.value for tile in state.observe(None).turned]


# Set-up and the course of a turn


def test_a_match_starts_with_all_tiles_on_the_grill_and_eight_dice_rolled() -> None:
    view = start("54321WW1", starter=1).observe(1)
    assert view == View(
        seat=1,
        players=2,
        to_move=(1,),
        starter=1,
        turn=0,
        horizon=200,
        roll_number=0,
        grill=tiles(*range(21, 37)),
        turned=(),
        stacks=((), ()),
        aside=(),
        total=0,
        roll=("1", "1", "2", "3", "4", "5", "W", "W"),
    )


def test_all_dice_of_the_face_are_set_aside_and_the_rest_is_rolled() -> None:
    state = start("W5W31122", "W54321")
    state.events = []
    state.apply(0, Take("W", "roll"))
    view = state.observe(0)
    assert (view.aside, view.total, view.roll) == (("W", "W"), 10, ("1", "2", "3", "4", "5", "W"))
    assert (view.to_move, view.turn, view.roll_number) == ((0,), 0, 1)
    assert state.events == [SetAside(0, "W", 2, 10), Rolled(0, ("1", "2", "3", "4", "5", "W"))]


def test_a_worm_counts_five_and_is_not_the_face_five() -> None:
    state = position(range(21, 37), aside="W", roll="W555544")
    assert {move.face for move in state.legal(0)} == {"4", "5"}
    state.apply(0, Take("5", "stop"))
    assert stacks_of(state) == [[25], []]


def test_every_free_face_can_be_taken_with_a_roll_or_a_stop() -> None:
    state = position([21], aside="3", roll="W522331")
    assert state.legal(0) == (
        Take("1", "roll"),
        Take("1", "stop"),
        Take("2", "roll"),
        Take("2", "stop"),
        Take("5", "roll"),
        Take("5", "stop"),
        Take("W", "roll"),
        Take("W", "stop"),
    )


def test_a_used_face_or_one_that_is_not_shown_cannot_be_taken() -> None:
    state = position([21], aside="33", roll="3W1111")
    for face in ("3", "2"):
        with pytest.raises(IllegalMove, match="not possible now"):
            state.apply(0, Take(face, "roll"))


def test_only_stopping_is_left_when_all_dice_are_set_aside() -> None:
    assert position([21], aside="WWWW", roll="5555").legal(0) == (Take("5", "stop"),)


def test_only_stopping_is_left_when_all_faces_are_used() -> None:
    assert position([21], aside="12345", roll="W11").legal(0) == (Take("W", "stop"),)


def test_rolling_goes_on_while_a_face_and_dice_are_left() -> None:
    assert position([21], aside="1234", roll="5511").legal(0) == (Take("5", "roll"), Take("5", "stop"))


def test_a_roll_of_used_faces_only_fails_at_once_and_the_next_seat_rolls() -> None:
    state = position([22, 30], [25], [21], aside="WW", roll="555432", coming=["W5W", "12345W11"])
    state.apply(0, Take("5", "roll"))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], [21]], [22, 25], [30])
    view = state.observe(1)
    assert (view.to_move, view.turn, view.roll_number, view.aside, view.total) == ((1,), 1, 0, (), 0)
    assert view.roll == ("1", "1", "1", "2", "3", "4", "5", "W")
    assert state.events == [
        SetAside(0, "5", 3, 25),
        Rolled(0, ("5", "W", "W")),
        Failed(0, "bust", *tiles(25, 30)),
        Rolled(1, ("1", "1", "1", "2", "3", "4", "5", "W")),
    ]


def test_turns_go_round_from_the_starter() -> None:
    state = start(players=3, starter=1)
    movers: list[int] = []
    for _ in range(5):
        movers += state.to_move
        state.apply(movers[-1], FAIL)
    assert movers == [1, 2, 0, 1, 2]


def test_chance_is_asked_by_turn_and_roll() -> None:
    state = start("W5W31122", "555555", players=2, starter=1)
    state.apply(1, Take("W", "roll"))
    state.apply(1, Take("5", "stop"))
    state.apply(0, FAIL)
    assert isinstance(state.chance, Scripted)
    assert state.chance.purposes == ["starter", "roll/0/0", "roll/0/1", "roll/1/0", "roll/2/0"]


# Stopping


def test_the_total_takes_its_tile_from_the_grill() -> None:
    state = position([23, 24, 25], [21], aside="WWWW", roll="4111")
    state.apply(0, Take("4", "stop"))
    assert (stacks_of(state), grill_of(state)) == ([[21, 24], []], [23, 25])
    assert state.events == [SetAside(0, "4", 1, 24), TookTile(0, Tile(24, 1)), Rolled(1, tuple(ALL_ONES))]


def test_else_it_takes_the_highest_open_tile_below() -> None:
    state = position([21, 22, 26], aside="WWWW", roll="4111")
    state.apply(0, Take("4", "stop"))
    assert (stacks_of(state), grill_of(state)) == ([[22], []], [21, 26])


def test_a_total_above_all_tiles_takes_the_highest() -> None:
    state = position(range(21, 37), roll="WWWWWWWW")
    state.apply(0, Take("W", "stop"))
    assert stacks_of(state) == [[36], []]


def test_a_stop_without_a_worm_fails() -> None:
    state = position([21, 30], [25], aside="5555", roll="4433")
    state.apply(0, Take("4", "stop"))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], []], [21, 25], [30])
    assert Failed(0, "no worm", *tiles(25, 30)) in (state.events or [])


def test_a_stop_below_all_open_tiles_fails() -> None:
    state = position([25, 30], [21], aside="WWWW", roll="4111")
    state.apply(0, Take("4", "stop"))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], []], [21, 25], [30])
    assert Failed(0, "no tile", *tiles(21, 30)) in (state.events or [])


# Stealing


def test_where_a_stop_could_steal_it_says_whether() -> None:
    state = position([21], [], [30, 24], aside="WWWW", roll="4311")
    assert state.legal(0) == (
        Take("1", "roll"),
        Take("1", "stop"),
        Take("3", "roll"),
        Take("3", "stop"),
        Take("4", "roll"),
        Take("4", "stop", True),
        Take("4", "stop", False),
    )
    with pytest.raises(IllegalMove):
        state.apply(0, Take("4", "stop"))
    for steal in (True, False):
        with pytest.raises(IllegalMove):
            state.apply(0, Take("3", "stop", steal))


def test_stealing_takes_the_top_tile_of_its_owner() -> None:
    state = position([21, 22], [26], [33], [30, 24], aside="WWWW", roll="4311")
    state.apply(0, Take("4", "stop", True))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[26, 24], [33], [30]], [21, 22], [])
    assert state.events == [SetAside(0, "4", 1, 24), Stole(0, 2, Tile(24, 1)), Rolled(1, tuple(ALL_ONES))]


def test_a_tile_can_be_stolen_when_the_grill_has_none_for_the_total() -> None:
    state = position([36], [], [24], aside="WWWW", roll="4311")
    state.apply(0, Take("4", "stop", True))
    assert (stacks_of(state), grill_of(state)) == ([[24], []], [36])


def test_a_declined_steal_takes_the_next_lower_tile_from_the_grill() -> None:
    state = position([21, 22, 25], [], [24], aside="WWWW", roll="4311")
    state.apply(0, Take("4", "stop", False))
    assert (stacks_of(state), grill_of(state)) == ([[22], [24]], [21, 25])


def test_a_declined_steal_fails_when_the_grill_has_nothing_lower() -> None:
    state = position([25, 30], [27], [24], aside="WWWW", roll="4311")
    state.apply(0, Take("4", "stop", False))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], [24]], [25, 27], [30])


def test_a_total_equal_to_the_own_top_tile_takes_the_next_lower() -> None:
    state = position([21, 22, 25], [24], [30], aside="WWWW", roll="4311")
    assert Take("4", "stop") in state.legal(0)
    state.apply(0, Take("4", "stop"))
    assert (stacks_of(state), grill_of(state)) == ([[24, 22], [30]], [21, 25])


def test_a_covered_tile_cannot_be_stolen() -> None:
    state = position([21, 25], [], [24, 30], aside="WWWW", roll="4311")
    assert [move for move in state.legal(0) if move.face == "4"] == [Take("4", "roll"), Take("4", "stop")]


def test_without_a_worm_nothing_can_be_stolen() -> None:
    state = position([21], [], [24], aside="5555", roll="4W11")
    assert [move for move in state.legal(0) if move.face == "4"] == [Take("4", "roll"), Take("4", "stop")]


def test_the_worm_taken_with_the_stop_is_enough_to_steal() -> None:
    state = position([21], [], [25], aside="5555", roll="4W11")
    state.apply(0, Take("W", "stop", True))
    assert stacks_of(state) == [[25], []]


def test_two_faces_can_steal_from_two_owners() -> None:
    state = position([21], [], [24], [25], aside="WWWW", roll="4511")
    assert [move for move in state.legal(0) if move.steal] == [Take("4", "stop", True), Take("5", "stop", True)]


def test_the_last_tile_of_a_stack_can_be_stolen_back() -> None:
    state = position([36], [], [24], aside="WWWW", roll="4311", coming=["WWWW4321"])
    state.apply(0, Take("4", "stop", True))
    state.apply(1, Take("W", "roll"))  # rolls four ones
    state.apply(1, Take("1", "stop", True))
    assert stacks_of(state) == [[], [24]]


# Failing


def test_nothing_is_turned_when_the_returned_tile_is_the_highest() -> None:
    state = position([21, 29], [22, 30], roll=ALL_ONES)
    state.apply(0, FAIL)
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[22], []], [21, 29, 30], [])
    assert Failed(0, "no worm", Tile(30, 3), None) in (state.events or [])


def test_nothing_is_turned_when_there_is_no_tile_to_return() -> None:
    state = position([21, 29], [], [30], roll=ALL_ONES)
    state.apply(0, FAIL)
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], [30]], [21, 29], [])
    assert Failed(0, "no worm", None, None) in (state.events or [])


def test_turned_tiles_are_out_of_the_game() -> None:
    state = position([21, 30], [25], roll=ALL_ONES, coming=["WWWWWWWW"])
    state.apply(0, FAIL)
    state.apply(1, Take("W", "stop"))
    assert (stacks_of(state), grill_of(state), turned_of(state)) == ([[], [25]], [21], [30])


# The end


def test_the_match_ends_when_the_last_open_tile_is_taken() -> None:
    state = position([24], [30], [36], aside="WWWW", roll="4311")
    state.apply(0, Take("4", "stop"))
    assert (state.termination, state.to_move, state.legal(0), state.legal(1)) == ("finished", (), (), ())
    view = state.observe(None)
    assert (view.to_move, view.roll, view.aside, view.total, view.turn) == ((), (), (), 0, 1)
    with pytest.raises(IllegalMove, match="not to move"):
        state.apply(1, FAIL)


def test_most_worms_win_and_the_score_comes_first() -> None:
    state = position([21], [22, 23, 24], [36], [33, 25], roll=ALL_ONES)
    assert [merit[0] for merit in state.merits()] == [3, 4, 6]
    assert places(state.merits()) == (3, 2, 1)


def test_a_tie_goes_to_the_highest_tile_wherever_it_lies_in_the_stack() -> None:
    state = position([21], [28, 25], [26, 27], [33], roll=ALL_ONES)
    assert [merit[0] for merit in state.merits()] == [4, 4, 4]
    assert places(state.merits()) == (2, 3, 1)


def test_seats_without_tiles_share_a_place() -> None:
    state = position([21], [], [26], [], roll=ALL_ONES)
    assert [merit[0] for merit in state.merits()] == [0, 2, 0]
    assert places(state.merits()) == (2, 1, 2)


@pytest.mark.parametrize("players", [2, 5])
def test_a_match_ends_as_it_stands_after_a_hundred_turns_per_player(players: int) -> None:
    state = start(players=players)
    turns = 0
    while state.to_move:
        state.apply(state.to_move[0], FAIL)
        turns += 1
    assert (turns, state.termination) == (100 * players, "horizon")
    assert places(state.merits()) == (1,) * players


def test_taking_a_tile_in_the_last_turn_still_counts() -> None:
    state = position([21, 24], [], [], aside="WWWW", roll="4311", turn=199)
    state.apply(1, Take("4", "stop"))
    assert (state.termination, stacks_of(state)) == ("horizon", [[], [24]])


def test_the_rules_may_end_the_match_in_the_very_last_turn() -> None:
    state = position([24], [], [], aside="WWWW", roll="4311", turn=199)
    state.apply(1, Take("4", "stop"))
    assert state.termination == "finished"


def test_a_bust_in_the_last_turn_ends_the_match() -> None:
    state = position([21, 24], [], [30], aside="WWWW", roll="4311", coming=["W44"], turn=199)
    state.apply(1, Take("4", "roll"))
    assert (state.termination, state.to_move, state.observe(None).turn) == ("horizon", (), 200)
    assert (stacks_of(state), grill_of(state)) == ([[], []], [21, 24, 30])


@pytest.mark.parametrize(("grill", "termination"), [([24], "finished"), ([21, 24], "horizon")])
def test_a_finished_match_can_be_built_back_from_its_view(grill: list[int], termination: str) -> None:
    state = position(grill, aside="WWWW", roll="4311", turn=199)
    state.apply(1, Take("4", "stop"))
    again = GAME.determinise(state.observe(0), Random(0))
    assert (again.termination, again.observe(0)) == (termination, state.observe(0))


@pytest.mark.parametrize("players", [1, 8])
def test_other_player_counts_are_refused(players: int) -> None:
    with pytest.raises(UsageError, match="2 to 7 players"):
        start(players=players)


# The fallback


@pytest.mark.parametrize(
    ("grill", "theirs", "aside", "roll", "expected"),
    [
        pytest.param([21], [], "", "W5555432", Take("W", "roll"), id="worms first, although the fives bring more"),
        pytest.param([21], [], "W", "W554321", Take("5", "roll"), id="else the highest free face"),
        pytest.param([21], [], "", "55432111", Take("5", "roll"), id="without a worm shown too"),
        pytest.param([28], [], "WWW5", "4431", Take("4", "stop"), id="stops as soon as that takes a tile"),
        pytest.param([25], [], "WWW5", "4311", Take("4", "roll"), id="rolls while no tile can be taken"),
        pytest.param([21], [], "5554", "3321", Take("3", "roll"), id="no worm, no tile"),
        pytest.param([21, 22], [24], "WWWW", "4311", Take("4", "stop", False), id="declines to steal"),
        pytest.param([36], [24], "WWWW", "4311", Take("4", "roll"), id="a tile to steal is no tile to take"),
        pytest.param(
            [36], [24], "WWWW", "1111", Take("1", "stop", False), id="stops without stealing, though it fails"
        ),
        pytest.param([36], [], "12345", "W11", Take("W", "stop"), id="stops when all faces are used"),
        pytest.param([21], [], "", ALL_ONES, FAIL, id="stops when no dice are left"),
    ],
)
def test_the_fallback(grill: list[int], theirs: list[int], aside: str, roll: str, expected: Take) -> None:
    state = position(grill, [], theirs, aside=aside, roll=roll)
    assert GAME.fallback(state.observe(0)) == expected
    assert expected in state.legal(0)

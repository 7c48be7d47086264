"""The rules of Karteneck on tables where the deal is scripted: who gets which portion, who begins, who wins."""

from collections import Counter

import pytest

from roost_games.chance import Tape, seed_of
from roost_games.errors import IllegalMove
from roost_games.game import places
from roost_games.karteneck import GAME, PASS, PASS_AND_STEAL, KarteneckState, Portion, Stole, Took
from tests.support.games.karteneck_deals import (
    WORMS_BY_VALUE,
    bag,
    grill,
    hand,
    legal_now,
    play,
    portion,
    portions,
    stack,
    table,
    told,
)

# Stealing


def owner_of_30(*hands: str, draws: str = "") -> KarteneckState:
    """Round 2, seat 0 begins: seat 0 owns 30 and seat 1 owns 16, seat 0 has laid W25 in round 1 and drawn a card.

    The first three cards of `draws` go to seats 0, 1 and 1.
    """
    state = table(f"W25 {hands[0]}", hands[1], values=(30, 16, 20, 40), draws=draws)
    play(state, "0: W25", "1: pass", "0: pass")
    assert [stack(state, 0), stack(state, 1)] == [[30], [16]]
    told(state)
    return state


def test_a_portion_below_the_top_is_safe() -> None:
    state = owner_of_30("1 2", "W1 W2 W3 5 5 5")
    play(state, "0: 1", "1: W1 W2 W3", "0: pass", "1: 5 5 5")
    assert stack(state, 0) == [30, 20]
    assert state.observe(1).total == 30
    assert PASS_AND_STEAL not in legal_now(state)
    with pytest.raises(IllegalMove):
        play(state, "1: steal")


def test_a_valid_total_that_equals_anothers_top_portion_may_steal_it_onto_the_own_stack() -> None:
    state = owner_of_30("1 2 3", "W1 W2 W3 5 5 5")
    play(state, "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5 5", "0: 3")
    assert legal_now(state)[:2] == [PASS, PASS_AND_STEAL]
    play(state, "1: steal")
    assert [stack(state, 0), stack(state, 1)] == [[], [16, 30]]
    assert told(state) == [Stole(1, 0, portion(30))]
    view = state.observe(None)
    assert view.status == ("in", "valid")
    assert view.totals[1] == 30
    assert grill(state) == [20, 40]


def test_the_thief_draws_two_and_takes_part_in_the_menu() -> None:
    state = owner_of_30("1 2 3", "W1 W2 W3 5 5 5")
    play(state, "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5 5", "0: 3")
    size = state.observe(1).hand_sizes[1]
    play(state, "1: steal")
    assert state.observe(1).hand_sizes[1] == size + 2
    play(state, "0: pass")
    assert [stack(state, 0), stack(state, 1)] == [[20], [16, 30, 40]]


def test_the_last_to_pass_may_steal_too_and_draws_nothing() -> None:
    state = owner_of_30("W4 1 2", "W1 W2 W3 5 5 5")
    play(state, "0: W4", "1: W1 W2 W3", "0: pass", "1: 5 5 5")
    size = state.observe(1).hand_sizes[1]
    play(state, "1: steal")
    assert [stack(state, 0), stack(state, 1)] == [[20], [16, 30, 40]]
    assert state.observe(1).hand_sizes[1] == size


def test_stealing_is_optional() -> None:
    state = owner_of_30("1 2 3", "W1 W2 W3 5 5 5")
    play(state, "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5 5", "0: 3", "1: pass")
    assert [stack(state, 0), stack(state, 1)] == [[30], [16]]


def test_another_total_cannot_steal() -> None:
    state = owner_of_30("1 2 3", "W1 W2 W3 5 5 4")
    play(state, "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5", "0: 3")
    assert state.observe(1).total == 25
    with pytest.raises(IllegalMove):
        play(state, "1: steal")


def test_an_invalid_display_of_the_right_total_cannot_steal() -> None:
    state = owner_of_30("1 2 3", "5 5 5 5 5 5")
    play(state, "0: 1", "1: 5 5 5 5 5 5", "0: 2")
    assert state.observe(1).total == 30
    assert PASS_AND_STEAL not in legal_now(state)
    with pytest.raises(IllegalMove):
        play(state, "1: steal")


def test_the_own_top_portion_cannot_be_stolen() -> None:
    state = owner_of_30("W1 W2 W3 5 5", "1 2 3", draws="5")
    play(state, "0: W1 W2 W3", "1: 1", "0: 5 5 5", "1: 2")
    assert state.observe(0).total == 30
    assert PASS_AND_STEAL not in legal_now(state)
    with pytest.raises(IllegalMove):
        play(state, "0: steal")


def test_only_the_top_of_a_stack_can_be_stolen_and_what_is_below_can_be_stolen_next() -> None:
    state = table(
        "W25 1 1 1 1 1", "W1 W2 W3 W4 5 5", "W5 W6 W7 5 5 5", values=(30, 16, 17, 20, 40, 41), draws="1 3 3 3 3"
    )
    play(state, "0: W25", "1: pass", "2: pass", "0: pass")
    assert [stack(state, seat) for seat in range(3)] == [[30], [16], [17]]
    play(state, "0: 1", "1: W1 W2 W3 W4", "2: W5 W6 W7", "0: pass")
    assert stack(state, 0) == [30, 20]
    play(state, "1: steal")
    assert [stack(state, 0), stack(state, 1)] == [[30], [16, 20]]
    play(state, "2: 5 5 5", "2: steal")
    assert [stack(state, seat) for seat in range(3)] == [[], [16, 20, 40], [17, 30, 41]]


def test_what_was_taken_in_this_round_can_be_stolen_in_this_round() -> None:
    state = table("1", "W1 W2 W3 W4", "2", values=(20, 21, 22))
    play(state, "0: pass", "1: W1 W2 W3 W4", "2: 2", "1: steal")
    assert [stack(state, 0), stack(state, 1)] == [[], [20]]


def test_a_portion_of_value_0_can_never_be_stolen() -> None:
    state = table("", "W1", "", values=(0, 20, 21, 0, 30, 31))
    play(state, "0: pass")
    assert stack(state, 0) == [0]
    assert PASS_AND_STEAL not in legal_now(state), "the empty display of total 0 is not valid"
    with pytest.raises(IllegalMove):
        play(state, "1: steal")
    play(state, "1: W1", "2: pass")
    assert PASS_AND_STEAL not in legal_now(state)


def test_there_is_nothing_to_steal_from_empty_stacks() -> None:
    state = table("W1 W2 W3 W4", "2")
    play(state, "0: W1 W2 W3 W4", "1: 2")
    with pytest.raises(IllegalMove):
        play(state, "0: steal")


def test_a_seat_that_already_passed_cannot_be_made_to_steal_later() -> None:
    state = table("W1 W2 W3 W4", "", "2", values=(20, 21, 22))
    play(state, "0: W1 W2 W3 W4", "1: 1", "2: 2", "0: pass", "1: pass")
    assert stack(state, 1) == [20]
    with pytest.raises(IllegalMove):
        state.apply(0, PASS_AND_STEAL)


# The menu


def test_the_highest_total_takes_the_highest_portion_and_so_on() -> None:
    state = table("W1", "W2 W3", "W4 W5 W6", "1", values=(30, 31, 32, 33))
    play(state, "0: W1", "1: W2 W3", "2: W4 W5 W6", "3: pass", "0: pass", "1: pass", "2: pass")
    assert [stack(state, seat) for seat in range(4)] == [[31], [32], [33], [30]]
    took = [event for event in told(state) if isinstance(event, Took)]
    assert took == [Took(3, portion(30), False), *(Took(2 - i, portion(33 - i), True) for i in range(3))]


def test_equal_totals_go_by_the_highest_signpost_not_by_the_sum_or_the_number_of_worms() -> None:
    state = table("W20 W21 5", "W1 W22 5", "W23 5 5", values=(30, 31, 32))
    play(state, "0: W20 W21", "1: W1 W22", "2: W23", "0: 5", "1: 5", "2: 5 5")
    assert state.observe(None).totals == (15, 15, 15)
    play(state, "0: pass", "1: pass", "2: pass")
    assert [stack(state, seat) for seat in range(3)] == [[30], [31], [32]]


def test_a_higher_total_beats_a_higher_signpost() -> None:
    state = table("W25", "W1 1", values=(30, 31))
    play(state, "0: W25", "1: W1", "0: pass", "1: 1", "1: pass")
    assert [stack(state, 0), stack(state, 1)] == [[30], [31]]


def test_custom_signposts_break_ties_by_their_numbers_not_by_their_place_on_the_sheet() -> None:
    sheet = GAME.options({"signposts": [100, *range(1, 24), 9999]})
    state = table("W100", "W23", "W9999", values=(30, 31, 32), options=sheet)
    play(state, "0: W100", "1: W23", "2: W9999", "0: pass", "1: pass", "2: pass")
    assert [stack(state, seat) for seat in range(3)] == [[31], [30], [32]]


def test_after_the_menu_all_displays_are_on_the_discard_pile() -> None:
    state = table("W1 2 2", "W2 3", "4 4 4")
    play(state, "0: W1", "1: W2", "2: 4 4 4", "0: 2 2", "1: pass", "2: pass", "0: pass")
    view = state.observe(None)
    assert view.displays == ((), (), ())
    assert view.totals == (0, 0, 0)
    assert view.status == ("in", "in", "in")
    assert Counter(view.discard) == bag("4 4 4 W1 2 2 W2")


def test_hands_are_kept_for_the_next_round() -> None:
    state = table("W1 1 1 2 2 3", "4 4 4 4 5 5", draws="5 3 3")
    play(state, "0: W1", "1: pass", "0: pass")
    assert hand(state, 0) == bag("1 1 2 2 3 5")
    assert hand(state, 1) == bag("4 4 4 4 5 5 3 3")


def test_kinds_laid_in_the_last_round_can_be_laid_again() -> None:
    state = table("W1 W2", "4")
    play(state, "0: W1", "1: pass", "0: pass", "0: W2")


# The next starter


def test_the_last_of_the_menu_begins_the_next_round() -> None:
    state = table("W1", "W2 W3", "", values=(30, 31, 32))
    play(state, "0: W1", "1: W2 W3", "2: pass", "0: pass", "1: pass")
    assert (state.to_move, state.observe(None).starter) == ((0,), 0)


def test_the_menu_comes_after_the_last_player_out_with_an_invalid_display() -> None:
    state = table("W1 W4", "W2", "3", values=(30, 31, 32))
    play(state, "0: W1 W4", "1: W2", "2: 3", "0: pass", "1: pass", "2: pass")
    assert [stack(state, seat) for seat in range(3)] == [[32], [31], [30]]
    assert (state.to_move, state.observe(None).starter) == ((1,), 1)


def test_if_all_are_invalid_the_last_to_pass_begins() -> None:
    state = table("1", "1", "1 2", values=(30, 31, 32))
    play(state, "0: pass", "1: 1", "2: 1", "1: pass", "2: 2", "2: pass")
    assert (state.to_move, state.observe(None).starter) == ((2,), 2)


def test_a_steal_does_not_make_a_starter() -> None:
    state = table("", "W1 W2 W3 W4", "W5", values=(20, 21, 22))
    play(state, "0: pass", "1: W1 W2 W3 W4", "2: W5", "1: pass", "2: pass")
    assert state.to_move == (2,)
    state = table("", "W1 W2 W3 W4", "W5", values=(20, 21, 22))
    play(state, "0: pass", "1: W1 W2 W3 W4", "2: W5", "1: steal", "2: pass")
    assert state.to_move == (2,)


# The end


def test_a_match_in_which_everybody_passes_at_once() -> None:
    supply = [16, 17, 30, 31, 0, 0, 40, 18, 42, 19, 20, 41, 21, 22, 0, 23, 37, 24]
    state = table("", "", values=supply, starter=1)
    owned: list[list[int]] = [[], []]
    starter = 1
    for low, high in zip(supply[::2], supply[1::2], strict=True):
        assert state.to_move == (starter,)
        owned[starter].append(min(low, high))
        owned[1 - starter].append(max(low, high))
        state.apply(starter, PASS)
        starter = 1 - starter
        state.apply(starter, PASS)
    assert (state.to_move, state.termination) == ((), "finished")
    assert [stack(state, 0), stack(state, 1)] == owned
    assert owned == [[17, 30, 0, 18, 42, 20, 22, 0, 37], [16, 31, 0, 40, 19, 41, 21, 23, 24]]
    assert state.merits() == ((1 + 3 + 0 + 1 + 4 + 1 + 1 + 0 + 4, 42), (1 + 3 + 0 + 4 + 1 + 4 + 1 + 2 + 2, 41))
    assert places(state.merits()) == (2, 1)
    view = state.observe(0)
    assert (view.grill, view.supply_size, view.to_move, view.round, view.rounds) == ((), 0, (), 9, 9)


@pytest.mark.parametrize(("players", "rounds"), [(2, 9), (3, 8), (4, 7)])
def test_a_match_has_as_many_rounds_as_portions_for_all(players: int, rounds: int) -> None:
    state = GAME.start(players, GAME.options({}), Tape(seed_of("rounds")))
    seen = set()
    while state.to_move:
        view = state.observe(None)
        seen.add(view.round)
        assert view.rounds == rounds
        state.apply(state.to_move[0], PASS)
    assert seen == set(range(1, rounds + 1))
    assert all(len(stack(state, seat)) == rounds for seat in range(players))


def test_after_the_end_nobody_may_move() -> None:
    state = GAME.start(2, GAME.options({}), Tape(seed_of("end")))
    while state.to_move:
        state.apply(state.to_move[0], PASS)
    for seat in range(2):
        assert state.legal(seat) == ()
        with pytest.raises(IllegalMove):
            state.apply(seat, PASS)


def places_with(*stacks: tuple[Portion, ...]) -> tuple[int, ...]:
    state = table(*[""] * len(stacks))
    state.stacks = list(stacks)
    return places(state.merits())


def test_most_worms_win() -> None:
    assert places_with(portions(16, 17, 18), portions(42)) == (2, 1)
    assert places_with(portions(23, 24), portions(30), portions(16)) == (1, 2, 3)


def test_ties_go_by_the_highest_portion_owned_wherever_it_lies_in_the_stack() -> None:
    assert places_with(portions(23, 16), portions(30), portions(17, 24)) == (3, 1, 2)
    assert places_with(portions(24, 0), portions(16, 23)) == (2, 1)
    assert places_with(portions(25, 0), portions(16, 22)) == (1, 2)


def test_owning_nothing_counts_as_0_so_it_shares_the_place_with_owning_only_zeros() -> None:
    assert places_with((), portions(0, 0), portions(16), ()) == (2, 2, 1, 2)


def test_a_portion_without_worms_still_breaks_ties() -> None:
    assert places_with((Portion(5, 0),), (), (Portion(0, 0),)) == (1, 2, 2)


def test_the_score_comes_first_in_the_merits() -> None:
    state = table("", "")
    state.stacks = [portions(30, 16, 42), ()]
    worms = sum(WORMS_BY_VALUE[value] for value in (30, 16, 42))
    assert state.merits() == ((worms, 42), (0, 0))

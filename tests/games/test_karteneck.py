"""The rules of Karteneck on tables where the deal is scripted: the set-up, laying and passing."""

from collections import Counter

import pytest

from roost_games.chance import Tape
from roost_games.errors import IllegalMove, UsageError
from roost_games.karteneck import (
    GAME,
    PASS,
    Card,
    Lay,
    Revealed,
    Took,
)
from tests.support.games.karteneck_deals import (
    SHEET,
    asked,
    bag,
    cards,
    grill,
    hand,
    legal_now,
    play,
    portion,
    portions,
    same_moves,
    stack,
    table,
    told,
)


def test_the_default_sheet_has_110_cards_and_30_portions() -> None:
    sheet = GAME.options({})
    assert [str(card) for card in sheet.deck()] == SHEET
    assert len(SHEET) == 110
    assert sheet.portions == portions(0, 0, 0, *range(16, 43))
    assert sum(worms for _, worms in sheet.portions) == 7 * 1 + 7 * 2 + 7 * 3 + 6 * 4


def test_a_card_knows_its_kind_value_and_signpost() -> None:
    five, worm = Card("5"), Card("W17")
    assert (five.kind, five.value, five.signpost, five.is_worm) == ("5", 5, 0, False)
    assert (worm.kind, worm.value, worm.signpost, worm.is_worm) == ("W", 5, 17, True)


@pytest.mark.parametrize(("players", "played", "rounds"), [(2, 18, 9), (3, 24, 8), (4, 28, 7)])
def test_the_set_up_by_number_of_players(players: int, played: int, rounds: int) -> None:
    state = table(*[""] * players)
    view = state.observe(None)
    assert view.supply_size + len(view.grill) == played
    assert (view.round, view.rounds) == (1, rounds)
    assert len(view.grill) == players
    assert view.hand_sizes == (6,) * players
    assert view.pile_size == 110 - 6 * players
    assert view.stacks == ((),) * players
    assert view.displays == ((),) * players
    assert view.discard == ()


@pytest.mark.parametrize("players", [0, 1, 5])
def test_only_two_to_four_can_play(players: int) -> None:
    with pytest.raises(UsageError, match="2 to 4 players"):
        GAME.start(players, GAME.options({}), Tape(b""))


def test_chance_is_asked_for_the_starter_the_portions_and_the_deck_in_replay_notation() -> None:
    state = table("", "", "", starter=2)
    starter, supply, deck = asked(state)
    assert starter == ("starter", (0, 1, 2), 1)
    assert supply == ("portions", (0, 0, 0, *range(16, 43)), 24)
    assert deck == ("deck", tuple(SHEET), 110)
    assert state.to_move == (2,)


def test_the_hands_are_dealt_six_to_seat_0_then_six_to_seat_1_then_cards_are_drawn_in_order() -> None:
    state = table("1 1 1 1 1 1", "2 2 2 2 2 2", draws="3 4", starter=1)
    assert [hand(state, 0), hand(state, 1)] == [bag("1 1 1 1 1 1"), bag("2 2 2 2 2 2")]
    play(state, "1: 2", "0: 1")
    assert [hand(state, 0), hand(state, 1)] == [bag("1 1 1 1 1 4"), bag("2 2 2 2 2 3")]


def test_as_many_portions_as_players_come_to_the_grill_in_the_order_of_the_supply() -> None:
    state = table("", "", "", values=(40, 16, 0, 22, 21, 20))
    assert grill(state) == [0, 16, 40]
    play(state, "0: pass", "1: pass", "2: pass")
    assert grill(state) == [20, 21, 22]
    assert told(state)[-1] == Revealed(2, 2, portions(20, 21, 22))


# Laying


def test_any_number_of_cards_of_one_kind_can_be_laid_or_passed() -> None:
    state = table("3 3 3 5 W4 W9", "")
    expected = ["3", "3 3", "3 3 3", "5", "W4", "W9", "W4 W9"]
    assert same_moves(legal_now(state), [PASS, *(Lay(cards(text)) for text in expected)])


def test_after_a_lay_one_card_is_drawn_and_the_total_runs() -> None:
    state = table("3 3 3 5 W4 W9", "2 2", draws="1 4 4 5")
    play(state, "0: 3 3 3")
    view = state.observe(1)
    assert view.displays[0] == cards("3 3 3")
    assert view.totals == (9, 0)
    assert view.hand_sizes == (4, 6)
    assert hand(state, 0) == bag("5 W4 W9 1")
    play(state, "1: 2", "0: W9 W4")
    view = state.observe(0)
    assert view.totals == (19, 2)
    assert view.total == 19
    assert Counter(view.display) == bag("3 3 3 W4 W9")


def test_a_kind_that_lies_in_the_display_cannot_be_laid_again() -> None:
    state = table("3 3 3 5 W4 W9", "2 2", draws="3 2")
    play(state, "0: 3", "1: 2")
    expected = ["5", "W4", "W9", "W4 W9"]
    assert same_moves(legal_now(state), [PASS, *(Lay(cards(text)) for text in expected)])
    with pytest.raises(IllegalMove):
        play(state, "0: 3")


def test_after_worms_no_more_worms_can_be_laid() -> None:
    state = table("W1 W2 3", "2 2", draws="W3 2")
    play(state, "0: W1", "1: 2")
    for text in ("W2", "W3", "W2 W3"):
        with pytest.raises(IllegalMove):
            play(state, f"0: {text}")
    play(state, "0: 3")


@pytest.mark.parametrize(("first", "second"), [("5 5", "W4"), ("W4", "5 5")])
def test_the_five_and_the_worm_are_different_kinds(first: str, second: str) -> None:
    state = table("5 5 W4", "2")
    play(state, f"0: {first}", "1: 2", f"0: {second}")
    assert state.observe(None).totals[0] == 15


def test_a_five_and_a_worm_are_never_laid_together() -> None:
    state = table("5 W4", "")
    with pytest.raises(IllegalMove):
        play(state, "0: 5 W4")


def test_what_another_has_laid_does_not_matter() -> None:
    state = table("3", "3")
    play(state, "0: 3", "1: 3")


def test_the_turn_goes_to_the_next_seat_that_is_still_in() -> None:
    state = table("1 2", "1 2", "1 2", "1 2", starter=2)
    play(state, "2: 1", "3: pass", "0: 1", "1: pass", "2: 2", "0: 2", "2: pass", "0: pass")
    assert state.observe(None).round == 2


def test_someone_with_nothing_to_lay_is_asked_too_and_can_only_pass() -> None:
    state = table("1 1 1 1 1 1", "2 2 2 2 2 2", draws="1 2")
    play(state, "0: 1 1 1 1 1 1", "1: 2")
    assert legal_now(state) == [PASS]


def test_an_empty_hand_can_only_pass() -> None:
    state = table("1 1 1 1 1 1", "2 2 2 2 2 2")
    state.pile.clear()
    play(state, "0: 1 1 1 1 1 1", "1: 2")
    assert state.observe(None).hand_sizes == (0, 5)
    assert legal_now(state) == [PASS]


# Passing


def test_an_invalid_pass_takes_the_lowest_portion_discards_the_display_and_draws_two() -> None:
    state = table("4 4 1 1 1 1", "2", "2", values=(30, 20, 25), draws="3 3 3 5 5")
    play(state, "0: 4 4", "1: 2", "2: 2", "0: pass")
    view = state.observe(None)
    assert stack(state, 0) == [20]
    assert grill(state) == [25, 30]
    assert view.displays[0] == ()
    assert view.totals[0] == 0
    assert view.discard == cards("4 4")
    assert view.status == ("invalid", "in", "in")
    assert view.hand_sizes == (4 + 1 + 2, 6, 6)
    assert hand(state, 0) == bag("1 1 1 1 3 5 5")
    assert told(state)[-1] == Took(0, portion(20), False)


def test_the_next_invalid_pass_takes_the_lowest_that_is_left() -> None:
    state = table("", "", "", values=(30, 20, 25))
    play(state, "0: pass", "1: pass", "2: pass")
    assert [stack(state, seat) for seat in range(3)] == [[20], [25], [30]]


def test_an_empty_display_is_invalid() -> None:
    state = table("W1", "", values=(30, 20))
    play(state, "0: pass")
    view = state.observe(None)
    assert stack(state, 0) == [20]
    assert view.discard == ()
    assert view.hand_sizes == (8, 6)


def test_an_invalid_display_sits_out_the_menu_whatever_its_total() -> None:
    state = table("5 5 5 5", "W1", values=(30, 20))
    play(state, "0: 5 5 5 5", "1: W1", "0: pass", "1: pass")
    assert [stack(state, 0), stack(state, 1)] == [[20], [30]]


def test_a_valid_pass_keeps_the_display_takes_nothing_yet_and_draws_two() -> None:
    state = table("W1 1 1 1 1 1", "2", values=(30, 20), draws="3 3 4 4")
    play(state, "0: W1", "1: 2", "0: pass")
    view = state.observe(None)
    assert view.displays[0] == cards("W1")
    assert view.totals == (5, 2)
    assert view.status == ("valid", "in")
    assert stack(state, 0) == []
    assert grill(state) == [20, 30]
    assert view.discard == ()
    assert hand(state, 0) == bag("1 1 1 1 1 3 4 4")


def test_who_has_passed_lays_no_more_in_this_round() -> None:
    state = table("W1 1 2", "2 3 4")
    play(state, "0: W1", "1: 2", "0: pass", "1: 3", "1: 4")
    with pytest.raises(IllegalMove):
        state.apply(0, PASS)
    assert state.legal(0) == ()


@pytest.mark.parametrize("last", ["W2", "2"])
def test_the_last_to_pass_draws_nothing(last: str) -> None:
    state = table("W1", f"{last} 5 5 5 5 5")
    play(state, "0: W1", f"1: {last}", "0: pass")
    before, pile = hand(state, 1), state.observe(None).pile_size
    play(state, "1: pass")
    assert hand(state, 1) == before
    assert state.observe(None).pile_size == pile


def test_only_the_very_last_of_four_draws_nothing() -> None:
    state = table("", "", "", "", starter=1)
    play(state, "1: pass", "2: pass", "3: pass", "0: pass")
    assert state.observe(None).hand_sizes == (6, 8, 8, 8)

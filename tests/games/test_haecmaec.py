"""The rules of Häc Mäc without slapping, sentence by sentence: turns, suspicion, the end, the score."""

import pytest

from roost_games.errors import IllegalMove
from roost_games.game import places
from roost_games.haecmaec import (
    FLY,
    GAME,
    Card,
    Close,
    ClosedBurger,
    Play,
    React,
    SpoiledBurger,
)
from tests.support.games.haecmaec_deals import PASS, SUSPECT, card, cards, deal, hand, held, play, position, react

# A turn


def test_a_turn_draws_one_card_first() -> None:
    state = deal("P1 P1 P1 P1", "C1 C1 C1 C1", "T1 T1 T1 T1", draws="L1 L2 L3 O1")
    for seat, drawn in enumerate(("L1", "L2", "L3")):
        assert hand(state, seat)[card(drawn)] == 1
        state.apply(seat, play(drawn))
    assert state.to_move == (0, 1)
    react(state, PASS)
    assert hand(state, 0) == held("P1 P1 P1 P1 O1")


def test_nothing_is_drawn_from_an_empty_pile() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="L1")
    state.apply(0, play("P1"))
    assert state.to_move == (1,)
    assert state.observe(None).hand_sizes == (1, 2, 2)


def test_a_bottom_is_laid_only_if_there_is_no_burger() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", bottoms=4)
    state.apply(0, play("P1"))
    assert state.observe(None).bottoms == 3
    state.apply(1, play("C1"))
    view = state.observe(None)
    assert (view.bottoms, view.burger, view.laid_by) == (3, cards("P1 C1"), (0, 1))


def test_to_open_only_an_ingredient_is_legal_each_card_once() -> None:
    state = position("C2 F P1 C2", "C1", "T1")
    assert list(state.legal(0)) == [play("P1"), play("C2")]
    for move in (Play(FLY), Close("normal", card("P1")), Close("double", None)):
        with pytest.raises(IllegalMove):
            state.apply(0, move)


def test_only_ingredients_and_flies_before_the_burger_can_be_closed() -> None:
    state = position("P1 C2 F", "C1", "T1", burger="L1")
    assert list(state.legal(0)) == [play("P1"), play("C2"), play("F")]


def test_a_burger_of_two_can_be_closed_with_every_top_and_ingredient() -> None:
    state = position("P1 C2 F", "C1", "T1", burger="L1 L2")
    closes = [Close(top, each) for top in ("normal", "double") for each in cards("P1 C2")]
    assert list(state.legal(0)) == [play("P1"), play("C2"), play("F"), *closes]


def test_two_players_need_three_ingredients_to_close() -> None:
    state = position("P1 C2", "C1", burger="L1 L2")
    assert list(state.legal(0)) == [play("P1"), play("C2")]
    with pytest.raises(IllegalMove, match="3 ingredients"):
        state.apply(0, Close("normal", card("P1")))
    state = position("P1", "C1", burger="L1 L2 O1")
    assert list(state.legal(0)) == [play("P1"), Close("normal", card("P1")), Close("double", card("P1"))]


def test_only_tops_that_are_left_can_close() -> None:
    state = position("P1", "C1", "T1", burger="L1 L2", normal_tops=(0, 2, 2))
    assert list(state.legal(0)) == [play("P1"), Close("double", card("P1"))]
    state = position("P1", "C1", "T1", burger="L1 L2", doubling_tops=(0, 1, 1))
    assert list(state.legal(0)) == [play("P1"), Close("normal", card("P1"))]
    state = position("P1", "C1", "T1", burger="L1 L2", normal_tops=(0, 2, 2), doubling_tops=(0, 1, 1))
    assert list(state.legal(0)) == [play("P1")]


def test_closing_takes_the_burger_and_begins_the_next_at_once() -> None:
    state = position("P1 C2", "C1", "T1", burger="L1 L2 O3", bottoms=4, pile="O1 O2")
    state.apply(0, Close("normal", card("C2")))
    view = state.observe(None)
    assert view.closed == ((ClosedBurger(cards("L1 L2 O3"), "normal"),), (), ())
    assert view.normal_tops == (1, 2, 2)
    assert (view.burger, view.laid_by, view.bottoms) == (cards("C2"), (0,), 3)
    assert (view.to_move, view.phase, view.hand_sizes, view.pile) == ((1,), "turn", (1, 2, 1), 1)


def test_a_fly_does_not_begin_a_burger_after_a_close() -> None:
    state = position("P1 F", "C1", "T1", burger="L1 L2")
    with pytest.raises(IllegalMove):
        state.apply(0, Close("normal", FLY))


def test_a_close_needs_its_ingredient_while_a_bottom_is_left() -> None:
    state = position("P1 C2", "C1", "T1", burger="L1 L2", bottoms=1)
    with pytest.raises(IllegalMove):
        state.apply(0, Close("normal", None))


def test_a_doubling_top_doubles_its_ingredients_and_there_is_one() -> None:
    state = position("P1 P2", "C1", "T1", burger="L4 L5")
    state.apply(0, Close("double", card("P2")))
    view = state.observe(None)
    assert view.doubling_tops == (0, 1, 1)
    assert view.closed[0][0].points == view.points(0) == 18
    assert state.merits() == ((18 - 1,), (-1,), (-1,))


def test_a_fly_spoils_the_burger_and_the_left_neighbour_opens() -> None:
    state = position("P1 F", "C1", "T1", burger="L1", bottoms=4, pile="O1 O2")
    state.apply(0, Play(FLY))
    view = state.observe(None)
    assert view.spoiled == (SpoiledBurger(0, cards("L1")),)
    assert view.closed == ((), (), ())
    assert (view.burger, view.laid_by, view.bottoms, view.phase, view.to_move) == ((), (), 4, "open", (1,))
    assert view.hand_sizes == (1, 2, 1), "the fly is not replaced, and the neighbour has drawn"
    state.apply(1, play("C1"))
    assert state.observe(None).bottoms == 3


def test_a_card_that_is_not_in_the_hand_cannot_be_played() -> None:
    state = position("P1 C2", "C1", "T1", burger="L1 L2")
    for move in (play("C1"), play("F"), Close("normal", card("C1")), Play(Card("caviar-5"))):
        with pytest.raises(IllegalMove, match="not"):
            state.apply(0, move)


def test_turn_order_goes_around() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", turn=2, burger="L1")
    state.apply(2, play("T1"))
    assert state.to_move == (0,)


# Suspicion


def test_nobody_is_asked_at_two_ingredients() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P3")
    state.apply(0, play("P1"))
    assert state.to_move == (1,)
    assert state.observe(1).phase == "turn"


def test_everybody_else_is_asked_at_three_third_or_not() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", "L1 L2", turn=1, burger="O1 O2")
    state.apply(1, play("C1"))
    assert state.to_move == (0, 2, 3)
    assert all(list(state.legal(seat)) == [PASS, SUSPECT] for seat in (0, 2, 3))
    assert state.legal(1) == ()
    assert state.observe(1).phase == "react"


def test_a_reaction_has_what_is_asked_and_nothing_else() -> None:
    state = position("P1 P2", "C1 C2", burger="O1 O2")
    state.apply(0, play("P1"))
    for move in (React(False, "no"), React(slap="no"), React(True, "normal"), play("C1"), Close("normal", None)):
        with pytest.raises(IllegalMove):
            state.apply(1, move)


def test_without_suspicion_the_turn_passes_on() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="O1 O2", pile="L1")
    state.apply(0, play("P1"))
    react(state, PASS)
    view = state.observe(None)
    assert (view.to_move, view.burger, view.penalties) == ((1,), cards("O1 O2 P1"), ((), (), ()))
    assert view.reactions == (React(), PASS, PASS)
    assert view.rounds == 1


def test_a_right_suspicion_gives_the_card_back_as_a_penalty() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P5 P4", pile="L1")
    state.apply(0, play("P1"))
    react(state, PASS, SUSPECT)
    view = state.observe(None)
    assert view.penalties == (cards("P1"), (), ())
    assert (view.burger, view.laid_by, view.to_move) == (cards("P5 P4"), (2, 2), (1,))
    assert hand(state, 0) == held("P2"), "the penalty lies open, it is not in the hand"
    assert state.merits()[0] == (-2 - 2,)


def test_a_wrong_suspicion_gives_the_card_to_the_accuser() -> None:
    state = position("P3 P2", "C1 C2", "T1 T2", burger="P5 C4", pile="L1")
    state.apply(0, play("P3"))
    react(state, PASS, SUSPECT)
    view = state.observe(None)
    assert view.penalties == ((), (), cards("P3"))
    assert (view.burger, view.to_move) == (cards("P5 C4"), (1,))
    assert state.merits()[2] == (-3 - 6,)


def test_the_first_suspecting_seat_in_turn_order_after_the_player_counts() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", "L1 L2", turn=2, burger="O1 O2")
    state.apply(2, play("T1"))
    react(state, SUSPECT, SUSPECT, PASS)  # seats 0, 1 and 3; after seat 2 comes 3, then 0, then 1
    assert state.observe(None).penalties == (cards("T1"), (), (), ())


def test_a_third_card_that_nobody_suspects_stays_and_counts() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P5 P4")
    state.apply(0, play("P1"))
    react(state, PASS)
    state.apply(1, Close("normal", card("C1")))
    assert state.observe(None).points(1) == 10


def test_a_fourth_card_of_a_kind_can_be_suspected_rightly() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P5 P4 O1 P3")
    state.apply(0, play("P1"))
    react(state, SUSPECT, PASS)
    assert state.observe(None).penalties == (cards("P1"), (), ())


def test_a_card_is_not_suspect_because_of_an_earlier_third_of_another_kind() -> None:
    state = position("O1 P2", "C1 C2", "T1 T2", burger="P5 P4 P3")
    state.apply(0, play("O1"))
    react(state, SUSPECT, PASS)
    assert state.observe(None).penalties == ((), cards("O1"), ())


def test_the_suspected_card_is_not_closed_with_the_burger() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P5 P4")
    state.apply(0, play("P1"))
    react(state, SUSPECT)
    state.apply(1, Close("double", card("C1")))
    assert state.observe(None).closed[1] == (ClosedBurger(cards("P5 P4"), "double"),)


def test_the_ingredient_after_a_close_is_not_asked_about() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P5 P4")
    state.apply(0, Close("normal", card("P1")))
    assert state.to_move == (1,)
    assert state.observe(None).reactions == ()


def test_answers_show_when_all_are_in_and_their_order_does_not_matter() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", "L1 L2", burger="O1 O2")
    state.apply(0, play("P1"))
    before = {seat: state.observe(seat) for seat in (None, 0, 1, 2)}
    state.apply(3, SUSPECT)
    assert state.to_move == (1, 2)
    assert before == {seat: state.observe(seat) for seat in (None, 0, 1, 2)}
    assert before[1].to_move == (1, 2, 3)
    own = state.observe(3)
    assert (own.to_move, own.answer, own.reactions) == ((1, 2), SUSPECT, ())
    assert state.legal(3) == () == GAME.legal(own)
    with pytest.raises(IllegalMove, match="seat 3 has nothing to decide"):
        state.apply(3, PASS)
    state.apply(1, SUSPECT)
    state.apply(2, PASS)
    assert state.observe(None).penalties == ((), cards("P1"), (), ())
    assert state.observe(3).reactions == (React(), SUSPECT, PASS, SUSPECT)
    assert state.observe(3).answer is None


def test_reactions_show_until_the_next_move() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="O1 O2")
    state.apply(0, play("P1"))
    react(state, PASS)
    assert state.observe(None).reactions != ()
    state.apply(1, Close("normal", card("C1")))
    assert state.observe(None).reactions == ()


# The end and the score


def test_the_match_ends_when_the_last_ingredient_is_played_and_nobody_draws() -> None:
    state = position("P1", "C1 C2", "T1 T2", burger="L5", pile="O1 O2")
    state.apply(0, play("P1"))
    assert (state.to_move, state.termination) == ((), "finished")
    view = state.observe(None)
    assert (view.phase, view.pile, view.hand_sizes, view.turn) == ("over", 2, (0, 2, 2), 0)
    assert state.legal(1) == ()


def test_flies_are_no_ingredients() -> None:
    state = position("P1 F F", "C1 C2", "T1 T2", burger="L5")
    state.apply(0, play("P1"))
    assert state.termination == "finished"
    assert state.merits() == ((0,), (-3,), (-3,))


def test_the_end_waits_for_the_reactions() -> None:
    state = position("P3", "C1 C2", "T1 T2", burger="P1 P2")
    state.apply(0, play("P3"))
    assert (state.to_move, state.termination) == ((1, 2), "")
    react(state, SUSPECT, PASS)
    assert (state.to_move, state.termination) == ((), "finished")
    assert state.merits() == ((-6,), (-3,), (-3,))


def test_a_close_with_the_last_ingredient_ends_the_match() -> None:
    state = position("P3", "C1 C2", "T1 T2", burger="L5 L4")
    state.apply(0, Close("normal", card("P3")))
    assert state.termination == "finished"
    assert state.merits() == ((9,), (-3,), (-3,)), "the open burger counts for nobody"


def test_a_close_without_a_bottom_left_plays_nothing_and_ends_the_match() -> None:
    state = position("P3 P4", "C1 C2", "T1 T2", burger="L5 L4", bottoms=0, pile="O1")
    assert list(state.legal(0)) == [play("P3"), play("P4"), Close("normal", None), Close("double", None)]
    with pytest.raises(IllegalMove):
        state.apply(0, Close("normal", card("P3")))
    state.apply(0, Close("double", None))
    assert (state.to_move, state.termination) == ((), "finished")
    assert state.observe(None).hand_sizes == (2, 2, 2)
    assert state.merits() == ((18 - 7,), (-3,), (-3,))


def test_a_fly_without_a_bottom_left_ends_the_match_before_anybody_draws() -> None:
    state = position("P3 F", "C1 C2", "T1 T2", burger="L5 L4", bottoms=0, pile="O1")
    state.apply(0, Play(FLY))
    assert (state.to_move, state.termination) == ((), "finished")
    assert state.observe(None).pile == 1


def test_the_last_bottom_is_played_on() -> None:
    state = position("P3 P4", "C1 C2", "T1 T2", burger="L5", bottoms=0)
    state.apply(0, play("P3"))
    assert state.to_move == (1,)


def test_scores_rank_the_seats_and_equals_share_a_place() -> None:
    state = position("P3 F", "C1 C2", "C2 C1", "T5", burger="L5 L4", bottoms=0)
    state.apply(0, Close("normal", None))
    assert state.merits() == ((6,), (-3,), (-3,), (-5,))
    assert places(state.merits()) == (1, 2, 2, 4)

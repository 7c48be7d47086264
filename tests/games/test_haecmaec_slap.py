"""The rules of Häc Mäc that slapping adds, sentence by sentence."""

import pytest

from roost_games.errors import IllegalMove
from roost_games.haecmaec import (
    FLY,
    Close,
    ClosedBurger,
    Play,
    React,
    SpoiledBurger,
)
from tests.support.games.haecmaec_deals import (
    PASS,
    SLAP,
    SUSPECT,
    Scripted,
    card,
    cards,
    hand,
    held,
    play,
    position,
    react,
)


def test_with_slapping_everybody_else_is_asked_from_two_ingredients_on() -> None:
    state = position("P1 P2 P3", "C1 C2", "T1 F", options=SLAP, normal_tops=(2, 2, 0), doubling_tops=(1, 0, 0))
    state.apply(0, play("P1"))
    assert state.to_move == (1,), "one ingredient"
    state = position(
        "P1 P2", "C1 C2", "T1 F", "L1", burger="O1", options=SLAP, normal_tops=(2, 2, 0, 0), doubling_tops=(1, 1, 0, 0)
    )
    state.apply(0, play("P1"))
    assert state.to_move == (1, 2, 3)
    assert list(state.legal(1)) == [React(slap="no"), React(slap="normal"), React(slap="double")]
    assert list(state.legal(2)) == [React(slap="no"), React(slap="fly")]
    assert list(state.legal(3)) == [React(slap="no")], "able or not"
    for wrong in (React(False, "no"), PASS, React(slap="normal")):
        with pytest.raises(IllegalMove):
            state.apply(3, wrong)


def test_with_three_ingredients_suspicion_and_slap_are_one_answer() -> None:
    state = position("P1 P2", "C1 C2", "T1", burger="O1 L1", options=SLAP, doubling_tops=(1, 0, 0))
    state.apply(0, play("P1"))
    four = [React(False, "no"), React(False, "normal"), React(True, "no"), React(True, "normal")]
    assert list(state.legal(1)) == four
    for wrong in (PASS, SUSPECT, React(slap="no"), React(False, "double"), React(False, "fly")):
        with pytest.raises(IllegalMove):
            state.apply(1, wrong)


def test_nobody_slaps_and_the_turn_passes_on() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="O1", options=SLAP)
    state.apply(0, play("P1"))
    react(state, React(slap="no"))
    assert (state.to_move, state.observe(1).burger) == ((1,), cards("O1 P1"))


def test_a_slapper_with_a_top_takes_the_burger_and_opens() -> None:
    state = position("P1 P2", "C1 C2", "T1 F", "L1", burger="O1", options=SLAP, bottoms=4, pile="O5 O4")
    state.apply(0, play("P1"))
    react(state, React(slap="no"), React(slap="double"), React(slap="no"))
    view = state.observe(2)
    assert view.closed[2] == (ClosedBurger(cards("O1 P1"), "double"),)
    assert view.doubling_tops == (1, 1, 0, 1)
    assert (view.to_move, view.phase, view.bottoms, view.pile) == ((2,), "open", 4, 1)
    assert list(state.legal(2)) == [play("T1"), play("O5")], "it has drawn; only an ingredient opens"
    state.apply(2, play("O5"))
    assert state.observe(None).bottoms == 3
    assert state.to_move == (3,), "turn order continues to the left of the player who opened"


def test_a_slapped_fly_is_replaced_and_the_left_neighbour_of_the_slapper_opens() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", "L1 F", burger="O1", options=SLAP, bottoms=4, pile="O5 O4 O3")
    state.apply(0, play("P1"))
    react(state, React(slap="no"), React(slap="no"), React(slap="fly"))
    view = state.observe(None)
    assert view.spoiled == (SpoiledBurger(3, cards("O1 P1")),)
    assert (view.to_move, view.phase, view.pile) == ((0,), "open", 1)
    assert hand(state, 3) == held("L1 O5")
    assert hand(state, 0) == held("P2 O4"), "the neighbour draws after the fly is replaced"
    state.apply(0, play("P2"))
    assert state.to_move == (1,)


def test_a_slapped_fly_is_not_replaced_from_an_empty_pile() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2 F", burger="O1", options=SLAP)
    state.apply(0, play("P1"))
    react(state, React(slap="no"), React(slap="fly"))
    assert state.observe(None).hand_sizes == (1, 2, 2)
    assert state.to_move == (0,)


def test_a_fly_is_replaced_before_the_end_is_checked() -> None:
    state = position("P1", "C1 C2", "T1 F", burger="O1", options=SLAP, pile="O5 O4")
    state.apply(0, play("P1"))
    react(state, React(slap="no"), React(slap="fly"))
    assert state.termination == "finished"
    assert state.merits() == ((0,), (-3,), (-1 - 5,))
    assert state.observe(None).pile == 1, "nobody else drew"


def test_a_burger_is_slapped_even_if_the_match_ends_with_it() -> None:
    state = position("P1", "C1 C2", "T1 T2", burger="O4", options=SLAP, pile="O5 O4")
    state.apply(0, play("P1"))
    react(state, React(slap="normal"), React(slap="no"))
    assert state.termination == "finished"
    assert state.merits() == ((0,), (5 - 3,), (-3,))
    assert state.observe(None).pile == 2, "the slapper does not open any more"


@pytest.mark.parametrize("means", ["normal", "fly"])
def test_a_slap_without_a_bottom_left_ends_the_match_before_anybody_opens(means: str) -> None:
    state = position("P1 P2", "C1 C2 F", "T1 T2", burger="O4", options=SLAP, bottoms=0, pile="O5 O1 O2")
    state.apply(0, play("P1"))
    react(state, React(slap=means), React(slap="no"))  # type: ignore[arg-type]
    assert (state.to_move, state.termination) == ((), "finished")
    assert state.observe(None).pile == (3 if means == "normal" else 2)


def test_suspicion_comes_first_and_its_card_is_not_slapped() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P4 P5", options=SLAP)
    state.apply(0, play("P1"))
    react(state, React(True, "no"), React(False, "normal"))
    view = state.observe(None)
    assert view.penalties == (cards("P1"), (), ())
    assert view.closed == ((), (), (ClosedBurger(cards("P4 P5"), "normal"),))
    assert state.to_move == (2,)


def test_an_accuser_may_slap_too_even_when_wrong() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="L4 O5", options=SLAP)
    state.apply(0, play("P1"))
    react(state, React(True, "double"), React(False, "no"))
    view = state.observe(None)
    assert view.penalties == ((), cards("P1"), ())
    assert view.closed[1] == (ClosedBurger(cards("L4 O5"), "double"),)


def test_suspicion_without_a_slap_passes_the_turn_on() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="P4 P5", options=SLAP)
    state.apply(0, play("P1"))
    react(state, React(False, "no"), React(True, "no"))
    assert (state.to_move, state.observe(1).burger) == ((1,), cards("P4 P5"))


def test_chance_says_who_was_quickest_and_the_others_keep_their_means() -> None:
    state = position("P1 P2", "C1 C2", "T1 F", "L1 L2", burger="O1", options=SLAP, quickest=[3])
    state.apply(0, play("P1"))
    react(state, React(slap="normal"), React(slap="fly"), React(slap="normal"))
    view = state.observe(None)
    assert view.normal_tops == (2, 2, 2, 1)
    assert view.spoiled == ()
    assert hand(state, 2) == held("T1 F")
    assert [len(burgers) for burgers in view.closed] == [0, 0, 0, 1]


def test_chance_is_asked_only_if_several_slap_and_rounds_are_numbered() -> None:
    state = position("P1 P2 P3 P4", "C1 C2 C3", "T1 T2 T3", burger="O1", options=SLAP, quickest=[2, 1])
    chance = state.chance
    assert isinstance(chance, Scripted)
    state.apply(0, play("P1"))
    react(state, React(slap="no"))
    state.apply(1, play("C1"))
    react(state, React(False, "no"), React(False, "normal"))
    assert chance.asked == []
    state.apply(2, play("T1"))
    state.apply(0, play("P2"))
    react(state, React(slap="normal"))
    assert chance.asked == [("slap/2", (1, 2))]
    assert state.to_move == (2,)
    state.apply(2, play("T2"))
    state.apply(0, play("P3"))
    react(state, React(slap="double"))
    assert chance.asked[1:] == [("slap/3", (1, 2))]
    assert state.to_move == (1,)


def test_with_slapping_a_burger_can_still_be_closed_in_turn() -> None:
    state = position("P1 P2", "C1 C2", "T1 T2", burger="O1 O2", options=SLAP)
    state.apply(0, Close("normal", card("P1")))
    assert (state.to_move, len(state.observe(None).closed[0])) == ((1,), 1)


def test_a_fly_slapped_in_vain_is_known_until_a_fly_leaves_the_hand() -> None:
    state = position("P1 P2", "C1 C2 F", "T1 T2 F", burger="O1", options=SLAP, quickest=[1], pile="L1 L2 L3 L4")
    state.apply(0, play("P1"))
    react(state, React(slap="fly"))
    assert state.observe(0).shown_flies == (False, False, True), "seat 1 was quicker, so its fly is gone"
    state.apply(2, play("T1"))
    state.apply(0, play("P2"))
    react(state, React(slap="no"))
    assert state.observe(0).shown_flies == (False, False, True)
    state.apply(1, play("C1"))
    react(state, React(False, "no"))
    state.apply(2, Play(FLY))
    assert state.observe(0).shown_flies == (False, False, False)

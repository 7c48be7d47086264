"""What a seat at a Karteneck table sees: all it may know, and nothing that is hidden."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.karteneck import GAME, PASS, Card, KarteneckState, Move, Portion, View
from tests.support.games.karteneck_deals import (
    SHEET,
    bag,
    bury,
    cards,
    everything,
    match_states,
    play,
    portions,
    sparing,
    table,
)

PRIVATE = ("seat", "hand", "drawn")


def public_part(view: View) -> dict[str, object]:
    return {name: value for name, value in view._asdict().items() if name not in PRIVATE}


def random_or_sparing(moves: list[Move], rng: Random) -> Move:
    return sparing(moves, rng) if rng.random() < 0.8 else rng.choice(moves)


def matches() -> st.SearchStrategy[KarteneckState]:
    """States of matches, before and after reshuffles, and their ends."""
    counts, seeds = st.integers(2, 4), st.integers(0, 30)
    courses = st.builds(match_states, counts, seeds, st.just(random_or_sparing))
    return courses.flatmap(st.sampled_from)


def test_a_spectator_sees_no_hand_and_no_draws() -> None:
    state = table("W1 1 1", "W2 2 2")
    bury(state, left=0)
    play(state, "0: W1", "1: 2")
    view = state.observe(None)
    assert (view.seat, view.hand, view.drawn, view.display, view.total) == (None, (), (), (), 0)
    assert view.hand_sizes == (6, 6)


@given(state=matches())
@settings(max_examples=40, deadline=None)
def test_views_differ_in_nothing_but_the_own_cards(state: KarteneckState) -> None:
    spectator = public_part(state.observe(None))
    for seat in range(state.players):
        view = state.observe(seat)
        assert public_part(view) == spectator
        assert view.seat == seat
        assert view.display == view.displays[seat]
        assert view.total == view.totals[seat]


@given(state=matches())
@settings(max_examples=40, deadline=None)
def test_what_a_view_shows_fits_together(state: KarteneckState) -> None:
    view = state.observe(None)
    players = view.players
    for display, total in zip(view.displays, view.totals, strict=True):
        assert total == sum(card.value for card in display)
    on_table = [card for display in view.displays for card in display] + list(view.discard)
    assert len(on_table) + sum(view.hand_sizes) + view.pile_size == 110
    assert len({card.signpost for card in on_table if card.is_worm}) == sum(card.is_worm for card in on_table)
    assert list(view.grill) == sorted(view.grill)
    assert len(view.grill) == players - view.status.count("invalid") if view.to_move else not view.grill
    owned = sum(map(len, view.stacks))
    assert owned + len(view.grill) + view.supply_size == {2: 18, 3: 24, 4: 28}[players]
    for seat in range(players):
        own = state.observe(seat)
        assert len(own.hand) == view.hand_sizes[seat]
        assert Counter(own.hand) + Counter(on_table) - Counter(map(Card, SHEET)) == Counter()
        assert view.status[seat] != "valid" or any(card.is_worm for card in view.displays[seat])
        assert view.status[seat] != "invalid" or view.displays[seat] == ()


@given(state=matches(), seed=st.integers(0, 1000), data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_others_hide_changes_nothing_that_a_seat_sees(
    state: KarteneckState, seed: int, data: st.DataObject
) -> None:
    seat = data.draw(st.sampled_from([None, *range(state.players)]))
    scrambled = state.copy()
    scrambled.scramble(seat, Random(seed))
    assert scrambled.observe(seat) == state.observe(seat)
    assert sorted(scrambled.inventory()) == sorted(state.inventory())
    assert scrambled.merits() == state.merits()
    if seat is not None:
        assert list(scrambled.legal(seat)) == list(state.legal(seat))


def test_scrambling_exchanges_hands_the_pile_and_the_portions_to_come() -> None:
    state = table("1 1 1 1 1 1", "2 2 2 2 2 2", "3 3 3 3 3 3")
    scrambled = state.copy()
    scrambled.scramble(0, Random(1))
    assert scrambled.observe(1).hand != state.observe(1).hand
    assert scrambled.observe(2).hand != state.observe(2).hand
    for each in (state, scrambled):
        play(each, "0: 1", "1: pass", "2: pass", "0: pass")
    assert scrambled.observe(0).grill != state.observe(0).grill


def test_a_refused_move_leaks_nothing_about_others_hands() -> None:
    """Whether a worm card is in the hand of another or in the pile must not change what the seat is told."""
    texts = set()
    for other in ("W7", "1"):
        state = table("W1 2 2", other)
        with pytest.raises(Exception, match="worm card") as raised:
            play(state, "0: W7")
        texts.add(str(raised.value))
    assert len(texts) == 1


def test_the_hand_is_shown_numbers_first_then_worms_by_signpost() -> None:
    state = table("W20 5 W3 1 4 1", "")
    assert state.observe(0).hand == cards("1 1 4 5 W3 W20")


def test_all_public_things_are_shown() -> None:
    state = table("4 4 1 1 1 1", "W2 5 5 5", values=(20, 30), draws="3 3 3 3")
    play(state, "0: 4 4", "1: W2", "0: pass", "1: 5 5 5")
    view = state.observe(0)
    assert view.players == 2
    assert view.to_move == (1,)
    assert (view.round, view.rounds, view.starter) == (1, 9, 0)
    assert view.grill == portions(30)
    assert view.stacks == (portions(20), ())
    assert view.displays == ((), cards("W2 5 5 5"))
    assert view.totals == (0, 20)
    assert view.status == ("invalid", "in")
    assert view.hand_sizes == (7, 6 - 4 + 2)
    assert Counter(view.hand) == bag("1 1 1 1 3 3 3")
    assert view.discard == cards("4 4")
    assert view.pile_size == 110 - 12 - 5
    assert view.supply_size == 16
    assert view.options == GAME.options({})


def test_stacks_are_shown_with_the_newest_last() -> None:
    state = table("", "", values=(30, 20, 19, 40))
    play(state, "0: pass", "1: pass", "1: pass", "0: pass")
    assert state.observe(None).stacks == (portions(20, 40), portions(30, 19))


def test_a_view_is_a_value_that_does_not_change_with_the_match() -> None:
    state = table("W1 1 1", "W2 2 2")
    bury(state, left=1)
    view = state.observe(0)
    fields = [repr(field) for field in view]
    play(state, "0: W1", "1: 2", "0: 1", "1: W2", "0: pass", "1: pass")
    assert [repr(field) for field in view] == fields
    assert hash(view) != hash(state.observe(0))
    assert all(isinstance(portion, Portion) for portion in view.grill)


@given(state=matches(), seed=st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_a_copy_is_independent(state: KarteneckState, seed: int) -> None:
    twin, before, rng = state.copy(), everything(state), Random(seed)
    assert everything(twin) == before
    while twin.to_move:
        seat = twin.to_move[0]
        twin.apply(seat, rng.choice(twin.legal(seat)))
    assert everything(state) == before
    if state.to_move:
        after = everything(twin)
        state.apply(state.to_move[0], PASS)
        assert everything(twin) == after


def test_a_copy_does_not_tell_its_events() -> None:
    state = table("", "")
    twin = state.copy()
    play(twin, "0: pass")
    assert twin.events is None
    assert state.events == []


def test_nobody_listening_changes_nothing() -> None:
    heard, unheard = table("W1", ""), table("W1", "")
    unheard.events = None
    for state in (heard, unheard):
        play(state, "0: W1", "1: pass", "0: pass")
    assert heard.events
    assert [heard.observe(seat) for seat in (None, 0, 1)] == [unheard.observe(seat) for seat in (None, 0, 1)]

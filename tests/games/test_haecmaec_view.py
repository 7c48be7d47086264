"""What Häc Mäc shows and tells: views, events, and the fallback, which sees only a view."""

from collections import Counter

from roost_games.chance import Tape
from roost_games.haecmaec import (
    FLY,
    GAME,
    Card,
    Close,
    Closed,
    ClosedBurger,
    HaecMaecState,
    Laid,
    Opened,
    Options,
    Play,
    RanOut,
    React,
    Reacted,
    Row,
    Slapped,
    SpoiledBurger,
    Suspected,
)
from tests.support.games.haecmaec_deals import (
    PASS,
    SLAP,
    card,
    cards,
    deal,
    held,
    play,
    position,
    react,
)

# The fallback


def fallback(state: HaecMaecState) -> object:
    return GAME.fallback(state.observe(state.to_move[0]))


def test_fallback_plays_the_lowest_ingredient_that_is_no_third() -> None:
    assert fallback(position("P1 P2 T3 C4", "C1", "T1", burger="P3 P4")) == play("T3")
    assert fallback(position("P1 P2 T3 C4", "C1", "T1", burger="P3 O4")) == play("P1")


def test_fallback_plays_the_lowest_if_all_are_thirds() -> None:
    assert fallback(position("P4 C2 F", "C1", "T1", burger="P3 P4 C1 C1")) == play("C2")


def test_fallback_breaks_ties_by_the_rows_of_the_sheet() -> None:
    assert fallback(position("O2 T2 L2 F", "C1", "T1")) == play("T2")
    rows = (Row("egg", 3, 5), Row("bun", 2, 40), Row("ant", 2, 35), Row("egg", 2, 5))
    state = GAME.start(2, Options(ingredients=rows), Tape(b"tie"))
    hand = (Card("ant-2"), Card("egg-2"))
    view = state.observe(state.turn)._replace(hand=hand)
    assert GAME.fallback(view) == Play(Card("ant-2"))


def test_fallback_never_closes_suspects_or_slaps() -> None:
    state = position("P1 P2", "C1 F", "T1 T2", burger="O1", options=SLAP)
    assert fallback(state) == play("P1")
    state.apply(0, play("P1"))
    assert fallback(state) == React(slap="no")
    react(state, React(slap="no"))
    assert fallback(state) == play("C1")
    state.apply(1, play("C1"))
    assert fallback(state) == React(False, "no")
    state = position("P1 P2", "C1 F", burger="P3 P3")
    assert fallback(state) == play("P1"), "all are thirds"
    state.apply(0, play("P1"))
    assert fallback(state) == PASS


# What is seen and told


def test_a_view_shows_the_own_hand_in_the_order_of_the_sheet_and_no_other() -> None:
    state = position("F O1 P2", "C1 C2 F", "T1 T2", burger="P5")
    assert state.observe(0).hand == cards("P2 O1 F")
    assert state.observe(None).hand == ()
    ours, theirs = state.observe(0)._asdict(), state.observe(1)._asdict()
    assert {name for name in ours if ours[name] != theirs[name]} == {"seat", "hand"}


def test_card_counting_needs_the_view_alone() -> None:
    state = deal("P1 P1 C1 F", "P2 P2 C2 C3", "T1 T1 T2 F", draws="P1 P3 O1 O2 O3 O4 L1 L2", options=SLAP)
    state.apply(0, play("P1"))
    state.apply(1, play("P2"))
    react(state, React(slap="normal"), React(slap="no"))
    state.apply(0, play("P1"))
    state.apply(1, play("P2"))
    react(state, React(slap="no"))
    state.apply(2, play("T1"))
    react(state, React(True, "no"))
    state.apply(0, Play(FLY))
    view = state.observe(0)
    gone = held("P1 P2 P1 P2 T1 F") + Counter(view.hand)
    assert Counter(view.unseen()) == Counter(state.inventory()[:88]) - gone
    assert len(view.unseen()) == view.pile + sum(view.hand_sizes[1:])
    assert view.penalties == (cards("T1"), (), ())


def test_a_view_says_what_would_be_a_third() -> None:
    view = position("P1 C1", "C1", "T1", burger="P3 C1 P4").observe(0)
    assert view.is_third(card("P1"))
    assert not view.is_third(card("C1"))


def test_events_tell_what_followed() -> None:
    state = position("P1 P2 P3 F", "C1 C2 C3", "T1 T2 T3", bottoms=3, options=SLAP, quickest=[2])
    events: list[object] = []
    state.events = events
    no, slap = React(slap="no"), React(slap="normal")
    state.apply(0, play("P1"))
    assert events == [Opened(0, 2), Laid(0, card("P1"))]
    events.clear()
    state.apply(1, play("C1"))
    react(state, no)
    assert events == [Laid(1, card("C1")), Reacted((no, React(), no))]
    events.clear()
    state.apply(2, play("T1"))
    react(state, React(True, "no"), React(True, "no"))
    assert events[2:] == [Suspected(0, 2, card("T1"), False)]
    events.clear()
    state.apply(0, Close("double", card("P2")))
    assert events == [Closed(0, ClosedBurger(cards("P1 C1"), "double")), Opened(0, 1), Laid(0, card("P2"))]
    events.clear()
    state.apply(1, play("C2"))
    react(state, slap)
    assert events[2:] == [Slapped(2, "normal", (0, 2)), Closed(2, ClosedBurger(cards("P2 C2"), "normal"))]
    events.clear()
    state.apply(2, play("T2"))
    state.apply(0, Play(FLY))
    assert events[2:] == [SpoiledBurger(0, cards("T2")), RanOut("no bottom", 0)]
    assert state.copy().events is None


def test_the_end_by_ingredients_is_told() -> None:
    state = position("P1", "C1 C2", burger="L5")
    events: list[object] = []
    state.events = events
    state.apply(0, play("P1"))
    assert events[-1] == RanOut("no ingredient", 0)

"""Moves of Karteneck: what is refused and leaves no trace, how replays write them, and lists too long to be listed."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.errors import IllegalMove, MalformedMove, MoveError
from roost_games.karteneck import GAME, PASS, PASS_AND_STEAL, Card, KarteneckState, Laid, Lay, Move, Pass
from tests.support.games.karteneck_deals import (
    bag,
    bury,
    cards,
    everything,
    hand,
    match_states,
    play,
    same_moves,
    sparing_match,
    stack,
    subsets,
    table,
)

ALL_WORMS = tuple(Card(f"W{signpost}") for signpost in range(1, 26))

ILLEGAL: dict[str, Move] = {
    "not in the hand": Lay(cards("2")),
    "more than in the hand": Lay(cards("3 3 3")),
    "more than there are": Lay(cards("3 " * 18)),
    "two kinds": Lay(cards("3 4")),
    "a number and a worm": Lay(cards("5 W4")),
    "a worm and a number": Lay(cards("W4 5")),
    "a worm of another": Lay(cards("W7")),
    "an own worm and one of another": Lay(cards("W4 W7")),
    "a worm twice": Lay(cards("W4 W4")),
    "a worm twice among others": Lay(cards("W4 W9 W4")),
    "nothing to steal": PASS_AND_STEAL,
}
MALFORMED: dict[str, object] = {
    "no cards": Lay(()),
    "a number that is no card": Lay(cards("6")),
    "a worm that is not on the sheet": Lay(cards("W26")),
    "a worm without a number": Lay(cards("W")),
    "a leading zero": Lay(cards("W04")),
    "a card and no card": Lay(cards("3 x")),
    "numbers for cards": Lay((3,)),  # type: ignore[arg-type]
    "no text": Lay((None,)),  # type: ignore[arg-type]
    "an empty card": Lay((Card(""),)),
    "a list": Lay([Card("3")]),  # type: ignore[arg-type]
    "a set": Lay(frozenset(cards("W4"))),  # type: ignore[arg-type]
    "a text": Lay("3"),  # type: ignore[arg-type]
    "a text of worms": Lay("W4"),  # type: ignore[arg-type]
    "a card": Lay(Card("W4")),  # type: ignore[arg-type]
    "None": Lay(None),  # type: ignore[arg-type]
    "cards in cards": Lay((cards("3"),)),  # type: ignore[arg-type]
    "lists in cards": Lay((["3"],)),  # type: ignore[arg-type]
    "steal 0": Pass(0),  # type: ignore[arg-type]
    "steal 1": Pass(1),  # type: ignore[arg-type]
    "steal None": Pass(None),  # type: ignore[arg-type]
    "steal by name": Pass("true"),  # type: ignore[arg-type]
    "nothing": None,
    "a plain tuple": (cards("3"),),
    "a dict": {"lay": ["3"]},
    "a type": Lay,
    "a word": "pass",
}


def first_decision() -> KarteneckState:
    return table("3 3 5 W4 W9 W11", "2 2 W7", draws="1 1")


def second_decision() -> KarteneckState:
    """After a lap, with a display each and a pile about to be empty, so that a half-done move would show."""
    state = table("4 3 3 5 W4 W9", "2 2 W7", draws="1 1")
    play(state, "0: 4", "1: 2 2")
    bury(state, left=0)
    return state


@pytest.mark.parametrize("situation", [first_decision, second_decision])
@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_moves_are_refused_and_change_nothing(situation: Callable[[], KarteneckState], name: str) -> None:
    check_refused(situation(), ILLEGAL[name], IllegalMove)


@pytest.mark.parametrize("situation", [first_decision, second_decision])
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_moves_are_refused_and_change_nothing(situation: Callable[[], KarteneckState], name: str) -> None:
    check_refused(situation(), MALFORMED[name], MalformedMove)


def check_refused(state: KarteneckState, move: object, error: type[MoveError], seat: int = 0) -> None:
    before = everything(state)
    with pytest.raises(error) as raised:
        state.apply(seat, move)  # type: ignore[arg-type]
    assert type(raised.value) is error
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 160
    assert everything(state) == before


def test_a_kind_that_lies_there_already_is_refused_and_changes_nothing() -> None:
    state = table("4 4 5 W4 W9", "2 2 W7", draws="1 1 W5 1")
    play(state, "0: 4", "1: 2", "0: W4", "1: W7")
    for text in ("4", "W9", "W5", "W5 W9", "W4"):
        check_refused(state, Lay(cards(text)), IllegalMove)


@pytest.mark.parametrize("seat", [1, 2, -1])
def test_who_is_not_to_move_is_refused(seat: int) -> None:
    for move in (PASS, Lay(cards("2")), Lay(cards("3"))):
        check_refused(first_decision(), move, IllegalMove, seat)


def test_a_steal_that_is_impossible_changes_nothing() -> None:
    state = table("W25 1 2", "W1 W2 W3 5 5 4", values=(30, 16, 20, 40))
    play(state, "0: W25", "1: pass", "0: pass", "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5")
    play(state, "0: pass")
    check_refused(state, PASS_AND_STEAL, IllegalMove, seat=1)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_apply_accepts_exactly_the_legal_moves(data: st.DataObject) -> None:
    """Any small lay of cards of the sheet, at any decision of a match, against `legal`."""
    states = match_states(
        data.draw(st.integers(2, 4)), data.draw(st.integers(0, 5)), lambda moves, rng: rng.choice(moves)
    )
    state = data.draw(st.sampled_from(states[:-1]))
    seat = state.to_move[0]
    held = list(state.observe(seat).hand)
    some = st.lists(st.sampled_from([*sorted(set(held)), "W3", "5", "1"]), min_size=1, max_size=4)
    lay = some.map(lambda chosen: Lay(tuple(map(Card, chosen))))
    move: Move = data.draw(st.one_of(st.sampled_from([PASS, PASS_AND_STEAL]), lay))
    legal = any(same_moves([move], [listed]) for listed in state.legal(seat))
    before = everything(state)
    try:
        state.apply(seat, move)
    except IllegalMove:
        assert not legal
        assert everything(state) == before
    else:
        assert legal


# The order of worms, and who wrote the cards


def test_the_order_in_which_worms_are_named_does_not_matter() -> None:
    outcomes = []
    for order in permutations(cards("W4 W9 W11")):
        state = first_decision()
        state.apply(0, Lay(order))
        view = state.observe(1)
        assert view.totals[0] == 15
        assert Counter(view.displays[0]) == bag("W4 W9 W11")
        outcomes.append((view._replace(displays=()), hand(state, 0)))
    assert outcomes == outcomes[:1] * 6


def test_the_order_of_worms_does_not_matter_for_the_menu() -> None:
    for order in ("W4 W20", "W20 W4"):
        state = table("W4 W20", "W5 W19", values=(30, 31))
        play(state, f"0: {order}", "1: W19 W5", "0: pass", "1: pass")
        assert [stack(state, 0), stack(state, 1)] == [[31], [30]]


@pytest.mark.parametrize("text", ["3 3", "W9 W4"])
def test_cards_written_as_plain_text_become_cards(text: str) -> None:
    """A card equals its text, so a bot may well lay plain text. What others see must be cards all the same."""
    state = first_decision()
    state.apply(0, Lay(tuple(text.split())))  # type: ignore[arg-type]
    view = state.observe(1)
    assert [card.value for card in view.displays[0]] == [Card(word).value for word in text.split()]


def test_a_table_on_which_plain_text_was_laid_can_be_listed_and_sampled() -> None:
    state = table("3 3 5 W4", "2 2", draws="1 1")
    state.apply(0, Lay(("3", "3")))  # type: ignore[arg-type]
    play(state, "1: 2")
    assert list(GAME.legal(state.observe(0))) == list(state.legal(0))
    assert GAME.determinise(state.observe(1), Random(1)).observe(1) == state.observe(1)


def test_plain_text_in_the_trace_and_the_discard_pile_is_cards_too() -> None:
    state = table("3 3 5 W4", "2 2", draws="1 1")
    bury(state, left=0)
    play(state, "0: 5")
    state.apply(1, Lay(("2",)))  # type: ignore[arg-type]
    [laid] = [event for event in state.observe(0).trace if isinstance(event, Laid)]
    assert all(isinstance(card, Card) for card in laid.cards)
    play(state, "0: pass", "1: pass")
    assert all(isinstance(card, Card) for card in state.observe(0).discard)


# How replays write moves


@pytest.mark.parametrize(
    ("move", "shown"),
    [
        (Lay(cards("3 3")), {"lay": ["3", "3"]}),
        (Lay(cards("W4 W17")), {"lay": ["W4", "W17"]}),
        (PASS, {"pass": True, "steal": False}),
        (PASS_AND_STEAL, {"pass": True, "steal": True}),
    ],
)
def test_moves_in_replay_notation(move: Move, shown: dict[str, object]) -> None:
    assert GAME.encode_move(move) == shown
    assert json.loads(json.dumps(GAME.encode_move(move))) == shown
    back = GAME.decode_move(shown)
    assert back == move
    assert type(back) is type(move)


def test_decoded_cards_are_cards() -> None:
    move = GAME.decode_move({"lay": ["W4", "W17"]})
    assert isinstance(move, Lay)
    assert [card.signpost for card in move.cards] == [4, 17]


@pytest.mark.parametrize(
    "data",
    [
        None,
        True,
        3,
        "pass",
        [],
        ["lay", ["3"]],
        {},
        {"lay": []},
        {"lay": "3"},
        {"lay": {"3": 1}},
        {"lay": None},
        {"lay": [3]},
        {"lay": [""]},
        {"lay": ["3", None]},
        {"lay": [["3"]]},
        {"lay": ["3"], "steal": False},
        {"lay": ["3"], "pass": True, "steal": False},
        {"pass": True},
        {"pass": False, "steal": False},
        {"pass": 1, "steal": False},
        {"pass": "true", "steal": False},
        {"pass": True, "steal": 0},
        {"pass": True, "steal": 1},
        {"pass": True, "steal": None},
        {"pass": True, "steal": "false"},
        {"pass": True, "steal": False, "by": "fallback"},
        {"steal": True},
        {"Lay": ["3"]},
    ],
)
def test_json_that_is_no_move_is_malformed(data: object) -> None:
    with pytest.raises(MalformedMove, match=r'"lay".*"pass"'):
        GAME.decode_move(data)


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
words = st.sampled_from(["lay", "pass", "steal", "3", "W4", "W26", "W"])
anything = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
nearly = st.fixed_dictionaries({}, optional={"lay": anything, "pass": anything, "steal": anything, "more": anything})


@given(data=anything | nearly)
@settings(max_examples=400, deadline=None)
def test_any_json_is_a_move_or_malformed_and_a_move_is_played_or_refused(data: object) -> None:
    try:
        move = GAME.decode_move(data)
    except MalformedMove:
        return
    assert json.loads(json.dumps(GAME.encode_move(move))) == data
    state = first_decision()
    before = everything(state)
    try:
        state.apply(0, move)
    except MoveError:
        assert everything(state) == before


# Lists of moves that are too long to be listed


def hoard(worms: int, more: str = "") -> KarteneckState:
    """Seat 0 is to move and holds the first `worms` worm cards and `more`."""
    state = table("", "2 2 2 2 2 2")
    state.hold(0, [*cards(more), *ALL_WORMS[:worms]])
    return state


def hoarded(worms: int, more: str = "") -> Sequence[Move]:
    return hoard(worms, more).legal(0)


@pytest.mark.parametrize("worms", range(11))
def test_all_choices_of_worms_are_listed_once(worms: int) -> None:
    moves = hoarded(worms, "3 3 5")
    numbers = [Lay(cards(text)) for text in ("3", "3 3", "5")]
    expected: list[Move] = [PASS, *numbers, *map(Lay, subsets(ALL_WORMS[:worms]))]
    assert len(moves) == 1 + 3 + 2**worms - 1
    assert same_moves(moves, expected)


@pytest.mark.parametrize("worms", [4, 5, 6, 7])
def test_a_long_list_of_moves_behaves_like_a_list(worms: int) -> None:
    moves = hoarded(worms, "3 3 5")
    plain = list(moves)
    size = len(moves)
    assert [moves[place] for place in range(size)] == plain
    assert [moves[place - size] for place in range(size)] == plain
    assert list(reversed(moves)) == plain[::-1]
    for outside in (size, size + 5, -size - 1):
        with pytest.raises(IndexError):
            moves[outside]
    for part in (slice(None), slice(2, 9), slice(-5, None), slice(None, None, -1), slice(1, None, 3), slice(9, 2)):
        assert list(moves[part]) == plain[part]


def test_moves_are_found_in_a_long_list() -> None:
    moves = hoarded(8, "3 3 5")
    for move in (PASS, Lay(cards("3 3")), Lay(cards("W1")), Lay(cards("W1 W3 W8")), Lay(ALL_WORMS[:8])):
        assert move in moves
        assert moves[moves.index(move)] == move
    for move in (PASS_AND_STEAL, Lay(cards("3 3 3")), Lay(cards("W9")), Lay(cards("W1 W9")), Lay(cards("5 W1"))):
        assert move not in moves


@pytest.mark.parametrize("worms", [3, 8])
@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_move_is_in_no_list(name: str, worms: int) -> None:
    """Except what Python takes for equal: a plain tuple for a named one, and 0 for False."""
    if name not in ("a plain tuple", "steal 0"):
        assert MALFORMED[name] not in hoarded(worms, "3 3 5")


def test_every_worm_card_in_one_hand() -> None:
    state = hoard(25)
    moves = state.legal(0)
    assert len(moves) == 2**25
    assert moves[-1] == Lay(ALL_WORMS)
    assert moves[0] == PASS
    assert moves[1] == Lay(cards("W1"))
    assert len(set(moves[-50:])) == 50
    assert len(GAME.legal(state.observe(0))) == 2**25
    rng = Random(25)
    for _ in range(200):
        twin = state.copy()
        move = rng.choice(moves)
        twin.apply(0, move)
        if isinstance(move, Lay):
            assert Counter(twin.observe(None).displays[0]) == Counter(move.cards)


def test_a_choice_from_a_long_list_is_fair_to_every_worm() -> None:
    moves, rng = hoarded(20), Random(4)
    chosen = [rng.choice(moves) for _ in range(2000)]
    laid = Counter(card for move in chosen if isinstance(move, Lay) for card in move.cards)
    # Each of 20 worms is in half of all lays: 1000 expected, standard error 22.
    assert all(abs(laid[worm] - 1000) < 5 * 22.4 for worm in ALL_WORMS[:20])


def test_a_long_list_does_not_change_when_play_goes_on() -> None:
    state = hoard(7, "3 3")
    moves = state.legal(0)
    before = list(moves)
    play(state, "0: W1 W2")
    assert list(moves) == before


def test_with_worms_in_the_display_the_list_is_short_again() -> None:
    state = hoard(12, "3")
    play(state, "0: W1", "1: 2")
    assert all(not isinstance(move, Lay) or not move.cards[0].is_worm for move in state.legal(0))
    assert len(state.legal(0)) < 10


class Counting:
    """Something that is in no list and counts how often it is compared."""

    def __init__(self) -> None:
        self.times = 0

    def __eq__(self, other: object) -> bool:
        self.times += 1
        return False

    def __hash__(self) -> int:
        return 0


def test_to_look_for_a_move_in_a_long_list_does_not_mean_to_list_it() -> None:
    moves, needle = hoarded(12), Counting()
    assert needle not in moves
    assert needle.times < 200


# The view alone gives the same


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_view_gives_the_same_moves_in_the_same_order(players: int) -> None:
    states = [*sparing_match(players, 1), *match_states(players, 2, lambda moves, rng: rng.choice(moves))]
    for state in states:
        for seat in range(players):
            assert list(GAME.legal(state.observe(seat))) == list(state.legal(seat))
        assert list(GAME.legal(state.observe(None))) == []


def test_the_fallback_is_to_pass_without_stealing() -> None:
    state = table("W25 1 2 3", "W1 W2 W3 5 5 5", values=(30, 16, 20, 40))
    play(state, "0: W25", "1: pass", "0: pass", "0: 1", "1: W1 W2 W3", "0: 2", "1: 5 5 5", "0: 3")
    assert PASS_AND_STEAL in state.legal(1)
    assert GAME.fallback(state.observe(1)) == PASS
    assert GAME.fallback(first_decision().observe(0)) == PASS

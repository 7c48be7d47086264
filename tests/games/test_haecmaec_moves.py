"""Cards, moves and options of Häc Mäc: their notation, and the refusal of everything else."""

import json
import pickle
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost_games.errors import IllegalMove, MalformedMove, OptionError
from roost_games.game import JsonValue
from roost_games.haecmaec import FLY, GAME, Card, Close, Move, Options, Play, React
from tests.support.games.haecmaec_deals import BASIC, play, position

NOTATION: list[tuple[Move, dict[str, JsonValue]]] = [
    (Play(Card("cheese-2")), {"play": "cheese-2"}),
    (Play(FLY), {"play": "fly"}),
    (Close("normal", Card("tomato-1")), {"close": "normal", "play": "tomato-1"}),
    (Close("double", Card("patty-5")), {"close": "double", "play": "patty-5"}),
    (Close("double", None), {"close": "double"}),
    (React(suspect=False), {"suspect": False}),
    (React(suspect=True), {"suspect": True}),
    (React(slap="no"), {"slap": None}),
    (React(slap="normal"), {"slap": "normal"}),
    (React(False, "no"), {"suspect": False, "slap": None}),
    (React(True, "double"), {"suspect": True, "slap": "double"}),
    (React(False, "fly"), {"suspect": False, "slap": "fly"}),
]

WRONG_DATA: list[Any] = [
    {},
    [],
    None,
    "play",
    3,
    {"play": None},
    {"play": 3},
    {"play": ["fly"]},
    {"play": {}},
    {"play": "tomato"},
    {"play": "tomato-0"},
    {"play": "tomato-03"},
    {"play": "tomato-100"},
    {"play": "tomato-3\n"},
    {"play": "tomato-٣"},
    {"play": "Tomato-3"},
    {"play": "tomato--3"},
    {"play": "fly-1"},
    {"play": "-3"},
    {"play": ""},
    {"play": "fly", "suspect": False},
    {"play": "fly", "extra": 1},
    {"close": "top", "play": "tomato-1"},
    {"close": None, "play": "tomato-1"},
    {"close": ["normal"], "play": "tomato-1"},
    {"close": "normal", "play": None},
    {"close": "normal", "play": "tomato"},
    {"close": "normal", "slap": None},
    {"close": True},
    {"suspect": None},
    {"suspect": 0},
    {"suspect": 1.0},
    {"suspect": "true"},
    {"slap": False},
    {"slap": "no"},
    {"slap": ""},
    {"slap": ["fly"]},
    {"suspect": False, "slap": 0},
    {"suspect": None, "slap": None},
    {"suspect": False, "slap": None, "play": "fly"},
    {1: "play"},
    {None: None},
]

WRONG_MOVES: list[Any] = [
    None,
    "fly",
    ("tomato-1",),
    {"play": "patty-1"},
    Play(None),  # type: ignore[arg-type]
    Play(7),  # type: ignore[arg-type]
    Play(["patty-1"]),  # type: ignore[arg-type]
    Play("patty"),  # type: ignore[arg-type]
    Play,
    Close("top", Card("patty-1")),  # type: ignore[arg-type]
    Close(["normal"], Card("patty-1")),  # type: ignore[arg-type]
    Close("normal", ["patty-1"]),  # type: ignore[arg-type]
    Close("normal", "patty"),  # type: ignore[arg-type]
    React(),
    React(0),  # type: ignore[arg-type]
    React(1),  # type: ignore[arg-type]
    React(1.0),  # type: ignore[arg-type]
    React("yes"),  # type: ignore[arg-type]
    React([]),  # type: ignore[arg-type]
    React(None, "yes"),  # type: ignore[arg-type]
    React(False, []),  # type: ignore[arg-type]
    React(False, False),  # type: ignore[arg-type]
]


def test_a_card_is_its_notation() -> None:
    card = Card("tomato-3")
    assert (card, card.kind, card.value) == ("tomato-3", "tomato", 3)
    by_text: dict[str, int] = {card: 1}
    assert by_text["tomato-3"] == 1
    assert (FLY, FLY.kind, FLY.value) == ("fly", "fly", 0)
    assert json.dumps([card, FLY]) == '["tomato-3", "fly"]'
    for again in (pickle.loads(pickle.dumps(card)), deepcopy(card)):  # noqa: S301
        assert (again, again.kind, again.value) == (card, "tomato", 3)


@pytest.mark.parametrize("text", ["", "tomato", "tomato-", "-1", "fly-1", "tomato-0", "tomato-1x", "to-mato-1", "Fly"])
def test_other_texts_are_no_cards(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card"):
        Card(text)


@pytest.mark.parametrize(("move", "shown"), NOTATION)
def test_notation(move: Move, shown: dict[str, JsonValue]) -> None:
    assert GAME.encode_move(move) == shown
    assert list(GAME.encode_move(move)) == list(shown)
    back = GAME.decode_move(json.loads(json.dumps(shown)))
    assert back == move
    assert type(back) is type(move)


def test_different_moves_are_never_equal() -> None:
    assert len({move for move, _ in NOTATION}) == len(NOTATION)


@pytest.mark.parametrize("data", WRONG_DATA, ids=repr)
def test_other_data_is_malformed(data: Any) -> None:
    with pytest.raises(MalformedMove):
        GAME.decode_move(data)


NESTED: list[Any] = []
for _ in range(100_000):
    NESTED = [NESTED]


@pytest.mark.parametrize("data", [NESTED, {"play": NESTED}, {"close": NESTED}, {"suspect": NESTED}, {"slap": NESTED}])
def test_even_what_cannot_be_printed_is_malformed(data: Any) -> None:
    with pytest.raises(MalformedMove):
        GAME.decode_move(data)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
likely = scalars | st.sampled_from(["fly", "tomato-1", "normal", "double", "no"])
values = st.recursive(likely, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner))
keys = st.sampled_from(["play", "close", "suspect", "slap", "Play", ""])


@given(values | st.dictionaries(keys, values))
def test_what_decodes_encodes_to_the_same_and_the_rest_is_malformed(data: Any) -> None:
    try:
        move = GAME.decode_move(data)
    except MalformedMove:
        return
    assert GAME.encode_move(move) == data


@pytest.mark.parametrize("move", WRONG_MOVES, ids=repr)
def test_apply_refuses_what_is_no_move_and_changes_nothing(move: Any) -> None:
    turn = position("P1 P2 F", "C1 C2", "T1 T2", burger="O1 O2")
    reaction = position("P1 P2 F", "C1 C2", "T1 T2", burger="O1 O2")
    reaction.apply(0, play("P1"))
    for state in (turn, reaction):
        before = [state.observe(seat) for seat in (None, 0, 1, 2)]
        with pytest.raises(MalformedMove):
            state.apply(state.to_move[0], move)
        assert [state.observe(seat) for seat in (None, 0, 1, 2)] == before


def test_a_card_may_be_given_as_a_plain_string() -> None:
    state = position("P1 P2", "C1", "T1", burger="O1")
    state.apply(0, Play("patty-1"))  # type: ignore[arg-type]
    assert state.observe(None).burger[-1].kind == "patty"


def test_a_refusal_says_what_was_wrong() -> None:
    state = position("P1 P2", "C1", "T1", burger="O1")
    with pytest.raises(IllegalMove, match=r"Play\(card='cheese-1'\) is not legal now: the card is not in the hand"):
        state.apply(0, play("C1"))
    with pytest.raises(MalformedMove, match="'chese' is not a card"):
        state.apply(0, Play("chese"))  # type: ignore[arg-type]


# Options


def test_default_options() -> None:
    assert GAME.options({}) == BASIC
    assert GAME.options({"slap": False}).to_json() == {}
    assert GAME.options({"slap": True}) == Options(slap=True)
    assert GAME.options({"slap": True}).to_json() == {"slap": True}


def test_an_ingredient_sheet_survives_its_json() -> None:
    rows = [["egg", 7, 40], ["egg", 99, 1], ["roastbeef", 1, 44]]
    options = GAME.options({"ingredients": rows})
    assert options.to_json() == {"ingredients": rows}
    assert GAME.options(json.loads(json.dumps(options.to_json()))) == options
    default = [list(row) for row in BASIC.ingredients]
    assert GAME.options({"ingredients": default}).to_json() == {}


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"slaps": True}, "no option 'slaps'"),
        ({"slap": 1}, "true or false"),
        ({"slap": "true"}, "true or false"),
        ({"ingredients": None}, "a list of"),
        ({"ingredients": "egg"}, "a list of"),
        ({"ingredients": {}}, "a list of"),
        ({"ingredients": []}, "85 cards in all, not 0"),
        ({"ingredients": [["egg", 1, 84]]}, "85 cards in all, not 84"),
        ({"ingredients": [["egg", 1, 80], ["bun", 1, 6]]}, "85 cards in all, not 86"),
        ({"ingredients": [["egg", 1, 80], ["egg", 1, 5]]}, "two rows"),
        ({"ingredients": [["egg", 1]]}, "each row"),
        ({"ingredients": [["egg", 1, 85, 0]]}, "each row"),
        ({"ingredients": ["egg"]}, "lower-case word|each row"),
        ({"ingredients": [["fly", 1, 85]]}, "other than 'fly'"),
        ({"ingredients": [["Egg", 1, 85]]}, "lower-case word"),
        ({"ingredients": [["fried-egg", 1, 85]]}, "lower-case word"),
        ({"ingredients": [["", 1, 85]]}, "lower-case word"),
        ({"ingredients": [["egg\n", 1, 85]]}, "lower-case word"),
        ({"ingredients": [["e" * 21, 1, 85]]}, "lower-case word"),
        ({"ingredients": [[["egg"], 1, 85]]}, "lower-case word"),
        ({"ingredients": [["egg", 0, 85]]}, "from 1 to 99"),
        ({"ingredients": [["egg", 100, 85]]}, "from 1 to 99"),
        ({"ingredients": [["egg", True, 85]]}, "from 1 to 99"),
        ({"ingredients": [["egg", 1.0, 85]]}, "from 1 to 99"),
        ({"ingredients": [["egg", 1, 86], ["bun", 1, -1]]}, "from 1 to 85"),
        ({"ingredients": [["egg", 1, 85], ["bun", 1, 0]]}, "from 1 to 85"),
        ({"ingredients": [["egg", 1, 85.0]]}, "from 1 to 85"),
    ],
)
def test_other_options_are_refused(given_options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        GAME.options(given_options)


def test_the_components_say_what_is_assumed() -> None:
    assumed = [component for component in GAME.components if component.source == "assumed"]
    assert [component.option for component in assumed] == ["ingredients"]
    assert {doc.name for doc in GAME.option_docs} == {"slap", "ingredients"}

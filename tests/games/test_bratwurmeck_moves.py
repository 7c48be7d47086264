"""How Bratwurmeck's moves are written and refused, and what its option accepts."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.bratwurmeck import GAME, Options, Take, Tile
from roost_games.chance import Tape, seed_of
from roost_games.errors import IllegalMove, MalformedMove, OptionError
from roost_games.game import JsonValue

FACES = ["1", "2", "3", "4", "5", "W"]
NOTATION: dict[Take, dict[str, JsonValue]] = {}
for face in FACES:
    NOTATION[Take(face, "roll")] = {"take": face, "then": "roll"}
    NOTATION[Take(face, "stop")] = {"take": face, "then": "stop"}
    NOTATION[Take(face, "stop", True)] = {"take": face, "then": "stop", "steal": True}
    NOTATION[Take(face, "stop", False)] = {"take": face, "then": "stop", "steal": False}


@pytest.mark.parametrize(("move", "json"), NOTATION.items())
def test_every_move_has_its_notation(move: Take, json: dict[str, JsonValue]) -> None:
    assert GAME.encode_move(move) == json
    assert GAME.decode_move(json) == move


@pytest.mark.parametrize(
    "data",
    [
        None,
        "W",
        [],
        ["W", "roll"],
        {},
        {"take": "W"},
        {"then": "roll"},
        {"take": "6", "then": "roll"},
        {"take": "w", "then": "roll"},
        {"take": "", "then": "roll"},
        {"take": 5, "then": "roll"},
        {"take": True, "then": "roll"},
        {"take": None, "then": "roll"},
        {"take": ["W"], "then": "roll"},
        {"take": {}, "then": "stop"},
        {"take": "W", "then": "Roll"},
        {"take": "W", "then": True},
        {"take": "W", "then": ["roll"]},
        {"take": "W", "then": None},
        {"take": "W", "then": "roll", "steal": False},
        {"take": "W", "then": "roll", "steal": None},
        {"take": "W", "then": "stop", "steal": None},
        {"take": "W", "then": "stop", "steal": 1},
        {"take": "W", "then": "stop", "steal": "true"},
        {"take": "W", "then": "stop", "steal": []},
        {"take": "W", "then": "stop", "keep": True},
        {"take": "W", "then": "stop", "steal": True, "keep": True},
    ],
)
def test_anything_else_is_malformed(data: JsonValue) -> None:
    with pytest.raises(MalformedMove):
        GAME.decode_move(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(FACES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NEARLY_MOVES = st.fixed_dictionaries(
    {},
    optional={
        "take": st.sampled_from(FACES) | JSON,
        "then": st.sampled_from(["roll", "stop"]) | JSON,
        "steal": st.booleans() | JSON,
        "extra": JSON,
    },
)


@settings(deadline=None)
@given(JSON | NEARLY_MOVES)
def test_what_is_decoded_is_exactly_what_its_move_encodes(data: JsonValue) -> None:
    try:
        move = GAME.decode_move(data)
    except MalformedMove:
        assert not any(data == json and type(data) is dict and _same_types(data, json) for json in NOTATION.values())
    else:
        encoded = GAME.encode_move(move)
        assert isinstance(data, dict)
        assert encoded == data
        assert _same_types(data, encoded)


def _same_types(data: dict[str, JsonValue], json: dict[str, JsonValue]) -> bool:
    """Tells 1 from True, which are equal."""
    return all(type(data[key]) is type(json[key]) for key in json)


@pytest.mark.parametrize(
    "move",
    [
        None,
        7,
        ("W", "roll", None),
        Take("6", "roll"),
        Take("W", "pass"),  # type: ignore[arg-type]
        Take("W", "roll", False),
        Take("W", "stop", "yes"),  # type: ignore[arg-type]
        Take(["W"], "stop"),  # type: ignore[arg-type]
        Take(5, "stop"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_move_at_all_is_malformed(move: Any) -> None:
    state = GAME.start(2, Options(), Tape(seed_of("malformed")))
    before = state.observe(None)
    for seat in (0, 1):
        with pytest.raises(MalformedMove):
            state.apply(seat, move)
    assert state.observe(None) == before


def test_a_move_out_of_turn_is_illegal() -> None:
    state = GAME.start(3, Options(), Tape(seed_of("out of turn")))
    before = state.observe(None)
    move = state.legal(state.to_move[0])[0]
    for seat in (-1, *({0, 1, 2} - set(state.to_move)), 3):
        assert state.legal(seat) == ()
        with pytest.raises(IllegalMove, match="not to move"):
            state.apply(seat, move)
    assert state.observe(None) == before


def test_the_default_sheet() -> None:
    sheet = GAME.options({})
    assert sheet == Options()
    assert [tile.value for tile in sheet.tiles] == list(range(21, 37))
    assert [tile.worms for tile in sheet.tiles] == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4]
    assert sheet.to_json() == {}


def test_a_host_can_replace_the_tiles() -> None:
    options = GAME.options({"tiles": [[30, 0], [5, 9], [40, 2]]})
    assert options.tiles == (Tile(5, 9), Tile(30, 0), Tile(40, 2))
    assert options.to_json() == {"tiles": [[5, 9], [30, 0], [40, 2]]}
    assert GAME.options(options.to_json()) == options
    assert GAME.start(2, options, Tape(seed_of("tiles"))).observe(0).grill == options.tiles


def test_the_printed_tiles_in_another_order_are_the_default() -> None:
    shuffled = [[tile.value, tile.worms] for tile in reversed(Options().tiles)]
    assert GAME.options({"tiles": shuffled}).to_json() == {}


@pytest.mark.parametrize(
    ("tiles", "says"),
    [
        (None, "list of pairs"),
        ([], "at least one"),
        ("2122", "list of pairs"),
        ({"21": 1}, "list of pairs"),
        ([21, 22], r"pair \[value, worms\]"),
        (["21"], r"pair \[value, worms\]"),
        ([[21]], r"pair \[value, worms\]"),
        ([[21, 1, 1]], r"pair \[value, worms\]"),
        ([[21.0, 1]], "whole numbers"),
        ([["21", 1]], "whole numbers"),
        ([[True, 1]], "whole numbers"),
        ([[21, False]], "whole numbers"),
        ([[21, None]], "whole numbers"),
        ([[[21], 1]], "whole numbers"),
        ([[0, 1]], "from 1 to 40"),
        ([[41, 1]], "from 1 to 40"),
        ([[21, -1]], "from 0 to 1000"),
        ([[21, 1001]], "from 0 to 1000"),
        ([[21, 1], [22, 1], [21, 2]], "21 appears twice"),
    ],
)
def test_tiles_that_cannot_be_played_are_refused(tiles: JsonValue, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        GAME.options({"tiles": tiles})


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(OptionError, match="its options are: tiles"):
        GAME.options({"dice": 9})


def test_the_option_is_documented_and_every_component_says_where_it_comes_from() -> None:
    assert [doc.name for doc in GAME.option_docs] == ["tiles"]
    assert {component.source for component in GAME.components} <= {"seed", "public", "assumed"}
    assert {component.option for component in GAME.components} == {"", "tiles"}

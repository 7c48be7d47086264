"""The options of Karteneck: a host's own component sheet."""

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.chance import Tape, seed_of
from roost_games.errors import OptionError
from roost_games.karteneck import GAME, Options, Portion
from tests.support.games.karteneck_deals import WORMS_BY_VALUE, grill, play, stack, table

SIGNPOSTS = [*range(1, 26)]
PORTIONS = [[0, 0]] * 3 + [[value, worms] for value, worms in WORMS_BY_VALUE.items() if value]


def changed(rows: list[object], place: int, row: object) -> list[object]:
    return [*rows[:place], row, *rows[place + 1 :]]


def error_of(**given: object) -> str:
    with pytest.raises(OptionError) as raised:
        GAME.options(given)
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_without_options_the_default_sheet_is_played() -> None:
    assert GAME.options({}) == Options()
    assert GAME.options({}).to_json() == {}
    assert [list(portion) for portion in Options().portions] == PORTIONS
    assert list(Options().signposts) == SIGNPOSTS


def test_the_defaults_written_out_are_the_defaults() -> None:
    written = GAME.options({"signposts": SIGNPOSTS, "portions": PORTIONS})
    assert written == Options()
    assert hash(written) == hash(Options())
    assert written.to_json() == {}


def test_an_unknown_option_is_refused_and_the_options_are_named() -> None:
    message = error_of(worms=3)
    assert "'worms'" in message
    assert "signposts" in message
    assert "portions" in message


def test_every_option_is_documented_and_every_assumption_names_its_option() -> None:
    names = {doc.name for doc in GAME.option_docs}
    assert names == {"signposts", "portions"}
    assert {row.option for row in GAME.components if row.source == "assumed"} == names
    assert {row.source for row in GAME.components} == {"seed", "public", "assumed"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        25,
        "1 to 25",
        "1234567890123456789012345",
        {},
        {"1": 2},
        [],
        SIGNPOSTS[:-1],
        [*SIGNPOSTS, 26],
        changed([*SIGNPOSTS], 3, 25),
        changed([*SIGNPOSTS], 3, 0),
        changed([*SIGNPOSTS], 3, -4),
        changed([*SIGNPOSTS], 3, 10_000),
        changed([*SIGNPOSTS], 3, 4.0),
        changed([*SIGNPOSTS], 3, "4"),
        changed([*SIGNPOSTS], 3, None),
        changed([*SIGNPOSTS], 3, [4]),
        changed([*SIGNPOSTS], 0, True),
    ],
)
def test_signposts_must_be_25_different_whole_numbers(value: object) -> None:
    message = error_of(signposts=value)
    assert "signposts" in message
    assert "25 different" in message
    assert "1 to 9999" in message


@pytest.mark.parametrize(
    "value",
    [
        None,
        30,
        "x" * 30,
        {},
        dict.fromkeys(range(30), 1),
        [],
        PORTIONS[:-1],
        [*PORTIONS, [43, 4]],
        [value for value, _ in PORTIONS],
        changed([*PORTIONS], 5, 17),
        changed([*PORTIONS], 5, "17"),
        changed([*PORTIONS], 5, None),
        changed([*PORTIONS], 5, [17]),
        changed([*PORTIONS], 5, [17, 1, 1]),
        changed([*PORTIONS], 5, [17, -1]),
        changed([*PORTIONS], 5, [-17, 1]),
        changed([*PORTIONS], 5, [17.0, 1]),
        changed([*PORTIONS], 5, [17, 1.5]),
        changed([*PORTIONS], 5, [17, "1"]),
        changed([*PORTIONS], 5, [17, True]),
        changed([*PORTIONS], 5, {"value": 17, "worms": 1}),
    ],
)
def test_portions_must_be_30_pairs_of_whole_numbers(value: object) -> None:
    message = error_of(portions=value)
    assert "portions" in message
    assert "30 pairs [value, worms]" in message


@pytest.mark.parametrize(("pair", "limit"), [([10_000, 1], "9999"), ([17, 1001], "1000")])
def test_a_number_that_is_too_high_is_refused_with_the_limit(pair: list[int], limit: str) -> None:
    message = error_of(portions=changed([*PORTIONS], 5, pair))
    assert "portions" in message
    assert limit in message, "the message must say what would be right"


def test_a_value_above_0_must_stand_once() -> None:
    assert "once" in error_of(portions=changed([*PORTIONS], 5, [16, 1]))


def test_portions_of_value_0_must_be_worth_the_same_since_replays_name_portions_by_value() -> None:
    assert "value 0" in error_of(portions=changed([*PORTIONS], 1, [0, 1]))


sheets = st.builds(
    lambda signposts, values, worms: {
        "signposts": signposts,
        "portions": [[value, worms[value % len(worms)]] for value in values],
    },
    st.lists(st.integers(1, 9999), min_size=25, max_size=25, unique=True),
    st.lists(st.integers(0, 9999), min_size=30, max_size=30, unique_by=lambda value: value or object()),
    st.lists(st.integers(0, 1000), min_size=1, max_size=4),
)


@given(sheet=sheets, players=st.integers(2, 4), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_any_valid_sheet_survives_its_json_and_plays(sheet: dict[str, object], players: int, seed: int) -> None:
    options = GAME.options(sheet)
    assert [list(portion) for portion in options.portions] == sheet["portions"]
    assert list(options.signposts) == sheet["signposts"]
    assert GAME.options(json.loads(json.dumps(options.to_json()))) == options
    state = GAME.start(players, options, Tape(seed_of("sheet", seed)))
    rng, inventory = Random(seed), Counter(state.inventory())
    while state.to_move:
        seat = state.to_move[0]
        moves = state.legal(seat)
        assert list(GAME.legal(state.observe(seat)))[:50] == list(moves)[:50]
        state.apply(seat, rng.choice(moves))
    assert Counter(state.inventory()) == inventory
    portions = [portion for stack in state.observe(None).stacks for portion in stack]
    assert not Counter(portions) - Counter(options.portions)
    assert sum(worms for worms, _ in state.merits()) == sum(portion.worms for portion in portions)


def test_only_what_differs_is_shown() -> None:
    signposts = [*range(25, 0, -1)]
    assert GAME.options({"signposts": signposts, "portions": PORTIONS}).to_json() == {"signposts": signposts}
    portions = changed([*PORTIONS], 29, [43, 9])
    assert GAME.options({"portions": portions}).to_json() == {"portions": portions}


def test_options_are_a_frozen_value() -> None:
    with pytest.raises(AttributeError):
        Options().signposts = ()  # type: ignore[misc]


def test_a_low_portion_of_a_custom_sheet_can_be_stolen_with_one_worm() -> None:
    options = GAME.options({"portions": changed([*PORTIONS], 3, [5, 7])})
    state = table("", "W1", "", values=(5, 20, 30), options=options)
    play(state, "0: pass", "1: W1", "2: pass", "1: steal")
    assert [stack(state, seat) for seat in range(3)] == [[], [5, 30], [20]]
    assert state.merits()[1] == (7 + 3, 30)


def test_the_sheet_names_a_portion_by_its_own_worms() -> None:
    options = GAME.options({"portions": changed([*PORTIONS], 3, [100, 50])})
    state = table("", "", values=(100, 0), options=options)
    assert grill(state) == [0, 100]
    assert state.observe(None).grill == (Portion(0, 0), Portion(100, 50))


def test_portions_all_of_value_0_are_shared_by_place() -> None:
    options = GAME.options({"portions": [[0, 2]] * 30})
    state = table("", "", options=options)
    while state.to_move:
        state.apply(state.to_move[0], state.legal(state.to_move[0])[0])
    assert state.merits() == ((18, 0), (18, 0))


def test_a_view_shows_the_sheet_it_is_played_with() -> None:
    options = GAME.options({"signposts": [*range(101, 126)]})
    view = table("W101", "", options=options).observe(0)
    assert view.options == options
    assert view.hand[-1].signpost == 101

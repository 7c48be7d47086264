"""Random matches of Bratwurmeck, every step held against a plain second reading of the rules.

The second reading (`settle`) works on lists of values and shares nothing with the game but the view.
"""

from collections import Counter
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.bratwurmeck import GAME, BratwurmeckState, Options, Take, Tile, View
from roost_games.bratwurmeck.moves import MOVES
from roost_games.chance import Quick, Tape, seed_of
from roost_games.conformance import check_game, snapshot
from roost_games.errors import IllegalMove

POINTS = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "W": 5}
LONGEST_LOOK = 120
"""How many decisions of each match are checked, so that examples stay quick."""

TILES = st.lists(
    st.builds(Tile, st.integers(1, 40), st.integers(0, 5)), min_size=1, max_size=12, unique_by=lambda tile: tile.value
)
SHEETS = st.just(Options()) | TILES.map(lambda tiles: Options(tuple(sorted(tiles))))


class Table(NamedTuple):
    """Where the tiles lie, by value."""

    grill: list[int]
    turned: list[int]
    stacks: list[list[int]]


def table_of(view: View) -> Table:
    return Table(_values(view.grill), _values(view.turned), [_values(stack) for stack in view.stacks])


def _values(tiles: tuple[Tile, ...]) -> list[int]:
    return [tile.value for tile in tiles]


def failed(table: Table, seat: int) -> Table:
    if table.stacks[seat]:
        returned = table.stacks[seat].pop()
        table.grill.append(returned)
        table.grill.sort()
        if table.grill[-1] != returned:
            table.turned.append(table.grill.pop())
    return table


def settle(view: View, seat: int, move: Take) -> Table:
    """The table after `seat` stopped with `move`."""
    table = table_of(view)
    dice = [*view.aside, *(die for die in view.roll if die == move.face)]
    total = sum(POINTS[die] for die in dice)
    if move.steal:
        owner = next(owner for owner, stack in enumerate(table.stacks) if stack[-1:] == [total] and owner != seat)
        table.stacks[seat].append(table.stacks[owner].pop())
        return table
    takable = [value for value in table.grill if value <= total]
    if "W" not in dice or not takable:
        return failed(table, seat)
    table.grill.remove(takable[-1])
    table.stacks[seat].append(takable[-1])
    return table


def expected_legal(view: View, seat: int) -> set[Take]:
    tops = {stack[-1].value for other, stack in enumerate(view.stacks) if stack and other != seat}
    found = set()
    for face in set(view.roll) - set(view.aside):
        count = view.roll.count(face)
        total = sum(POINTS[die] for die in view.aside) + count * POINTS[face]
        if count < len(view.roll) and len({face, *view.aside}) < 6:
            found.add(Take(face, "roll"))
        if "W" in (face, *view.aside) and total in tops:
            found |= {Take(face, "stop", True), Take(face, "stop", False)}
        else:
            found.add(Take(face, "stop"))
    return found


def check_step(before: View, seat: int, move: Take, after: View) -> None:
    taken = tuple(die for die in before.roll if die == move.face)
    if move.then == "stop":
        assert table_of(after) == settle(before, seat, move)
        assert after.turn == before.turn + 1
    elif after.turn == before.turn:
        assert after.aside == before.aside + taken
        assert after.roll_number == before.roll_number + 1
        assert table_of(after) == table_of(before)
    else:
        assert table_of(after) == failed(table_of(before), seat)


def check_point(state: BratwurmeckState, options: Options) -> None:
    """What holds whenever a seat is to move."""
    (seat,) = state.to_move
    view = state.observe(seat)
    assert seat == (view.starter + view.turn) % view.players
    assert all(state.observe(other) == view._replace(seat=other) for other in (None, *range(state.players)))
    assert len(view.aside) + len(view.roll) == 8
    assert view.total == sum(POINTS[die] for die in view.aside)
    owned = [tile for stack in view.stacks for tile in stack]
    assert sorted([*view.grill, *view.turned, *owned]) == list(options.tiles)
    assert view.grill == tuple(sorted(view.grill)) != ()
    assert set(state.legal(seat)) == expected_legal(view, seat)
    assert GAME.legal(view) == state.legal(seat)
    assert GAME.fallback(view) in state.legal(seat)


def check_refusals(state: BratwurmeckState) -> None:
    """Of all moves there are, exactly the legal ones are accepted, and a refusal leaves no trace."""
    (seat,) = state.to_move
    before = snapshot(state)
    for move in MOVES:
        if move in state.legal(seat):
            state.copy().apply(seat, move)
        else:
            with pytest.raises(IllegalMove):
                state.apply(seat, move)
    assert snapshot(state) == before


def check_determinised(state: BratwurmeckState, seed: int) -> None:
    """A state built from the view is the same state: with the same luck it goes the same way."""
    rng = Random(seed)
    twin, again = state.copy(), GAME.determinise(state.observe(0), Random(seed))
    twin.chance = Quick(Random(seed))
    for _ in range(6):
        assert snapshot(again) == snapshot(twin)
        if twin.to_move:
            (seat,) = twin.to_move
            move = rng.choice(twin.legal(seat))
            twin.apply(seat, move)
            again.apply(seat, move)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 7), SHEETS, st.integers(0, 2**32), st.sampled_from([0.2, 0.5, 0.8]))
def test_random_matches_follow_the_rules(players: int, options: Options, seed: int, boldness: float) -> None:
    rng = Random(seed)
    state = GAME.start(players, options, Tape(seed_of(str(seed))))
    for _ in range(LONGEST_LOOK):
        if not state.to_move:
            break
        check_point(state, options)
        if rng.random() < 0.1:
            check_refusals(state)
            check_determinised(state, seed)
        (seat,) = state.to_move
        then = "roll" if rng.random() < boldness else "stop"
        move = rng.choice([move for move in state.legal(seat) if move.then == then] or state.legal(seat))
        before = state.observe(seat)
        state.apply(seat, move)
        check_step(before, seat, move, state.observe(seat))


@pytest.mark.parametrize("players", range(2, 8))
def test_random_matches_come_to_an_end(players: int) -> None:
    terminations = Counter(_play_out(players, match) for match in range(8))
    assert set(terminations) <= {"finished", "horizon"}


def _play_out(players: int, match: int) -> str:
    rng = Random(match)
    state = GAME.start(players, Options(), Tape(seed_of("play out", match)))
    while state.to_move:
        state.apply(state.to_move[0], rng.choice(state.legal(state.to_move[0])))
    view = state.observe(None)
    assert (state.termination == "finished") == (view.grill == ())
    assert view.turn <= view.horizon
    assert (state.termination == "horizon") <= (view.turn == view.horizon)
    return state.termination


def test_fallbacks_among_themselves_finish_a_match() -> None:
    state = GAME.start(4, Options(), Tape(seed_of("dull")))
    while state.to_move:
        state.apply(state.to_move[0], GAME.fallback(state.observe(state.to_move[0])))
    assert state.termination == "finished"


def test_what_was_done_before_does_not_change_later_rolls() -> None:
    """The first roll of a turn is the same, however the turns before went."""
    first, second = (_first_rolls(Random(seed)) for seed in (1, 2))
    shared = first.keys() & second.keys()
    assert len(shared) > 50
    assert all(first[turn] == second[turn] for turn in shared)
    assert len({first[turn] for turn in shared}) > 40


def _first_rolls(rng: Random) -> dict[int, tuple[str, ...]]:
    state = GAME.start(2, Options(), Tape(seed_of("fixed luck")))
    rolls: dict[int, tuple[str, ...]] = {}
    while state.to_move:
        view = state.observe(None)
        if view.roll_number == 0:
            rolls[view.turn] = view.roll
        state.apply(state.to_move[0], rng.choice(state.legal(state.to_move[0])))
    return rolls


def test_a_copy_goes_its_own_way_and_tells_nobody() -> None:
    state = GAME.start(3, GAME.options({"tiles": [[5, 1], [6, 1], [7, 2], [8, 2]]}), Tape(seed_of("copy")))
    state.events = []
    before = snapshot(state)
    twin = state.copy()
    rng = Random(5)
    while twin.to_move:
        twin.apply(twin.to_move[0], rng.choice(twin.legal(twin.to_move[0])))
    assert snapshot(state) == before
    assert state.events == []
    assert twin.events is None


def test_scrambling_changes_nothing_since_nothing_is_hidden() -> None:
    state = GAME.start(2, Options(), Tape(seed_of("scramble")))
    before = snapshot(state)
    for seat in (None, 0, 1):
        state.scramble(seat, Random(1))
    assert snapshot(state) == before


@pytest.mark.parametrize("options", [{}, {"tiles": [[5, 3], [9, 1], [12, 0], [20, 2], [40, 7]]}, {"tiles": [[10, 1]]}])
def test_it_keeps_the_promises_of_a_game(options: dict[str, object]) -> None:
    check_game(GAME, matches=1, options=options, players=[2, 3])

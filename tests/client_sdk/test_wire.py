"""What all codecs promise: exact round trips, tolerance of newer messages, and one named error for what is wrong."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from random import Random
from typing import Any, NamedTuple

import pytest
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.v1 import play_pb2
from roost_games.chance import Quick
from roost_games.errors import MalformedMove, UsageError
from roost_games.game import State
from roost_games.registry import GAME_NAMES, all_games, get_game
from roost_sdk.wire import AnyMatchCodec, WireError, codec_for

Given = dict[str, Any]
AnyState = State[Any, Any]

MOST_MOVES = 40
"""How many legal moves are translated at most."""

ODD_OPTIONS: dict[str, list[Given]] = {
    "karteneck": [
        {
            "signposts": [9999, 117, 118, 1, 246, *range(300, 280, -1)],
            "portions": [[0, 7]] * 2 + [[9999, 1000], [128, 3], [14, 0], *([value, 2] for value in range(30, 55))],
        },
    ],
    "bratwurmeck": [{"tiles": [[40, 1000], [1, 0], [13, 5], [21, 128], [22, 127]]}],
    "haecmaec": [
        {"ingredients": [["ham", 99, 5], ["egg", 1, 40], ["ham", 2, 40]]},
        {"slap": True, "ingredients": [[letter, 3, 5] for letter in "abcdefghijklmnopq"]},
    ],
}
"""By game, options with numbers of several bytes and in unusual orders, beside those of its variants."""


class Table(NamedTuple):
    """A way to play a game."""

    game_name: str
    given: Given
    players: int

    @property
    def codec(self) -> AnyMatchCodec:
        return codec_for(self.game_name).for_match(get_game(self.game_name).options(self.given))

    def play(self, seed: int) -> Iterator[AnyState]:
        """A random match: its state before each decision and at the end."""
        rng = Random(seed)
        game = get_game(self.game_name)
        state = game.start(self.players, game.options(self.given), Quick(rng))
        while state.to_move:
            yield state
            seat = rng.choice(state.to_move)
            state.apply(seat, rng.choice(state.legal(seat)))
        yield state


TABLES = [
    Table(game.name, options, players)
    for game in all_games()
    for options in (*(dict(variant.options) for variant in game.variants), *ODD_OPTIONS.get(game.name, ()))
    for players in game.players(game.options(options))
]


def name_of(table: Table) -> str:
    return f"{table.game_name}-{'-'.join(table.given) or 'default'}-{table.players}"


each_table = pytest.mark.parametrize("table", TABLES, ids=name_of)


def typed(value: object) -> object:
    """`value` with all types in it, since equal tuples may be of different classes."""
    return type(value), [typed(item) for item in value] if isinstance(value, tuple) else value


def view_message(codec: AnyMatchCodec, view: object) -> play_pb2.View:
    message = play_pb2.View()
    codec.view_to_wire(view, message)
    return message


def move_message(codec: AnyMatchCodec, move: object) -> play_pb2.Move:
    message = play_pb2.Move()
    codec.move_to_wire(move, message)
    return message


@pytest.mark.short(6)
@each_table
def test_every_view_survives_the_wire(table: Table) -> None:
    codec = table.codec
    for state in table.play(seed=1):
        for seat in (None, *range(table.players)):
            view = state.observe(seat)
            sent = view_message(codec, view).SerializeToString()
            assert typed(codec.view_from_wire(play_pb2.View.FromString(sent))) == typed(view)


@pytest.mark.short(6)
@each_table
def test_what_is_remembered_of_a_match_changes_no_view(table: Table) -> None:
    """The second match is another one, so that nothing of the first is right."""
    codec = table.codec
    write = codec.view_writer()
    readers = {seat: codec.view_reader(table.players) for seat in (None, *range(table.players))}
    for state in chain(table.play(seed=1), table.play(seed=6)):
        for seat, read in readers.items():
            view = state.observe(seat)
            sent = write(view)
            assert sent == codec.view_bytes(view)
            assert read(play_pb2.View.FromString(sent)) == view


@each_table
def test_a_reader_refuses_views_of_another_number_of_players(table: Table) -> None:
    view = next(table.play(seed=1)).observe(0)
    with pytest.raises(WireError, match=f"a view of {table.players} players, in a match of {table.players + 1}"):
        table.codec.view_reader(table.players + 1)(view_message(table.codec, view))


@each_table
def test_every_move_survives_the_wire(table: Table) -> None:
    codec = table.codec
    for state in table.play(seed=2):
        for seat in state.to_move:
            for move in state.legal(seat)[:MOST_MOVES]:
                sent = move_message(codec, move).SerializeToString()
                assert typed(codec.move_from_wire(play_pb2.Move.FromString(sent))) == typed(move)


@each_table
def test_a_view_says_whose_it_is_in_the_outer_message(table: Table) -> None:
    state = next(table.play(seed=3))
    for seat in range(table.players):
        message = view_message(table.codec, state.observe(seat))
        assert message.seat == seat
        assert message.players == table.players
        assert tuple(message.to_move) == state.to_move
        assert message.WhichOneof("view") == table.game_name
    assert not view_message(table.codec, state.observe(None)).HasField("seat")


@each_table
def test_options_survive_the_wire(table: Table) -> None:
    codec = codec_for(table.game_name)
    options = get_game(table.game_name).options(table.given)
    message = play_pb2.GameOptions()
    codec.options_to_wire(options, message)
    received = codec.options_from_wire(play_pb2.GameOptions.FromString(message.SerializeToString()))
    assert received == options
    assert codec.for_match(received) is codec.for_match(options)


def test_messages_are_filled_where_they_stand() -> None:
    table = TABLES[0]
    state = next(table.play(seed=4))
    batch = play_pb2.ArenaMessage()
    for seat in (0, 1):
        decision = batch.decisions.add(match=7, request=seat)
        table.codec.view_to_wire(state.observe(seat), decision.view)
        table.codec.move_to_wire(state.legal(state.to_move[0])[0], decision.legal.add())
    received = play_pb2.ArenaMessage.FromString(batch.SerializeToString())
    assert [table.codec.view_from_wire(decision.view).seat for decision in received.decisions] == [0, 1]
    assert [len(decision.legal) for decision in received.decisions] == [1, 1]


def test_a_game_without_codec_is_a_wrong_name() -> None:
    with pytest.raises(UsageError, match="karteneck"):
        codec_for("chess")


# What is newer than this code

UNKNOWN = [
    b"\xc0\x3e\x96\x01",  # field 1000, a varint: 150
    b"\xc1\x3e" + bytes(range(8)),  # eight bytes
    b"\xc2\x3e\x03abc",  # a run of three bytes
    b"\xc3\x3e\x08\x01\xc4\x3e",  # a group
    b"\xc5\x3e" + bytes(range(4)),  # four bytes
    b"\xfd\xff\xff\xff\x0f" + bytes(4),  # the highest field number there is, four bytes
]
BODY_KEYS = {"karteneck": b"\x22", "bratwurmeck": b"\x2a", "haecmaec": b"\x32"}
MOVE_KEYS = {"karteneck": b"\x0a", "bratwurmeck": b"\x12", "haecmaec": b"\x1a"}


def key_of(message: type[Message], name: str) -> bytes:
    """The first byte of the field `name`: its number, and that it has a length."""
    return bytes([message.DESCRIPTOR.fields_by_name[name].number << 3 | 2])


def test_the_games_keep_their_field_numbers() -> None:
    """Old bots and old arenas know these."""
    assert {name: key_of(play_pb2.View, name) for name in BODY_KEYS} == BODY_KEYS
    assert {name: key_of(play_pb2.Move, name) for name in MOVE_KEYS} == MOVE_KEYS


def within(key: bytes, content: bytes) -> bytes:
    """A submessage. Beside another one of the same key its content counts as if it stood in that."""
    return key + bytes([len(content)]) + content


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize("unknown", UNKNOWN, ids=bytes.hex)
def test_unknown_fields_are_tolerated(name: str, unknown: bytes) -> None:
    table = next(table for table in TABLES if table.game_name == name)
    codec = table.codec
    state = next(table.play(seed=5))
    seat = state.to_move[0]
    view, move = state.observe(seat), state.legal(seat)[0]
    seen = view_message(codec, view).SerializeToString()
    sent = move_message(codec, move).SerializeToString()
    for data in (unknown + seen, seen + unknown, within(key_of(play_pb2.View, name), unknown) + seen):
        assert codec.view_from_wire(play_pb2.View.FromString(data)) == view
    for data in (unknown + sent, sent + unknown, sent + within(key_of(play_pb2.Move, name), unknown)):
        assert codec.move_from_wire(play_pb2.Move.FromString(data)) == move


# What is wrong


def test_options_of_another_game_are_refused() -> None:
    for name in GAME_NAMES:
        with pytest.raises(WireError, match=name):
            codec_for(name).options_from_wire(play_pb2.GameOptions())
    message = play_pb2.GameOptions()
    codec_for("karteneck").options_to_wire(get_game("karteneck").options({}), message)
    with pytest.raises(WireError, match="bratwurmeck"):
        codec_for("bratwurmeck").options_from_wire(message)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("karteneck", lambda options: options.signposts.pop()),
        ("karteneck", lambda options: options.signposts.__setitem__(0, 2)),
        ("karteneck", lambda options: options.signposts.__setitem__(0, 10_000)),
        ("karteneck", lambda options: options.portion_values.pop()),
        ("karteneck", lambda options: options.portion_worms.append(1)),
        ("karteneck", lambda options: options.portion_values.__setitem__(-1, 16)),
        ("bratwurmeck", lambda options: options.tile_worms.pop()),
        ("bratwurmeck", lambda options: options.tile_values.__setitem__(0, 22)),
        ("bratwurmeck", lambda options: options.tile_values.__setitem__(0, 41)),
        ("bratwurmeck", lambda options: options.Clear()),
        ("haecmaec", lambda options: options.kinds.pop()),
        ("haecmaec", lambda options: options.counts.__setitem__(0, 6)),
        ("haecmaec", lambda options: options.kinds.__setitem__(0, "fly")),
        ("haecmaec", lambda options: options.kinds.__setitem__(0, "Ham!")),
    ],
)
def test_options_that_the_game_does_not_allow_are_refused(name: str, change: Callable[[Any], object]) -> None:
    message = play_pb2.GameOptions()
    codec_for(name).options_to_wire(get_game(name).options({}), message)
    change(getattr(message, name))
    with pytest.raises(WireError, match=name):
        codec_for(name).options_from_wire(message)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_move_of_another_game_is_malformed(name: str) -> None:
    codec = codec_for(name).for_match(get_game(name).options({}))
    other = "bratwurmeck" if name != "bratwurmeck" else "karteneck"
    message = play_pb2.Move()
    getattr(message, other).SetInParent()
    for wrong in (play_pb2.Move(), message):
        with pytest.raises(MalformedMove, match=name):
            codec.move_from_wire(wrong)


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize("wrong", [None, 3, "pass", (), ("3",), (True,), (None, "no"), {}, object])
def test_what_is_no_move_is_not_sent(name: str, wrong: object) -> None:
    codec = codec_for(name).for_match(get_game(name).options({}))
    message = play_pb2.Move()
    with pytest.raises(MalformedMove):
        codec.move_to_wire(wrong, message)
    assert message == play_pb2.Move()


@pytest.mark.parametrize("name", GAME_NAMES)
@pytest.mark.parametrize(
    ("seat", "players", "to_move"),
    [
        (0, 0, []),
        (0, 1, [0]),
        (0, 8, [0]),
        (0, 2**32 - 1, [0]),
        (3, 3, [0]),
        (2**32 - 1, 3, [0]),
        (0, 3, [3]),
        (0, 3, [1, 0]),
        (0, 3, [1, 1]),
        (0, 3, [2**32 - 1]),
    ],
)
def test_seats_that_do_not_exist_are_refused(name: str, seat: int, players: int, to_move: list[int]) -> None:
    table = next(table for table in TABLES if table.game_name == name and table.players == 3)
    message = view_message(table.codec, next(table.play(seed=6)).observe(0))
    message.seat = seat
    message.players = players
    message.to_move[:] = to_move
    with pytest.raises(WireError):
        table.codec.view_from_wire(message)


def test_a_view_of_another_game_is_refused() -> None:
    karteneck, bratwurmeck = (next(table for table in TABLES if table.game_name == name) for name in GAME_NAMES[:2])
    message = view_message(karteneck.codec, next(karteneck.play(seed=7)).observe(0))
    with pytest.raises(WireError):
        bratwurmeck.codec.view_from_wire(message)


# Anything at all

NUMBERS = st.integers(0, 40) | st.sampled_from([127, 128, 255, 256, 9999, 10_009, 2**31 - 1])


@cache
def pool(index: int) -> tuple[list[bytes], list[bytes]]:
    """Views and moves of one match at `TABLES[index]`, serialized."""
    table = TABLES[index]
    codec = table.codec
    rng = Random(8)
    views: list[bytes] = []
    moves: list[bytes] = []
    for state in table.play(seed=9):
        views.append(view_message(codec, state.observe(rng.randrange(table.players))).SerializeToString())
        chosen = [rng.choice(state.legal(seat)) for seat in state.to_move]
        moves += [move_message(codec, move).SerializeToString() for move in chosen]
    return views, moves


def disturb(message: Message, data: st.DataObject) -> None:
    """Change one field of `message`, or of a message in it."""
    name = data.draw(st.sampled_from(sorted(message.DESCRIPTOR.fields_by_name)))
    value: Any = getattr(message, name)
    if isinstance(value, Message):
        disturb(value, data)
    elif isinstance(value, bool):
        setattr(message, name, data.draw(st.booleans()))
    elif isinstance(value, int):
        setattr(message, name, data.draw(NUMBERS))
    elif message.DESCRIPTOR.fields_by_name[name].type == 8:  # a list of yes and no
        value.extend(data.draw(st.lists(st.booleans())))
    else:
        disturb_list(value, data)


def disturb_list(numbers: Any, data: st.DataObject) -> None:
    action = data.draw(st.sampled_from(["replace", "append", "set", "drop"]))
    if action == "replace" or not numbers:
        numbers[:] = data.draw(st.lists(NUMBERS, max_size=12))
    elif action == "append":
        numbers.append(data.draw(NUMBERS))
    elif action == "set":
        numbers[data.draw(st.integers(0, len(numbers) - 1))] = data.draw(NUMBERS)
    else:
        del numbers[data.draw(st.integers(0, len(numbers) - 1))]


def body_of(message: play_pb2.View | play_pb2.Move, name: str) -> Message:
    body: Message = getattr(message, name)
    return body


some_table = st.integers(0, len(TABLES) - 1)


def check_view(table: Table, message: play_pb2.View) -> None:
    """It is refused by name, or it is a view that survives the wire."""
    try:
        view = table.codec.view_from_wire(message)
    except WireError:
        return
    assert table.codec.view_from_wire(view_message(table.codec, view)) == view


def check_move(table: Table, message: play_pb2.Move) -> None:
    """It is refused by name, or it is a move that survives the wire and its JSON."""
    game = get_game(table.game_name)
    try:
        move = table.codec.move_from_wire(message)
    except MalformedMove:
        with pytest.raises(MalformedMove):
            table.codec.known_move(message.SerializeToString())
        return
    data = message.SerializeToString()
    assert table.codec.known_move(data) == table.codec.known_move(data) == move
    assert table.codec.move_from_wire(move_message(table.codec, move)) == move
    assert game.decode_move(json.loads(json.dumps(game.encode_move(move)))) == move


@given(index=some_table, data=st.data())
@settings(deadline=None, max_examples=300)
def test_a_disturbed_view_is_refused_by_name(index: int, data: st.DataObject) -> None:
    table = TABLES[index]
    message = play_pb2.View.FromString(data.draw(st.sampled_from(pool(index)[0])))
    for _ in range(data.draw(st.integers(1, 4))):
        disturb(body_of(message, table.game_name), data)
    check_view(table, message)


@given(index=some_table, data=st.data())
@settings(deadline=None, max_examples=300)
def test_a_disturbed_move_is_refused_by_name(index: int, data: st.DataObject) -> None:
    table = TABLES[index]
    message = play_pb2.Move.FromString(data.draw(st.sampled_from(pool(index)[1])))
    for _ in range(data.draw(st.integers(1, 4))):
        disturb(body_of(message, table.game_name), data)
    check_move(table, message)


@given(index=some_table, data=st.data())
@settings(deadline=None, max_examples=300)
def test_bytes_of_any_kind_are_refused_by_name(index: int, data: st.DataObject) -> None:
    views, moves = pool(index)
    spoiled = bytearray(data.draw(st.sampled_from(views + moves)))
    for _ in range(data.draw(st.integers(1, 5))):
        spoiled[data.draw(st.integers(0, len(spoiled) - 1))] = data.draw(st.integers(0, 255))
    try:
        check_view(TABLES[index], play_pb2.View.FromString(bytes(spoiled)))
        check_move(TABLES[index], play_pb2.Move.FromString(bytes(spoiled)))
    except DecodeError:
        return


@pytest.mark.parametrize(
    ("name", "field", "wrong"), [("karteneck", "status", [-1, 0]), ("haecmaec", "phase", -1), ("haecmaec", "phase", 4)]
)
def test_numbers_outside_an_enumeration_are_refused(name: str, field: str, wrong: int | list[int]) -> None:
    table = next(table for table in TABLES if table.game_name == name and table.players == 2)
    message = view_message(table.codec, next(table.play(seed=10)).observe(0))
    body: Any = getattr(message, name)
    if isinstance(wrong, list):
        getattr(body, field)[:] = wrong
    else:
        setattr(body, field, wrong)
    with pytest.raises(WireError):
        table.codec.view_from_wire(message)


BY_SEAT = {
    "karteneck": ["stack_sizes", "display_sizes", "totals", "status", "hand_sizes"],
    "bratwurmeck": ["stack_sizes"],
    "haecmaec": ["hand_sizes", "normal_tops", "doubling_tops", "closed_counts", "penalty_sizes", "shown_flies"],
}


@pytest.mark.parametrize(("name", "field"), [(name, field) for name in BY_SEAT for field in BY_SEAT[name]])
def test_a_list_over_seats_with_another_length_is_refused(name: str, field: str) -> None:
    table = next(table for table in TABLES if table.game_name == name)
    for longer in (True, False):
        message = view_message(table.codec, next(table.play(seed=11)).observe(0))
        numbers: Any = getattr(getattr(message, name), field)
        if longer:
            numbers.append(0)
        else:
            numbers.pop()
        with pytest.raises(WireError, match="seats"):
            table.codec.view_from_wire(message)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_a_starter_who_does_not_play_is_refused(name: str) -> None:
    table = next(table for table in TABLES if table.game_name == name)
    message = view_message(table.codec, next(table.play(seed=12)).observe(0))
    getattr(message, name).starter = table.players
    with pytest.raises(WireError):
        table.codec.view_from_wire(message)


def test_every_ingredient_of_a_burger_was_laid_by_a_seat() -> None:
    table = next(table for table in TABLES if table.game_name == "haecmaec")
    state = next(state for state in table.play(seed=13) if state.observe(0).burger)
    message = view_message(table.codec, state.observe(0))
    message.haecmaec.laid_by.append(0)
    with pytest.raises(WireError, match="laid by"):
        table.codec.view_from_wire(message)

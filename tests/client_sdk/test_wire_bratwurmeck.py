"""Bratwurmeck on the wire: the numbers in `bratwurmeck.proto`, exactly."""

import pytest

from roost.v1 import play_pb2
from roost.v1.bratwurmeck_pb2 import (
    BRATWURMECK_THEN_ROLL,
    BRATWURMECK_THEN_STOP,
    BRATWURMECK_THEN_STOP_AND_STEAL,
    BRATWURMECK_THEN_STOP_WITHOUT_STEALING,
)
from roost_games.bratwurmeck import GAME
from roost_games.bratwurmeck.moves import Take
from roost_games.bratwurmeck.sheet import Tile
from roost_games.bratwurmeck.view import View
from roost_games.errors import MalformedMove
from roost_sdk.wire import WireError, codec_for

OPTIONS = GAME.options({"tiles": [[21, 1], [40, 2], [13, 128]]})
CODEC = codec_for("bratwurmeck").for_match(OPTIONS)


@pytest.mark.parametrize(
    ("take", "then", "move"),
    [
        (1, BRATWURMECK_THEN_ROLL, Take("1", "roll")),
        (5, BRATWURMECK_THEN_STOP, Take("5", "stop")),
        (6, BRATWURMECK_THEN_STOP_AND_STEAL, Take("W", "stop", True)),
        (6, BRATWURMECK_THEN_STOP_WITHOUT_STEALING, Take("W", "stop", False)),
    ],
)
def test_moves_match_the_proto_comment(take: int, then: int, move: Take) -> None:
    message = play_pb2.Move()
    CODEC.move_to_wire(move, message)
    assert message.bratwurmeck.take == take
    assert message.bratwurmeck.then == then
    assert CODEC.move_from_wire(message) == move


@pytest.mark.parametrize("take", [0, 7, 2**32 - 1])
def test_a_face_that_does_not_exist_is_malformed(take: int) -> None:
    message = play_pb2.Move()
    message.bratwurmeck.take = take
    message.bratwurmeck.then = BRATWURMECK_THEN_ROLL
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_an_unknown_then_is_malformed() -> None:
    message = play_pb2.Move()
    message.bratwurmeck.take = 1
    message.bratwurmeck.then = 99  # type: ignore[assignment]
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_a_view_matches_the_proto_comment_exactly() -> None:
    low, high, worms128 = (Tile(v, w) for v, w in [(13, 128), (21, 1), (40, 2)])
    view = View(
        seat=None,
        players=2,
        to_move=(1,),
        starter=1,
        turn=4,
        horizon=200,
        roll_number=2,
        grill=(low, high),
        turned=(worms128,),
        stacks=((high,), ()),
        aside=("1", "1", "W"),
        total=7,
        roll=("2", "2", "3"),
    )
    message = play_pb2.View()
    CODEC.view_to_wire(view, message)
    wire = message.bratwurmeck
    assert not message.HasField("seat")
    assert (wire.starter, wire.turn, wire.horizon, wire.roll_number) == (1, 4, 200, 2)
    assert list(wire.grill) == [13, 21]
    assert list(wire.turned) == [40]
    assert list(wire.stacks) == [21]
    assert list(wire.stack_sizes) == [1, 0]
    assert list(wire.aside) == [1, 1, 6]
    assert (wire.total, list(wire.roll)) == (7, [2, 2, 3])
    assert codec_for("bratwurmeck").for_match(OPTIONS).view_from_wire(message) == view


def test_an_unknown_tile_is_refused() -> None:
    message = play_pb2.View()
    CODEC.view_to_wire(
        View(None, 2, (0,), 0, 0, 200, 0, (Tile(13, 128),), (), ((), ()), (), 0, ()),
        message,
    )
    message.bratwurmeck.grill.append(99)  # no tile of value 99 on this sheet
    with pytest.raises(WireError):
        CODEC.view_from_wire(message)

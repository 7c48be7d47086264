"""Karteneck on the wire: the numbers in `karteneck.proto`, exactly."""

import pytest

from roost.v1 import play_pb2
from roost.v1.karteneck_pb2 import KARTENECK_STATUS_INVALID, KARTENECK_STATUS_VALID
from roost_games.chance import Tape
from roost_games.errors import MalformedMove
from roost_games.karteneck import GAME
from roost_games.karteneck.legal import sheet_of
from roost_games.karteneck.moves import Lay, Pass
from roost_games.karteneck.sheet import Card, Portion
from roost_games.karteneck.view import Drew, Laid, Shuffled, View
from roost_sdk.wire import WireError, codec_for

OPTIONS = GAME.options(
    {"signposts": [3, 9999, *range(30, 53)], "portions": [[0, 0]] * 3 + [[v, 1] for v in range(1, 28)]}
)
CODEC = codec_for("karteneck").for_match(OPTIONS)


def test_card_numbers_match_the_proto_comment() -> None:
    message = play_pb2.Move()
    CODEC.move_to_wire(Lay((Card("3"), Card("W3"), Card("W9999"))), message)
    assert list(message.karteneck.lay) == [3, 13, 10009]


def test_a_view_matches_the_proto_comment_exactly() -> None:
    portion = Portion(1, 1)
    view = View(
        seat=1,
        players=2,
        to_move=(0,),
        options=OPTIONS,
        round=3,
        rounds=9,
        starter=1,
        grill=(portion,),
        stacks=((portion,), ()),
        displays=((Card("1"),), (Card("W3"),)),
        totals=(380, 5),
        status=("invalid", "valid"),
        hand=(Card("2"), Card("W9999")),
        hand_sizes=(2, 3),
        discard=(Card("5"),),
        pile_size=4,
        supply_size=20,
        trace=(
            Shuffled((Card("1"), Card("W9999")), (Card("W3"),), (2, 3)),
            Drew(1),
            Laid(0, (Card("1"),)),
        ),
        drawn=(Card("W9999"),),
    )
    message = play_pb2.View()
    CODEC.view_to_wire(view, message)
    wire = message.karteneck
    assert message.seat == 1
    assert message.players == 2
    assert list(message.to_move) == [0]
    assert (wire.round, wire.rounds, wire.starter) == (3, 9, 1)
    assert list(wire.grill) == [1]
    assert list(wire.stacks) == [1]
    assert list(wire.stack_sizes) == [1, 0]
    assert list(wire.displays) == [1, 13]
    assert list(wire.display_sizes) == [1, 1]
    assert list(wire.totals) == [380, 5]
    assert list(wire.status) == [KARTENECK_STATUS_INVALID, KARTENECK_STATUS_VALID]
    assert list(wire.hand) == [2, 10009]
    assert list(wire.hand_sizes) == [2, 3]
    assert list(wire.discard) == [5]
    assert (wire.pile_size, wire.supply_size) == (4, 20)
    assert list(wire.trace) == [
        0,
        2,
        1,
        10009,
        1,
        13,
        2,
        3,  # Shuffled: kind, n=2, two cards, m=1, one card, the two hand sizes
        1,
        1,  # Drew: kind, seat 1
        2,
        0,
        1,
        1,  # Laid: kind, seat 0, n=1, the card
    ]
    assert list(wire.drawn) == [10009]
    assert CODEC.view_from_wire(message) == view


@pytest.mark.parametrize(
    "cards",
    [(), (Card("1"),) * 200, ("purple",), (object(),)],
    ids=["empty", "too-many", "not-a-card", "not-even-a-string"],
)
def test_a_lay_that_cannot_be_sent_is_malformed(cards: object) -> None:
    message = play_pb2.Move()
    with pytest.raises(MalformedMove):
        CODEC.move_to_wire(Lay(cards), message)  # type: ignore[arg-type]


def test_an_unknown_signpost_is_malformed() -> None:
    message = play_pb2.Move()
    message.karteneck.lay.append(10 + 4)  # signpost 4 is not on this sheet
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_laying_and_stealing_at_once_is_malformed() -> None:
    message = play_pb2.Move()
    message.karteneck.lay.append(1)
    message.karteneck.steal = True
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_too_many_cards_named_is_malformed() -> None:
    message = play_pb2.Move()
    message.karteneck.lay.extend([1] * 500)
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_pass_and_steal_are_distinguished() -> None:
    steal, pass_ = play_pb2.Move(), play_pb2.Move()
    CODEC.move_to_wire(Pass(True), steal)
    CODEC.move_to_wire(Pass(False), pass_)
    assert steal.karteneck.steal is True
    assert pass_.HasField("karteneck")
    assert list(pass_.karteneck.lay) == []
    assert CODEC.move_from_wire(steal) == Pass(True)
    assert CODEC.move_from_wire(pass_) == Pass(False)


@pytest.mark.parametrize(
    "trace",
    [
        [3, 0],
        [1],
        [1, 2],
        [2, 0],
        [2, 0, 2, 1],
        [2, 2, 1, 1],
        [2, 0, 1, 9],
        [0, 1, 1],
        [0, 1, 1, 0, 6],
        [0, 2**32 - 1, 1],
    ],
    ids=str,
)
def test_a_trace_that_cannot_be_is_refused(trace: list[int]) -> None:
    message = play_pb2.View()
    CODEC.view_to_wire(GAME.start(2, OPTIONS, Tape(b"")).observe(0), message)
    message.karteneck.trace[:] = [1, 0]
    assert CODEC.view_from_wire(message).trace == (Drew(0),)
    message.karteneck.trace[:] = trace
    with pytest.raises(WireError):
        CODEC.view_from_wire(message)


def test_cards_come_back_as_those_of_the_game() -> None:
    message = play_pb2.Move()
    message.karteneck.lay.append(10009)
    move = CODEC.move_from_wire(message)
    assert any(move.cards[0] is card for card in sheet_of(OPTIONS).worms)

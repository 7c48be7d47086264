"""Häc Mäc on the wire: the numbers in `haecmaec.proto`, exactly."""

import pytest

from roost.v1 import play_pb2
from roost.v1.haecmaec_pb2 import (
    HAECMAEC_PHASE_REACT,
    HAECMAEC_SLAP_FLY,
    HAECMAEC_SUSPECT_NO,
    HAECMAEC_SUSPECT_YES,
    HAECMAEC_TOP_DOUBLE,
    HAECMAEC_TOP_NORMAL,
)
from roost_games.errors import MalformedMove
from roost_games.haecmaec import GAME
from roost_games.haecmaec.moves import FLY, Card, Close, Play, React
from roost_games.haecmaec.view import ClosedBurger, SpoiledBurger, View
from roost_sdk.wire import WireError, codec_for

ROWS = [["ham", 4, 40], ["fig", 2, 45]]
OPTIONS = GAME.options({"slap": True, "ingredients": ROWS})
CODEC = codec_for("haecmaec").for_match(OPTIONS)
HAM, FIG = Card("ham-4"), Card("fig-2")


def test_turn_moves_match_the_proto_comment() -> None:
    message = play_pb2.Move()
    CODEC.move_to_wire(Play(HAM), message)
    assert message.haecmaec.play == 0
    assert message.haecmaec.close == 0

    message = play_pb2.Move()
    CODEC.move_to_wire(Close("double", FIG), message)
    assert message.haecmaec.play == 1
    assert message.haecmaec.close == HAECMAEC_TOP_DOUBLE

    message = play_pb2.Move()
    CODEC.move_to_wire(Close("normal", None), message)
    assert not message.haecmaec.HasField("play")
    assert message.haecmaec.close == HAECMAEC_TOP_NORMAL

    message = play_pb2.Move()
    CODEC.move_to_wire(Close("double", FLY), message)
    assert message.haecmaec.play == 2  # the fly comes right after the rows


def test_reactions_match_the_proto_comment() -> None:
    message = play_pb2.Move()
    CODEC.move_to_wire(React(False, "fly"), message)
    assert message.haecmaec.suspect == HAECMAEC_SUSPECT_NO
    assert message.haecmaec.slap == HAECMAEC_SLAP_FLY

    message = play_pb2.Move()
    CODEC.move_to_wire(React(True), message)
    assert message.haecmaec.suspect == HAECMAEC_SUSPECT_YES
    assert message.haecmaec.slap == 0


def test_a_full_view_matches_the_proto_comment_exactly() -> None:
    view = View(
        seat=0,
        players=3,
        to_move=(1, 2),
        hand=(HAM,),
        answer=React(False, "no"),
        phase="react",
        turn=0,
        starter=2,
        options=OPTIONS,
        burger=(FIG, HAM),
        laid_by=(2, 0),
        bottoms=3,
        pile=10,
        hand_sizes=(1, 4, 5),
        normal_tops=(2, 2, 1),
        doubling_tops=(1, 1, 0),
        closed=((ClosedBurger((HAM,), "normal"),), (), ()),
        penalties=((), (FIG,), ()),
        spoiled=(SpoiledBurger(1, (HAM,)),),
        shown_flies=(False, True, False),
        reactions=(),
        rounds=3,
    )
    message = play_pb2.View()
    CODEC.view_to_wire(view, message)
    wire = message.haecmaec
    assert (message.seat, message.players, tuple(message.to_move)) == (0, 3, (1, 2))
    assert list(wire.hand) == [0]
    assert (wire.answer.suspect, wire.answer.slap) == (1, 1)
    assert (wire.phase, wire.turn, wire.starter) == (HAECMAEC_PHASE_REACT, 0, 2)
    assert list(wire.burger) == [1, 0]
    assert list(wire.laid_by) == [2, 0]
    assert (wire.bottoms, wire.pile) == (3, 10)
    assert list(wire.hand_sizes) == [1, 4, 5]
    assert list(wire.normal_tops) == [2, 2, 1]
    assert list(wire.doubling_tops) == [1, 1, 0]
    assert list(wire.closed_counts) == [1, 0, 0]
    assert list(wire.closed_tops) == [HAECMAEC_TOP_NORMAL]
    assert list(wire.closed_sizes) == [1]
    assert list(wire.closed_cards) == [0]
    assert list(wire.penalties) == [1]
    assert list(wire.penalty_sizes) == [0, 1, 0]
    assert list(wire.spoiled_by) == [1]
    assert list(wire.spoiled_sizes) == [1]
    assert list(wire.spoiled_cards) == [0]
    assert list(wire.shown_flies) == [False, True, False]
    assert (list(wire.suspects), list(wire.slaps)) == ([], [])
    assert wire.rounds == 3
    assert codec_for("haecmaec").for_match(OPTIONS).view_from_wire(message) == view


def test_answer_absent_is_none_but_reactions_may_carry_not_asked() -> None:
    view = View(
        None,
        3,
        (0,),
        (),
        None,
        "turn",
        0,
        0,
        OPTIONS,
        (),
        (),
        1,
        1,
        (0, 0, 0),
        (0, 0, 0),
        (0, 0, 0),
        ((), (), ()),
        ((), (), ()),
        (),
        (False, False, False),
        (),
        0,
    )
    message = play_pb2.View()
    CODEC.view_to_wire(view, message)
    assert not message.haecmaec.HasField("answer")
    with_reactions = view._replace(reactions=(React(), React(None, "no"), React(False, "fly")))
    message = play_pb2.View()
    CODEC.view_to_wire(with_reactions, message)
    assert list(message.haecmaec.suspects) == [0, 0, 1]
    assert list(message.haecmaec.slaps) == [0, 1, 4]
    assert CODEC.view_from_wire(message) == with_reactions


def test_an_answer_must_not_carry_a_move() -> None:
    message = play_pb2.View()
    view = View(
        0,
        3,
        (1, 2),
        (HAM,),
        React(False, "no"),
        "react",
        0,
        0,
        OPTIONS,
        (FIG,),
        (0,),
        3,
        10,
        (1, 4, 5),
        (1, 1, 1),
        (0, 0, 0),
        ((), (), ()),
        ((), (), ()),
        (),
        (False, False, False),
        (),
        0,
    )
    CODEC.view_to_wire(view, message)
    message.haecmaec.answer.play = 0
    with pytest.raises(WireError):
        CODEC.view_from_wire(message)


@pytest.mark.parametrize(
    "wrong", [{}, {"play": 3}, {"play": 0, "close": 3}, {"close": -1}, {"suspect": 3}, {"slap": 5}], ids=str
)
def test_malformed_moves_are_refused(wrong: dict[str, int]) -> None:
    message = play_pb2.Move()
    for field, value in wrong.items():
        setattr(message.haecmaec, field, value)
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


def test_a_turn_and_a_reaction_at_once_are_malformed() -> None:
    message = play_pb2.Move()
    message.haecmaec.close = HAECMAEC_TOP_NORMAL
    message.haecmaec.suspect = HAECMAEC_SUSPECT_YES
    with pytest.raises(MalformedMove):
        CODEC.move_from_wire(message)


@pytest.mark.parametrize("wrong", [React(), React(1), React("normal", None), Play("bun-1"), Close("no", None)], ids=str)  # type: ignore[arg-type]
def test_what_only_looks_like_a_move_is_not_sent(wrong: React | Play | Close) -> None:
    with pytest.raises(MalformedMove):
        CODEC.move_to_wire(wrong, play_pb2.Move())

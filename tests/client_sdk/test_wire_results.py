"""Results and faults on the wire."""

import pytest

from roost.v1 import play_pb2
from roost_games.replay import FORFEIT, VOIDED, Fault, FaultEntry, Result
from roost_sdk.wire import WireError, fault_from_wire, result_from_wire, result_to_wire


def test_every_fault_survives_the_wire() -> None:
    faults = tuple(FaultEntry(number, 0, fault) for number, fault in enumerate(Fault))
    message = play_pb2.Result()
    result_to_wire(Result((1, 2), (1, 0), FORFEIT, faults=faults), message)
    assert result_from_wire(message).faults == faults


def test_an_unknown_fault_kind_is_refused() -> None:
    with pytest.raises(WireError):
        fault_from_wire(0)  # type: ignore[arg-type]


def test_a_result_survives_the_wire() -> None:
    result = Result(
        places=(2, 1, 2),
        scores=(-3, 128, 0),
        termination=FORFEIT,
        forfeits=(0, 2),
        faults=(FaultEntry(5, 0, Fault.ILLEGAL), FaultEntry(9, 2, Fault.LATE)),
    )
    message = play_pb2.Result()
    result_to_wire(result, message)
    received = result_from_wire(play_pb2.Result.FromString(message.SerializeToString()))
    assert received.places == result.places
    assert received.scores == result.scores
    assert received.termination == result.termination
    assert received.forfeits == result.forfeits
    assert [(fault.step, fault.seat, fault.kind) for fault in received.faults] == [
        (fault.step, fault.seat, fault.kind) for fault in result.faults
    ]


def test_a_voided_result_has_empty_places() -> None:
    message = play_pb2.Result()
    result_to_wire(Result((), (), VOIDED, reason="our own delay"), message)
    received = result_from_wire(message)
    assert received.places == ()
    assert received.scores == ()
    assert received.termination == VOIDED


def test_an_unknown_termination_is_refused() -> None:
    message = play_pb2.Result(termination=0)  # type: ignore[arg-type]
    with pytest.raises(WireError):
        result_from_wire(message)


def test_mismatched_places_and_scores_are_refused() -> None:
    message = play_pb2.Result(termination=play_pb2.TERMINATION_FINISHED, places=[1, 2], scores=[3])
    with pytest.raises(WireError):
        result_from_wire(message)

"""How a match ended, and what went wrong in it, on the wire.

Two things are left out: what a faulty seat sent, and why a match was voided. Both are in the replay.
"""

from roost.v1 import play_pb2
from roost_games.replay import FINISHED, FORFEIT, HORIZON, VOIDED, Fault, FaultEntry, Result
from roost_sdk.wire.codec import WireError

FAULT_KINDS = {
    Fault.MALFORMED: play_pb2.FAULT_KIND_MALFORMED,
    Fault.ILLEGAL: play_pb2.FAULT_KIND_ILLEGAL,
    Fault.LATE: play_pb2.FAULT_KIND_LATE,
    Fault.GONE: play_pb2.FAULT_KIND_GONE,
    Fault.CRASHED: play_pb2.FAULT_KIND_CRASHED,
}
FAULTS = {kind: fault for fault, kind in FAULT_KINDS.items()}
TERMINATIONS = {
    FINISHED: play_pb2.TERMINATION_FINISHED,
    HORIZON: play_pb2.TERMINATION_HORIZON,
    FORFEIT: play_pb2.TERMINATION_FORFEIT,
    VOIDED: play_pb2.TERMINATION_VOIDED,
}
TERMINATION_NAMES = {termination: name for name, termination in TERMINATIONS.items()}


def fault_from_wire(kind: play_pb2.FaultKind.ValueType) -> Fault:
    """The kind of fault with this number. Raises `WireError`."""
    if kind not in FAULTS:
        raise WireError(f"there is no kind of fault with number {kind}")
    return FAULTS[kind]


def result_to_wire(result: Result, message: play_pb2.Result) -> None:
    """Write `result` into an empty `message`, without what faulty seats sent and why it was voided."""
    message.places.extend(result.places)
    message.scores.extend(result.scores)
    message.termination = TERMINATIONS[result.termination]
    message.forfeits.extend(result.forfeits)
    for fault in result.faults:
        message.faults.add(step=fault.step, seat=fault.seat, kind=FAULT_KINDS[fault.kind])


def result_from_wire(message: play_pb2.Result) -> Result:
    """The result in `message`. Raises `WireError`."""
    termination = TERMINATION_NAMES.get(message.termination)
    if termination is None:
        raise WireError(f"there is no termination with number {message.termination}")
    if len(message.places) != len(message.scores):
        raise WireError(f"a result with {len(message.places)} places and {len(message.scores)} scores")
    return Result(
        places=tuple(message.places),
        scores=tuple(message.scores),
        termination=termination,
        forfeits=tuple(message.forfeits),
        faults=tuple(FaultEntry(fault.step, fault.seat, fault_from_wire(fault.kind)) for fault in message.faults),
    )

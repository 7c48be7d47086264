"""Forged records: what cannot have happened is refused by name, in every one of many recorded matches.

Before records said when and why seats forfeited, `verify` accepted each of 783 matches with a forfeit added to the seat
that had made the last decision itself.
"""

import json
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from roost_games.chance import seed_of
from roost_games.referee import Fault, Referee, Seat
from roost_games.registry import get_game
from roost_games.replay import Replay
from roost_games.verify import verify
from tests.support.games.toy import play_out

Json = dict[str, Any]
KINDS = [("karteneck", 3), ("karteneck", 4), ("bratwurmeck", 3), ("bratwurmeck", 7), ("haecmaec", 3), ("haecmaec", 6)]
TIMES = 12


@cache
def recorded() -> tuple[str, ...]:
    """Matches that the rules ended, of every game, some with faults and forfeits of both kinds."""
    lines = []
    for game, players in KINDS:
        for number in range(TIMES):
            seats = [Seat(f"bot{seat}") for seat in range(players)]
            referee: Referee[Any, Any] = Referee(get_game(game), seats, seed_of(f"forged {game} {players}", number))
            play_out(referee, Random(number), *((0.0, 0.0), (0.03, 0.0), (0.03, 0.003))[number % 3])
            if referee.replay().result.termination != "forfeit":
                lines.append(referee.replay().to_line())
    return tuple(lines)


def matches() -> Iterator[Json]:
    for line in recorded():
        yield json.loads(line)


def last_to_decide(data: Json) -> int:
    """The seat of the last decision, if it made it itself; otherwise -1."""
    last = [step for step in data["steps"] if "seat" in step][-1]
    return -1 if "by" in last else int(last["seat"])


def placed_last(data: Json, seat: int) -> None:
    """Places as if the seat were the last to forfeit: behind all that did not, before those that did."""
    result = data["result"]
    merits: list[tuple[int, ...]] = [(1, -place) for place in result["places"]]
    for order, out in enumerate(result["forfeits"]):
        merits[out] = (0, order)
    result["places"] = [1 + sum(other > merit for other in merits) for merit in merits]


def add_forfeit(data: Json, seat: int) -> None:
    data["result"]["forfeits"].append(seat)
    placed_last(data, seat)


def forfeit_without_reason(data: Json) -> bool:
    """The attack: a forfeit is added to the seat that made the last decision itself."""
    if (seat := last_to_decide(data)) < 0:
        return False
    add_forfeit(data, seat)
    return True


def forfeit_in_an_older_record(data: Json) -> bool:
    """The same, and the record passes for one of a version that gave no reasons."""
    del data["result"]["forfeited"]
    return forfeit_without_reason(data)


def forfeit_with(why: str, before_end: int) -> Callable[[Json], bool]:
    """The same with a reason, at one of the last steps."""

    def forge(data: Json) -> bool:
        if not forfeit_without_reason(data):
            return False
        step = len(data["steps"]) - before_end
        data["result"]["forfeited"].append({"seat": data["result"]["forfeits"][-1], "step": step, "why": why})
        return True

    return forge


def other_reason(data: Json) -> bool:
    """A forfeit by faults is called one by grace time, and the other way round."""
    for entry in data["result"]["forfeited"]:
        entry["why"] = "grace" if entry["why"] == "faults" else "faults"
    return bool(data["result"]["forfeited"])


def reason_of_nobody(data: Json) -> bool:
    data["result"]["forfeited"].append({"seat": 0, "step": 0, "why": "grace"})
    return True


def later_forfeit(data: Json) -> bool:
    """A forfeit by faults is moved behind the fault that it followed from."""
    by_faults = [entry for entry in data["result"]["forfeited"] if entry["why"] == "faults"]
    for entry in by_faults:
        entry["step"] += 1
    return bool(by_faults)


def no_reason(data: Json) -> bool:
    """The reasons are emptied, not left out."""
    data["result"]["forfeited"] = []
    return bool(data["result"]["forfeits"])


def legal_move_called_malformed(data: Json) -> bool:
    """The fallback's own move, which is legal, is listed as what the bot sent in vain."""
    for fault in data["result"]["faults"]:
        if fault["step"] < len(data["steps"]):
            fault |= {"kind": "malformed", "sent": data["steps"][fault["step"]]["move"]}
            return True
    return False


def voided_after_the_end(data: Json) -> bool:
    data["result"] |= {"termination": "voided", "places": [], "scores": [], "reason": "power cut"}
    return True


def reason_for_no_void(data: Json) -> bool:
    """A match that counts has the reason of one that does not."""
    data["result"]["reason"] = "power cut"
    return True


def asked_in_no_void(data: Json) -> bool:
    data["result"]["asked"] = [0]
    return True


def amid_simultaneous_decisions(data: Json) -> bool:
    """A seat is said to have run out of grace time just where it made a decision itself, and is placed last."""
    seat = last_to_decide(data)
    if seat < 0 or data["result"]["forfeits"]:
        return False
    add_forfeit(data, seat)
    own = [step for step, each in enumerate(data["steps"]) if each.get("seat") == seat]
    data["result"]["forfeited"].append({"seat": seat, "step": own[len(own) // 2], "why": "grace"})
    return True


def twice_on_record(data: Json) -> bool:
    """A decision is listed twice."""
    own = [step for step, each in enumerate(data["steps"]) if "seat" in each]
    data["steps"].insert(own[0], data["steps"][own[0]])
    return True


FORGERIES = {
    "reason without a void": reason_for_no_void,
    "asked without a void": asked_in_no_void,
    "grace amid decisions": amid_simultaneous_decisions,
    "decision listed twice": twice_on_record,
    "no reason for it": forfeit_without_reason,
    "no reasons at all": forfeit_in_an_older_record,
    "grace after the end": forfeit_with("grace", 0),
    "grace at the last step": forfeit_with("grace", 1),
    "faults after the end": forfeit_with("faults", 0),
    "faults at the last step": forfeit_with("faults", 1),
    "other reason": other_reason,
    "reason of nobody": reason_of_nobody,
    "later forfeit": later_forfeit,
    "reasons emptied": no_reason,
    "legal but malformed": legal_move_called_malformed,
    "voided after the end": voided_after_the_end,
}


@pytest.mark.short(6)
@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
def test_every_forged_record_is_refused(forge: Callable[[Json], bool]) -> None:
    forged = [data for data in matches() if forge(data)]
    assert len(forged) >= 10
    assert [data for data in forged if verify(Replay.from_json(data)) is None] == []


def test_the_matches_that_are_forged_are_in_order_with_and_without_reasons() -> None:
    for data in matches():
        assert verify(Replay.from_json(data)) is None
        del data["result"]["forfeited"]
        assert verify(Replay.from_json(data)) is None


@pytest.mark.parametrize(
    ("forge", "what"),
    [
        (legal_move_called_malformed, "that was refused as malformed is legal"),
        (reason_for_no_void, "only a voided match has a reason"),
        (voided_after_the_end, "is said to be voided, but the rules had ended it"),
        (forfeit_without_reason, "but the reasons are those of"),
        (forfeit_with("grace", 0), "where the match did not wait for a decision"),
        (forfeit_with("faults", 0), "by its faults, but it made"),
    ],
)
def test_what_is_refused_is_named(forge: Callable[[Json], bool], what: str) -> None:
    plain = (data for data in matches() if data["result"]["faults"] and not data["result"]["forfeits"])
    data = next(data for data in plain if forge(data))
    assert what in str(verify(Replay.from_json(data)))


def test_a_seat_that_may_have_run_out_of_grace_time_is_believed() -> None:
    """Nothing in a record can show whether a bot was away after its last decision, while others played on."""
    seats = [Seat(f"bot{seat}") for seat in range(3)]
    referee: Referee[Any, Any] = Referee(get_game("karteneck"), seats, seed_of("believed", 0))
    referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
    referee.forfeit(referee.waiting[0])
    referee.fault(referee.waiting[0], Fault.GONE)
    play_out(referee, Random(1))
    assert verify(referee.replay()) is None

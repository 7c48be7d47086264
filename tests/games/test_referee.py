"""The referee: what is wanted, what is refused, who forfeits, and what the record says about it."""

import json
import math
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost_games.chance import Outcome
from roost_games.errors import UsageError
from roost_games.referee import Clock, Ended, Fault, Faulted, Forfeited, Played, Referee, Seat
from roost_games.registry import GAME_NAMES, all_games, get_game
from roost_games.replay import Decision, FaultEntry, ForfeitEntry, Replay, Why
from roost_games.verify import verify
from tests.support.games.toy import TOY, Bid, Move, Scored, Show, ToyGame, play_out

SEED = bytes(range(32))


def toy(players: int = 3, **settings: Any) -> Referee[Any, Any]:
    return Referee(TOY, [Seat(f"bot{seat}") for seat in range(players)], SEED, **settings)


def show(referee: Referee[Any, Any]) -> int:
    """Let the leader show its first card; returns the leader."""
    leader = referee.waiting[0]
    assert referee.answer(leader, referee.legal(leader)[0]) is None
    return leader


def bid(referee: Referee[Any, Any], *amounts: int) -> None:
    for seat, amount in zip(referee.waiting, amounts, strict=True):
        assert referee.answer(seat, Bid(amount)) is None


def finish(referee: Referee[Any, Any]) -> Replay:
    while not referee.over:
        seat = referee.waiting[0]
        referee.answer(seat, referee.legal(seat)[0])
    replay = referee.replay()
    assert verify(replay, TOY) is None
    assert Replay.from_line(replay.to_line()) == replay
    return replay


def decisions(replay: Replay) -> list[Decision]:
    return [step for step in replay.steps if isinstance(step, Decision)]


class Nasty:
    """Fails at whatever is done with it."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __str__(self) -> str:
        raise RuntimeError("no str")


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


# What is wanted


def test_a_round_is_one_decision_alone_then_one_of_all() -> None:
    referee = toy()
    leader = referee.view(None).leader
    assert [*referee.waiting] == [leader]
    assert referee.decision == 0
    show(referee)
    assert [*referee.waiting] == [0, 1, 2]
    assert referee.decision == 1
    referee.answer(1, Bid(0))
    assert [*referee.waiting] == [0, 2]
    assert referee.decision == 1
    bid(referee, 1, 2)
    assert [*referee.waiting] == [(leader + 1) % 3]
    assert referee.decision == 2


def test_every_decision_and_outcome_is_recorded_in_order() -> None:
    referee = toy(options=TOY.options({"rounds": 1}), match="m1")
    leader = show(referee)
    for seat, amount in ((2, 0), (0, 1), (1, 2)):
        referee.answer(seat, Bid(amount))
    replay = referee.replay()
    names = [step.name if isinstance(step, Outcome) else step.seat for step in replay.steps]
    assert names == ["starter", "deck", leader, 0, 1, 2, "roll"]
    assert [step.move for step in decisions(replay)][1:] == [{"bid": 1}, {"bid": 2}, {"bid": 0}]
    assert (replay.game, replay.match, replay.options) == ("toy", "m1", {"rounds": 1})
    assert replay.seed == SEED.hex()


def test_the_score_follows_from_the_recorded_outcomes() -> None:
    referee = toy(options=TOY.options({"rounds": 1, "cut": True}))
    leader = show(referee)
    bid(referee, 1, 2, 2)
    steps = finish(referee).steps
    card = decisions(referee.replay())[0].move["show"]
    rolled = steps[-1].value if isinstance(steps[-1], Outcome) else None
    expected = [0, int(str(card)[1:]) - 2, 0]
    expected[leader] += [*(rolled if isinstance(rolled, tuple) else ())].count("W")
    assert referee.result is not None
    assert referee.result.scores == tuple(expected)
    assert referee.result.termination == "horizon"


def test_views_do_not_tell_who_has_answered() -> None:
    referee = toy()
    show(referee)
    before = [referee.view(seat) for seat in (0, 1, 2, None)]
    referee.answer(0, Bid(2))
    referee.fault(2, Fault.GONE)
    assert [referee.view(seat) for seat in (0, 1, 2, None)] == before


def test_a_spectator_sees_no_hand() -> None:
    assert toy().view(None).hand == ()
    assert len(toy().view(1).hand) == 2


def test_the_same_answers_give_the_same_record() -> None:
    lines = set()
    for _ in range(2):
        referee = toy(4)
        play_out(referee, Random(5), fault_rate=0.1)
        lines.add(referee.replay().to_line())
    assert len(lines) == 1


# Faults


@pytest.mark.parametrize("kind", Fault)
def test_a_fault_alone_is_recorded_and_the_fallback_decides(kind: Fault) -> None:
    referee = toy()
    leader = referee.waiting[0]
    lowest = min(referee.view(leader).hand)
    referee.fault(leader, kind)
    assert referee.waiting == (0, 1, 2)
    replay = finish(referee)
    assert replay.result.faults == (FaultEntry(2, leader, kind),)
    assert replay.steps[2] == Decision(leader, {"show": lowest}, replay.steps[2].ms, True)  # type: ignore[union-attr]
    assert sum(step.fallback for step in decisions(replay)) == 1
    assert replay.result.forfeits == ()


@pytest.mark.parametrize("kind", Fault)
def test_a_simultaneous_fault_is_recorded_and_the_fallback_decides(kind: Fault) -> None:
    referee = toy()
    show(referee)
    referee.fault(1, kind)
    assert referee.waiting == (0, 2)
    assert referee.faults == []
    bid(referee, 2, 2)
    assert referee.faults == [FaultEntry(4, 1, kind)]
    replay = finish(referee)
    assert [step.fallback for step in decisions(replay)][:4] == [False, False, True, False]
    assert decisions(replay)[2].move == {"bid": 0}


def test_two_simultaneous_faults_are_recorded_by_seat() -> None:
    referee = toy()
    show(referee)
    assert referee.answer(2, Show("c1")) is Fault.ILLEGAL
    referee.answer(1, Bid(1))
    referee.fault(0, Fault.CRASHED)
    expected = (FaultEntry(3, 0, Fault.CRASHED), FaultEntry(5, 2, Fault.ILLEGAL, {"show": "c1"}))
    assert finish(referee).result.faults == expected


@pytest.mark.parametrize("first", [Bid(1), Show("c1")])
@pytest.mark.parametrize("second", [Bid(2), Bid(99), None])
def test_a_record_does_not_say_whether_moves_were_played_at_once(first: object, second: object) -> None:
    records = []
    for at_once in (False, True):
        referee = toy(at_once=at_once)
        show(referee)
        point = referee.decision
        for seat, move in enumerate((first, second)):
            referee.answer(seat, move)
            assert referee.waiting == tuple(range(seat + 1, 3))
            assert referee.decision == point
        assert referee.faults == []
        referee.answer(2, Bid(0))
        assert referee.decision == point + 1
        records.append(finish(referee))
    assert records[0] == records[1]
    assert [step.seat for step in decisions(records[0])[1:4]] == [0, 1, 2]


def test_moves_out_of_order_are_collected_also_if_they_may_be_played_at_once() -> None:
    referee = toy(at_once=True)
    show(referee)
    for seat in (0, 2, 1):
        referee.answer(seat, Bid(seat))
    assert [(step.seat, step.move) for step in decisions(finish(referee))[1:4]] == [
        (0, {"bid": 0}),
        (1, {"bid": 1}),
        (2, {"bid": 2}),
    ]


def test_after_a_forfeit_moves_are_in_order_also_if_they_may_be_played_at_once() -> None:
    referee = toy(4, at_once=True)
    show(referee)
    referee.forfeit(1)
    bid(referee, 0, 0, 0)
    assert [(step.seat, step.fallback) for step in decisions(finish(referee))[1:5]] == [
        (0, False),
        (1, True),
        (2, False),
        (3, False),
    ]


def test_a_listener_hears_of_simultaneous_moves_when_all_are_in_also_if_they_may_be_played_at_once() -> None:
    heard: list[object] = []
    referee = toy(at_once=True, listener=heard.append)
    show(referee)
    heard.clear()
    referee.answer(0, Bid(0))
    referee.answer(1, Bid(0))
    assert heard == []
    referee.answer(2, Bid(0))
    assert [notice.seat for notice in heard if isinstance(notice, Played)] == [0, 1, 2]


def test_an_illegal_move_is_refused_and_kept_as_sent() -> None:
    referee = toy()
    leader = referee.waiting[0]
    foreign = next(f"c{number}" for number in range(1, 13) if f"c{number}" not in referee.view(leader).hand)
    assert referee.answer(leader, Show(foreign)) is Fault.ILLEGAL
    replay = finish(referee)
    assert replay.result.faults == (FaultEntry(2, leader, Fault.ILLEGAL, {"show": foreign}),)
    assert decisions(replay)[0].fallback


def test_a_move_in_replay_notation_is_understood() -> None:
    referee = toy()
    leader = referee.waiting[0]
    card = referee.view(leader).hand[0]
    assert referee.answer(leader, {"show": card}) is None
    assert [referee.answer(seat, {"bid": 1}) for seat in referee.waiting] == [None] * 3
    assert [each.move for each in decisions(finish(referee))[:4]] == [{"show": card}, *[{"bid": 1}] * 3]


def test_an_illegal_move_in_replay_notation_is_illegal_not_malformed() -> None:
    referee = toy()
    leader = referee.waiting[0]
    assert referee.answer(leader, {"bid": 1}) is Fault.ILLEGAL
    assert finish(referee).result.faults == (FaultEntry(2, leader, Fault.ILLEGAL, {"bid": 1}),)


def test_the_record_says_when_and_why_each_seat_forfeited() -> None:
    referee = toy(max_faults=1)
    show(referee)
    referee.answer(0, Bid(1))
    referee.forfeit(1)  # while 0 has answered and 2 has not
    referee.fault(2, Fault.CRASHED)
    # Starter, deck and the shown card come before; then seat 0 bids, the fallback bids for 1, and 2 fails.
    assert finish(referee).result.forfeited == (ForfeitEntry(1, 3, Why.GRACE), ForfeitEntry(2, 5, Why.FAULTS))


def test_a_match_without_forfeits_says_so() -> None:
    assert finish(toy()).to_json()["result"]["forfeited"] == []  # type: ignore[index]


WRONG: list[object] = [
    None,
    3,
    math.nan,
    "pass",
    "x" * 100_000,
    "\ud800",
    b"\xff\x00",
    [],
    {},
    {"bid": 7},
    {"bid": 1, "x": object()},
    (1,),
    ("c1",),
    nested(50),
    object(),
    Bid,
    Bid(7),
    Bid("x" * 100_000),  # type: ignore[arg-type]
]
"""No moves of any game."""
UNPRINTABLE: list[object] = [10**5000, nested(100_000), Bid(nested(100_000)), Nasty()]  # type: ignore[arg-type]
WEIRD = WRONG + UNPRINTABLE


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("number", range(len(WEIRD)))
def test_what_is_no_move_is_malformed_and_the_record_can_be_written(number: int, alone: bool) -> None:
    referee = toy()
    if not alone:
        show(referee)
    seat = referee.waiting[0]
    assert referee.answer(seat, WEIRD[number]) is Fault.MALFORMED
    (fault,) = finish(referee).result.faults
    assert fault.kind is Fault.MALFORMED
    assert fault.sent is not None
    assert len(json.dumps(fault.sent)) <= 3000


@pytest.mark.parametrize("number", range(len(WEIRD)))
def test_a_driver_may_tell_anything_that_was_sent(number: int) -> None:
    referee = toy()
    referee.fault(referee.waiting[0], Fault.MALFORMED, sent=WEIRD[number])
    assert len(finish(referee).to_line()) < 6000


def test_what_was_sent_is_shown_as_it_was_where_that_is_short() -> None:
    referee = toy(max_faults=9)
    for sent in ({"bid": 7}, "hello", b"\x80 bytes", None):
        referee.fault(referee.waiting[0], Fault.MALFORMED, sent=sent)
    for seat in referee.waiting:
        referee.answer(seat, referee.legal(seat)[0])
    assert [fault.sent for fault in referee.faults] == [{"bid": 7}, "hello", "\ufffd bytes", None]


class Lossy(ToyGame):
    """Writes every move down as the same one."""

    def encode_move(self, move: Move) -> dict[str, object]:
        return {"bid": 0}


def test_an_illegal_move_that_would_read_as_a_legal_one_is_recorded_as_text() -> None:
    referee: Referee[Any, Any] = Referee(Lossy(), [Seat("a"), Seat("b")], SEED)
    show(referee)
    assert referee.answer(0, Show("c1")) is Fault.ILLEGAL
    assert referee.answer(1, Bid(0)) is None
    assert [fault.sent for fault in referee.faults] == ["Show(card='c1')"]


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_game_calls_these_malformed(name: str) -> None:
    game = get_game(name)
    for weird in WEIRD:
        referee: Referee[Any, Any] = Referee(game, [Seat("a")] * 3, SEED)
        assert referee.answer(referee.waiting[0], weird) is Fault.MALFORMED
        referee.void("enough")
        Replay.from_line(referee.replay().to_line())


# Clocks


def test_time_beyond_the_limit_comes_out_of_the_bank() -> None:
    referee = toy(2, options=TOY.options({"rounds": 9}), clock=Clock(100.0, 50.0))
    answered: list[tuple[Fault | None, float, float]] = []
    for ms in (100.0, 120.0, 60.0, 130.0, 100.0, 100.5, 100.0):
        while 1 not in referee.waiting:
            referee.answer(0, referee.legal(0)[0])
        fault = referee.answer(1, referee.legal(1)[0], ms)
        answered.append((fault, referee.bank_used[1], referee.time_left(1)))
    assert answered == [
        (None, 0.0, 150.0),  # exactly in time
        (None, 20.0, 130.0),
        (None, 20.0, 130.0),  # what is not used is not saved
        (None, 50.0, 100.0),  # exactly the rest of the bank
        (None, 50.0, 100.0),
        (Fault.LATE, 50.0, 100.0),
        (None, 50.0, 100.0),
    ]
    assert referee.bank_used[0] == 0.0
    assert referee.time_left(0) == 150.0


def test_a_late_answer_takes_the_rest_of_the_bank_and_is_not_kept() -> None:
    referee = toy(clock=Clock(100.0, 50.0))
    leader = referee.waiting[0]
    highest = max(referee.legal(leader))
    assert referee.answer(leader, highest, 150.5) is Fault.LATE
    assert referee.time_left(leader) == 100.0
    replay = finish(referee)
    assert replay.result.faults == (FaultEntry(2, leader, Fault.LATE),)
    assert decisions(replay)[0].ms == 150.5


def test_late_counts_before_illegal() -> None:
    referee = toy(clock=Clock(100.0, 0.0))
    assert referee.answer(referee.waiting[0], object(), 101.0) is Fault.LATE


@pytest.mark.parametrize(
    ("kind", "ms", "left"),
    [
        (Fault.LATE, None, 100.0),  # a time-out has used up everything
        (Fault.GONE, None, 150.0),
        (Fault.CRASHED, 30.0, 150.0),
        (Fault.MALFORMED, 110.0, 140.0),
        (Fault.LATE, 125.0, 125.0),
        (Fault.LATE, 999.0, 100.0),
    ],
)
def test_a_fault_costs_the_time_it_took(kind: Fault, ms: float | None, left: float) -> None:
    referee = toy(clock=Clock(100.0, 50.0))
    leader = referee.waiting[0]
    referee.fault(leader, kind, ms)
    assert referee.time_left(leader) == left


@pytest.mark.parametrize("clock", [Clock(math.inf, 0.0), Clock(10.0, math.inf), Clock(math.inf, math.inf)])
def test_without_a_limit_nothing_is_late(clock: Clock) -> None:
    referee = toy(clock=clock)
    leader = referee.waiting[0]
    assert referee.answer(leader, referee.legal(leader)[0], 1e12) is None
    assert referee.time_left(leader) == math.inf
    referee.fault(0, Fault.LATE)
    assert referee.time_left(0) == math.inf
    finish(referee)


def test_time_is_recorded_where_it_was_measured() -> None:
    referee = toy()
    leader = referee.waiting[0]
    referee.answer(leader, referee.legal(leader)[0], 1.23456)
    replay = finish(referee)
    assert [step.ms for step in decisions(replay)][:2] == [1.235, None]


# Forfeits


def test_a_seat_forfeits_after_its_faults_and_the_others_play_on() -> None:
    referee = toy(max_faults=2)
    show(referee)
    for _ in range(2):
        while 1 not in referee.waiting:
            referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
        referee.fault(1, Fault.LATE)
        while not referee.over and 1 not in referee.forfeits and 1 not in referee.waiting:
            referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
    while 1 not in referee.forfeits:
        referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
    at_forfeit = len(referee.faults)
    seen: set[int] = set()
    while not referee.over:
        seen |= {*referee.waiting}
        referee.answer(referee.waiting[0], referee.legal(referee.waiting[0])[0])
    assert seen == {0, 2}
    replay = finish(referee)
    assert at_forfeit == len(replay.result.faults) == 2
    assert replay.result.forfeits == (1,)
    assert replay.result.termination == "finished"
    assert replay.result.places[1] == 3
    last_fault = replay.result.faults[-1].step
    later = [step for step in replay.steps[last_fault:] if isinstance(step, Decision) and step.seat == 1]
    assert len(later) > 1
    assert all(step.fallback for step in later)


def test_with_two_players_a_forfeit_ends_the_match_before_the_fallback() -> None:
    referee = toy(2, max_faults=1)
    leader = show(referee)
    bid(referee, 0, 2)
    follower = 1 - leader
    assert [*referee.waiting] == [follower]
    scores = referee.view(None).scores
    referee.fault(follower, Fault.GONE)
    assert referee.over
    assert [*referee.waiting] == []
    replay = finish(referee)
    assert replay.result.termination == "forfeit"
    assert replay.result.scores == scores
    assert replay.result.places == ((1, 2) if follower == 1 else (2, 1))
    assert replay.result.forfeits == (follower,)
    assert replay.result.faults == (FaultEntry(len(replay.steps), follower, Fault.GONE),)


def test_simultaneous_forfeits_happen_by_seat_and_the_first_fallback_is_still_played() -> None:
    referee = toy(3, max_faults=1)
    show(referee)
    referee.fault(1, Fault.LATE)
    referee.fault(0, Fault.GONE)
    referee.answer(2, Bid(2))
    replay = finish(referee)
    assert replay.result.termination == "forfeit"
    assert replay.result.forfeits == (0, 1)
    assert replay.result.places == (3, 2, 1)
    assert replay.result.faults == (FaultEntry(3, 0, Fault.GONE), FaultEntry(4, 1, Fault.LATE))
    assert replay.steps[3:] == (Decision(0, {"bid": 0}, None, True),)


def test_an_earlier_forfeit_is_placed_behind_a_later_one_whatever_the_scores() -> None:
    referee = toy(5)
    show(referee)
    bid(referee, 0, 0, 0, 0, 2)
    referee.forfeit(4)
    referee.forfeit(0)
    replay = finish(referee)
    assert replay.result.forfeits == (4, 0)
    assert (replay.result.places[4], replay.result.places[0]) == (5, 4)
    rest = [(replay.result.scores[seat], replay.result.places[seat]) for seat in (1, 2, 3)]
    best = max(score for score, _ in rest)
    assert all((place == 1) == (score == best) for score, place in rest)


def test_when_everybody_fails_all_the_time_one_is_left() -> None:
    referee = toy(4, max_faults=2)
    while not referee.over:
        referee.fault(referee.waiting[-1], Fault.CRASHED)
    replay = finish(referee)
    assert replay.result.termination == "forfeit"
    assert len(replay.result.forfeits) == 3
    (winner,) = {0, 1, 2, 3} - {*replay.result.forfeits}
    assert replay.result.places[winner] == 1
    assert [replay.result.places[seat] for seat in replay.result.forfeits] == [4, 3, 2]


def test_decisions_of_forfeited_seats_never_wait() -> None:
    referee = toy(3)
    show(referee)
    next_leader = (referee.view(None).leader + 1) % 3
    referee.forfeit(next_leader)
    before = referee.decision
    bid(referee, 0, 0)
    assert referee.view(None).bidding
    assert referee.view(None).round == 1
    assert referee.waiting == tuple(seat for seat in range(3) if seat != next_leader)
    assert referee.decision == before + 2


def test_a_waiting_seat_that_forfeits_is_played_at_once_without_a_fault() -> None:
    referee = toy(3)
    leader = referee.waiting[0]
    referee.forfeit(leader)
    assert leader not in referee.waiting
    assert len(referee.waiting) == 2
    replay = finish(referee)
    assert replay.result.faults == ()
    assert decisions(replay)[0].fallback
    assert decisions(replay)[0].ms is None


def test_the_last_one_waited_for_can_forfeit() -> None:
    referee = toy(3)
    show(referee)
    referee.answer(0, Bid(1))
    referee.answer(2, Bid(1))
    referee.forfeit(1)
    assert not referee.view(None).bidding or referee.view(None).round == 1
    replay = finish(referee)
    assert [(step.move, step.fallback) for step in decisions(replay)][1:4] == [
        ({"bid": 1}, False),
        ({"bid": 0}, True),
        ({"bid": 1}, False),
    ]


def test_a_forfeit_replaces_an_answer_or_fault_that_was_not_played_yet() -> None:
    referee = toy(4)
    show(referee)
    referee.answer(1, Bid(2))
    referee.fault(2, Fault.LATE)
    referee.forfeit(1)
    referee.forfeit(2)
    bid(referee, 0, 0)
    replay = finish(referee)
    assert replay.result.faults == ()
    assert [step.fallback for step in decisions(replay)][1:5] == [False, True, True, False]
    assert decisions(replay)[2].move == {"bid": 0}


def test_grace_time_can_end_the_match() -> None:
    referee = toy(3)
    show(referee)
    referee.answer(0, Bid(2))
    referee.forfeit(2)
    assert not referee.over
    referee.forfeit(0)
    replay = finish(referee)
    assert replay.result.termination == "forfeit"
    assert replay.result.forfeits == (2, 0)
    assert replay.result.places == (2, 1, 3)
    assert replay.result.faults == ()
    assert len(replay.steps) == 3


def test_one_fault_at_least() -> None:
    with pytest.raises(UsageError):
        toy(max_faults=0)


def test_the_number_of_players_must_fit() -> None:
    with pytest.raises(UsageError, match="2 to 5"):
        toy(6)


# Voiding


def test_a_voided_match_has_no_places() -> None:
    referee = toy(max_faults=2)
    referee.fault(referee.waiting[0], Fault.LATE)
    referee.answer(0, Bid(2))
    referee.fault(1, Fault.CRASHED)
    referee.void("the server was restarted")
    assert referee.over
    assert referee.waiting == ()
    replay = finish(referee)
    result = replay.result
    assert (result.places, result.scores, result.termination) == ((), (), "voided")
    assert result.reason == "the server was restarted"
    assert len(result.faults) == 1
    assert len(replay.steps) == 3
    assert json.loads(replay.to_line())["result"]["places"] == []


# Mistakes of the driver


@pytest.mark.parametrize(
    "mistake",
    [
        lambda referee: referee.answer(1, Bid(0)),
        lambda referee: referee.answer(7, Bid(0)),
        lambda referee: referee.answer(-1, Bid(0)),
        lambda referee: referee.fault(1, Fault.LATE),
        lambda referee: referee.forfeit(4),
        lambda referee: referee.forfeit(-1),
        lambda referee: referee.forfeit(2),
        lambda referee: referee.answer(2, Bid(0)),
        lambda referee: referee.replay(),
    ],
)
def test_what_cannot_be_is_the_drivers_mistake(mistake: Callable[[Referee[Any, Any]], object]) -> None:
    referee = toy(4, options=TOY.options({"rounds": 1}))
    show(referee)
    referee.answer(1, Bid(2))
    referee.forfeit(2)
    waiting = referee.waiting
    with pytest.raises(ValueError, match=r"seats \(0, 3\) are to decide"):
        mistake(referee)
    assert referee.waiting == waiting


@pytest.mark.parametrize(
    "mistake",
    [
        lambda referee: referee.answer(0, Bid(0)),
        lambda referee: referee.fault(0, Fault.LATE),
        lambda referee: referee.forfeit(0),
        lambda referee: referee.void("late"),
    ],
)
def test_after_the_end_nothing_can_be_told(mistake: Callable[[Referee[Any, Any]], object]) -> None:
    referee = toy(options=TOY.options({"rounds": 1}))
    finish(referee)
    result = referee.result
    with pytest.raises(ValueError, match="over"):
        mistake(referee)
    assert referee.result == result


# Listening


def test_a_listener_hears_what_is_public_as_it_happens() -> None:
    heard: list[object] = []
    referee = toy(3, max_faults=1, listener=heard.append)
    leader = show(referee)
    (played,) = heard
    assert isinstance(played, Played)
    assert (played.seat, played.fallback) == (leader, False)
    heard.clear()
    referee.answer(2, Bid(2))
    referee.fault(0, Fault.GONE)
    assert heard == []
    referee.answer(1, Bid(1))
    points = int(played.move.card[1:]) - 2  # type: ignore[attr-defined]
    assert heard[:6] == [
        Faulted(0, Fault.GONE),
        Forfeited(0),
        Played(0, Bid(0), True),
        Played(1, Bid(1), False),
        Played(2, Bid(2), False),
        Scored(2, points),
    ]
    heard.clear()
    referee.void("enough")
    assert heard == [Ended(referee.result)]  # type: ignore[arg-type]


# All games


def games_and_options() -> list[tuple[str, dict[str, object], int]]:
    """Each variant, with three or four players."""
    return [
        (game.name, dict(variant.options), players)
        for game in all_games()
        for variant, players in game.tables()
        if players == (3 if game.name == "karteneck" else 4)
    ]


@pytest.mark.parametrize(("name", "options", "players"), games_and_options())
@settings(max_examples=15, deadline=None)
@given(number=st.integers(0, 10**9), fault_rate=st.sampled_from([0.0, 0.03, 0.5]), grace=st.sampled_from([0.0, 0.02]))
def test_any_course_of_a_match_gives_a_record_that_holds(
    name: str, options: dict[str, object], players: int, number: int, fault_rate: float, grace: float
) -> None:
    game = get_game(name)
    seats = [Seat(f"bot{seat}") for seat in range(players)]
    referee: Referee[Any, Any] = Referee(game, seats, number.to_bytes(8), options=game.options(options))
    play_out(referee, Random(number), fault_rate, grace)
    replay = referee.replay()
    assert verify(replay) is None
    assert Replay.from_line(replay.to_line()) == replay
    assert sorted(replay.result.places)[0] == 1
    assert len(replay.result.forfeits) < players

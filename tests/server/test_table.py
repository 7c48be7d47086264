"""The table: who is late, gone, illegal, malformed or crashed, what is our own fault, and that every match ends."""

from collections import Counter

import pytest

from roost.v1 import bratwurmeck_pb2, karteneck_pb2, play_pb2
from roost_games.referee import Clock
from roost_games.registry import GAME_NAMES, get_game
from roost_games.verify import verify
from tests.support.arenas.table_world import TableWorld


@pytest.mark.parametrize("game", GAME_NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_match_from_the_first_question_to_the_end(game: str, players: int) -> None:
    world = TableWorld(game, players).begin()
    world.play_on()
    assert world.ends == 1
    assert world.faults() == []
    assert verify(world.referee.replay()) is None


def test_nobody_is_asked_before_everybody_is_ready() -> None:
    world = TableWorld(players=2)
    world.table.start()
    assert [player.started for player in world.players] == [1, 1]
    world.table.ready(0)
    world.table.ready(0)
    world.wait(9.0)
    assert not any(player.decisions for player in world.players)
    world.table.ready(1)
    assert sum(len(player.decisions) for player in world.players) == 1


def test_getting_ready_is_not_timed() -> None:
    world = TableWorld(players=2)
    world.table.start()
    world.wait(9.0)
    for seat in range(2):
        world.table.ready(seat)
    assert world.players[world.turn()].decisions[0].time_left_ms == 3_000


def test_the_time_that_others_wait_for_a_seat_is_counted() -> None:
    """It counts from the deal until the seat is ready, and from each question to its answer."""
    world = TableWorld(players=2)
    world.table.start()
    world.table.ready(0)
    world.wait(3.0)
    world.table.ready(1)
    assert world.table.taken_ms == [0.0, 3_000.0]
    seat = world.turn()
    world.wait(0.5)
    world.answer(seat)
    assert world.table.taken_ms[seat] == (3_500.0 if seat == 1 else 500.0)


def test_a_seat_that_takes_too_long_for_the_match_forfeits_it() -> None:
    """No answer is late, and still the match has an end."""
    world = TableWorld(players=2, match_seconds=5.0).begin()
    answered = Counter[int]()
    while not world.referee.over:
        seat = world.turn()
        world.wait(0.9)
        if not world.referee.over:
            answered[seat] += 1
            world.answer(seat)
    assert world.faults() == []
    assert world.referee.result is not None
    assert world.referee.result.termination == "forfeit"
    # Five answers of 0.9 s are possible within 5 s, and the sixth is not waited for.
    assert max(answered.values()) == 5


def test_who_does_not_get_ready_is_gone_and_the_others_play() -> None:
    world = TableWorld(players=3, max_faults=2)
    world.table.start()
    world.table.ready(0)
    world.table.ready(2)
    world.wait(61.0)
    for _ in range(10_000):
        world.play_on()
        world.wait(0.03)
        if world.ends:
            break
    assert world.ends == 1
    assert world.faults() == [(1, "gone"), (1, "gone")]
    assert world.referee.forfeits == [1]
    assert world.players[1].decisions == []


def test_who_gets_ready_late_plays_from_then_on() -> None:
    world = TableWorld(players=2, max_faults=1_000)
    world.table.start()
    world.table.ready(0)
    world.wait(61.0)
    while not world.faults():
        world.answer(0)
    world.table.ready(1)
    world.play_on()
    assert world.ends == 1
    assert {seat for seat, _ in world.faults()} == {1}
    assert world.players[1].decisions


def test_a_silent_bot_is_late_even_if_another_never_got_ready() -> None:
    world = TableWorld(players=3, max_faults=1)
    world.table.start()
    world.table.ready(0)
    world.table.ready(2)
    for _ in range(100):
        world.wait(61.0)
    assert world.ends == 1
    # With two forfeits the match is over: the third seat may have had no turn.
    assert set(world.faults()) < {(0, "late"), (1, "gone"), (2, "late")}
    assert len(world.referee.forfeits) == 2


@pytest.mark.parametrize("ready", [(), (0,), (0, 1)])
@pytest.mark.parametrize("later", [(), (0,)])
def test_who_stays_away_before_the_match_forfeits_it(ready: tuple[int, ...], later: tuple[int, ...]) -> None:
    world = TableWorld(players=2)
    world.table.start()
    for seat in ready:
        world.table.ready(seat)
    world.table.forfeit(1)
    for seat in later:
        world.table.ready(seat)
    world.wait(0.03)
    assert world.ends == 1
    assert world.referee.forfeits == [1]
    assert world.referee.result is not None
    assert world.referee.result.places == (1, 2)


def test_a_forfeit_is_told_once() -> None:
    world = TableWorld(players=3).begin()
    world.table.forfeit(1)
    world.table.forfeit(1)
    world.play_on()
    world.table.forfeit(2)
    assert world.ends == 1
    assert world.referee.forfeits == [1]


def test_the_others_play_on_after_a_forfeit() -> None:
    world = TableWorld("haecmaec", 4).begin()
    world.table.forfeit(world.turn())
    world.play_on()
    assert world.ends == 1
    assert world.faults() == []
    assert len(world.referee.forfeits) == 1
    assert verify(world.referee.replay()) is None


def test_a_silent_bot_is_late() -> None:
    world = TableWorld(players=2, max_faults=3, clock=Clock(1_000, 2_000)).begin()
    seat = world.turn()
    world.wait(2.9)
    assert world.faults() == []
    world.wait(0.2)
    assert world.faults() == [(seat, "late")]
    while not world.ends:
        if world.turn() == seat:
            world.wait(1.1)
        else:
            world.answer(world.turn())
    assert world.faults() == [(seat, "late")] * 3
    assert world.referee.forfeits == [seat]


def test_the_bank_is_used_up_before_anybody_is_late() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 2_000)).begin()
    seat = world.turn()
    world.time += 2.5
    assert world.answer(seat)
    assert world.faults() == []
    while world.turn() != seat:
        world.answer(world.turn())
    asked = world.players[seat].decisions[-1]
    assert (asked.time_left_ms, asked.bank_left_ms) == (1_500, 500)
    world.time += 1.6
    assert world.answer(seat)
    assert world.faults() == [(seat, "late")]


def test_an_answer_is_late_as_well_when_nobody_looked_at_the_clock_before() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    world.time += 1.1
    assert world.answer(seat)
    assert world.faults() == [(seat, "late")]


def test_an_answer_that_comes_after_the_time_is_ignored_by_its_number() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    overdue = world.good_answer(seat)
    world.wait(1.1)
    assert not world.answer(seat, overdue)
    while world.turn() != seat:
        world.answer(world.turn())
    assert not world.answer(seat, overdue)
    assert world.faults() == [(seat, "late")]


def test_an_answer_counts_once() -> None:
    world = TableWorld("haecmaec", 3).begin()
    seat = world.turn()
    answer = world.good_answer(seat)
    assert world.answer(seat, answer)
    assert not world.answer(seat, answer)
    assert world.faults() == []


def test_an_answer_of_who_was_not_asked() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    assert not world.table.answer(1 - seat, world.good_answer(seat), world.pulse.read())
    assert not world.answer(seat, play_pb2.Answer(match=1, request=99))
    assert world.faults() == []


def test_a_question_that_was_not_written_cannot_be_answered() -> None:
    world = TableWorld(players=2)
    for player in world.players:
        player.reading = False
    world.begin()
    seat = world.turn()
    guess = play_pb2.Answer(match=1, request=world.request_of(seat))
    assert not world.answer(seat, guess)
    assert world.faults() == []


def test_malformed() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    request = world.request_of(seat)
    other_game = play_pb2.Move(karteneck=karteneck_pb2.KarteneckMove(lay=[1]))
    assert world.answer(seat, play_pb2.Answer(request=request, move=other_game))
    assert world.faults() == [(seat, "malformed")]
    assert "karteneck" in str(world.referee.faults[0].sent)


def test_no_move_at_all_is_malformed() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    assert world.answer(seat, play_pb2.Answer(request=world.request_of(seat)))
    assert world.faults() == [(seat, "malformed")]


def test_illegal() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    take = next(face for face in range(1, 7) if face not in world.players[seat].decisions[-1].view.bratwurmeck.roll)
    move = play_pb2.Move(bratwurmeck=bratwurmeck_pb2.BratwurmeckMove(take=take))
    assert world.answer(seat, play_pb2.Answer(request=world.request_of(seat), move=move))
    assert world.faults() == [(seat, "illegal")]


def test_crashed() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    world.pulse.own_ms += 5.0
    assert world.answer(seat, play_pb2.Answer(request=world.request_of(seat), crashed=True))
    assert world.faults() == [(seat, "crashed")]
    world.play_on()
    assert verify(world.referee.replay()) is None


def test_a_bot_that_is_away_is_gone_when_its_time_is_up() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 500)).begin()
    seat = world.turn()
    world.players[seat].connected = False
    world.wait(1.4)
    assert world.faults() == []
    world.wait(0.2)
    assert world.faults() == [(seat, "gone")]
    while world.turn() != seat:
        world.answer(world.turn())
    world.wait(1.1)
    assert world.faults() == [(seat, "gone")] * 2


def test_the_clock_runs_on_while_a_bot_is_away() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 500)).begin()
    seat = world.turn()
    world.players[seat].connected = False
    world.wait(0.8)
    world.players[seat].connected = True
    again = world.players[seat].write(world.table.questions.get(seat))
    assert again.request == world.request_of(seat)
    assert (again.time_left_ms, again.bank_left_ms) == pytest.approx((700, 500), abs=1)
    world.wait(0.4)
    again = world.players[seat].write(world.table.questions.get(seat))
    assert (again.time_left_ms, again.bank_left_ms) == pytest.approx((300, 300), abs=1)
    world.wait(0.35)
    assert world.faults() == [(seat, "late")]


def test_the_clock_of_a_question_that_was_never_written_runs_when_the_bot_is_lost() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0))
    for player in world.players:
        player.reading = False
    world.begin()
    seat = world.turn()
    world.wait(1.5)
    world.players[seat].connected = False
    world.table.lost(seat)
    world.wait(0.9)
    assert world.faults() == []
    world.wait(0.2)
    assert world.faults() == [(seat, "gone")]


def test_the_clock_of_a_bot_that_does_not_read_runs_after_a_while() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0))
    for player in world.players:
        player.reading = False
    world.begin()
    seat = world.turn()
    world.wait(1.9)
    world.wait(0.2)
    world.wait(0.9)
    assert world.faults() == []
    world.wait(0.2)
    assert world.faults() == [(seat, "late")]


def test_a_bot_that_is_not_there_when_it_is_asked() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0))
    world.players[0].connected = world.players[1].connected = False
    world.begin()
    world.wait(1.1)
    assert [kind for _, kind in world.faults()] == ["gone"]


def test_the_way_there_and_back_is_not_counted() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    world.players[seat].allowance_ms = 50.0
    world.time += 1.04
    assert world.answer(seat)
    assert world.faults() == []
    (step,) = [step for step in world.referee._steps if isinstance(step, tuple) and step[0] == seat][:1]
    assert step[2] == pytest.approx(990.0)


def test_our_own_delay_is_credited_to_a_late_answer() -> None:
    """1,200 ms passed, 300 of them ours: 900 of the bot's 1,000 are used."""
    world = TableWorld(players=3, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    world.time += 1.2
    world.pulse.own_ms += 300.0
    world.table.sweep(world.pulse.read())
    assert world.answer(seat)
    assert (world.ends, world.faults()) == (0, [])
    (step,) = [step for step in world.referee._steps if isinstance(step, tuple) and step[0] == seat][:1]
    assert step[2] == pytest.approx(900.0)


def late_by_a_long_delay(*, voidable: bool) -> tuple[TableWorld, int]:
    """An answer after 2,100 ms, of which 1,500 are our own delay. At most 1,000 are credited, which is not enough."""
    world = TableWorld(players=3, clock=Clock(1_000, 0), voidable=voidable).begin()
    seat = world.turn()
    world.time += 2.1
    world.pulse.own_ms += 1_500.0
    assert world.answer(seat)
    assert world.faults() == []
    return world, seat


def test_a_match_is_voided_if_nobody_knows_when_an_answer_came() -> None:
    world, seat = late_by_a_long_delay(voidable=True)
    assert world.ends == 1
    result = world.referee.result
    assert result is not None
    assert (result.termination, result.places, result.reason) == ("voided", (), "the arena itself was late")
    assert result.asked == (seat,)
    assert verify(world.referee.replay()) is None


def test_a_match_that_may_not_be_voided_any_more_goes_on() -> None:
    world, _ = late_by_a_long_delay(voidable=False)
    assert world.ends == 0


def test_our_own_delay_does_not_excuse_the_bots() -> None:
    world = TableWorld(players=3, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    world.time += 1.5
    world.pulse.own_ms += 300.0
    assert world.answer(seat)
    assert world.faults() == [(seat, "late")]


def test_a_silent_bot_is_late_in_the_end_however_late_we_were() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0)).begin()
    seat = world.turn()
    world.pulse.own_ms += 5_000.0
    world.wait(5.9)
    assert world.faults() == []
    world.wait(0.2)
    assert world.faults() == [(seat, "late")]


def test_our_own_delay_is_not_taken_from_the_bank() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 2_000)).begin()
    seat = world.turn()
    world.time += 1.5
    world.pulse.own_ms += 700.0
    assert world.answer(seat)
    assert world.referee.bank_used[seat] == 0.0
    assert world.ends == 0


def test_delays_before_the_question_do_not_matter() -> None:
    world = TableWorld(players=2, clock=Clock(1_000, 0))
    world.pulse.own_ms = 10_000.0
    world.begin()
    seat = world.turn()
    world.wait(1.1)
    assert world.faults() == [(seat, "late")]


def test_a_voided_match_is_over() -> None:
    world = TableWorld(players=2).begin()
    seat = world.turn()
    answer = world.good_answer(seat)
    world.table.void("the arena shut down")
    world.table.void("again")
    assert world.ends == 1
    assert not world.answer(seat, answer)
    world.wait(100.0)
    world.table.ready(0)
    world.table.forfeit(0)
    assert world.ends == 1
    assert world.table.questions.get(seat) is None


def test_a_match_that_nobody_got_ready_for_can_be_voided() -> None:
    world = TableWorld(players=2)
    world.table.start()
    world.table.void("the arena shut down")
    assert world.ends == 1
    assert verify(world.referee.replay()) is None


def test_several_late_seats_of_one_decision() -> None:
    world = TableWorld("haecmaec", 4, clock=Clock(1_000, 0), max_faults=1).begin()
    while len(world.referee.waiting) < 3:
        world.answer(world.turn())
    silent = world.referee.waiting
    world.wait(1.1)
    assert world.ends == 1
    # The last of three has won the moment the others forfeited.
    assert {seat for seat, _ in world.faults()} <= set(silent)
    assert verify(world.referee.replay()) is None


def test_legal_moves_are_listed_for_those_who_want_them() -> None:
    world = TableWorld("karteneck", 2).begin()
    seat = world.turn()
    decision = world.players[seat].decisions[-1]
    assert decision.legal_count == len(decision.legal) == len(world.referee.legal(seat))
    world.players[seat].wants_legal = False
    decision = world.players[seat].write(world.table.questions.get(seat))
    assert (decision.legal_count, len(decision.legal)) == (0, 0)


@pytest.mark.parametrize("game", GAME_NAMES)
def test_the_start_tells_what_is_played(game: str) -> None:
    world = TableWorld(game, 3, clock=Clock(1_000, 2_000))
    message = world.table.start_message(2)
    assert (message.match, message.match_id, message.game) == (7, "m", game)
    assert (message.players, message.seat, list(message.bots)) == (3, 2, ["bot0", "bot1", "bot2"])
    assert (message.clock.decision_ms, message.clock.bank_ms, message.max_faults) == (1_000, 2_000, 3)
    assert message.options.WhichOneof("options") == game
    assert get_game(game).title


def test_events_are_told_to_those_who_want_them() -> None:
    world = TableWorld(players=2)
    events: list[play_pb2.Event] = []
    world.table.watch(events.append)
    world.begin()
    for _ in range(3):
        world.answer(world.turn())
    world.table.unwatch(events.append)
    world.answer(world.turn())
    assert len(events) == 3
    assert all(event.move.WhichOneof("move") == "bratwurmeck" for event in events)

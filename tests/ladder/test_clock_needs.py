"""What a run says about other clocks: hand-calculated needs, and the line that a person reads."""

import math

import pytest

from roost_games.chance import seed_of
from roost_games.referee import Clock, Fault, Referee, Seat
from roost_games.registry import get_game
from roost_ladder.running.clock_needs import ClockNeeds, needed_ms, needs_of

CLOCK = Clock(1_000, 10_000)


@pytest.mark.parametrize(
    ("times", "bank_ms", "needed"),
    [
        ((), 100, 0),
        ((30, 70), 100, 0),
        ((300, 20), 100, 200),
        # 300 and 250 are 100 ms longer than 225 together; with 225 ms the third one is within its time.
        ((300, 250, 20), 100, 225),
        ((300, 250, 240), 100, 230),
        ((50, 60), 0, 60),
    ],
)
def test_a_bot_needs_the_time_with_which_its_bank_just_lasts(
    times: tuple[float, ...], bank_ms: float, needed: float
) -> None:
    assert needed_ms(times, bank_ms) == pytest.approx(needed)
    assert sum(max(0, ms - needed) for ms in times) <= bank_ms


def test_what_a_match_needed_is_what_the_referee_was_told() -> None:
    referee = Referee(get_game("karteneck"), [Seat("a"), Seat("b")], seed_of("needs"), clock=Clock(100, 50))
    slow = referee.waiting[0]
    while not referee.over:
        (seat,) = referee.waiting
        referee.answer(seat, referee.legal(seat)[0], 110 if seat == slow else 3)
        if referee.bank_left(slow) == 0:
            break
    while not referee.over:
        (seat,) = referee.waiting
        if seat == slow:
            referee.fault(seat, Fault.LATE)
        else:
            referee.answer(seat, referee.legal(seat)[0], 3)
    assert needs_of(referee) == tuple(math.inf if seat == slow else 0 for seat in (0, 1))


def line(**needs: list[float]) -> str:
    run = ClockNeeds()
    for bot, matches in needs.items():
        for needed in matches:
            run.add([bot], [needed])
    return run.line(CLOCK)


HERE = "Late with 1 s a decision and 10 s in the bank: nobody.\n"


def test_the_line_names_the_clock_that_is_just_enough_and_who_is_late_with_the_next_one() -> None:
    assert line() == ""
    assert line(quick=[0.2, 0.9]) == f"{HERE}With --decision-ms 1: nobody."
    assert line(quick=[0.2] * 3, slow=[3, 150, 101]) == (
        f"{HERE}With --decision-ms 100: slow in 2 of 3 matches; with 200: nobody."
    )
    assert line(slow=[math.inf, 1], quick=[15]) == (
        "Late with 1 s a decision and 10 s in the bank: slow in 1 of 2 matches.\n"
        "With --decision-ms 10: quick in 1 of 1 match; with 20: nobody else."
    )
    many = {name: [15.0] * (3 + len(name)) for name in ("a", "bb", "ccc", "dddd", "eeeee")}
    assert line(**many) == (
        f"{HERE}With --decision-ms 10: eeeee in 8 of 8 matches, dddd in 7 of 7 matches, ccc in 6 of 6 matches and "
        "2 more bots; with 20: nobody."
    )

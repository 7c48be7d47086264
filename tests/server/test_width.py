"""How many matches a bot is given at once, by how fast it answers, for bots whose speed is known."""

from collections.abc import Callable

import pytest

from roost_server.play.pacing.width import Width

LIMIT_MS = 1_000.0
MOST = 128


def widths(answer_ms: Callable[[int], float], answers: int = 20_000, most: int = MOST) -> list[int]:
    """The numbers that a bot is given, one after the other, if it plays as many matches as it is given.

    `answer_ms` says how long an answer takes, by the number of matches in which the bot is asked.
    """
    width = Width(most)
    seen = [1]
    for _ in range(answers):
        if width.note_answer(answer_ms(width.number), LIMIT_MS):
            width.look(playing=width.number)
            seen.append(width.number)
    return seen


def one_after_another(ms: float) -> Callable[[int], float]:
    """A bot that thinks about one match at a time: an answer waits for those to all other matches."""
    return lambda matches: ms * matches


def test_a_bot_that_answers_at_once_is_given_all_that_it_asks_for() -> None:
    seen = widths(one_after_another(0.01))
    assert seen[:8] == [1, 2, 4, 8, 16, 32, 64, 128]
    assert set(seen[8:]) == {MOST}
    assert max(widths(one_after_another(0.01), most=5)) == 5


@pytest.mark.parametrize(("ms", "most"), [(1.0, 32), (30.0, 4), (300.0, 1)])
def test_a_bot_that_thinks_about_one_match_at_a_time_is_given_no_more_than_keep_it_busy(ms: float, most: int) -> None:
    """By hand, for 30 ms: with 2 matches an answer takes 60 ms, less than twice 30 and 20; with 4 it takes 120."""
    seen = widths(one_after_another(ms))
    assert max(seen) == most
    # Others wait for its answers for a fraction of the time that a decision may take.
    assert max(ms * width for width in seen) < LIMIT_MS / 2


def test_a_bot_that_thinks_about_all_matches_at_the_same_time_is_given_all_that_it_asks_for() -> None:
    assert max(widths(lambda matches: 200.0)) == MOST


def test_a_bot_that_becomes_slower_is_given_fewer_and_then_more_again() -> None:
    width = Width(MOST)
    slow = False

    def play(answers: int) -> None:
        for _ in range(answers):
            if width.note_answer(5.0 * width.number if slow else 0.01, LIMIT_MS):
                width.look(width.number)

    play(5_000)
    assert width.number == MOST
    slow = True
    play(5_000)
    assert width.number <= 16
    slow = False
    play(5_000)
    assert width.number == MOST


def test_an_answer_that_takes_more_than_half_of_the_time_is_looked_at_at_once() -> None:
    """The bot is given half as many matches, and no more for a while."""
    width = Width(MOST)
    while width.number < 64:
        if width.note_answer(1.0, LIMIT_MS):
            width.look(width.number)
    assert width.note_answer(600.0, LIMIT_MS)
    width.look(64)
    assert width.number == 32
    for _ in range(10):
        while not width.note_answer(1.0, LIMIT_MS):
            pass
        assert not width.look(32)


def test_a_bot_that_does_not_play_what_it_is_given_is_not_given_more() -> None:
    width = Width(MOST)
    for _ in range(1_000):
        if width.note_answer(0.01, LIMIT_MS):
            width.look(playing=1)
    assert width.number == 2


def test_a_host_can_fix_the_number() -> None:
    """A bot that asks for fewer gets fewer. Nobody gets more than one match before it has been ready for one."""
    width, small = Width(MOST, fixed=8), Width(4, fixed=8)
    assert (width.number, small.number) == (1, 1)
    assert width.note_ready()
    assert not width.note_ready()
    small.note_ready()
    assert (width.number, small.number) == (8, 4)
    for _ in range(1_000):
        if width.note_answer(900.0, LIMIT_MS):
            width.look(8)
    assert width.number == 8

"""When a competition changes its phase: by the clock, by hand, never backwards."""

from datetime import UTC, datetime

import pytest

from roost_games.errors import UsageError
from roost_server.competition.file import PhaseName, parse_competition
from roost_server.competition.phases import ANNOUNCED, check_change, due_phases, next_change

HEAD = 'name = "cup"\n[[games]]\ngame = "karteneck"\n'
TIMED = parse_competition(
    HEAD
    + """
[[phases]]
phase = "registration"
starts = 2027-03-01T18:00:00Z
[[phases]]
phase = "ladder"
starts = 2027-03-02T18:00:00Z
[[phases]]
phase = "finals"
[[phases]]
phase = "done"
starts = 2027-03-05T18:00:00Z
"""
)
BY_HAND = parse_competition(HEAD + '[[phases]]\nphase = "ladder"\n[[phases]]\nphase = "done"\n')


def at(day: int, hour: int = 18) -> datetime:
    return datetime(2027, 3, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("current", "now", "due"),
    [
        (ANNOUNCED, at(1, 17), None),
        (ANNOUNCED, at(1), PhaseName.REGISTRATION),
        ("registration", at(2, 17), None),
        ("registration", at(2), PhaseName.LADDER),
        ("ladder", at(4), None),
        ("finals", at(4), None),
        ("finals", at(5), None),
        ("done", at(9), None),
    ],
)
def test_the_clock_changes_phases_that_have_a_time(current: str, now: datetime, due: PhaseName | None) -> None:
    assert due_phases(TIMED, current, now)[-1:] == ([due] if due else [])


def test_the_clock_neither_leaves_finals_out_nor_cuts_them_short() -> None:
    """The time of the end is the earliest one: before it a competition is not done, even if its finals are over."""
    assert not due_phases(TIMED, "ladder", at(9))
    assert not due_phases(TIMED, "finals", at(4), played_out=True)
    assert due_phases(TIMED, "finals", at(5), played_out=True)[-1] == PhaseName.DONE


def test_an_arena_that_was_down_for_days_goes_to_the_phase_of_the_day() -> None:
    assert due_phases(TIMED, ANNOUNCED, at(3))[-1] == PhaseName.LADDER


def test_a_clock_that_jumps_back_does_not_take_a_phase_back() -> None:
    assert not due_phases(TIMED, "ladder", at(1, 3))


def test_a_first_phase_without_a_time_begins_at_once_and_the_others_wait_for_an_admin() -> None:
    assert due_phases(BY_HAND, ANNOUNCED, at(1))[-1] == PhaseName.LADDER
    assert not due_phases(BY_HAND, "ladder", at(30))


def test_what_comes_next() -> None:
    assert next_change(TIMED, "registration") == at(2)
    assert next_change(TIMED, "ladder") is None, "the finals begin by hand, and end when they are played out"
    assert next_change(BY_HAND, "ladder") is None


def test_an_admin_goes_forward_only() -> None:
    assert check_change(TIMED, "ladder", "finals") is PhaseName.FINALS
    with pytest.raises(UsageError, match="in the phase 'finals' and cannot change to 'ladder'; it can go on to done"):
        check_change(TIMED, "finals", "ladder")
    with pytest.raises(UsageError, match="cannot change to 'freeze'; it can go on to finals, done"):
        check_change(TIMED, "ladder", "freeze")
    with pytest.raises(UsageError, match="it is over"):
        check_change(TIMED, "done", "finals")

"""What a ladder and its bots may use in an hour."""

import math
import time

import pytest

from roost_ladder.blocks import Block
from roost_server.play.block import OpenBlock
from roost_server.play.pacing.allowances import Allowances
from roost_server.settings import Settings


class Time:
    """The time, as a test sets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def block(*group: int, matches: int = 2) -> OpenBlock:
    """A block of which this many matches are to be played."""
    settings = Settings()
    return OpenBlock(
        Block("b", "karteneck", group, bytes(32)), settings.tables[0], settings, list(range(matches)), waits_since=0.0
    )


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def test_a_bot_has_its_matches_at_once_and_then_as_time_passes(clock: Time) -> None:
    allowances = Allowances(Settings(matches_per_bot_hour=60))
    for _ in range(30):
        assert allowances.at_once(1, most=8) == 8
        allowances.begin(block(1, 2))
    assert allowances.at_once(1, most=8) == 0
    assert allowances.rests(1)
    clock.now += 59
    assert allowances.rested() == []
    clock.now += 2
    assert sorted(allowances.rested()) == [1]
    # The other bot has used as much, but nobody has asked about it.
    assert not allowances.rests(2)


def test_nothing_is_saved_for_more_than_an_hour(clock: Time) -> None:
    allowances = Allowances(Settings(matches_per_bot_hour=60))
    allowances.begin(block(1, 2))
    clock.now += 1_000_000
    for _ in range(30):
        assert allowances.at_once(1, most=8)
        allowances.begin(block(1, 2))
    assert not allowances.at_once(1, most=8)


def test_the_longer_others_wait_for_a_bot_the_less_it_plays_at_once(clock: Time) -> None:
    allowances = Allowances(Settings(arena_seconds_per_hour=1200))
    at_once = []
    for _ in range(5):
        at_once.append(allowances.at_once(1, most=8))
        allowances.wait(1, 300)
    assert at_once == [8, 6, 4, 2, 0]
    # It owes 300 s, and gets 1200 s an hour.
    clock.now += 899
    assert allowances.at_once(1, most=8) == 0
    clock.now += 2
    assert allowances.at_once(1, most=8) == 1
    assert allowances.at_once(2, most=8) == 8


def test_a_ladder_begins_as_many_matches_as_it_may(clock: Time) -> None:
    allowances = Allowances(Settings(matches_per_hour=36))
    for _ in range(9):
        assert allowances.may_begin
        allowances.begin(block(1, 2, 3, 4, matches=4))
    assert not allowances.may_begin
    clock.now += 101
    assert allowances.may_begin


def test_without_limits(clock: Time) -> None:
    allowances = Allowances(Settings().unpaced())
    for _ in range(1000):
        allowances.begin(block(1, 2, matches=1000))
        allowances.wait(1, 1000)
    assert allowances.may_begin
    assert allowances.at_once(1, most=7) == 7
    assert math.isinf(Settings().unpaced().disk_gb)

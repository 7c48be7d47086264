"""Latency and our own delay, told by hand."""

import asyncio
from collections.abc import Callable

import pytest

from roost_server.clocks import PINGS_REMEMBERED, PULSE_SECONDS, Latency, Pulse


def test_latency_before_the_first_pong() -> None:
    latency = Latency(cap_ms=50.0)
    latency.ping(10.0)
    assert (latency.last_ms, latency.allowance_ms) == (0.0, 0.0)


def test_latency_is_the_time_from_ping_to_pong() -> None:
    latency = Latency(cap_ms=50.0)
    latency.pong(latency.ping(10.0), 10.02)
    assert latency.last_ms == pytest.approx(20.0)
    assert latency.allowance_ms == pytest.approx(20.0)


def test_the_allowance_is_the_least_of_the_recent_measurements() -> None:
    latency = Latency(cap_ms=50.0)
    for ms in (30, 10, 40):
        latency.pong(latency.ping(10.0), 10.0 + ms / 1000)
    assert latency.last_ms == pytest.approx(40.0)
    assert latency.allowance_ms == pytest.approx(10.0)
    for _ in range(PINGS_REMEMBERED):
        latency.pong(latency.ping(20.0), 20.045)
    assert latency.allowance_ms == pytest.approx(45.0)


def test_dawdling_over_pings_gains_no_more_than_the_cap() -> None:
    latency = Latency(cap_ms=50.0)
    latency.pong(latency.ping(10.0), 14.0)
    assert latency.last_ms == pytest.approx(4_000.0)
    assert latency.allowance_ms == 50.0


def test_pongs_that_answer_nothing_are_ignored() -> None:
    latency = Latency(cap_ms=50.0)
    first = latency.ping(10.0)
    second = latency.ping(11.0)
    for number in (0, first, second + 1, 2**32 - 1):
        latency.pong(number, 11.01)
    assert latency.last_ms == 0.0
    latency.pong(second, 11.01)
    latency.pong(second, 15.0)
    assert latency.last_ms == pytest.approx(10.0)


def test_pings_are_never_zero_and_never_the_same() -> None:
    latency = Latency(cap_ms=50.0)
    numbers = [latency.ping(float(number)) for number in range(20)]
    assert 0 not in numbers
    assert len(set(numbers)) == 20


class FakeLoop:
    """A loop whose time and punctuality a test decides."""

    def __init__(self) -> None:
        self.now = 100.0
        self.due: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> "FakeLoop":
        self.due.append((when, callback))
        return self

    def cancel(self) -> None:
        self.due.clear()

    def run(self, late: float = 0.0) -> None:
        """The next callback comes `late`."""
        when, callback = self.due.pop(0)
        self.now = when + late
        callback()


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> FakeLoop:
    fake = FakeLoop()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: fake)
    return fake


def test_a_punctual_loop_has_no_delay(loop: FakeLoop) -> None:
    pulse = Pulse()
    assert pulse.read().delayed_ms == 0.0
    pulse.start()
    for _ in range(10):
        loop.run(late=0.002)
    assert pulse.read().delayed_ms == 0.0


def test_delays_add_up(loop: FakeLoop) -> None:
    pulse = Pulse()
    pulse.start()
    loop.run(late=0.5)
    loop.run()
    loop.run(late=0.25)
    assert pulse.read().delayed_ms == pytest.approx(750.0)


def test_a_delay_is_seen_before_the_beat_that_is_late(loop: FakeLoop) -> None:
    pulse = Pulse()
    pulse.start()
    loop.now += PULSE_SECONDS + 0.3
    assert pulse.read().delayed_ms == pytest.approx(300.0)
    loop.run(late=0.3)
    assert pulse.read().delayed_ms == pytest.approx(300.0)


def test_nothing_is_late_between_two_beats(loop: FakeLoop) -> None:
    pulse = Pulse()
    pulse.start()
    loop.now += PULSE_SECONDS / 2
    assert pulse.read().delayed_ms == 0.0


def test_listeners_hear_every_beat_until_it_stops(loop: FakeLoop) -> None:
    pulse = Pulse()
    beats: list[float] = []
    pulse.every_beat(lambda: beats.append(loop.now))
    pulse.start()
    for _ in range(3):
        loop.run()
    assert beats == pytest.approx([100.0 + n * PULSE_SECONDS for n in (1, 2, 3)])
    pulse.stop()
    assert loop.due == []


def test_a_pulse_that_was_never_started_can_be_stopped() -> None:
    Pulse().stop()

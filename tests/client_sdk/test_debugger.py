"""The clock of local play stands still while an author looks at a bot with a debugger, and at no other time."""

import sys
from bdb import Bdb
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from roost_bots import SAMPLES
from roost_games.chance import seed_of
from roost_games.referee import Clock, Fault
from roost_games.registry import get_game
from roost_games.replay import Decision
from roost_sdk import Bot, LoadedBot, LocalMatch
from roost_sdk import seat as seat_module
from roost_sdk.local import DEBUGGED
from roost_sdk.seat import BotSeat, SeatedBot
from roost_sdk.troubles.debugger import DebuggerWatch, is_in_debugger

CLOCK = Clock(1_000, 0)


class Time:
    """Goes on when somebody looks at a bot."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def look(self, *given: object, **named: object) -> None:
        self.now += 60.0


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(seat_module, "perf_counter", time)
    monkeypatch.setattr(sys, "breakpointhook", time.look)
    return time


def played(bot_class: type[Bot]) -> tuple[LocalMatch, list[str]]:
    told: list[str] = []
    bots = [LoadedBot("looked-at", bot_class), LoadedBot("random", SAMPLES["random"])]
    match = LocalMatch(
        get_game("karteneck"), bots, seed_of("debugger"), clock=CLOCK, tell=lambda trouble: told.append(trouble.what)
    )
    match.play()
    return match, told


@pytest.mark.usefixtures("time")
def test_a_breakpoint_stops_the_clock_and_it_is_said() -> None:
    class LookedAt(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            breakpoint()
            return legal[0]

    match, told = played(LookedAt)
    assert match.referee.faults == []
    own = [step for step in match.referee.replay().steps if isinstance(step, Decision) and step.seat == 0]
    assert {step.ms or 0.0 for step in own} == {0.0}
    assert told == [DEBUGGED] * len(own)


def test_without_a_debugger_a_slow_bot_is_late(time: Time) -> None:
    class Slow(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            time.look()
            return legal[0]

    match, told = played(Slow)
    assert {fault.kind for fault in match.referee.faults} == {Fault.LATE}
    assert DEBUGGED not in told


def test_the_clock_of_a_seat_elsewhere_runs_on(time: Time) -> None:
    class LookedAt(Bot):
        def choose(self, view: Any, legal: Sequence[Any]) -> Any:
            breakpoint()
            return legal[0]

    bot = SeatedBot(LookedAt, BotSeat("karteneck", 0, 2, Random(1)))
    bot.start()
    assert bot.decide(None, (1,)) == (1, None, 60_000.0)


def test_a_debugger_that_steps_on_is_noticed() -> None:
    watch = DebuggerWatch()
    assert not watch.was_used()
    former, debugger = sys.gettrace(), Bdb()
    debugger.reset()
    sys.settrace(debugger.trace_dispatch)
    try:
        used = watch.was_used()
    finally:
        sys.settrace(former)
    assert used
    assert not is_in_debugger(sys._getframe())

"""What an author is told: each trouble once in full, then how often, and that a bot hangs."""

import threading
from queue import SimpleQueue
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from roost_sdk import Bot, Stats
from roost_sdk.arena import matches
from roost_sdk.arena.drivers import Driver
from roost_sdk.arena.matches import Matches, Unsent
from roost_sdk.seat import BotSeat, SeatedBot
from roost_sdk.troubles import hangs
from roost_sdk.troubles.hangs import Hang, hang_line, watched
from roost_sdk.troubles.log import MOST_TOLD, PAUSE_SECONDS, Trouble, TroubleLog


class Told:
    """A log whose time a test decides about, and what it said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.now = 0.0
        self.log = TroubleLog(self.lines.append, lambda: self.now)

    def taken(self) -> list[str]:
        taken, self.lines[:] = self.lines.copy(), []
        return taken


LOST = Trouble(1, "ann", "crashed: KeyError: 'W'", "  File ...")


def test_the_same_trouble_is_told_once_and_then_counted() -> None:
    told = Told()
    for match in ("a", "a", "b"):
        told.log.tell(LOST, match)
    assert told.taken() == ["seat 1 (ann) crashed: KeyError: 'W'\n  File ..."]
    told.now += PAUSE_SECONDS
    told.log.tell(LOST._replace(times=4), "b")
    assert told.taken() == ["ann crashed: KeyError: 'W' ×7 so far, in 2 matches"]
    told.log.tell(LOST._replace(seat=0), "c")
    assert told.taken() == []
    told.log.close()
    assert told.taken() == ["ann crashed: KeyError: 'W' ×8, in 3 matches"]
    told.log.close()
    assert told.taken() == []


def test_a_trouble_that_came_once_is_not_counted() -> None:
    told = Told()
    told.log.tell(LOST, "a")
    told.log.close()
    assert told.lines == [str(LOST)]


def test_only_a_few_kinds_are_told_and_the_others_counted() -> None:
    told = Told()
    for what in range(MOST_TOLD + 2):
        told.log.tell(Trouble(1, "ann", f"trouble {what}"), "a")
    assert told.taken() == [f"seat 1 (ann) trouble {what}" for what in range(MOST_TOLD)]
    told.log.close()
    assert told.taken() == ["and 2 more of other kinds; only the first 5 kinds are shown"]


def test_a_hang_is_told_after_two_seconds_and_then_ever_less_often() -> None:
    hang = Hang()
    looked = [seconds / 2 for seconds in range(34)]
    assert [seconds for seconds in looked if hang.is_news(seconds)] == [2, 4, 8, 16]
    assert not hang.is_news(0.1), "it has answered"
    assert hang.is_news(2.5)
    patient = Hang()
    assert [seconds for seconds in looked if patient.is_news(seconds, slow=5.0)] == [5, 10]


def test_the_line_names_the_bot_the_time_and_the_place() -> None:
    assert hang_line("mine", 4.2, "mine.py, line 7, in choose") == (
        "mine has not answered for 4 s; it is at mine.py, line 7, in choose"
    )
    assert hang_line("mine", 4.2, "") == "mine has not answered for 4 s"


class Caller:
    """Calls the bot of this name, and never gets an answer."""

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.looks: SimpleQueue[None] = SimpleQueue()

    @property
    def called(self) -> str:
        self.looks.put(None)
        return self.bot

    @property
    def slow_seconds(self) -> float:
        return 0.0

    def progress(self) -> object:
        return None


@pytest.fixture
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hangs, "LOOK_SECONDS", 0.001)
    monkeypatch.setattr(hangs, "HANG_SECONDS", 0.01)


@pytest.mark.usefixtures("_impatient")
def test_a_thread_that_makes_no_progress_is_told_with_its_line() -> None:
    told: SimpleQueue[str] = SimpleQueue()
    lines: list[str] = []

    class Waiting(Bot):
        def start(self) -> None:
            line = ""
            # On a busy machine the first one may come before the bot is called, and has no place. Others follow.
            while "; it is at " not in line:
                line = told.get(timeout=60)
            lines.append(line)

    with watched(Caller("mine"), told.put):
        SeatedBot(Waiting, BotSeat("karteneck", 0, 2, Random(1))).start()
    (line,) = lines
    assert line.startswith("mine has not answered for ")
    assert f" s; it is at {__file__}, line " in line
    assert line.endswith(", in start")
    assert not [thread for thread in threading.enumerate() if thread.name == "roost hangs"]


@pytest.mark.usefixtures("_impatient")
def test_a_thread_that_calls_no_bot_does_not_hang() -> None:
    told: list[str] = []
    caller = Caller("")
    with watched(caller, told.append):
        for _ in range(30):
            caller.looks.get(timeout=60)
    assert told == []


class LongCall:
    """A call at an arena that does not end, and what calls it."""

    match: Any = SimpleNamespace(seat=0, match_id="m", slow_seconds=0.0)

    def calling(self) -> Any:
        return (self,)

    def where(self, task: object) -> str:
        return "mine.py, line 7, in choose"


def test_a_long_hang_hides_no_error_that_comes_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    playing = Matches(Bot, Unsent(), Stats(), lambda stats: None)
    playing.driver = cast("Driver", LongCall())
    for second in range(200):
        monkeypatch.setattr(matches, "perf_counter", lambda second=second: float(second))
        playing._look()
    playing._troubles.tell(Trouble(0, "the bot", "crashed: KeyError: 'W'"), "m")
    told = [line for line in caplog.messages if "has not answered for" in line]
    assert [int(line.partition(" for ")[2].partition(" s;")[0]) for line in told] == [2, 4, 8, 16, 32, 64, 128]
    assert "crashed: KeyError: 'W'" in caplog.messages[-1]

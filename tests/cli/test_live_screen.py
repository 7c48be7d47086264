"""One screen for everything that is watched while it goes on: pictures on a terminal, lines elsewhere."""

from io import StringIO
from types import SimpleNamespace

import pytest
from rich.console import Console

from roost_cli.terminal import live


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    there = Clock()
    monkeypatch.setattr(live, "time", SimpleNamespace(monotonic=there.monotonic))
    return there


def test_elsewhere_there_is_a_line_every_ten_seconds(clock: Clock) -> None:
    out = StringIO()
    with live.screen(Console(file=out)) as screen:
        assert not screen.is_live
        for second in range(31):
            clock.now = 100.0 + second
            screen.show(lambda: "picture", lambda second=second: f"line {second}")  # type: ignore[misc]
    assert out.getvalue().splitlines() == ["line 10", "line 20", "line 30"]


def test_a_terminal_gets_the_picture_and_is_clean_in_the_end(clock: Clock) -> None:
    out = StringIO()
    console = Console(file=out, force_terminal=True, width=40, _environ={"TERM": "xterm"})
    with live.screen(console, seconds=1.0) as screen:
        assert screen.is_live
        screen.show(lambda: "too soon", lambda: "line")
        clock.now += 1.0
        screen.show(lambda: "picture", lambda: "line")
    assert "picture" in out.getvalue()
    assert "too soon" not in out.getvalue()
    assert "line" not in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K"), "the last thing done is to remove the picture"


def test_news_are_shown_at_once(clock: Clock) -> None:
    out = StringIO()
    with live.screen(Console(file=out)) as screen:
        screen.show(lambda: "", lambda: "news", now=True)
    assert out.getvalue() == "news\n"


def test_drawing_takes_a_tenth_of_the_time_at_most(clock: Clock) -> None:
    """A line that takes 5 seconds to work out is due again 50 seconds after it was begun, not 10."""
    out = StringIO()

    def slow() -> str:
        clock.now += 5.0
        return f"at {clock.now:g}"

    with live.screen(Console(file=out)) as screen:
        for _ in range(30):
            clock.now += 5.0
            screen.show(lambda: "", slow)
    times = [float(line.split()[1]) for line in out.getvalue().splitlines()]
    assert times == [115.0, 165.0, 215.0, 265.0]


def test_progress_in_percent(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with live.progress("verifying", 200) as advance:
        advance(20)
        clock.now += 10.0
        advance(30)
        clock.now += 10.0
        advance(150)
    assert capsys.readouterr().err.splitlines() == ["verifying: 25 %", "verifying: 100 %"]


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0 s"), (59.4, "59 s"), (60, "1 min 0 s"), (125, "2 min 5 s")])
def test_times_as_people_read_them(seconds: float, shown: str) -> None:
    assert live.shown_time(seconds) == shown

"""There is one standard clock, and every place that states it states the same."""

from inspect import signature
from pathlib import Path

from roost_cli.commands.ladder import ladder
from roost_cli.commands.play import play
from roost_games.referee import STANDARD_CLOCK, Clock
from roost_ladder.running.fixtures import STANDARD_LIMITS
from roost_sdk.stdio import ANSWER_SECONDS
from roost_server.competition.file import ClockPart
from roost_server.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"


def test_the_usual_clock_is_the_same_everywhere() -> None:
    assert Clock(decision_ms=1_000, bank_ms=10_000) == STANDARD_CLOCK
    assert Settings().clock == STANDARD_LIMITS.clock == STANDARD_CLOCK
    assert (ClockPart().decision_ms, ClockPart().bank_ms) == STANDARD_CLOCK
    for command in (ladder, play):
        options = signature(command).parameters
        assert (options["decision_ms"].default, options["bank_ms"].default) == STANDARD_CLOCK
    assert ANSWER_SECONDS == 11


def test_the_pages_say_it() -> None:
    assert "within 11 seconds" in (DOCS / "bots/other-languages.md").read_text(encoding="utf-8")
    assert "| 1 s | 10 s |" in (DOCS / "why/referee.md").read_text(encoding="utf-8")

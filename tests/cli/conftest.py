"""Runs the `roost` command in this process, through the same edge as the real one."""

import pytest

from roost_cli.main import run
from tests.support.commands.roost import Outcome, Roost
from tests.support.records.quick_databases import quick_databases

__all__ = ["quick_databases"]


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the terminal of the tester is: no colours, 80 columns."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "ROOST_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def roost(capsys: pytest.CaptureFixture[str]) -> Roost:
    """`roost("play", "karteneck", ...)` runs the command."""

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call

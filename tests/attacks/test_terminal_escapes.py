"""The attack: escapes and other controls in whatever the command prints, to paint over, hide or turn what it says."""

import contextlib
import io
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.table import Table
from rich.text import Text

from roost_bots.random_bot import RandomBot
from roost_cli.main import run
from roost_cli.streams import harmless_streams
from roost_cli.terminal.console import print_json, remarks, results
from roost_cli.terminal.live import screen
from roost_games.errors import UsageError
from roost_sdk import program
from roost_sdk.local import tell_stderr
from roost_sdk.program import Submission
from roost_sdk.stdio import to_stderr
from roost_sdk.troubles.log import Trouble
from tests.support.records.matches import played

ATTACK = "x\x1b]0;owned\x07\x1b[2J\x9b31m\u202eolleh\r\x00\x7f\ud800y"
SPELLED = r"x\x1b]0;owned\x07\x1b[2J\x9b31m\u202eolleh\r\x00\x7f\ud800y"


class Terminal(io.StringIO):
    """What a terminal is sent."""

    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    made = Terminal()
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    with contextlib.redirect_stdout(made), contextlib.redirect_stderr(made), harmless_streams():
        yield made


def test_plain_lines_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_terminal(monkeypatch) as terminal:
        sys.stdout.write(f"{ATTACK}\n")
        sys.stderr.write(f"{ATTACK}\n")
        handler = logging.StreamHandler(sys.stderr)
        handler.emit(logging.LogRecord("x", logging.INFO, "", 0, ATTACK, None, None))
    assert terminal.getvalue() == f"{SPELLED}\n" * 3


def test_tables_keep_their_own_colours_and_spell_out_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("name")
    table.add_row(Text(ATTACK, style="bold"))
    with on_terminal(monkeypatch) as terminal:
        results().print(table)
    shown = terminal.getvalue()
    assert "\x1b[1m" in shown
    assert r"x\x1b]0;owned" in shown
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown


def test_what_is_written_above_a_live_picture_is_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_terminal(monkeypatch) as terminal, screen(remarks()) as shown:
        shown.show(lambda: Text(ATTACK), lambda: "", now=True)
        sys.stderr.write("log \x1b]8;;http://evil\x1b\\here\x1b[31m\n")
    assert "log \\x1b]8;;http://evil\\x1b\\here\\x1b[31m" in terminal.getvalue()
    assert "\x1b]" not in terminal.getvalue()
    assert "\x1b[31m" not in terminal.getvalue()


def test_json_stays_the_same_data(monkeypatch: pytest.MonkeyPatch) -> None:
    with on_terminal(monkeypatch) as terminal:
        print_json({"name": ATTACK})
    assert not set(terminal.getvalue()) & set("\x1b\x9b\u202e\r\x00\x7f\ud800")
    assert json.loads(terminal.getvalue()) == {"name": ATTACK}


def test_a_program_that_plays_spells_out_what_it_logs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `python mybot.py` does at an arena whose messages, or whose bots' names, are hostile."""

    def play(submission: Submission) -> None:
        logging.getLogger("roost_sdk").info("playing %s", ATTACK)
        raise UsageError(ATTACK)

    monkeypatch.setattr(program, "_play_submission", play)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    assert program.main(["--server", "localhost:1", "--name", "me"], RandomBot) == 2
    to_stderr(ATTACK)
    tell_stderr(Trouble(0, "evil", ATTACK))
    shown = capsys.readouterr().err
    assert shown.count(SPELLED) == 4
    assert not set(shown) & set("\x1b\x9b\u202e\r\x00\x7f\ud800")


def test_a_replay_cannot_paint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = json.loads(played("m1").to_line())
    record["seats"][0]["bot"] = "evil\x1b[2J\x9b\u202e"
    (file := tmp_path / "m.jsonl").write_text(json.dumps(record, ensure_ascii=False))
    for options in ([], ["--show"], ["--json"]):
        assert run(["replay", str(file), *options]) == 0
        shown = capsys.readouterr().out
        assert "evil" in shown
        assert not set(shown) & set("\x1b\x9b\u202e")
    assert json.loads(shown) == record


def test_an_error_cannot_paint(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "poker\x1b[2J\u202e"]) == 2
    assert "\x1b" not in capsys.readouterr().err
    assert run([f"--{ATTACK}"]) == 2
    assert "\x1b" not in capsys.readouterr().err

"""Bots that do to their process what no bot should: the author is told what is going on, and everything ends."""

import contextlib
import os
import pty
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost_games.replay import Replay
from roost_games.verify import verify
from tests.support.commands.roost import ENVIRONMENT, INTERRUPTIBLE, Roost, arena, roost_process, until

BOTS = Path(__file__).parents[1] / "support/awkward_bots"
HANGS = ("hangs_in_c", "swallows")


def bot(name: str) -> Path:
    return BOTS / f"{name}.py"


LINES = {
    "hangs_in_c": "11, in choose",
    "swallows": "1[234], in choose",
    "waits": "16, in nothing",
    "imports_slowly": "9, in <module>",
}
"""Where each of them is to be found, as it stands in its file."""


def hanging_line(name: str) -> str:
    return rf"{name} has not answered for \d s; it is at {bot(name)}, line {LINES[name]}\n"


def test_a_bot_may_change_the_folder_of_its_process(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = roost("play", "karteneck", bot("changes_folder"), "random", "--seed", "a", "--replay", "kept.jsonl")
    assert (code, err) == (0, "")
    replay = Replay.from_line((tmp_path / "kept.jsonl").read_text())
    assert replay.result.faults == ()
    assert verify(replay) is None


def test_a_bot_that_forks_too_often_is_stopped(roost: Roost) -> None:
    _, out, err = roost("play", "karteneck", bot("forks"), "random", "--seed", "a")
    # Which limit is reached first depends on what a process takes that does nothing.
    told = "(had more than 64 processes at a time|took more than 1024 MB of memory)"
    assert re.search(rf"seat 0 .forks. {told} and was stopped\n", err)
    assert "1 crashed, forfeited" in out


@pytest.mark.long
def test_of_what_a_bot_prints_only_the_beginning_is_shown(roost: Roost) -> None:
    _, out, err = roost("play", "karteneck", bot("prints"), "random", "--seed", "a")
    assert "(more of what the bot writes is not shown)" in err
    assert len(err) < 3 << 20
    assert "prints" in out


@pytest.mark.long
@pytest.mark.parametrize("name", [*HANGS, "waits"])
def test_a_bot_that_hangs_is_named_with_its_line_while_it_does(name: str, roost: Roost) -> None:
    clock = ("--decision-ms", 2_500, "--bank-ms", 0)
    _, out, err = roost("play", "karteneck", bot(name), "random", *clock)
    assert re.search(f"{hanging_line(name)}(.*\n)*seat 0 .{name}. did not answer for 2.5 s and was stopped", err)
    assert "1 late, forfeited" in out


@pytest.mark.long
def test_a_slow_import_is_named_too(roost: Roost) -> None:
    code, _, err = roost("play", "karteneck", bot("imports_slowly"), "random")
    assert code == 0
    assert re.search(hanging_line("imports_slowly"), err)


class Terminal:
    """A command on a terminal of its own, in front of which somebody sits."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env=ENVIRONMENT,
            preexec_fn=lambda: os.login_tty(theirs),
        )
        os.close(theirs)
        self._shown = b""

    def press_ctrl_c(self) -> None:
        """Reaches all processes of the command."""
        os.write(self._ours, b"\x03")

    def until(self, text: str) -> None:
        """Wait until this is shown."""
        until(lambda: self._sees(text.encode()))

    def read_to_end(self) -> None:
        with contextlib.suppress(OSError):  # the end of a terminal that nobody writes to any more
            self.until("there is no such line")

    def _sees(self, text: bytes) -> bool:
        if text not in self._shown:
            self._shown += os.read(self._ours, 1 << 16)
        return text in self._shown

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@contextlib.contextmanager
def on_terminal(folder: Path, *words: object) -> Iterator[Terminal]:
    with contextlib.closing(Terminal([*INTERRUPTIBLE, *map(str, words)], folder)) as terminal:
        yield terminal


NOTHING = r"\A(?![\s\S]*(xxx|stopped|answered))"
"""A ladder shows nothing of what bots print."""
FORKED = r"had more than 64 processes at a time|took more than 1024 MB of memory"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("changes_folder", NOTHING),
        ("forks", rf"seat \d .forks. ({FORKED}) and was stopped\n"),
        ("prints", NOTHING),
        ("imports_slowly", "imports_slowly has not answered"),
        ("swallows", "swallows has not answered .*(.*\n)*.*did not answer for 2.5 s and was stopped"),
    ],
)
def test_a_ladder_is_played_to_its_end_and_says_what_a_bot_did(name: str, told: str, roost: Roost) -> None:
    few = ("--games", "karteneck", "--players", 2, "--blocks", 1, "--decision-ms", 2_500, "--bank-ms", 0)
    code, out, err = roost("ladder", bot(name), "random", *few)
    assert code == 0
    assert re.search(told, err)
    assert name in out


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("changes_folder", "^No defects"),
        ("forks", f"^✗ ({FORKED}) and was stopped, in karteneck, 2 players"),
        ("hangs_in_c", rf"^✗ hangs: no answer for 2.5 s in karteneck, 2 players\n    {bot('hangs_in_c')}, line 11"),
        ("swallows", rf"^✗ hangs: no answer for 2.5 s in karteneck, 2 players\n    {bot('swallows')}, line 1[234]"),
        (
            "waits",
            rf"^✗ hangs: no answer for 2.5 s in karteneck, 2 players\n    {bot('waits')}, line 12.*\n    .*line 16",
        ),
    ],
)
def test_an_examination_says_what_a_bot_did(name: str, told: str, roost: Roost) -> None:
    _, out, _ = roost("try", bot(name), "--games", "karteneck", "--patience", 2.5, "--seconds", 20)
    assert re.search(told, out, re.MULTILINE)


@pytest.mark.long
def test_an_examination_says_how_long_the_import_takes(roost: Roost) -> None:
    code, out, _ = roost("try", bot("imports_slowly"), "--seconds", 4)
    assert code == 0
    assert re.search(
        r"^! takes \d+ s to import; the examination does that 8 times\n    --seconds \d+ leaves the", out, re.M
    )


@pytest.mark.long
@pytest.mark.parametrize("name", HANGS)
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("play", "karteneck", "BOT", "random", "--bank-ms", 600_000), "stopping; what has been played to its end is"),
        (("ladder", "BOT", "random", "--bank-ms", 600_000), "stopping; the standings so far follow"),
        (("try", "BOT", "--patience", 600, "--seconds", 600), "stopping; the report is about what has been examined"),
    ],
    ids=["play", "ladder", "try"],
)
def test_the_first_ctrl_c_is_answered_at_once(
    name: str, words: tuple[object, ...], answer: str, tmp_path: Path
) -> None:
    """While the bot hangs."""
    with on_terminal(tmp_path, *(bot(name) if word == "BOT" else word for word in words)) as terminal:
        terminal.until("has not answered")
        terminal.press_ctrl_c()
        terminal.until(answer)
        if words[0] == "try":
            terminal.until(f" players: {name} has not answered for ")
            terminal.until("stopped before the end")
        terminal.read_to_end()
        assert terminal.process.wait(60) == 130


@pytest.mark.long
def test_ctrl_c_is_answered_although_c_code_holds_the_interpreter_of_the_program(tmp_path: Path) -> None:
    with (
        arena(tmp_path, "--games", "karteneck", "--players", 2, "--bots", "random") as (_, address),
        on_terminal(tmp_path, "submit", bot("hangs_in_c"), "--server", address) as terminal,
    ):
        terminal.until(f"hangs_in_c has not answered for 5 s; it is at {bot('hangs_in_c')}, line 11, in choose")
        terminal.press_ctrl_c()
        terminal.until("line 11, in choose); leaving when it lets go; press Ctrl-C again to stop")
        terminal.press_ctrl_c()
        terminal.until("hangs_in_c was stopped")
        terminal.read_to_end()
        assert terminal.process.wait(60) == -signal.SIGKILL


@pytest.mark.long
def test_a_slow_import_of_a_submitted_bot_is_named(tmp_path: Path) -> None:
    with roost_process("submit", bot("imports_slowly"), "--connect-timeout", 0, folder=tmp_path) as process:
        told = process.err.until("has not answered for ")
        assert re.search(rf"; it is at {bot('imports_slowly')}, line {LINES['imports_slowly']}$", told)
        assert process.end() == 1


@pytest.mark.long
def test_at_an_arena_a_bot_that_loops_is_named_and_ctrl_c_answered(tmp_path: Path) -> None:
    clock = ("--decision-ms", 1_000, "--bank-ms", 600_000)
    with (
        arena(tmp_path, "--games", "karteneck", "--players", 2, "--bots", "random", *clock) as (_, address),
        roost_process("submit", bot("swallows"), "--server", address, folder=tmp_path) as process,
    ):
        told = process.err.until("the bot has not answered for ")
        assert re.search(rf"; it is at {bot('swallows')}, line {LINES['swallows']}$", told)
        process.send(signal.SIGINT)
        process.err.until("leaving after 1 running match; press Ctrl-C again to stop at once")
        process.press_until_end(signal.SIGINT)
        assert process.end() == 130


@pytest.mark.long
def test_python_itself_tells_where_c_code_holds_the_interpreter(tmp_path: Path) -> None:
    with (
        arena(tmp_path, "--games", "karteneck", "--players", 2, "--bots", "random") as (_, address),
        roost_process("submit", bot("hangs_in_c"), "--server", address, folder=tmp_path) as process,
    ):
        process.err.until(f'File "{bot("hangs_in_c")}", line 11 in choose')

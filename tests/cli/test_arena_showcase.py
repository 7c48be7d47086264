"""`roost showcase`: an arena with bots for a few seconds, standings, and nothing left running whatever happens."""

import os
import pty
import signal
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import IO

import pytest

from roost_bots import QUICK_SAMPLES
from roost_games.registry import GAME_NAMES
from tests.support.commands.roost import INTERRUPTIBLE, PATIENCE, Process, Roost, guarded, roost_process, until
from tests.support.records.arena_world import recorded

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")


def address_of(showcase: Process) -> str:
    assert showcase.out.until("").startswith("Open http://127.0.0.1:"), "the first thing that is printed"
    words = showcase.out.until("An arena at ").split()
    return words[3]


def until_bots_play(showcase: Process, folder: Path) -> str:
    """Wait until every process is there; returns the address, which is part of the bots' command lines."""
    address = address_of(showcase)
    until(lambda: len(guarded(address, str(folder))) == 3 + len(QUICK_SAMPLES))
    return address


def start(folder: Path, seconds: int) -> tuple[object, ...]:
    return ("showcase", "--seconds", seconds, "--db", folder / "demo.db")


@pytest.mark.long
def test_a_few_seconds_end_with_standings_and_where_to_look_next(roost: Roost, tmp_path: Path) -> None:
    database = recorded(tmp_path / "demo.db").file
    with roost_process(*start(tmp_path, 3), folder=tmp_path) as showcase:
        address = address_of(showcase)
        assert showcase.end() == 0
    assert guarded(address, str(tmp_path)) == {}
    assert "The 6 matches that were recorded there before count too." in showcase.out.lines
    out = "\n".join(showcase.out.lines)
    assert "  0 s: 0 matches; " in out
    assert " matches\nrank   bot" in out
    for command in (
        f"standings --game karteneck --db {database}",
        f"matches --db {database}",
        f"verify --db {database}",
    ):
        assert f"roost {command}" in out
        assert roost(*command.split()).code == 0
    (replay,) = [line.split("roost replay ", 1)[1] for line in showcase.out.lines if "roost replay " in line]
    assert "The match " in roost("replay", *replay.split()).out
    assert showcase.err.lines == ["The arena stops. Matches still running after a few seconds are voided."]


@pytest.mark.long
def test_ctrl_c_ends_it_early_and_all_games_were_played_at_all_sizes(roost: Roost, tmp_path: Path) -> None:
    """However slow the machine is: it goes on until that is so."""
    database = tmp_path / "demo.db"
    (tmp_path / "own.py").write_text(
        "from roost_sdk import Bot\nclass Own(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
    )
    names = [*QUICK_SAMPLES, "patient", "own"]

    def seen() -> bool:
        out = roost("standings", "--db", database).out
        return all(part in out for part in (*names, "of 2", "of 3", "of 4"))

    def played(game: str) -> bool:
        return "no match" not in roost("matches", "--db", database, "--game", game).out

    # A second greedy is refused, because one of its version plays already.
    with roost_process(*start(tmp_path, 600), "own.py", "greedy", folder=tmp_path) as showcase:
        address = address_of(showcase)
        until(lambda: len(guarded(address)) == len(names) + 1)
        until(lambda: seen() and all(map(played, GAME_NAMES)))
        showcase.send(signal.SIGINT)
        assert showcase.end() == 0
    assert guarded(address, str(tmp_path)) == {}
    assert "Where to look next" in showcase.out.lines
    assert any(line.startswith("greedy left early: the arena at ") for line in showcase.err.lines)
    assert roost("verify", "--db", database).code == 0


@pytest.mark.long
def test_on_a_terminal_it_goes_on_until_ctrl_c(tmp_path: Path) -> None:
    """After the summary the bots play on, for those who look at the page. Nothing is left running in the end."""
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb") as screen:
        command = [*INTERRUPTIBLE, *map(str, start(tmp_path, 2))]
        popen = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path)
        os.close(theirs)
        try:
            shown = until_shown(screen, b"Ctrl-C ends it.")
            assert shown.lstrip().startswith(b"Open http://127.0.0.1:"), "the first thing that is printed"
            assert shown.index(b"Where to look next") < shown.index(b"The bots play on, and http://127.0.0.1:")
            url = shown.split()[1].decode()
            with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310  our own address
                assert answer.status == 200
            popen.send_signal(signal.SIGINT)
            until_shown(screen, b"The arena stops.")
            assert popen.wait(PATIENCE) == 0
        finally:
            popen.kill()
            popen.wait()
    assert guarded(str(tmp_path)) == {}


def until_shown(screen: IO[bytes], part: bytes) -> bytes:
    """What a terminal shows until there is `part` in it."""
    shown = b""
    while part not in shown:
        some = os.read(screen.fileno(), 4096)
        assert some, shown
        shown += some
    return shown


@pytest.mark.long
def test_nothing_outlives_a_showcase_that_is_killed(tmp_path: Path) -> None:
    with roost_process(*start(tmp_path, 600), folder=tmp_path) as showcase:
        address = until_bots_play(showcase, tmp_path)
        showcase.send(signal.SIGKILL)
        showcase.end()
        deadline = time.monotonic() + PATIENCE
        while left := guarded(address, str(tmp_path)):
            assert time.monotonic() < deadline, left
            time.sleep(0.1)


@pytest.mark.long
def test_an_arena_that_cannot_start_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "demo.db").write_text("just text, and enough of it to be no database at all\n" * 10)
    with roost_process(*start(tmp_path, 5), folder=tmp_path) as showcase:
        assert showcase.end() == 1
    assert showcase.out.lines == []
    assert showcase.err.lines == [
        f"roost: the arena does not start: {tmp_path / 'demo.db'}: it is not a database; give another file"
    ]

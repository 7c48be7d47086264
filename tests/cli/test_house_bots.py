"""`roost serve --bots`: house bots, which are restarted when they exit, and end with their arena."""

import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

from roost_cli.options import describe_bots, sources_of
from roost_server.serving.children import HouseBot, house_bots
from roost_server.serving.tls import make_certificate
from roost_server.settings import Settings
from tests.support.commands.roost import PATIENCE, SLOW_BOT, Process, Roost, arena, guarded, roost_process, until

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
OWN = "from roost_sdk import Bot\nclass Own(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"


def children(process: Process) -> dict[int, str]:
    """The command lines of the bots that an arena has started, by their numbers. A guard is between them."""

    def parent(number: int) -> int:
        try:
            return int(Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return 0

    return {number: command for number, command in guarded("").items() if parent(parent(number)) == process.popen.pid}


def side_door(process: Process) -> str:
    """The address that the bots of an arena are given, which no other arena's bots have in their command lines."""
    until(lambda: bool(children(process)))
    found = re.search(r"--server (\S+)", next(iter(children(process).values())))
    assert found is not None
    return found[1]


def until_gone(address: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while left := guarded(address):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def until_played(roost: Roost, folder: Path, *names: str) -> None:
    """Wait until all of them have a rating."""

    def rated() -> set[str]:
        answer = roost("standings", "--db", folder / "roost.db", "--json")
        return {row["name"] for row in json.loads(answer.out)["standings"]} if answer.code == 0 else set()

    until(lambda: rated() >= set(names))


@pytest.mark.long
def test_they_play_and_leave_with_the_arena(roost: Roost, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "slow.py").write_text(SLOW_BOT.format(seconds=0.01))
    bots = ("--bots", "greedy,own.py, slow.py:Slow,greedy,./own.py")
    with arena(tmp_path, *bots, "--games", "karteneck", "--players", 2, "--log-level", "warning") as (serve, address):
        serve.out.until("Ctrl-C stops")
        until_played(roost, tmp_path, "greedy", "own", "slow-Slow")
        inside = side_door(serve)
        assert len(guarded(inside)) == 3
        assert inside != address
        running = roost("matches", "--running", "--server", address, "--json").out
        serve.send(signal.SIGTERM)
        assert serve.end() == 0
        assert guarded(inside) == {}
    assert serve.out.lines == [
        f"listening at {address}, recording in roost.db",
        f"  a bot joins with   roost submit mybot.py --server {address}",
        f"  the standings      roost standings --server {address}",
        "  house bots         greedy, own, slow-Slow",
        "Ctrl-C stops the arena.",
        "stopped; everything is recorded",
    ]
    assert serve.err.lines == []
    matches = json.loads(roost("matches", "--db", tmp_path / "roost.db", "--limit", 10_000, "--json").out)["matches"]
    assert {match["termination"] for match in matches} == {"finished"}, "also those that were running"
    assert {match["match_id"] for match in json.loads(running)["matches"]} <= {match["match_id"] for match in matches}
    assert roost("verify", "--db", tmp_path / "roost.db").code == 0


@pytest.mark.long
def test_a_killed_bot_comes_back(roost: Roost, tmp_path: Path) -> None:
    with arena(tmp_path, "--bots", "greedy,random") as (serve, _):
        until_played(roost, tmp_path, "greedy", "random")
        first = next(number for number, command in children(serve).items() if "roost_bots.greedy" in command)
        os.kill(first, signal.SIGKILL)
        told = json.loads(serve.err.until("house bot exited and is restarted"))
        assert (told["level"], told["bot"], told["how"]) == ("warning", "greedy", "signal SIGKILL")
        assert '"greedy"' in serve.err.until("bot connected")
        assert first not in children(serve)
        assert len(children(serve)) == 2


@pytest.mark.long
def test_they_need_not_know_how_others_reach_the_arena(roost: Roost, tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path, ["arena.example"])
    outside = ("--listen", "0.0.0.0:0", "--tls-cert", certificate, "--tls-key", key)
    with arena(tmp_path, "--bots", "greedy,random", *outside) as (serve, address):
        assert address.startswith("0.0.0.0:")
        until_played(roost, tmp_path, "greedy", "random")
        assert side_door(serve).startswith("unix:/")


@pytest.mark.long
def test_nothing_outlives_an_arena_that_is_killed(roost: Roost, tmp_path: Path) -> None:
    """Not even a bot that has a match to play to the end."""
    (tmp_path / "stuck.py").write_text(SLOW_BOT.format(seconds=3600))
    with arena(tmp_path, "--bots", "greedy,stuck.py") as (serve, address):
        running = ("matches", "--running", "--server", address, "--json")
        until(lambda: bool(json.loads(roost(*running).out)["matches"]))
        inside = side_door(serve)
        serve.send(signal.SIGKILL)
        serve.end()
        until_gone(inside)


@pytest.mark.long
def test_a_bot_that_hangs_does_not_hold_up_the_end(tmp_path: Path) -> None:
    with arena(tmp_path, "--bots", "greedy") as (serve, _):
        inside = side_door(serve)
        serve.err.until("bot connected")
        (number,) = children(serve)
        os.kill(number, signal.SIGSTOP)
        serve.send(signal.SIGINT)
        assert serve.end() == 0
        assert guarded(inside) == {}


@pytest.mark.long
def test_no_bot_is_started_where_nothing_can_listen(tmp_path: Path) -> None:
    with arena(tmp_path) as (_, address):
        arguments = ("serve", "--listen", address, "--db", "other.db", "--bots", "greedy")
        with roost_process(*arguments, folder=tmp_path) as serve:
            assert serve.end() == 2
        assert serve.out.lines == []
        assert [line for line in serve.err.lines if "cannot listen at" not in line] == []


def test_a_wrong_name_is_told_as_by_submit(roost: Roost) -> None:
    for name in ("gredy", "nobody.py", "stdio:./nobody"):
        assert roost("serve", "--bots", name) == roost("submit", name)


def test_no_file_is_imported_by_the_arena(roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that has no bot in it: whatever it does on import, it does elsewhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "noted.py").write_text("import os\nopen('importer', 'a').write(f'{os.getpid()} ')\n")
    answer = roost("serve", "--bots", "noted.py")
    assert answer.code == 2
    assert answer.err == "roost: there is no bot in noted.py; write a class in it that is a subclass of roost_sdk.Bot\n"
    importers = (tmp_path / "importer").read_text().split()
    assert importers
    assert str(os.getpid()) not in importers


def test_a_bot_that_is_named_twice_plays_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN)
    texts = ["own.py", "./own.py", "own.py:Own"]
    assert house_bots(zip(sources_of(texts), describe_bots(texts), strict=True), Settings().tables) == [
        HouseBot("own", "own.py"),
        HouseBot("own-Own", "own.py:Own"),
    ]

"""`--cluster` of `roost ladder`, `compare` and `try`, from what is typed to what is printed and kept."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from roost_games.replay import Decision, Replay
from roost_server.store import open_store
from roost_server.store.queries import replays
from tests.support.commands.roost import ENVIRONMENT, INTERRUPTIBLE, Roost
from tests.support.ladders.clusters import small_cluster, wait_until
from tests.support.ports import free_port

FOLDER = Path(__file__).parents[1] / "support" / "ladders" / "bots"
BOTS = (FOLDER / "dice.py", FOLDER / "first.py", "random")
SMALL = ("--games", "karteneck", "--players", "2,3", "--seed", "spring")
MARK = "ROOST_CLUSTER_TEST"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("ladder", "random", "timid", "--cluster", "local:0"), "--cluster local:N starts 1 to 256 workers"),
        (("compare", "random", "timid", "--cluster", "10.0.0.1:8786"), "--cluster is the address of a Dask scheduler"),
        (("try", "random", "--cluster", "tcp://10.0.0.1"), "--cluster is the address of a Dask scheduler"),
        (
            ("ladder", "random", "timid", "--cluster", "local:2", "--workers", "2"),
            "--workers does not apply to --cluster",
        ),
        (("try", "--listen", "127.0.0.1:0", "--cluster", "local:2"), "--cluster does not apply to --listen"),
    ],
)
def test_a_mistake_is_told_in_one_line(arguments: tuple[str, ...], told: str, roost: Roost) -> None:
    done = roost(*arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"roost: {told}")
    assert done.err.count("\n") == 1


def test_where_nobody_listens_there_is_no_scheduler(roost: Roost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost_ladder.cluster.connection.CONNECT_SECONDS", 0.5)
    address = f"tcp://127.0.0.1:{free_port()}"
    done = roost("ladder", "random", "timid", "--cluster", address)
    assert done.code == 2
    assert done.err.startswith(f"roost: no scheduler answers at {address} within ")


def records_in(database: Path) -> list[object]:
    """Everything that was recorded, without times."""
    with open_store(f"sqlite:///{database}", read_only=True) as store:
        found = [Replay.from_line(line) for line in replays(store)]
    steps = [[each._replace(ms=None) if isinstance(each, Decision) else each for each in it.steps] for it in found]
    return [(it.match, it.seed, it.seats, it.result, its) for it, its in zip(found, steps, strict=True)]


@pytest.mark.long
def test_a_database_is_the_same_from_processes_and_from_a_cluster(roost: Roost, tmp_path: Path) -> None:
    command = ("ladder", *BOTS, *SMALL, "--blocks", 12)
    assert roost(*command, "--db", tmp_path / "here.db", "--workers", 2).code == 0
    done = roost(*command, "--db", tmp_path / "there.db", "--cluster", "local:2")
    assert (done.code, "roost:" in done.err) == (0, False), done.err
    assert records_in(tmp_path / "there.db") == records_in(tmp_path / "here.db") != []


@pytest.mark.long
def test_a_comparison_and_an_examination_find_the_same(roost: Roost) -> None:
    command = ("compare", "greedy", FOLDER / "first.py", "--blocks", 4, "--seed", "x", "--game", "karteneck", "--json")
    there = roost(*command, "--cluster", "local:1")
    assert there.out, there.err
    assert json.loads(there.out) == json.loads(roost(*command).out)
    examine = ("try", FOLDER / "crashes.py", "--games", "karteneck", "--matches", 1, "--json")
    examined = roost(*examine, "--cluster", "local:2")
    assert examined.code == 1
    assert "crashed: ValueError: no idea" in examined.out
    assert checks_in(examined.out) == checks_in(roost(*examine).out)


def checks_in(report: str) -> list[tuple[str, str]]:
    """What an examination found out. What takes longer, it may not know on a busy machine."""
    found = [(finding["check"], finding["mark"]) for finding in json.loads(report)["findings"]]
    return [each for each in found if each[0] in ("loads", "legal", "repeats", "state")]


@pytest.mark.long
def test_programs_play_on_a_worker_and_must_be_the_same_there(
    roost: Roost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "mine.py").write_text(
            "from roost_sdk import Bot, run\n\nclass Mine(Bot):\n    def choose(self, view, legal):\n"
            "        return legal[-1]\n\nif __name__ == '__main__':\n    run(Mine)\n"
        )
    monkeypatch.chdir(there)
    with small_cluster(tmp_path, workers=1) as cluster:
        monkeypatch.chdir(here)
        program = f"cmd:mine={sys.executable} mine.py --server {{server}} --name {{name}}"
        command = ("ladder", "random", program, FOLDER / "dice.py", *SMALL, "--blocks", 3, "--cluster", cluster.address)
        done = roost(*command, "--json")
        assert done.code == 0, done.err
        assert json.loads(done.out)["blocks"] == 3
        (here / "mine.py").write_text((here / "mine.py").read_text().replace("-1", "0"))
        refused = roost(*command)
        assert refused.code == 2
        assert "has another version of mine.py" in refused.err
        (there / "mine.py").write_text((here / "mine.py").read_text())
        assert roost(*command).code == 0


@pytest.mark.long
def test_without_its_scheduler_a_ladder_shows_the_standings_so_far(tmp_path: Path, roost: Roost) -> None:
    database = tmp_path / "ladder.db"
    with small_cluster(tmp_path, workers=1) as cluster:
        command = [*map(str, ("ladder", *BOTS, *SMALL, "--db", database))]
        run = subprocess.Popen(
            [*INTERRUPTIBLE, *command, "--blocks", "100000", "--cluster", cluster.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        wait_until(lambda: some_records(database))
        cluster.scheduler.kill()
        out, err = run.communicate()
    assert run.returncode == 1
    assert ": stopped\n" in out
    assert err.splitlines()[-1] == f"roost: the scheduler at {cluster.address} has gone"
    assert "Traceback" not in err
    kept = records_in(database)
    assert roost(*command, "--blocks", len(kept) + 2).code == 0
    assert records_in(database)[: len(kept)] == kept


def some_records(database: Path) -> bool:
    try:
        return bool(records_in(database))
    except Exception:  # it is being made
        return False


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_nothing_outlives_a_command_with_workers_of_its_own(number: signal.Signals, tmp_path: Path) -> None:
    database = tmp_path / "ladder.db"
    run = subprocess.Popen(
        [*INTERRUPTIBLE, *map(str, ("ladder", *BOTS, *SMALL, "--db", database, "--cluster", "local:2"))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**ENVIRONMENT, MARK: str(tmp_path)},
        start_new_session=True,
    )
    wait_until(lambda: some_records(database))
    assert len(marked(tmp_path)) > 3
    if number is signal.SIGINT:
        # As a terminal does it, to all processes of the command.
        os.killpg(run.pid, number)
    else:
        run.send_signal(number)
    out, err = run.communicate()
    wait_until(lambda: not marked(tmp_path))
    if number is signal.SIGINT:
        assert (run.returncode, ": interrupted\n" in out, "Traceback" in err) == (130, True, False), err


def marked(mark: Path) -> list[str]:
    """The processes that were started with this mark in their environment."""
    return [
        process for process in os.listdir("/proc") if process.isdecimal() and f"{MARK}={mark}" in environment(process)
    ]


def environment(process: str) -> list[str]:
    try:
        return Path(f"/proc/{process}/environ").read_text(errors="replace").split("\0")
    except OSError:
        return []

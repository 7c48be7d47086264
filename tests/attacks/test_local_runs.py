"""Bots that attack their host: in a process of their own they reach nothing, and it is clear who did it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roost_games.errors import UsageError
from roost_games.replay import FORFEIT
from roost_games.verify import verify
from roost_ladder.running.engine import Executor
from roost_ladder.running.fixtures import BotSpec, Fixture, Job, MatchLimits
from roost_ladder.running.hall import Hall
from roost_ladder.running.table import LadderTable
from roost_ladder.running.workers import local_executor
from roost_sdk.bot_process.process import UNASKED
from roost_sdk.bot_process.sandbox import check_sandbox
from tests.support.ladders import attackers
from tests.support.ladders.small_ladders import CALM, STRICT, fixture

LAVISH = CALM._replace(memory_mb=10_000)
FILE = Path(attackers.__file__)


@pytest.fixture
def executor() -> Iterator[Executor]:
    with local_executor(1) as executor:
        yield executor


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A daemon holds it open while it runs."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setenv("HELD_BY_A_DAEMON", str(path))
    return path


def against(attacker: type[attackers.Attacker], *, trusted: bool = False) -> Fixture:
    """A match of an honest bot against this one."""
    name = attacker.__name__
    honest = fixture("first", "last", trusted=trusted)
    return honest._replace(bots=(honest.bots[0], BotSpec(name, "v1", str(FILE), name, trusted)))


def played(attacker: type[attackers.Attacker], limits: MatchLimits = CALM) -> LadderTable:
    with closing(Hall(limits)) as hall:
        (table,) = hall.play([against(attacker)])
    return table


def test_a_bot_does_not_find_the_referee(executor: Executor) -> None:
    (apart,) = executor.submit(Job((against(attackers.Looks),), CALM)).result()
    assert apart.troubles == ()
    (here,) = executor.submit(Job((against(attackers.Looks, trusted=True),), CALM)).result()
    assert any("found the referee" in trouble.what for trouble in here.troubles)


def test_a_bot_cannot_read_the_memory_of_the_referee(executor: Executor) -> None:
    (match,) = executor.submit(Job((against(attackers.Peeks),), CALM)).result()
    assert "did not start: PermissionError" in match.troubles[0].what


ASKS = """
import sys
from roost_ladder.workshop.guests import RecordedSeat, bot_to_ask

with bot_to_ask(sys.argv[1], {}) as bot:
    print(bot.sit(RecordedSeat("karteneck", {}, 0, 2, "luck")).decide(None, ()).trouble)
"""
"""Asks a bot about a recorded match, as `roost replay --bot` and `roost lessons` do."""


@pytest.mark.parametrize(
    ("attacker", "told"), [(attackers.Peeks, "crash: PermissionError"), (attackers.Quits, "ended its process")]
)
def test_a_bot_that_is_asked_about_a_record_does_not_reach_the_command(
    attacker: type[attackers.Attacker], told: str
) -> None:
    asking = [sys.executable, "-c", ASKS, f"{FILE}:{attacker.__name__}"]
    done = subprocess.run(asking, capture_output=True, text=True, check=False)
    assert told in done.stdout + done.stderr


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("attacker", "why", "limits"),
    [
        (
            attackers.SendsPickles,
            "wrote to the channel of its process and was stopped: what it wrote is not an answer",
            CALM,
        ),
        (attackers.AnswersUnasked, f"wrote to the channel of its process and was stopped: {UNASKED}", CALM),
        (attackers.ClosesFiles, "closed the channel of its process and was stopped", CALM),
        (attackers.ForksForever, "had more than 64 processes at a time and was stopped", LAVISH),
        (attackers.HoardsInChildren, "took more than 100 MB of memory and was stopped", CALM._replace(memory_mb=100)),
        (attackers.Babbles, "", STRICT),
        (attackers.KillsItsGroup, "ended its process (signal SIGKILL)", CALM),
    ],
)
def test_an_attacker_forfeits_and_it_is_said_why(
    attacker: type[attackers.Attacker], why: str, limits: MatchLimits
) -> None:
    table = played(attacker, limits)
    result = table.referee.result
    assert result is not None
    assert (result.termination, result.forfeits, result.places) == (FORFEIT, (1,), (1, 2))
    (stop,) = table.stops
    assert stop.seat == 1
    assert stop.why == why or not why
    assert verify(table.referee.replay()) is None
    assert not FILE.with_name("unpickled").exists()


@pytest.mark.parametrize("attacker", [attackers.LeavesADaemon, attackers.LeavesADaemonAndKillsItsGuard])
def test_a_daemon_ends_with_the_run(attacker: type[attackers.Attacker], pipe: Path) -> None:
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with local_executor(1) as executor:
        executor.submit(Job((against(attacker),), CALM)).result()
    assert os.read(reader, 1) == b"", "it has been opened, and nobody holds it open"
    os.close(reader)


def test_a_flood_is_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    assert played(attackers.Floods).stops == []
    shown = capsys.readouterr().err
    assert shown.startswith("\\x1b[2J \\x9b31m spam\n")
    assert not set(shown) & set("\x1b\x9b")
    assert len(shown) < 2_000_000
    assert shown.endswith("(more of what the bot writes is not shown)\n")


def sandbox_or_skip() -> None:
    """Skip, and say why, where no sandbox can be made. In CI it must be possible to have one."""
    try:
        check_sandbox()
    except UsageError as error:
        pytest.skip(str(error))


def test_a_sandbox_has_neither_files_nor_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox_or_skip()
    monkeypatch.setenv("SECRET", "key")
    assert played(attackers.ReadsFiles, CALM._replace(sandbox=True)).troubles == []
    assert any("found [" in trouble.what for trouble in played(attackers.ReadsFiles).troubles), "without it, files are"
    assert not FILE.with_name("written").exists()


def test_where_there_is_no_bubblewrap_the_command_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="--sandbox needs bubblewrap, which is not installed here; install it"):
        check_sandbox()


def test_where_bubblewrap_is_not_allowed_to_work_the_command_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(
        UsageError, match=r"cannot make a sandbox here \(bwrap: No permissions to create new namespace\)"
    ):
        check_sandbox()

"""Child processes: they never wait for a reader, their last words are heard, and they end when we do."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import roost_cli
from roost_games.errors import RoostError
from roost_sdk.processes import (
    MOST_WORDS,
    GuardedProcess,
    Process,
    Processes,
    Restart,
    Stoppage,
    Supervisor,
    ending_of,
    python_words,
    stop,
)
from tests.support.commands.roost import until

PIPE_BYTES = 1 << 16
"""What a pipe holds on Linux."""
SLEEPER = "import time; print('here', flush=True); time.sleep(600)"
ON_TERM = "import signal, sys; signal.signal(signal.SIGTERM, {}); "
STUBBORN = ON_TERM.format("signal.SIG_IGN") + SLEEPER
POLITE = ON_TERM.format("lambda *_: sys.exit(3)") + SLEEPER


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def ended(processes: Processes, words: list[str]) -> GuardedProcess:
    """A process that has ended."""
    process = processes.start("program", words)
    until(lambda: process.ended)
    return process


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("said", ["b'\\xff\\xfe no text'", f"b'x' * {2 * PIPE_BYTES}", f"b'line\\n' * {PIPE_BYTES}"])
def test_whatever_a_process_writes_it_goes_on(stream: str, said: str) -> None:
    with Processes() as processes:
        words = python(f"import sys; sys.{stream}.buffer.write({said})")
        process = ended(processes, words)
        assert process.ending == "exit code 0"
        assert 0 < len(process.last_words()) <= MOST_WORDS


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import sys; print('out'); sys.exit('not this\\nbut this\\n\\n')", "but this"),
        ("import sys; sys.exit('roost: the reason\\nline of a bot')", "the reason"),
        ("print('out')", "out"),
        ("pass", "it said nothing"),
    ],
)
def test_the_last_words_say_why_it_ended(code: str, words: str) -> None:
    with Processes() as processes:
        assert ended(processes, python(code)).last_words() == words


def test_how_it_ended_is_the_programs_ending_not_the_guards() -> None:
    with Processes() as processes:
        assert ended(processes, python("raise SystemExit(7)")).ending == "exit code 7"
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
            killed = ended(processes, python(f"import os; os.kill(os.getpid(), {number.value})"))
            assert killed.ending == f"signal {number.name}"
            assert killed.code == -number
        missing = ended(processes, ["./no-such-program"])
        assert missing.ending == "exit code 127"
        assert missing.last_words() == "./no-such-program cannot be started: No such file or directory"
    assert ending_of(-200) == "signal 200"


def test_a_process_that_ends_without_a_line_did_not_start() -> None:
    with Processes() as processes:
        assert processes.start("arena", python("print('one\\ntwo')")).first_line() == "one"
        with pytest.raises(RoostError, match=r"^the arena does not start: no luck$"):
            processes.start("arena", python("raise SystemExit('no luck')")).first_line()


def test_a_module_of_ours_runs_and_a_file_in_the_folder_hides_no_module_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "random.py").write_text("raise ValueError('imported')\n")
    with Processes() as processes:
        process = ended(processes, python_words(roost_cli, "play", "karteneck", "random", "greedy"))
        assert "Karteneck" in process.first_line(), process.last_words()
        told = ended(processes, python_words(roost_cli, "play", "nonsense", "random"))
        assert told.last_words().startswith("there is no game 'nonsense'")
        assert told.ending == "exit code 2"


def test_stopping_asks_first_and_then_kills() -> None:
    with Processes() as processes:
        polite, stubborn = (processes.start("program", python(code)) for code in (POLITE, STUBBORN))
        for process in (polite, stubborn):
            process.first_line()
        stop([polite], 60.0)
        stop([stubborn], 0.2)
        assert [polite.ending, stubborn.ending] == ["exit code 3", "signal SIGKILL"]


@pytest.mark.parametrize("child", [SLEEPER, STUBBORN])
def test_a_guarded_process_ends_with_its_parent_however_that_ends(tmp_path: Path, child: str) -> None:
    """The parent kills itself. The pipe that the program holds open ends when the program has ended."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    program = f"held = open({str(pipe)!r}, 'w'); {child}"
    starter = f"""
        import os, signal, sys
        from roost_sdk.processes import GuardedProcess
        process = GuardedProcess("program", [sys.executable, "-c", {program!r}], seconds_to_stop=0.5)
        assert process.first_line() == "here"
        os.kill(os.getpid(), signal.SIGKILL)
    """
    parent = subprocess.Popen(python(textwrap.dedent(starter)))
    with pipe.open() as reader:
        assert parent.wait() == -signal.SIGKILL
        assert reader.read() == ""


def test_killing_a_process_ends_what_it_has_started() -> None:
    code = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {SLEEPER!r}]); sys.stdin.read()"
    process = Process(python(code), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"here\n"
    process.kill()
    assert process.stdout.read() == b"", "nobody holds the other end"
    process.stdout.close()
    process.close_input()
    assert process.ending == "signal SIGKILL"


class FakeClockRun:
    """A supervisor of a program that ends at once, looked after with a clock of the test's own."""

    def __init__(self, processes: Processes, policy: Restart) -> None:
        self.told: list[Stoppage] = []
        self.processes = processes
        words = python("raise SystemExit('no luck')")
        self.supervisor = Supervisor(lambda: processes.start("bot", words), policy, self.told.append)

    def start_and_end(self, now: float, noticed: float) -> None:
        self.supervisor.look(now)
        process = self.supervisor.process
        assert process is not None
        until(lambda: process.ended)
        self.supervisor.look(noticed)
        assert self.supervisor.process is None


def test_a_process_that_cannot_start_is_tried_less_and_less_often() -> None:
    pauses = [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    with Processes() as processes:
        run = FakeClockRun(processes, Restart(first_pause=1.0, longest_pause=10.0, steady_seconds=60.0))
        now = 0.0
        for pause in pauses:
            run.start_and_end(now, now)
            run.supervisor.look(now + pause - 0.01)
            assert run.supervisor.process is None
            now += pause
        assert run.told == [Stoppage("exit code 1", "no luck", pause) for pause in pauses]
        assert len(processes.running) == 1, "those that have been removed are forgotten"

        run.start_and_end(now, now + 60.0)
        assert run.told[-1].pause == 1.0, "it had been running for a while"


def test_a_policy_may_limit_the_starts() -> None:
    with Processes() as processes:
        run = FakeClockRun(processes, Restart(first_pause=1.0, most_starts=2))
        run.start_and_end(0.0, 0.0)
        run.start_and_end(1.0, 1.0)
        assert [stoppage.pause for stoppage in run.told] == [1.0, None]
        run.supervisor.look(1e9)
        assert run.supervisor.process is None


def test_a_process_that_cannot_be_made_is_tried_again() -> None:
    def fails() -> GuardedProcess:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    told: list[Stoppage] = []
    supervisor = Supervisor(fails, Restart(), told.append)
    for now in (0.0, 0.5, 1.0):
        supervisor.look(now)
    assert [(stoppage.how, stoppage.pause) for stoppage in told] == [("not started", 1.0), ("not started", 2.0)]
    assert told[0].last_words == "[Errno 11] Resource temporarily unavailable"


def test_processes_are_started_nowhere_else() -> None:
    """Nor is a module named by a string, which the import linter would not see. A bystander stays in our session."""
    root = Path(__file__).parents[2]
    folders = ("games", "client_sdk", "ladder", "server", "sample_bots", "cli")
    sources = {file.name: file.read_text() for folder in folders for file in (root / folder).rglob("*.py")}
    starts = {name for name, text in sources.items() if "Popen(" in text or "subprocess.run(" in text}
    assert starts == {"processes.py", "guard.py", "bystander.py"}
    assert {name for name, text in sources.items() if '"-m"' in text} == {"processes.py"}

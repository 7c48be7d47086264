"""Runs a worker of `roost try` and says what came of it, whatever the bot does to its process."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from typing import IO, Any, Literal, NamedTuple

from roost_ladder.workshop.worker import Job

Lines = list[dict[str, Any]]
How = Literal["finished", "refused", "hung", "died", "time is up"]
FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+) in (?P<where>.*)')
OURS = re.compile(r"[/\\]roost_(sdk|cli|games|bots)[/\\]")
SPARE_SECONDS = 5.0
"""So much longer than its job a worker may take: to start on a busy machine, and to stop a bot that resists."""
MOST_LINES = 6
"""So many lines of what a process said last are shown."""


class Visit(NamedTuple):
    """What a worker found, and how it ended."""

    lines: Lines
    how: How
    at: str
    """What it was doing last."""
    part: int
    """The number of that part."""
    details: str
    """Where it hung, or what it said last."""


def visit(job: Job, hear: Callable[[dict[str, Any]], None] = lambda line: None) -> Visit:
    """Have a worker do `job`. It stops by itself when its time is up; if not, it is stopped a little later."""
    environment = {**os.environ, "PYTHONHASHSEED": str(job.salt), "ROOST_STDIO_SECONDS": str(0.8 * job.patience)}
    # With -P a random.py in this folder hides no module of Python.
    command = [sys.executable, "-P", "-m", "roost_ladder.workshop.worker", json.dumps(job._asdict())]
    lines: Lines = []
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(  # noqa: S603  our own module
            command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL, env=environment,
            start_new_session=True,
        )  # fmt: skip
        alarm = Timer(job.seconds + SPARE_SECONDS, _kill, [process])
        alarm.start()
        try:
            _read(process.stdout, lines, hear)
            process.wait()
        finally:
            in_time = alarm.is_alive()
            alarm.cancel()
            _kill(process)
        return _visit(lines, process.returncode, _text_of(errors), in_time=in_time)


def _read(stream: IO[bytes] | None, lines: Lines, hear: Callable[[dict[str, Any]], None]) -> None:
    with stream or tempfile.TemporaryFile() as opened:
        for text in opened:
            try:
                line = json.loads(text)
            except ValueError:
                # The process was stopped in the middle of it.
                continue
            lines.append(line)
            hear(line)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text_of(errors: IO[bytes]) -> str:
    errors.seek(0)
    return errors.read().decode(errors="replace")


def _visit(lines: Lines, code: int, errors: str, *, in_time: bool) -> Visit:
    begun = [line for line in lines if "at" in line]
    at, part = (begun[-1]["at"], begun[-1]["part"]) if begun else ("the import of its file", -1)
    if lines and "finished" in lines[-1]:
        return Visit(lines, "finished" if lines[-1]["in_time"] else "time is up", at, part, "")
    if lines and "refused" in lines[-1]:
        return Visit(lines, "refused", at, part, lines[-1]["refused"])
    if not in_time:
        return Visit(lines, "time is up", at, part, "")
    if "Timeout (" in errors:
        return Visit(lines, "hung", at, part, _where_it_hung(errors))
    how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
    return Visit(lines, "died", at, part, "\n".join((how, *errors.splitlines()[-MOST_LINES:])))


def _where_it_hung(errors: str) -> str:
    """The author's lines in what the process wrote before it was stopped, the outermost call first."""
    dump = errors[errors.rindex("Timeout (") :]
    frames = [match for match in map(FRAME.fullmatch, dump.splitlines()) if match]
    own = [match for match in frames if not OURS.search(match["file"]) and f"{os.sep}lib{os.sep}" not in match["file"]]
    own = [match for match in own if not match["file"].startswith("<")]
    return "\n".join(f"{match['file']}, line {match['line']}, in {match['where']}" for match in reversed(own))

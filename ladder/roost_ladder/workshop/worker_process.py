"""Runs a worker of the doctor and returns its result, whatever the bot does to its process."""

import json
import os
import re
from collections.abc import Callable
from subprocess import PIPE
from threading import Timer
from typing import IO, Any, Literal, NamedTuple

from roost_ladder.workshop import worker
from roost_ladder.workshop.worker import DoctorTask
from roost_sdk.processes import Process, Tail, python_words
from roost_sdk.tracebacks import is_authors_file

Lines = list[dict[str, Any]]
How = Literal["finished", "refused", "hung", "died", "time is up"]
FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+) in (?P<where>.*)')
SPARE_SECONDS = 5.0
"""How much longer than its task a worker may take: to start on a busy machine, and to stop a bot that resists."""
MOST_LINES = 6
"""How many of the last lines of a process are shown."""


class WorkerRun(NamedTuple):
    """What a worker found, and how it ended."""

    lines: Lines
    how: How
    at: str
    """What it was doing last."""
    part: int
    """The number of that part."""
    details: str
    """Where it hung, or its last lines."""


def run_worker(task: DoctorTask, hear: Callable[[dict[str, Any]], None] = lambda line: None) -> WorkerRun:
    """Have a worker do `task`. It stops by itself when its time is up, or is stopped a little later."""
    environment = {**os.environ, "PYTHONHASHSEED": str(task.salt), "ROOST_STDIO_SECONDS": str(0.8 * task.patience)}
    lines: Lines = []
    words = python_words(worker, json.dumps(task._asdict()))
    process = Process(words, stdout=PIPE, stderr=PIPE, environment=environment)
    errors = Tail(process.stderr)
    alarm = Timer(task.seconds + SPARE_SECONDS, process.kill)
    alarm.start()
    try:
        _read(process.stdout, lines, hear)
        process.wait()
    finally:
        in_time = alarm.is_alive()
        alarm.cancel()
        process.kill()
    return _worker_run(lines, process.ending, errors.text(), in_time=in_time)


def _read(stream: IO[bytes], lines: Lines, hear: Callable[[dict[str, Any]], None]) -> None:
    with stream as opened:
        for text in opened:
            try:
                line = json.loads(text)
            except ValueError:
                # The process was stopped in the middle of it.
                continue
            lines.append(line)
            hear(line)


def _worker_run(lines: Lines, ending: str, errors: str, *, in_time: bool) -> WorkerRun:
    begun = [line for line in lines if "at" in line]
    at, part = (begun[-1]["at"], begun[-1]["part"]) if begun else ("the import of its file", -1)
    if lines and "finished" in lines[-1]:
        return WorkerRun(lines, "finished" if lines[-1]["in_time"] else "time is up", at, part, "")
    if lines and "refused" in lines[-1]:
        return WorkerRun(lines, "refused", at, part, lines[-1]["refused"])
    if not in_time:
        return WorkerRun(lines, "time is up", at, part, "")
    if "Timeout (" in errors:
        return WorkerRun(lines, "hung", at, part, _where_it_hung(errors))
    return WorkerRun(lines, "died", at, part, "\n".join((ending, *errors.splitlines()[-MOST_LINES:])))


def _where_it_hung(errors: str) -> str:
    """The author's lines in what the process wrote before it was stopped, the outermost call first."""
    dump = errors[errors.rindex("Timeout (") :]
    frames = [match for match in map(FRAME.fullmatch, dump.splitlines()) if match]
    own = [match for match in frames if is_authors_file(match["file"])]
    return "\n".join(f"{match['file']}, line {match['line']}, in {match['where']}" for match in reversed(own))

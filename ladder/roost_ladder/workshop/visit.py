"""Runs a worker of `roost try` and says what came of it, whatever the bot does to its process."""

import json
import os
import re
from collections.abc import Callable
from subprocess import PIPE
from threading import Timer
from typing import IO, Any, Literal, NamedTuple

from roost_ladder.workshop import worker
from roost_ladder.workshop.worker import Job
from roost_sdk.processes import Process, Tail, python_words
from roost_sdk.tracebacks import is_authors_file

Lines = list[dict[str, Any]]
How = Literal["finished", "refused", "hung", "died", "time is up"]
FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+) in (?P<where>.*)')
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
    lines: Lines = []
    words = python_words(worker, json.dumps(job._asdict()))
    process = Process(words, stdout=PIPE, stderr=PIPE, environment=environment)
    errors = Tail(process.stderr)
    alarm = Timer(job.seconds + SPARE_SECONDS, process.kill)
    alarm.start()
    try:
        _read(process.stdout, lines, hear)
        process.wait()
    finally:
        in_time = alarm.is_alive()
        alarm.cancel()
        process.kill()
    return _visit(lines, process.ending, errors.text(), in_time=in_time)


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


def _visit(lines: Lines, ending: str, errors: str, *, in_time: bool) -> Visit:
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
    return Visit(lines, "died", at, part, "\n".join((ending, *errors.splitlines()[-MOST_LINES:])))


def _where_it_hung(errors: str) -> str:
    """The author's lines in what the process wrote before it was stopped, the outermost call first."""
    dump = errors[errors.rindex("Timeout (") :]
    frames = [match for match in map(FRAME.fullmatch, dump.splitlines()) if match]
    own = [match for match in frames if is_authors_file(match["file"])]
    return "\n".join(f"{match['file']}, line {match['line']}, in {match['where']}" for match in reversed(own))

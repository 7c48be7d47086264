"""Tracebacks as a bot's author wants them: where it broke in their code, and nothing of ours."""

import re
import sys
import traceback
from pathlib import Path
from types import FrameType, TracebackType

CALLERS = sys.stdlib_module_names | {__name__.partition(".")[0]}
"""Only the SDK calls and imports bots (`roost_sdk.seat`, `roost_sdk.load`), partly through the standard library. What a
bot itself calls of these comes after its own code."""
CALLS_BOTS = {"roost_sdk.seat", "roost_sdk.load"}
OUR_PACKAGES = "roost_"
"""How the names of all our packages begin."""
HEADER = "Traceback (most recent call last):"
DUMP = "(most recent call first):"
"""The end of the first line of a traceback by `faulthandler`."""
DUMPED_FRAME = re.compile(r'  File "(?P<file>.*)", line (?P<line>\d+) in (?P<where>.*)')
MOST_FRAMES = 20
"""Of a longer chain of calls only the innermost are shown."""


def headline(error: BaseException) -> str:
    """The error in one line: `ValueError: no such card`."""
    try:
        message = " ".join(str(error).split())
    except Exception:
        message = "an error that cannot be shown"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def authors_lines(error: BaseException) -> str:
    """The traceback from the first call into the author's code on, without what `headline` says."""
    shown = traceback.TracebackException(
        type(error), error, _skip_ours(error.__traceback__), limit=-MOST_FRAMES, compact=True
    )
    lines = [line for line in "".join(shown.format()).splitlines() if line.strip() != HEADER]
    if lines and lines[-1].removeprefix(f"{type(error).__module__}.") == headline(error):
        lines.pop()
    return "\n".join(lines)


def where_it_was(dumped: str) -> str:
    """The author's lines in the last traceback that `faulthandler` has written, the outermost call first."""
    lines = dumped[dumped.rfind(DUMP) :].splitlines()
    frames = [frame for frame in map(DUMPED_FRAME.fullmatch, lines) if frame and _is_authors_file(frame["file"])]
    return "\n".join(f"{frame['file']}, line {frame['line']}, in {frame['where']}" for frame in reversed(frames))


def authors_line(frame: FrameType | None) -> str:
    """The innermost of the author's lines that have led to this frame; empty if no bot is called there."""
    innermost = ""
    while frame is not None and frame.f_globals.get("__name__") not in CALLS_BOTS:
        innermost = innermost or own_line(frame)
        frame = frame.f_back
    return innermost if frame is not None else ""


def own_line(frame: FrameType) -> str:
    """The line that this frame is at, if it is one of the author's."""
    code = frame.f_code
    is_authors = _is_authors_file(code.co_filename)
    return f"{code.co_filename}, line {frame.f_lineno}, in {code.co_name}" if is_authors else ""


def _is_authors_file(file: str) -> bool:
    """Whether the code in this file is an author's: neither one of our packages nor a library."""
    path = Path(file)
    installed = "lib" in path.parts or file.startswith("<")
    return not installed and not any(path.is_relative_to(folder) for folder in _our_folders())


def _our_folders() -> set[Path]:
    ours = (module for name, module in list(sys.modules.items()) if name.startswith(OUR_PACKAGES) and "." not in name)
    return {Path(module.__file__).parent for module in ours if module.__file__ is not None}


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in CALLERS:
        trace = trace.tb_next
    return trace

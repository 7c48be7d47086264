"""Tracebacks as a bot's author wants them: where it broke in their code, and nothing of ours."""

import re
import sys
import traceback
from functools import cache
from pathlib import Path
from sysconfig import get_paths
from types import FrameType, TracebackType
from typing import Any

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
SITES = {"site-packages", "dist-packages"}
"""Folders of libraries, in whichever Python."""
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
    """The author's lines in the last traceback by `faulthandler` that has any, the outermost call first."""
    for dump in reversed(dumped.split(DUMP)[1:]):
        frames = [frame for frame in map(DUMPED_FRAME.fullmatch, dump.splitlines()) if frame]
        if own := [frame for frame in reversed(frames) if _is_authors_file(frame["file"])]:
            return "\n".join(f"{frame['file']}, line {frame['line']}, in {frame['where']}" for frame in own)
    return ""


def dump_of(coroutine: Any) -> str:
    """Where a coroutine waits, as `faulthandler` would write it."""
    lines: list[str] = []
    while frame := getattr(coroutine, "cr_frame", None):
        code = frame.f_code
        lines.insert(0, f'  File "{code.co_filename}", line {frame.f_lineno} in {code.co_name}\n')
        coroutine = coroutine.cr_await
    return "".join((f"Coroutine {DUMP}\n", *lines))


def authors_line(frame: FrameType | None) -> str:
    """The innermost of the author's lines that have led to this frame; empty if no bot is called there."""
    innermost = ""
    while frame is not None and frame.f_globals.get("__name__") not in CALLS_BOTS:
        innermost = innermost or _own_line(frame)
        frame = frame.f_back
    return innermost if frame is not None else ""


def _own_line(frame: FrameType) -> str:
    """The line that this frame is at, if it is one of the author's."""
    code = frame.f_code
    is_authors = _is_authors_file(code.co_filename)
    return f"{code.co_filename}, line {frame.f_lineno}, in {code.co_name}" if is_authors else ""


def _is_authors_file(file: str) -> bool:
    """Whether the code in this file is an author's: neither one of our packages nor a library."""
    path = Path(file)
    installed = file.startswith("<") or not SITES.isdisjoint(path.parts)
    return not installed and not any(path.is_relative_to(folder) for folder in _python_folders() | _our_folders())


@cache
def _python_folders() -> set[Path]:
    """Those of the standard library and of what is installed."""
    paths = get_paths()
    return {Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")}


def _our_folders() -> set[Path]:
    ours = (module for name, module in list(sys.modules.items()) if name.startswith(OUR_PACKAGES) and "." not in name)
    return {Path(module.__file__).parent for module in ours if module.__file__ is not None}


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] in CALLERS:
        trace = trace.tb_next
    return trace

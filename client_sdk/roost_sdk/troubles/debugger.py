"""Notices that an author looks at a bot with a debugger. In local play the clock stands still meanwhile."""

import sys
from functools import cache
from types import FrameType
from typing import Any

DEBUGGERS = {"bdb", "pdb", "pydevd", "_pydevd_bundle", "_pydevd_sys_monitoring", "debugpy", "IPython"}
"""The packages of debuggers, those of editors included."""
_calls = [0]
"""How often `breakpoint()` was called in this process."""


class DebuggerWatch:
    """Knows whether a debugger was at work since it was asked last."""

    def __init__(self) -> None:
        _count_breakpoints()
        self._known = _calls[0]

    def was_used(self) -> bool:
        """Whether `breakpoint()` was called since the last time, or a debugger steps through this thread."""
        before, self._known = self._known, _calls[0]
        return self._known > before or is_debugger(type(sys.gettrace()).__module__, sys.gettrace()) or _monitors()


def _monitors() -> bool:
    """Whether a debugger uses the interface that Python has for them from 3.12 on."""
    monitoring: Any = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def is_debugger(*tracers: object) -> bool:
    """Whether one of these is part of a debugger, by the module that it comes from."""
    names = (each if isinstance(each, str) else getattr(each, "__module__", None) or "" for each in tracers)
    return any(name.partition(".")[0] in DEBUGGERS for name in names)


def is_in_debugger(frame: FrameType | None) -> bool:
    """Whether a debugger has led to this frame, or is at it."""
    while frame is not None:
        if is_debugger(frame.f_globals.get("__name__", "")):
            return True
        frame = frame.f_back
    return False


@cache
def _count_breakpoints() -> None:
    """From now on. A hook cannot be removed, and is called for few other events."""

    def hear(event: str, arguments: object) -> None:
        if event == "builtins.breakpoint":
            _calls[0] += 1

    sys.addaudithook(hear)
